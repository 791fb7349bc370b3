"""A catalog that the code at e8b857e wrote, opened by this code: everything in it can still be read (spec STORE-21).

The two dumps in `data/` are of one catalog with rows in nearly every table, written on SQLite and on PostgreSQL.
"""

import gzip
import json
import signal
import sqlite3
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StoreTooNew, UnsupportedStore
from jupyter_colophon.core.identity.names import Identity, Urn, run_urn
from jupyter_colophon.core.lineage.graph import LineageQuestion
from jupyter_colophon.core.openlineage.event import Spelling
from jupyter_colophon.core.search.search import SearchQuestion, ValuesQuestion
from jupyter_colophon.core.store import StoreChoice, sqlite_file
from jupyter_colophon.maintenance import open_keeper
from jupyter_colophon.operations.problems import PREFIX, refusal
from jupyter_colophon.storage import providers, tables
from jupyter_colophon.storage.changes import consumed_offsets, schedules, sinks
from jupyter_colophon.storage.migrations.runner import NAME, Progress, progress
from jupyter_colophon.storage.spi import Range, TableContext
from support.catalog import ADA, names, say, search
from support.keeping import findings, keeper
from support.postgres import server
from support.process import running
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT, file, table

DATA = Path(__file__).parent / "data"
BOB = Principal("bob", None, frozenset({"read", "annotate", "emit"}))
#: How many rows the catalog has in the tables that are not derived, by today's names of tables.
ROWS = {
    "entities": 25,
    "aspects": 77,
    "aspect_versions": 89,
    "timeseries": 2,
    "containment": 1,
    "runs": 4,
    "accesses": 6,
    "snapshots": 12,
    "column_edges": 1,
    "column_runs": 1,
    "openlineage": 4,
    "openlineage_names": 6,
    "dead_letters": 3,
    "failures": 2,
    "consumed_offsets": 1,
    "cursors": 2,
    "sink_states": 1,
    "redeliveries": 1,
    "loads": 1,
    "load_rejections": 2,
    "schedules": 1,
}
#: Opens a catalog, and ends itself in the middle of the migration.
DYING = """
import os, signal
from pathlib import Path
from jupyter_colophon.storage.migrations import version_1
from support.catalog import opened
version_1.clear_counts = lambda tx, after: os.kill(os.getpid(), signal.SIGKILL)
opened(Path(sys.argv[1]))
"""


def _dump(store: str) -> str:
    return gzip.decompress((DATA / f"e8b857e-{store}.sql.gz").read_bytes()).decode()


@contextmanager
def _sqlite(folder: Path) -> Iterator[StoreChoice]:
    path = folder / "colophon.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_dump("sqlite"))
    yield sqlite_file(path)


@contextmanager
def _postgresql(folder: Path) -> Iterator[StoreChoice]:
    running_server, database = server(), f"old_{folder.name.lower().replace('-', '_')}"
    running_server.execute(f'CREATE DATABASE "{database}"')
    try:
        with psycopg.connect(running_server.dsn_of(database), autocommit=True) as connection:
            connection.execute(_dump("postgresql").encode())
        yield StoreChoice("postgresql", {"dsn": running_server.dsn_of(database)})
    finally:
        running_server.execute(f'DROP DATABASE "{database}" WITH (FORCE)')


OLD = {"sqlite": _sqlite, "postgresql": _postgresql}


@pytest.fixture(params=list(OLD))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreChoice]:
    """A store with the catalog of e8b857e."""
    with OLD[request.param](tmp_path) as choice:
        yield choice


@pytest.fixture(scope="module", params=list(OLD))
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Catalog]:
    """The same catalog, opened; its tests only read."""
    with OLD[request.param](tmp_path_factory.mktemp("upgraded")) as choice:
        catalog = open_catalog(choice, Identity())
        yield catalog
        catalog.close()


def _read(catalog: Catalog, work: Any) -> Any:
    return catalog.provider.tx_runner.run(work, read_only=True)


def test_no_row_is_lost_and_nothing_is_wrong(old: StoreChoice) -> None:
    catalog = open_catalog(old, Identity())
    catalog.inbox.close()
    counts = _read(catalog, lambda tx: {name: tx.table(name).count() for name in ROWS})
    grown = {"entities": 26, "aspects": 80, "aspect_versions": 92}
    # The batch that waited in the inbox was applied: one dataset with its key and one aspect, and its platform's.
    assert {name: count for name, count in counts.items() if name not in grown} == {
        name: count for name, count in ROWS.items() if name not in grown
    }
    assert all(counts[name] >= ROWS[name] for name in grown)
    assert findings(keeper(catalog)) == []
    assert sorted(catalog.provider.table_admin.list()) == sorted(spec.id for spec in tables.ALL)
    catalog.close()


class TestReading:
    def test_search_keys_and_counts(self, upgraded: Catalog) -> None:
        found = search(upgraded, "tags:gold")
        assert names(found) == ["orders"]
        assert ("gold", 1) in found.facets["tag"]
        assert [count for _, count in found.facets["platform"]] == [1]
        assert names(search(upgraded, "owner:sre")) == ["orders"]
        assert sorted(names(search(upgraded, "source:*"))) == ["orders", "report"]
        assert names(search(upgraded, "second")) == ["twice"]
        assert [names(search(upgraded, word)) for word in ("first", "nobody", "tags:secret")] == [[], [], []]
        hidden = upgraded.searcher.search(SearchQuestion("tags:secret", removed=True), ADA)
        assert names(hidden) == ["hidden"]
        values, _ = upgraded.keys.values(ValuesQuestion("source", ""), 10, ADA)
        assert values == [("orders", 1), ("till", 1)]

    def test_history_and_moments(self, upgraded: Catalog) -> None:
        history, _ = upgraded.reader.versions(Urn.parse(ORDERS), "technicalMetadata", 9, "", ADA)
        assert [one.value["properties"]["owner"] for one in history] == ["Grace", "Ada"]
        twice, _ = upgraded.reader.versions(Urn.parse(table("twice")), "technicalMetadata", 9, "", ADA)
        assert [one.version for one in twice] == [3]
        assert upgraded.reader.aspect(Urn.parse(ORDERS), "businessMetadata", ADA).actor == "bob"

    def test_runs_keep_their_facts_but_for_the_source_of_cells(self, upgraded: Catalog) -> None:
        run = upgraded.runs.run(str(run_urn(Urn.parse(CELL), "run-1")), ADA)
        assert dict(run.facts) == {"cellId": "a1", "sourceHash": "sha256:1f", "executionCount": 3}
        assert [(one.data, one.mode) for one in run.accesses] == [(ORDERS, "read"), (REPORT, "write")]
        assert upgraded.runs.run(str(run_urn(Urn.parse(NOTEBOOK), "run-2")), ADA).facts == {"source": "the till"}

        def stored_results(tx: TableContext) -> list[bytes]:
            return [zlib.decompress(row["result"]) for row in tx.table("idempotency_results").scan(Range())]

        assert [b"hunter2" in one for one in _read(upgraded, stored_results)] == [False]

    def test_lineage_and_columns(self, upgraded: Catalog) -> None:
        lineage = upgraded.lineage.lineage(LineageQuestion(Urn.parse(REPORT), levels=3, columns=True), ADA)
        load = "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,sales),flows.load)"
        assert {ORDERS, REPORT, CELL, load, file("/data/raw/orders.csv")} <= {node.urn for node in lineage.nodes}
        assert [(one.source_field, one.target_field) for one in lineage.columns] == [("price", "total")]

    def test_what_openlineage_reported(self, upgraded: Catalog) -> None:
        job = upgraded.marquez.one("job", Spelling("airflow", "daily.load"), ADA)
        assert job.facets["sql"]["query"] == "select 1"
        bills = upgraded.marquez.one("dataset", Spelling("file", "/data/bills"), ADA)
        assert bills.facets["storage"]["storageLayer"] == "delta"

    def test_rows_that_were_not_applied_and_why(self, upgraded: Catalog) -> None:
        letters, _ = upgraded.dead_letters.page("", 10, "", ADA)
        problems = [(one.kind, refusal(one.refusal)["type"].removeprefix(PREFIX)) for one in letters]
        assert sorted(problems) == [
            ("openlineage", "invalid-instance"),
            ("proposals", "already-exists"),
            ("proposals", "condition-failed"),
        ]
        rows, _ = upgraded.loads.refusals("night", 10, "", ADA)
        assert [refusal(one.row.refusal)["status"] for one in rows] == [409, 400]
        load = upgraded.loads.read("night", ADA)
        assert (load.state, load.written, load.refused) == ("committed", 1, 2)
        entries = _read(upgraded, lambda tx: [row["id"] for row in tx.table("inbox").scan(Range())])
        states = [upgraded.inbox.entry(number, ADA).state for number in entries]
        assert states.count("rejected") == 2
        assert set(states) == {"applied", "rejected"}

    def test_positions_in_the_change_log_and_in_topics(self, upgraded: Catalog) -> None:
        place = consumed_offsets.Place("MetadataChangeProposal_v1", 0, 41)
        assert _read(upgraded, lambda tx: consumed_offsets.is_taken(tx, place))
        assert not _read(upgraded, lambda tx: consumed_offsets.is_taken(tx, replace(place, offset=42)))
        sink = _read(upgraded, lambda tx: sinks.state(tx, "audit"))
        assert (sink.attempts, sink.problem, sink.lost) == (2, "HTTP 500", 1)
        positions = _read(upgraded, lambda tx: {row["name"]: row["seq"] for row in tx.table("cursors").scan(Range())})
        assert positions == {"sink:audit": 5, "listener:mirror": 106}
        assert _read(upgraded, lambda tx: schedules.states(tx)["nightly"].due) == 9_000

    def test_changes_from_the_first_to_the_last(self, upgraded: Catalog) -> None:
        changes = upgraded.feed.changes(0, 1_000, {}, ADA)
        assert [one.seq for one in changes] == list(range(1, len(changes) + 1))
        assert len(changes) >= 106


def test_a_killed_migration_is_resumed_by_several_processes_at_once(tmp_path: Path) -> None:
    with _sqlite(tmp_path) as choice:
        path = tmp_path / "colophon.db"
        with running(DYING, str(path)) as dying:
            assert dying.wait(timeout=300) == -signal.SIGKILL
        store = providers.opened(choice)
        assert store.tx_runner.run(progress).place != ""
        store.close()
        with ThreadPoolExecutor(3) as threads:
            catalogs = list(threads.map(lambda _: open_catalog(choice, Identity()), range(3), timeout=300))
        for catalog in catalogs:
            assert names(search(catalog, "tags:gold")) == ["orders"]
            assert catalog.provider.tx_runner.run(progress) == Progress(1)
        assert say(catalogs[0], ORDERS, {"owner": "Mary"}, version=2).version == 3
        assert findings(keeper(catalogs[0])) == []
        for catalog in catalogs:
            catalog.close()


def _set(choice: StoreChoice, name: str, value: bytes | None) -> None:
    """Write a row of the settings of a store, or remove it."""

    def work(tx: TableContext) -> None:
        table = tx.table("settings")
        table.delete((name,)) if value is None else table.upsert({"name": name, "value": value})

    store = providers.opened(choice)
    store.tx_runner.run(work)
    store.close()


@pytest.mark.parametrize("value", [b'{"done": 6, "place": ""}', b'{"done": 9, "place": ""}', b"{}", None])
def test_a_catalog_of_another_version_is_refused_and_left_unchanged(old: StoreChoice, value: bytes | None) -> None:
    _set(old, "migrations", value)
    store = providers.opened(old)
    before = store.table_admin.list()
    with pytest.raises(UnsupportedStore, match="export the catalog with the version that wrote it"):
        open_catalog(old, Identity())
    assert store.table_admin.list() == before
    assert store.tx_runner.run(lambda tx: tx.table("settings").read((NAME,))) is None
    store.close()


def test_a_catalog_of_a_newer_version_is_refused_and_left_unchanged(old: StoreChoice) -> None:
    open_catalog(old, Identity()).close()
    _set(old, NAME, json.dumps({"version": 99, "place": ""}).encode())
    store = providers.opened(old)
    before = store.commits()
    with pytest.raises(StoreTooNew):
        open_catalog(old, Identity())
    assert store.commits() == before
    store.close()


def test_a_new_catalog_has_the_newest_version_at_once(tmp_path: Path) -> None:
    catalog = open_catalog(sqlite_file(tmp_path / "new.db"), Identity())
    assert catalog.provider.tx_runner.run(progress) == Progress(1)
    catalog.close()


def test_an_upgraded_catalog_is_backed_up_and_restored(old: StoreChoice, tmp_path: Path) -> None:
    catalog, path = open_catalog(old, Identity()), tmp_path / "backup.gz"
    keeper(catalog).backups("1").write(path)
    catalog.close()
    store = open_keeper(sqlite_file(tmp_path / "restored.db"), lambda what, steps: None, new=True)
    store.backups("1").restore(path)
    assert findings(store) == []
    store.close()
