"""Changes of data: each slice once, resumed after a kill, refused on the way back (spec STORE-21)."""

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import StoreTooNew
from jupyter_colophon.core.store import sqlite_file
from jupyter_colophon.operations import problems
from jupyter_colophon.storage import providers, tables
from jupyter_colophon.storage.migrations.runner import Migration, migrate, progress, refuse_newer
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext
from support.process import running, told
from support.things import THINGS, inside

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
    assert ready.tx_runner.run(progress).version == 3


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
        assert (raised.value.version, raised.value.known) == (2, 1)
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
    assert store.tx_runner.run(progress).version == 2
    store.close()
