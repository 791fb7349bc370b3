"""Stores that are filled once and asked by many benches.

What the rows hold is the product's to say (`storage/search/index.py`); how they come into the file is not, or a million
entities would take an hour: they are written in bulk on a connection of our own, without the fsyncs.
"""

import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import corpus
from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.identity.names import Identity, namespace
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.search_index_terms import value_rows
from jupyter_colophon.core.store import sqlite_file
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.sqlite import search

WHO = Principal("bench")
_SLICE, _NOW = 50_000, 1_700_000_000_000
_RUNNING = 2**63 - 1
_kept: list[Path] = []


def folder() -> Path:
    """Where the stores of this run are."""
    if not _kept:
        _kept.append(Path(tempfile.mkdtemp(prefix="colophon-bench-")))
    return _kept[0]


def keep(path: Path) -> None:
    """Use the stores of an earlier run, and leave them there."""
    path.mkdir(parents=True, exist_ok=True)
    _kept[:] = [path]


def remove() -> None:
    """Take the stores of this run away."""
    shutil.rmtree(folder())
    _kept.clear()


@cache
def filled(count: int) -> Catalog:
    """A catalog of `count` entities and as many accesses."""
    path = folder() / f"filled{count}.db"
    if not path.exists():
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        _fill(part, count)
        part.rename(path)
    _warm(path)
    return open_catalog(sqlite_file(path), Identity())


def _warm(path: Path) -> None:
    """Read a file once: what the first reading from a disk costs is no part of what is compared."""
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def _fill(path: Path, count: int) -> None:
    catalog = open_catalog(sqlite_file(path), Identity())
    places = [namespace(f"ns{number:02}") for number in range(corpus.NAMESPACES)]
    catalog.write_path.propose([Proposal(urn, "status", "upsert", {"removed": False}) for urn in places], WHO)
    # Whatever the write path keeps once for a catalog is there after its first writes.
    catalog.close()
    store = sqlite3.connect(path, isolation_level=None)
    store.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY")
    counts: index.Counts = Counter()
    for some in _sliced(corpus.things(count)):
        _Slice(store, counts).add(some)
    store.execute("BEGIN")
    for (table, key), amount in counts.items():
        _insert(store, table, [(*key, amount)], "OR REPLACE")
    _touch_all(store, count)
    store.execute("COMMIT")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def _sliced(rows: Iterable[Any]) -> Iterator[list[Any]]:
    source = iter(rows)
    while some := list(islice(source, _SLICE)):
        yield some


def _insert(store: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]], otherwise: str = "") -> None:
    rows = list(rows)
    marks = ", ".join("?" * len(rows[0]))
    store.executemany(f"INSERT {otherwise} INTO {table} VALUES ({marks})", rows)


class _Slice:
    """Some entities on their way into the file."""

    def __init__(self, store: sqlite3.Connection, counts: index.Counts) -> None:
        self._store, self._counts = store, counts
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        self._next = store.execute(search._NEWEST).fetchone()[0]
        self._values = {
            (facet, value): number
            for number, facet, value in store.execute("SELECT id, facet, value FROM search_facet_values")
        }

    def add(self, some: Iterable[corpus.Thing]) -> None:
        """Write these entities."""
        for thing in some:
            self._thing(thing)
        self._store.execute("BEGIN")
        # In the order of their keys, so that neighbours are written together.
        for table, rows in self._rows.items():
            named = f"{table} ({', '.join(_LOGGED)})" if table == "change_log" else table
            _insert(self._store, named, rows if table.startswith(("search", "change")) else sorted(rows))
        self._store.execute("COMMIT")

    def _thing(self, thing: corpus.Thing) -> None:
        urn, name, value = corpus.urn_of(thing.number), corpus.name_of(thing.number), compact(thing.value)
        kind = "dataset" if urn.startswith("urn:li:dataset:") else "dataJob"
        entity = {"urn": urn, "type": kind, "namespace": thing.namespace, "name": name, "platform": "spark"}
        said = set(value_rows("businessMetadata", "USER", thing.value))
        stamps = {"created": _NOW, "created_by": "bench", "updated": _NOW, "updated_by": "bench"}
        document = index.document({**entity, **stamps, "deleted": False}, said)
        # Nobody said anything of them besides, and all their versions are kept.
        written = (value, "bench", "", _NOW, None, None)
        self._row("entities", *entity.values(), _NOW, "bench", _NOW, "bench", 0, None, None)
        self._row("entity_names", thing.namespace, kind, name, urn)
        self._row("aspects", urn, "businessMetadata", 1, 0, *written, None)
        self._row("aspect_versions", urn, "businessMetadata", 1, *written)
        change = (_NOW, urn, kind, thing.namespace, name, "businessMetadata", "create", 1, "USER", "bench", value)
        self._row("change_log", *change)
        for row in index.stored_rows(entity, said).values():
            self._row("metadata_values", *(row[field] for field in tables.METADATA_VALUES.fields))
        for table, keys in index.counter_keys(entity, said):
            self._counts.update((table, (thing.namespace, *key)) for key in keys)
        self._document(document)

    def _document(self, document: Any) -> None:
        self._next += 1
        words = " ".join([*sorted(document.words), *sorted(search._TERM + term for term in document.terms)])
        shown = (document.urn, document.namespace, document.type, len(document.words))
        self._row("search_entries", self._next, *shown)
        self._row("search_texts", self._next, words)
        for pair in document.facet_values:
            if pair not in self._values:
                self._values[pair] = len(self._values) + 1
                self._row("search_facet_values", self._values[pair], *pair)
            self._row("search_facets", self._next, self._values[pair])
        self._row("search_tokens (rowid, words)", self._next, words)

    def _row(self, table: str, *values: Any) -> None:
        self._rows.setdefault(table, []).append(values)


_LOGGED = ("time", "urn", "type", "namespace", "name", "aspect", "operation", "version", "scope", "actor", "value")


def _touch_all(store: sqlite3.Connection, count: int) -> None:
    numbers: dict[str, int] = {}
    edges: dict[tuple[int, int, str], list[int]] = {}
    runs = []
    for one in corpus.accesses(count):
        data, program = (numbers.setdefault(corpus.urn_of(end), len(numbers) + 1) for end in (one.data, one.program))
        stop = one.start + corpus.RUN_MS
        run = f"urn:li:dataProcessInstance:{one.run:032x}"
        runs.append((data, program, one.mode, one.start, run, "", stop))
        edge = edges.setdefault((data, program, one.mode), [one.start, one.start, stop, stop, 0])
        edge[:] = [
            min(edge[0], one.start),
            max(edge[1], one.start),
            max(edge[2], stop),
            max(edge[3], stop),
            edge[4] + 1,
        ]
    _insert(store, "lineage_nodes (urn, id)", numbers.items())
    _insert(store, "lineage_runs", sorted(runs))
    _insert(store, "lineage_edges", sorted((*key, *rolled_up) for key, rolled_up in edges.items()))
