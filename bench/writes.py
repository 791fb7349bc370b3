"""Compare proposals without HTTP, one and a hundred at a time, with writing the same rows by hand with `sqlite3`
(FULL).
"""

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.identity.names import IdentityRules, make_home_dataset_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.search_index_terms import build_value_rows
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.http.garbage_collection import adapt_collector_to_large_answers
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.spi import Row

WRITES, ROUNDS = 1_000, 5
_GOALS = {1: 0.3, 100: 0.4}
SHAPES = """PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE aspects (urn TEXT, aspect TEXT, version INTEGER, value TEXT, actor TEXT, via TEXT, time INTEGER,
        PRIMARY KEY (urn, aspect)) WITHOUT ROWID;
    CREATE TABLE versions (urn TEXT, aspect TEXT, version INTEGER, value TEXT, actor TEXT, via TEXT, time INTEGER,
        PRIMARY KEY (urn, aspect, version)) WITHOUT ROWID;
    CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, urn TEXT, type TEXT, namespace TEXT,
        name TEXT, aspect TEXT, operation TEXT, version INTEGER, scope TEXT, actor TEXT, via TEXT, run TEXT,
        previous TEXT, value TEXT);
    CREATE INDEX log_by_urn ON log (urn, seq);
    CREATE INDEX log_by_type ON log (type, seq);
    CREATE INDEX log_by_namespace ON log (namespace, seq);
    CREATE TABLE facts (namespace TEXT, key TEXT, value TEXT, urn TEXT, scope TEXT, kind TEXT, shown TEXT,
        PRIMARY KEY (namespace, key, value, urn, scope)) WITHOUT ROWID;
    CREATE TABLE entries (id INTEGER PRIMARY KEY, urn TEXT UNIQUE, namespace TEXT, type TEXT);
    CREATE TABLE facet_values (id INTEGER PRIMARY KEY, facet TEXT, value TEXT, UNIQUE (facet, value));
    CREATE TABLE facets (entry INTEGER, value INTEGER, PRIMARY KEY (entry, value)) WITHOUT ROWID;
    CREATE TABLE texts (id INTEGER PRIMARY KEY, words TEXT);
    CREATE VIRTUAL TABLE full_text USING fts5 (words, content = 'texts', content_rowid = 'id', prefix = '2 3');"""


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    # As the server does.
    adapt_collector_to_large_answers()
    for batch, goal in _GOALS.items():
        ours, raw = [], []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                ours.append(_measure_wall_and_cpu_s(_create_colophon_write(Path(folder) / "ours.db", batch)))
                raw.append(_measure_wall_and_cpu_s(_create_raw_write(Path(folder) / "raw.db", batch)))
        for at, what in enumerate(("", ", by CPU time")):
            mine, theirs = (min(side[at] for side in sides) for sides in (ours, raw))
            yield (
                f"proposals a second, no HTTP, {batch} a transaction{what}",
                f"{WRITES / mine:.0f}",
                f"{WRITES / theirs:.0f} (raw sqlite3, the same rows)",
                f"{theirs / mine:.2f}x",
                f">= {goal}x",
            )


def _measure_wall_and_cpu_s(work: Callable[[], None]) -> tuple[float, float]:
    """Return wall seconds, and CPU seconds of this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _create_value(number: int) -> dict[str, Any]:
    return {
        "properties": {"owner": f"team{number % 7}", "refresh": "every morning"},
        "tags": ["faa", f"batch{number % 5}"],
    }


def _create_colophon_write(path: Path, batch: int) -> Callable[[], None]:
    catalog = open_or_create_catalog(choose_sqlite_store(path), IdentityRules())
    who = Principal("bench")
    existing = [make_home_dataset_urn("bench", f"table{number}") for number in range(WRITES)]
    status = {"removed": False}
    catalog.write_path.apply_proposals_atomically(
        [Proposal(existing[0], "technicalMetadata", "upsert", {"properties": {}, "tags": []})], who
    )
    catalog.write_path.apply_proposals_atomically([Proposal(urn, "status", "upsert", status) for urn in existing], who)
    wishes = [Proposal(urn, "businessMetadata", "upsert", _create_value(number)) for number, urn in enumerate(existing)]

    def write() -> None:
        for at in range(0, WRITES, batch):
            catalog.write_path.apply_proposals_atomically(wishes[at : at + batch], who)

    return write


def _create_raw_write(path: Path, batch: int) -> Callable[[], None]:
    """Return a function that writes the aspect, its version, change, value rows and full text, whose contents are
    prepared.
    """
    store = sqlite3.connect(path, isolation_level=None)
    store.executescript(SHAPES)
    request = [_build_rows_by_hand(number) for number in range(WRITES)]
    for number, item in enumerate(request, 1):
        # As in ours, the entity exists, and is found by its name.
        store.execute("INSERT INTO entries VALUES (?, ?, 'bench', 'dataset')", (number, item["aspect"][0]))
        store.execute("INSERT INTO texts VALUES (?, ?)", (number, item["known"]))
        store.execute("INSERT INTO full_text (rowid, words) VALUES (?, ?)", (number, item["known"]))

    def write() -> None:
        for at in range(0, WRITES, batch):
            store.execute("BEGIN IMMEDIATE")
            for number, item in enumerate(request[at : at + batch], at + 1):
                _write_rows(store, number, item)
            store.execute("COMMIT")

    return write


def _build_rows_by_hand(number: int) -> Row:
    urn, value = str(make_home_dataset_urn("bench", f"table{number}")), _create_value(number)
    entity: Row = {"urn": urn, "type": "dataset", "namespace": "bench", "name": f"table{number}", "platform": "spark"}
    entity |= {"created": number, "created_by": "bench", "updated": number, "updated_by": "bench"}
    values = set(build_value_rows("businessMetadata", "USER", value))
    document = index.build_search_document(entity, values)
    existing = index.build_search_document(entity, set())
    text, about = encode_canonical_json(value), (urn, "dataset", "bench", f"table{number}")
    return {
        "aspect": (urn, "businessMetadata", 1, text, "bench", None, number),
        "change": (number, *about, "businessMetadata", "create", 1, "USER", "bench", None, None, None, text),
        "facts": [tuple(row.values()) for row in index.build_stored_value_rows(entity, values).values()],
        "entry": ("bench", "dataset"),
        "facets": sorted(document.facet_values),
        "words": " ".join(sorted(document.words | document.terms)),
        "known": " ".join(sorted(existing.words | existing.terms)),
    }


def _write_rows(store: sqlite3.Connection, number: int, one: Row) -> None:
    store.execute("SELECT version FROM aspects WHERE urn = ? AND aspect = ?", one["aspect"][:2]).fetchone()
    store.execute("INSERT INTO aspects VALUES (?, ?, ?, ?, ?, ?, ?)", one["aspect"])
    store.execute("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)", one["aspect"])
    store.execute(f"INSERT INTO log VALUES (NULL{', ?' * 14})", one["change"])
    store.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)", one["facts"])
    store.execute("UPDATE entries SET namespace = ?, type = ? WHERE id = ?", (*one["entry"], number))
    store.executemany("INSERT OR IGNORE INTO facet_values (facet, value) VALUES (?, ?)", one["facets"])
    store.executemany(
        "INSERT INTO facets SELECT ?, id FROM facet_values WHERE facet = ? AND value = ?",
        [(number, *pair) for pair in one["facets"]],
    )
    store.execute("INSERT INTO full_text (full_text, rowid, words) VALUES ('delete', ?, ?)", (number, one["known"]))
    store.execute("UPDATE texts SET words = ? WHERE id = ?", (one["words"], number))
    store.execute("INSERT INTO full_text (rowid, words) VALUES (?, ?)", (number, one["words"]))


if __name__ == "__main__":
    for row in measure_rows():
        print("| " + " | ".join(row) + " |")
