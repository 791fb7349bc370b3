"""Migrations: each slice is applied once and resumed after a kill; newer stores are refused (spec STORE-21)."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from jupyter_colophon.core.errors import StoreTooNew
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.operations import problems
from jupyter_colophon.storage import providers, tables, transaction_lifetime
from jupyter_colophon.storage.migrations.runner import (
    StoreMigration,
    apply_remaining_migrations,
    read_migration_progress,
    require_store_not_newer,
)
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext
from support.process import run_script, start_script_process
from support.things_table import THINGS, build_row, run_on_table

#: Migrates a store and counts each slice; kills itself in the third slice on request.
MIGRATING = """
import os, signal
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.migrations.runner import StoreMigration, apply_remaining_migrations
store = providers.open_complete_provider(StorageChoice("sqlite", {"path": sys.argv[1]}))
def step(tx, place):
    at = int(place or 0)
    tx.get_table("things").increment(("slice", at, "x"), "n", 1)
    if at == 2 and sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return str(at + 1) if at < 4 else None
apply_remaining_migrations(store, [StoreMigration("count", step), StoreMigration("count", lambda tx, place: None)])
store.close()
"""


@pytest.fixture
def ready(things: StorageProvider) -> StorageProvider:
    things.table_admin.create_or_update(tables.SETTINGS)
    return things


def counting(name: str, slices: int = 5, fail_at: int = -1) -> StoreMigration:
    """Count how often each slice is applied; fail at one of them."""

    def step(tx: TableContext, place: str) -> str | None:
        at = int(place or 0)
        tx.get_table("things").increment((name, at, "x"), "n", 1)
        if at == fail_at:
            raise KeyboardInterrupt
        return str(at + 1) if at + 1 < slices else None

    return StoreMigration(name, step)


def counted(store: StorageProvider) -> dict[tuple[str, int], int]:
    rows = run_on_table(store, lambda table: list(table.scan(Range())), read_only=True)
    return {(entry["a"], entry["b"]): entry["n"] for entry in rows}


def test_each_slice_is_applied_once_in_order(ready: StorageProvider) -> None:
    migrations = [counting("first", 3), counting("second", 1)]
    for _ in range(2):
        apply_remaining_migrations(ready, migrations)
    assert counted(ready) == {("first", 0): 1, ("first", 1): 1, ("first", 2): 1, ("second", 0): 1}
    apply_remaining_migrations(ready, [*migrations, counting("third", 1)])
    assert counted(ready)["third", 0] == 1
    assert sum(counted(ready).values()) == 5
    assert ready.tx_runner.run(read_migration_progress).version == 3


def test_slice_that_takes_too_long_is_repeated(ready: StorageProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = 0

    def read_slowly(tx: TableContext, place: str) -> None:
        nonlocal attempts
        attempts += 1
        tx.get_table("things").increment(("slow", 0, "x"), "n", 1)
        # The first attempt reads from the disk, later ones from its cache.
        time.sleep(2.5 if attempts == 1 else 0)
        tx.get_table("things").read(("slow", 0, "x"))

    monkeypatch.setattr(transaction_lifetime, "WRITE_S", 2.0)
    apply_remaining_migrations(ready, [StoreMigration("slow", read_slowly)])
    assert counted(ready) == {("slow", 0): 1}
    assert attempts > 1


def test_interrupted_migration_is_resumed(ready: StorageProvider) -> None:
    with pytest.raises(KeyboardInterrupt):
        apply_remaining_migrations(ready, [counting("first", fail_at=2)])
    assert counted(ready) == {("first", 0): 1, ("first", 1): 1}
    apply_remaining_migrations(ready, [counting("first")])
    assert counted(ready) == {("first", at): 1 for at in range(5)}


def test_concurrent_processes_apply_each_slice_once(ready: StorageProvider, another: StorageProvider) -> None:
    with ThreadPoolExecutor(4) as threads:
        works = [
            threads.submit(apply_remaining_migrations, store, [counting("first", 20)]) for store in (ready, another) * 2
        ]
        for work in works:
            work.result(timeout=300)
    assert counted(ready) == {("first", at): 1 for at in range(20)}


def test_writer_of_another_process_writes_between_slices(ready: StorageProvider, another: StorageProvider) -> None:
    begun, written = threading.Event(), threading.Event()

    def write() -> None:
        begun.wait()
        run_on_table(another, lambda table: table.upsert(build_row(("written", 0, "x"))))
        written.set()

    def work_for_a_while(_: TableContext, place: str) -> str | None:
        begun.set()
        time.sleep(0.1)
        at = int(place or 0) + 1
        assert at < 60, "the writer waits for the whole migration"
        return None if written.is_set() else str(at)

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        apply_remaining_migrations(ready, [StoreMigration("slow", work_for_a_while)])
        writing.result(timeout=300)


def test_newer_store_is_refused_and_unchanged(ready: StorageProvider) -> None:
    apply_remaining_migrations(ready, [counting("first", 1), counting("second", 1)])
    before = ready.get_data_version()
    for refuse in (require_store_not_newer, apply_remaining_migrations):
        with pytest.raises(StoreTooNew) as raised:
            refuse(ready, [counting("first", 1)])
        assert (raised.value.version, raised.value.known) == (2, 1)
    assert ready.get_data_version() == before
    assert problems.render_problem_document(raised.value)["type"] == problems.PREFIX + "store-too-new"


def test_store_without_tables_is_not_newer(store: StorageProvider) -> None:
    require_store_not_newer(store, [])
    assert store.table_admin.list() == []


def test_killed_process_leaves_no_partial_slice(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = providers.open_complete_provider(choose_sqlite_store(path))
    store.table_admin.create_or_update(THINGS, tables.SETTINGS)
    for _ in range(3):
        with start_script_process(MIGRATING, str(path), "die") as dying:
            assert dying.wait(timeout=300) == -signal.SIGKILL
        assert counted(store) == {("slice", 0): 1, ("slice", 1): 1}
    assert run_script(MIGRATING, str(path), "live") == ""
    assert counted(store) == {("slice", at): 1 for at in range(5)}
    assert store.tx_runner.run(read_migration_progress).version == 2
    store.close()
