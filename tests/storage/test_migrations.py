"""Changes of data: each slice once, resumed after a kill, refused on the way back (spec STORE-21)."""

import gzip
import json
import signal
import sqlite3
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import StoreTooNew
from jupyter_colophon.core.lineage import LineageQuestion
from jupyter_colophon.core.names import Urn, run_urn
from jupyter_colophon.core.once import Once
from jupyter_colophon.core.proposal import Proposal
from jupyter_colophon.core.run import RunStart
from jupyter_colophon.core.search import ValuesQuestion
from jupyter_colophon.core.store import sqlite_file
from jupyter_colophon.http import problems
from jupyter_colophon.storage import providers, tables
from jupyter_colophon.storage.migrations.runner import Migration, migrate, progress, refuse_newer
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext
from support.catalog import ADA, forget, names, opened, say, search
from support.keeping import findings, keeper
from support.process import running, told
from support.things import THINGS, inside
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT, table

#: A catalog as the first slice (commit 814f2d7) left it.
SLICE = Path(__file__).parent / "data" / "slice.db.gz"
#: Migrates a store, counting each slice; ends itself in the middle of the third, if asked to.
MIGRATING = """
import os, signal
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.migrations.runner import Migration, migrate
store = providers.opened(StoreChoice("sqlite", {"path": sys.argv[1]}))
def step(tx, place):
    at = int(place or 0)
    tx.table("things").increment(("slice", at, "x"), "n", 1)
    if at == 2 and sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return str(at + 1) if at < 4 else None
migrate(store, [Migration("count", step), Migration("count", lambda tx, place: None)])
store.close()
"""


@pytest.fixture
def ready(things: StorageProvider) -> StorageProvider:
    things.table_admin.create_or_update(tables.SETTINGS)
    return things


@pytest.fixture
def slice_file(tmp_path: Path) -> Path:
    path = tmp_path / "colophon.db"
    path.write_bytes(gzip.decompress(SLICE.read_bytes()))
    return path


def counting(name: str, slices: int = 5, fail_at: int = -1) -> Migration:
    """Counts how often each slice was done; fails at one of them."""

    def step(tx: TableContext, place: str) -> str | None:
        at = int(place or 0)
        tx.table("things").increment((name, at, "x"), "n", 1)
        if at == fail_at:
            raise KeyboardInterrupt
        return str(at + 1) if at + 1 < slices else None

    return Migration(name, step)


def counted(store: StorageProvider) -> dict[tuple[str, int], int]:
    rows = inside(store, lambda table: list(table.scan(Range())), read_only=True)
    return {(one["a"], one["b"]): one["n"] for one in rows}


def test_each_slice_of_each_migration_is_done_once_and_in_order(ready: StorageProvider) -> None:
    migrations = [counting("first", 3), counting("second", 1)]
    for _ in range(2):
        migrate(ready, migrations)
    assert counted(ready) == {("first", 0): 1, ("first", 1): 1, ("first", 2): 1, ("second", 0): 1}
    migrate(ready, [*migrations, counting("third", 1)])
    assert counted(ready)["third", 0] == 1
    assert sum(counted(ready).values()) == 5
    assert ready.tx_runner.run(progress).done == 3


def test_one_that_ends_in_the_middle_goes_on_where_it_was(ready: StorageProvider) -> None:
    with pytest.raises(KeyboardInterrupt):
        migrate(ready, [counting("first", fail_at=2)])
    assert counted(ready) == {("first", 0): 1, ("first", 1): 1}
    migrate(ready, [counting("first")])
    assert counted(ready) == {("first", at): 1 for at in range(5)}


def test_processes_that_start_together_do_each_slice_once(ready: StorageProvider, another: StorageProvider) -> None:
    with ThreadPoolExecutor(4) as threads:
        works = [threads.submit(migrate, store, [counting("first", 20)]) for store in (ready, another) * 2]
        for work in works:
            work.result(timeout=300)
    assert counted(ready) == {("first", at): 1 for at in range(20)}


def test_a_store_of_a_newer_program_is_refused_and_left_as_it_is(ready: StorageProvider) -> None:
    migrate(ready, [counting("first", 1), counting("second", 1)])
    before = ready.commits()
    for refuse in (refuse_newer, migrate):
        with pytest.raises(StoreTooNew) as raised:
            refuse(ready, [counting("first", 1)])
        assert (raised.value.done, raised.value.known) == (2, 1)
    assert ready.commits() == before
    assert problems.problem(raised.value)["type"] == problems.PREFIX + "store-too-new"


def test_a_store_without_tables_is_not_too_new(store: StorageProvider) -> None:
    refuse_newer(store, [])
    assert store.table_admin.list() == []


def test_a_process_that_is_killed_in_a_migration_leaves_no_half_slice(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = providers.opened(sqlite_file(path))
    store.table_admin.create_or_update(THINGS, tables.SETTINGS)
    for _ in range(3):
        with running(MIGRATING, str(path), "die") as dying:
            assert dying.wait(timeout=300) == -signal.SIGKILL
        assert counted(store) == {("slice", 0): 1, ("slice", 1): 1}
    assert told(MIGRATING, str(path), "live") == ""
    assert counted(store) == {("slice", at): 1 for at in range(5)}
    assert store.tx_runner.run(progress).done == 2
    store.close()


class TestTheFirstSlice:
    def test_its_catalog_is_searched(self, slice_file: Path) -> None:
        catalog = opened(slice_file)
        assert sorted(names(search(catalog, "till"))) == ["orders"]
        assert sorted(names(search(catalog, "tags:raw"))) == ["orders"]
        assert sorted(names(search(catalog, "source:*"))) == ["orders", "report"]
        assert names(search(catalog, "überstunden")) == ["orders"]
        assert names(search(catalog, "second")) == ["twice"]
        assert names(search(catalog, "first")) == []
        assert names(search(catalog, "gone")) == []
        catalog.close()

    def test_it_keeps_its_history_lineage_and_changes(self, slice_file: Path) -> None:
        catalog = opened(slice_file)
        history, _ = catalog.reader.versions(Urn.parse(ORDERS), "technicalMetadata", 9, "", ADA)
        assert [one.version for one in history] == [2, 1]
        assert [one.value["properties"]["owner"] for one in history] == ["Grace", "Ada"]
        twice, _ = catalog.reader.versions(Urn.parse(table("twice")), "technicalMetadata", 9, "", ADA)
        assert [one.version for one in twice] == [3]
        lineage = catalog.lineage.lineage(LineageQuestion(Urn.parse(REPORT), levels=2), ADA)
        assert {node.urn for node in lineage.nodes} == {ORDERS, REPORT, CELL}
        changes = catalog.feed.changes(0, 500, {}, ADA)
        assert [one.seq for one in changes] == list(range(1, len(changes) + 1))
        assert len(changes) > 20
        catalog.close()

    def test_it_is_written_on(self, slice_file: Path) -> None:
        catalog = opened(slice_file)
        assert say(catalog, ORDERS, {"owner": "Mary"}, version=2).version == 3
        assert names(search(catalog, "owner:mary")) == ["orders"]
        assert names(search(catalog, "grace")) == []
        forget(catalog, REPORT)
        assert names(search(catalog, "source:orders")) == []
        catalog.close()

    def test_it_is_brought_along_once_and_by_many_at_once(self, slice_file: Path) -> None:
        with ThreadPoolExecutor(3) as threads:
            catalogs = list(threads.map(opened, [slice_file] * 3, timeout=300))
        for catalog in catalogs:
            assert names(search(catalog, "owner:grace")) == ["orders"]
            catalog.close()
        with closing(sqlite3.connect(slice_file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            told = connection.execute("SELECT value FROM settings WHERE name = 'migrations'").fetchone()
            left = connection.execute(
                "SELECT name FROM sqlite_master WHERE name IN ('search_documents', 'search_words', 'edges', 'edge_runs')"
            ).fetchall()
        assert (json.loads(told[0])["done"] >= 1, left) == (True, [])

    def test_an_aspect_that_cannot_be_read_harms_no_other_entity(self, slice_file: Path) -> None:
        with closing(sqlite3.connect(slice_file)) as connection:
            connection.execute(
                "UPDATE aspects SET value = '{' WHERE urn = ? AND aspect = 'technicalMetadata'", (ORDERS,)
            )
            connection.commit()
        catalog = opened(slice_file)
        assert names(search(catalog, "second")) == ["twice"]
        assert sorted(names(search(catalog, "report"))) == ["report"]
        catalog.close()

    def test_a_catalog_of_a_newer_program_is_refused_and_left_as_it_is(self, slice_file: Path) -> None:
        opened(slice_file).close()
        with closing(sqlite3.connect(slice_file)) as connection:
            connection.execute(
                "UPDATE settings SET value = ? WHERE name = 'migrations'", (b'{"done": 99, "place": ""}',)
            )
            connection.commit()
        before = slice_file.read_bytes()
        with pytest.raises(StoreTooNew):
            opened(slice_file)
        assert slice_file.read_bytes() == before


def test_the_source_of_cells_is_removed_from_runs_and_from_answers_in_several_slices(tmp_path: Path) -> None:
    count = 105
    path = tmp_path / "colophon.db"
    catalog = opened(path)
    facts = {"cellId": "b1", "sourceHash": "sha256:1f", "source": "password = 'hunter2'", "step": "s3a://k:hunter2@b"}
    for number in range(count):
        start = RunStart(Urn.parse(CELL), f"run-{number}", 1_000 + number, facts=facts)
        catalog.write_path.start_run(start, ADA, once=Once("ada", f"key-{number}", "f"))
    other = RunStart(Urn.parse(NOTEBOOK), "other", 1_000, facts={"source": "the till"})
    kept = catalog.write_path.start_run(other, ADA, once=Once("ada", "key", "f")).urn
    catalog.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE settings SET value = ? WHERE name = 'migrations'", (b'{"done": 7, "place": ""}',))
        connection.commit()
    catalog = opened(path)
    runs = [catalog.runs.run(str(run_urn(Urn.parse(CELL), f"run-{number}")), ADA) for number in range(count)]
    assert {json.dumps(dict(run.facts), sort_keys=True) for run in runs} == {
        json.dumps({"cellId": "b1", "sourceHash": "sha256:1f", "step": "s3a://***@b"})
    }
    assert catalog.runs.run(kept, ADA).facts == {"source": "the till"}
    catalog.close()
    with closing(sqlite3.connect(path)) as connection:
        answers = [zlib.decompress(row[0]) for row in connection.execute("SELECT answer FROM answers")]
    assert [b"hunter2" in answer for answer in answers] == [False]


def test_what_entities_say_is_derived_anew_in_several_slices(tmp_path: Path) -> None:
    path, count = tmp_path / "colophon.db", 105
    catalog = opened(path)
    for number in range(count):
        tags = {"tags": [{"tag": f"urn:li:tag:t{number}"}, {"tag": "urn:li:tag:all"}]}
        catalog.write_path.propose([Proposal(Urn.parse(table(f"n{number}")), "globalTags", "upsert", tags)], ADA)
    catalog.write_path.propose([Proposal(Urn.parse(table("n7")), "status", "upsert", {"removed": True})], ADA)
    catalog.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE settings SET value = ? WHERE name = 'migrations'", (b'{"done": 8, "place": ""}',))
        connection.execute("DELETE FROM metadata_values")
        connection.execute("UPDATE value_counts SET entities = entities + 1")
        connection.execute("UPDATE entities SET removed = NULL")
        connection.commit()
    catalog = opened(path)
    assert findings(keeper(catalog)) == []
    assert names(search(catalog, "tags:t104")) == ["n104"]
    assert names(search(catalog, "tags:t7")) == []
    values, _ = catalog.keys.values(ValuesQuestion("tags", "all"), 10, ADA)
    assert values == [("all", count - 1)]
    catalog.close()
