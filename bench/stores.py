"""Create stores once for many benchmarks.

The contents of the rows are defined by the product (`storage/search/index.py`). They are written in bulk over a
separate connection without fsyncs, because a million entities would otherwise take an hour.
"""

import shutil
import sqlite3
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import corpus
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.identity.names import IdentityRules, make_namespace_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.search_index_terms import build_value_rows
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.sqlite import facets, search
from jupyter_colophon.storage.sqlite.compressed_texts import encode_compressed_text
from jupyter_colophon.storage.sqlite.name_bits import compute_name_bits

WHO = Principal("bench")
_SLICE, _NOW = 50_000, 1_700_000_000_000
_RUNNING = 2**63 - 1
_kept: list[Path] = []


def get_or_create_folder() -> Path:
    """Return the folder of the stores of this run."""
    if not _kept:
        _kept.append(Path(tempfile.mkdtemp(prefix="colophon-bench-")))
    return _kept[0]


def keep_and_use(path: Path) -> None:
    """Use the stores of an earlier run, and keep them."""
    path.mkdir(parents=True, exist_ok=True)
    _kept[:] = [path]


def delete_stores() -> None:
    """Delete the stores of this run."""
    shutil.rmtree(get_or_create_folder())
    _kept.clear()


@cache
def open_filled_catalog(count: int) -> Catalog:
    """Open a catalog with `count` entities and as many accesses."""
    path = get_or_create_folder() / f"filled{count}.db"
    if not path.exists():
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        _fill_store(part, count)
        part.rename(path)
    _read_into_page_cache(path)
    return open_or_create_catalog(choose_sqlite_store(path), IdentityRules())


def _read_into_page_cache(path: Path) -> None:
    """Read a file once, so that the first reading from disk is not measured."""
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def _fill_store(path: Path, count: int) -> None:
    catalog = open_or_create_catalog(choose_sqlite_store(path), IdentityRules())
    places = [make_namespace_urn(f"ns{number:02}") for number in range(corpus.NAMESPACES)]
    catalog.write_path.apply_proposals_atomically(
        [Proposal(urn, "status", "upsert", {"removed": False}) for urn in places], WHO
    )
    # The first writes fill the caches of the write path.
    catalog.close()
    store = sqlite3.connect(path, isolation_level=None)
    store.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY")
    counts: index.Counts = defaultdict(Counter)
    for some in _split_into_slices(corpus.generate_entities(count)):
        _EntityWriter(store, counts).write_entities(some)
    store.execute("BEGIN")
    for table, amounts in counts.items():
        _insert_rows(store, table, [(*key, amount) for key, amount in amounts.items()], "OR REPLACE")
    _write_all_accesses(store, count)
    store.execute("COMMIT")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def _split_into_slices(rows: Iterable[Any]) -> Iterator[list[Any]]:
    source = iter(rows)
    while some := list(islice(source, _SLICE)):
        yield some


def _insert_rows(store: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]], otherwise: str = "") -> None:
    rows = list(rows)
    marks = ", ".join("?" * len(rows[0]))
    store.executemany(f"INSERT {otherwise} INTO {table} VALUES ({marks})", rows)


class _EntityWriter:
    """A batch of entities for the file."""

    def __init__(self, store: sqlite3.Connection, counts: index.Counts) -> None:
        self._store, self._counts = store, counts
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        self._next = store.execute(search._NEWEST).fetchone()[0]
        self._values: dict[tuple[str, str], int] = {
            (facet, value): number
            for number, facet, value in store.execute("SELECT id, facet, value FROM search_facet_values")
        }

    def write_entities(self, some: Iterable[corpus.CorpusEntity]) -> None:
        """Write the entities."""
        for thing in some:
            self._add_thing(thing)
        self._store.execute("BEGIN")
        # In the order of their keys, so that neighbouring rows are written together.
        for table, rows in self._rows.items():
            named = f"{table} ({', '.join(_LOGGED)})" if table == "change_log" else table
            _insert_rows(self._store, named, rows if table.startswith(("search", "change")) else sorted(rows))
        self._store.execute("COMMIT")

    def _add_thing(self, thing: corpus.CorpusEntity) -> None:
        urn, name, value = (
            corpus.build_urn(thing.number),
            corpus.build_short_name(thing.number),
            encode_canonical_json(thing.value),
        )
        kind = "dataset" if urn.startswith("urn:li:dataset:") else "dataJob"
        entity = {"urn": urn, "type": kind, "namespace": thing.namespace, "name": name, "platform": "spark"}
        values = set(build_value_rows("businessMetadata", "USER", thing.value))
        stamps = {"created": _NOW, "created_by": "bench", "updated": _NOW, "updated_by": "bench"}
        document = index.build_search_document({**entity, **stamps, "deleted": False}, values)
        # There is no other metadata, and all versions are kept.
        written = (value, "bench", "", _NOW, None, None)
        self._add_row("entities", *entity.values(), _NOW, "bench", _NOW, "bench", 0, None, None)
        self._add_row("entity_names", thing.namespace, kind, name, urn)
        self._add_row("aspects", urn, "businessMetadata", 1, 0, *written, None)
        self._add_row("aspect_versions", urn, "businessMetadata", 1, *written)
        change = (_NOW, urn, kind, thing.namespace, name, "businessMetadata", "create", 1, "USER", "bench", value)
        self._add_row("change_log", *change)
        for row in index.build_stored_value_rows(entity, values).values():
            self._add_row("metadata_values", *(row[field] for field in tables.METADATA_VALUES.fields))
        for table, keys in index.build_counter_keys(entity, values):
            if keys:
                self._counts[table].update(keys)
        self._add_document(document)

    def _add_document(self, document: Any) -> None:
        self._next += 1
        words = " ".join([*sorted(document.words), *sorted(search._TERM + term for term in document.terms)])
        numbers = ",".join(map(str, sorted(map(self._get_or_add_number, document.facet_values))))
        group = self._get_or_add_number(facets._format_group((document.namespace, document.type)))
        bits = compute_name_bits(document.urn, document.namespace, document.type)
        shown = (document.urn, document.namespace, document.type, len(document.words))
        self._add_row("search_entries", self._next, *shown, numbers, group, bits)
        self._add_row("search_texts", self._next, encode_compressed_text(words))
        self._add_row("search_tokens (rowid, words)", self._next, words)

    def _get_or_add_number(self, pair: tuple[str, str]) -> int:
        """Return the number of a facet value."""
        if pair not in self._values:
            self._values[pair] = len(self._values) + 1
            self._add_row("search_facet_values", self._values[pair], *pair)
        return self._values[pair]

    def _add_row(self, table: str, *values: Any) -> None:
        self._rows.setdefault(table, []).append(values)


_LOGGED = ("time", "urn", "type", "namespace", "name", "aspect", "operation", "version", "scope", "actor", "value")


def _write_all_accesses(store: sqlite3.Connection, count: int) -> None:
    numbers: dict[str, int] = {}
    edges: dict[tuple[int, int, str], list[int]] = {}
    runs = []
    for item in corpus.generate_accesses(count):
        data, program = (
            numbers.setdefault(corpus.build_urn(end), len(numbers) + 1) for end in (item.data, item.program)
        )
        stop = item.start + corpus.RUN_MS
        run = f"urn:li:dataProcessInstance:{item.run:032x}"
        runs.append((data, program, item.mode, item.start, run, "", stop))
        edge = edges.setdefault((data, program, item.mode), [item.start, item.start, stop, stop, 0])
        edge[:] = [
            min(edge[0], item.start),
            max(edge[1], item.start),
            max(edge[2], stop),
            max(edge[3], stop),
            edge[4] + 1,
        ]
    _insert_rows(store, "lineage_nodes (urn, id)", numbers.items())
    _insert_rows(store, "lineage_runs", sorted(runs))
    _insert_rows(store, "lineage_edges", sorted((*key, *rolled_up) for key, rolled_up in edges.items()))


if __name__ == "__main__":
    # `make bench-ui` measures the frontend with such a store.
    keep_and_use(Path(sys.argv[1]))
    open_filled_catalog(int(sys.argv[2])).close()
