"""Group commit of a store with one writer, with interrupted threads and competing processes."""

import logging
import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.errors import (
    CommitUnknown,
    StorageError,
    StoreFull,
    TransactionConflict,
    TransactionTimeout,
)
from jupyter_colophon.storage import transaction_lifetime, transactions
from jupyter_colophon.storage.spi import Locks, Range, RetryPolicy, TableContext
from jupyter_colophon.storage.sqlite import provider
from jupyter_colophon.storage.sqlite.provider import SqliteProvider
from jupyter_colophon.storage.sqlite.session import SqliteSession
from support.disk import fill_disk
from support.things_table import THINGS, build_row, list_row_keys, run_on_table

_ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Restore the default SIGINT handler: a process that a shell started in the background ignores Ctrl-C and would
    never end.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteProvider]:
    store = SqliteProvider()
    store.initialize({"path": tmp_path / "store.db"})
    store.table_admin.create_or_update(THINGS)
    yield store
    store.close()


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def write(number: int, text: str = "") -> Callable[[TableContext], None]:
    return lambda tx: tx.get_table("things").upsert(build_row(("a", number, text)))


def numbers(store: SqliteProvider) -> list[int]:
    return [key[1] for key in run_on_table(store, lambda table: list_row_keys(table.scan(Range())), read_only=True)]


def waiting(store: SqliteProvider, count: int) -> None:
    """Wait until this many callables are queued."""
    while len(store._group._waiting) < count:
        threading.Event().wait(0.001)


def interrupt() -> None:
    """Raise KeyboardInterrupt in the main thread, as Ctrl-C does."""
    os.kill(os.getpid(), signal.SIGINT)


def submit(pool: ThreadPoolExecutor, store: SqliteProvider, work: Callable[[TableContext], Any]) -> "Future[Any]":
    return pool.submit(store.tx_runner.run, work)


def behind_the_main_thread(
    pool: ThreadPoolExecutor, store: SqliteProvider, work: Callable[[TableContext], Any]
) -> "Future[Any]":
    """Queue a callable just after the next one of the main thread, which then writes both."""
    begun = threading.Event()

    def hold(tx: TableContext) -> None:
        begun.set()
        waiting(store, 2)

    def follow() -> Any:
        waiting(store, 1)
        return store.tx_runner.run(work)

    submit(pool, store, hold)
    begun.wait(300)
    return pool.submit(follow)


def test_interrupted_waiting_thread_removes_its_callable(file: SqliteProvider, thread: ThreadPoolExecutor) -> None:
    begun = threading.Event()

    def lead(tx: TableContext) -> None:
        begun.set()
        waiting(file, 1)
        interrupt()
        while file._group._waiting:
            threading.Event().wait(0.001)
        write(1)(tx)

    leading = submit(thread, file, lead)
    begun.wait(300)
    with pytest.raises(KeyboardInterrupt):
        file.tx_runner.run(write(2))
    leading.result(timeout=300)
    file.tx_runner.run(write(3))
    assert numbers(file) == [1, 3]


def test_interrupted_leader_hands_over_remaining_callables(file: SqliteProvider, thread: ThreadPoolExecutor) -> None:
    calls: list[bool] = []

    def other(tx: TableContext) -> str:
        calls.append(threading.current_thread() is threading.main_thread())
        write(2)(tx)
        if calls == [True]:
            interrupt()
            while True:
                tx.get_table("things").count()
        return "value"

    done = behind_the_main_thread(thread, file, other)
    with pytest.raises(KeyboardInterrupt):
        file.tx_runner.run(write(1))
    assert done.result(timeout=300) == "value"
    assert calls == [True, False]
    assert numbers(file) == [2]


def test_callable_that_exits_its_thread_does_not_affect_others(
    file: SqliteProvider, thread: ThreadPoolExecutor
) -> None:
    def leave(tx: TableContext) -> None:
        write(7)(tx)
        raise SystemExit(7)

    def lead(tx: TableContext) -> list["Future[Any]"]:
        done = [submit(thread, file, leave), submit(thread, file, write(2))]
        waiting(file, 2)
        write(1)(tx)
        return done

    leaving, other = file.tx_runner.run(lead)
    assert isinstance(leaving.exception(timeout=300), SystemExit)
    other.result(timeout=300)
    assert numbers(file) == [1, 2]


def test_interrupt_during_commit_does_not_repeat_the_write(
    file: SqliteProvider, thread: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = SqliteSession.commit

    def commit_and_stop(self: SqliteSession) -> None:
        commit(self)
        raise KeyboardInterrupt

    def count(tx: TableContext) -> None:
        tx.get_table("things").increment(("a", 1, "x"), "n", 1)

    def work(tx: TableContext) -> None:
        monkeypatch.setattr(SqliteSession, "commit", commit_and_stop)
        count(tx)

    done = behind_the_main_thread(thread, file, count)
    with pytest.raises(KeyboardInterrupt):
        file.tx_runner.run(work)
    monkeypatch.setattr(SqliteSession, "commit", commit)
    assert isinstance(done.exception(timeout=300), CommitUnknown)
    assert run_on_table(file, lambda table: table.increment(("a", 1, "x"), "n", 1)) == 3


def test_interrupt_at_begin_leaves_no_open_transaction(file: SqliteProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = SqliteSession.lock_and_begin

    def begin_and_stop(self: SqliteSession, locks: Locks | None, *, at_once: bool) -> None:
        begin(self, locks, at_once=at_once)
        raise KeyboardInterrupt

    monkeypatch.setattr(SqliteSession, "lock_and_begin", begin_and_stop)
    with pytest.raises(KeyboardInterrupt):
        file.tx_runner.run(write(1))
    monkeypatch.setattr(SqliteSession, "lock_and_begin", begin)
    file.tx_runner.run(write(2))
    assert numbers(file) == [2]


def test_long_group_is_committed_in_parts(
    file: SqliteProvider, thread: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, commits = SqliteSession.commit, []

    def counted(self: SqliteSession) -> None:
        commit(self)
        commits.append(None)

    def lead(tx: TableContext) -> list["Future[Any]"]:
        done = [submit(thread, file, write(number)) for number in range(3)]
        waiting(file, 3)
        return done

    monkeypatch.setattr(transactions, "GROUP_S", 0.0)
    monkeypatch.setattr(SqliteSession, "commit", counted)
    for done in file.tx_runner.run(lead):
        done.result(timeout=300)
    assert (numbers(file), len(commits)) == ([0, 1, 2], 4)


def test_retry_policies_are_independent(
    file: SqliteProvider, thread: ThreadPoolExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "BUSY_TIMEOUT_S", 0.05)
    quick = SqliteProvider()
    quick.initialize({"path": tmp_path / "store.db"})

    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        impatient = thread.submit(quick.tx_runner.run, write(1), retry=RetryPolicy(attempts=0))
        patient = thread.submit(quick.tx_runner.run, write(2))
        assert isinstance(impatient.exception(timeout=300), TransactionConflict)
        other.execute("ROLLBACK")
        patient.result(timeout=300)
    assert numbers(quick) == [2]
    quick.close()


def test_endless_statement_is_interrupted(
    file: SqliteProvider, thread: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction_lifetime, "WRITE_S", 1.0)

    def endless(tx: TableContext) -> None:
        write(7)(tx)
        tx._guarded.execute(_ENDLESS).fetchone()  # type: ignore[attr-defined]

    def lead(tx: TableContext) -> list["Future[Any]"]:
        done = [submit(thread, file, write(2)), submit(thread, file, endless), submit(thread, file, write(3))]
        waiting(file, 3)
        write(1)(tx)
        return done

    before, interrupted, after = file.tx_runner.run(lead)
    assert isinstance(interrupted.exception(timeout=300), TransactionTimeout)
    assert before.exception(timeout=300) is after.exception(timeout=300) is None
    assert numbers(file) == [1, 2, 3]


def test_callable_that_continues_after_full_disk_writes_nothing(file: SqliteProvider, tmp_path: Path) -> None:
    raised: list[type[Exception]] = []

    def stubborn(tx: TableContext) -> None:
        write(1)(tx)
        for text in ("x" * 4_000_000, "a"):
            try:
                write(2, text)(tx)
            except StorageError as error:
                raised.append(type(error))

    with fill_disk(tmp_path / "store.db"), pytest.raises(StorageError):
        file.tx_runner.run(stubborn)
    with pytest.raises(StorageError):
        file.tx_runner.run(lambda tx: (tx._connection.rollback(), write(3)(tx)))  # type: ignore[attr-defined]
    assert set(raised) <= {StorageError, StoreFull}
    assert numbers(file) == []
    file.tx_runner.run(write(4))
    assert numbers(file) == [4]


def test_slow_callable_is_logged(
    file: SqliteProvider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(transactions, "SLOW_S", 0.0)
    with caplog.at_level(logging.WARNING, "jupyter_colophon.storage"):
        file.tx_runner.run(write(1))
    assert "held its locks" in caplog.text


def test_closed_store_raises(file: SqliteProvider) -> None:
    file.close()
    for read_only in (True, False):
        with pytest.raises(StorageError):
            file.tx_runner.run(lambda tx: None, read_only=read_only)
