"""Concurrent writers: a callable that fails or takes too long loses only its own writes (spec STORE-14)."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from jupyter_colophon.core.errors import TransactionTimeout
from jupyter_colophon.storage import transaction_lifetime
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext
from jupyter_colophon.storage.tables import CHANGE
from support.changes import add_changes
from support.things_table import KEYS, build_row, list_row_keys, run_on_table

Work = Callable[[TableContext], Any]
#: How long a callable may take; distinguishable from a short one on a busy machine too.
SHORT_S = 1.0


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time limit of callables."""
    monkeypatch.setattr(transaction_lifetime, "WRITE_S", SHORT_S)


def together(store: StorageProvider, threads: ThreadPoolExecutor, *works: Work) -> list[Future[Any]]:
    """Run callables that arrive during another one, so that a store with group commit runs them as one group."""
    begun, lined_up = threading.Event(), threading.Event()

    def first(tx: TableContext) -> None:
        begun.set()
        lined_up.wait(timeout=300)

    leading = threads.submit(store.tx_runner.run, first)
    begun.wait(timeout=300)
    done = [threads.submit(store.tx_runner.run, work) for work in works]
    time.sleep(0.1)
    lined_up.set()
    leading.result(timeout=300)
    return done


def writes(number: int) -> Work:
    return lambda tx: tx.get_table("things").upsert(build_row(("a", number, "x")))


def never_ends(tx: TableContext) -> None:
    writes(-1)(tx)
    while True:
        tx.get_table("things").read(KEYS[0])


def numbers(store: StorageProvider) -> list[int]:
    return [key[1] for key in run_on_table(store, lambda table: list_row_keys(table.scan(Range())), read_only=True)]


def test_concurrent_writes_are_all_stored(things: StorageProvider, threads: ThreadPoolExecutor) -> None:
    for done in together(things, threads, *map(writes, range(60))):
        done.result(timeout=300)
    assert numbers(things) == list(range(60))


def test_failing_callable_loses_only_its_own_writes(things: StorageProvider, threads: ThreadPoolExecutor) -> None:
    errors = {number: ValueError(number) for number in range(0, 30, 3)}

    def work(number: int) -> Work:
        def write(tx: TableContext) -> int:
            writes(number)(tx)
            if number in errors:
                raise errors[number]
            return number

        return write

    for number, done in enumerate(together(things, threads, *map(work, range(30)))):
        assert done.exception(timeout=300) is errors.get(number)
        if number not in errors:
            assert done.result() == number
    assert numbers(things) == [number for number in range(30) if number not in errors]


def test_actions_run_once_and_only_after_success(things: StorageProvider, threads: ThreadPoolExecutor) -> None:
    calls: list[tuple[int, bool]] = []

    def work(number: int) -> Work:
        def write(tx: TableContext) -> None:
            tx.on_commit(lambda: calls.append((number, number in numbers(things))))
            writes(number)(tx)
            if number % 4 == 0:
                raise KeyError(number)

        return write

    for done in together(things, threads, *map(work, range(20))):
        done.exception(timeout=300)
    assert sorted(calls) == [(number, True) for number in range(20) if number % 4]


def test_failing_action_affects_no_transaction_and_no_other_action(things: StorageProvider) -> None:
    calls: list[str] = []

    def fail() -> None:
        raise ValueError("not the transaction's fault")

    def work(tx: TableContext) -> str:
        tx.on_commit(fail)
        tx.on_commit(lambda: calls.append("done"))
        writes(1)(tx)
        return "value"

    assert things.tx_runner.run(work) == "value"
    assert (calls, numbers(things)) == (["done"], [1])


@pytest.mark.usefixtures("short")
def test_slow_callable_times_out_alone(things: StorageProvider, threads: ThreadPoolExecutor) -> None:
    before, too_long, after = together(things, threads, writes(1), never_ends, writes(2))
    assert isinstance(too_long.exception(timeout=300), TransactionTimeout)
    before.result(timeout=300)
    after.result(timeout=300)
    assert numbers(things) == [1, 2]


@pytest.mark.usefixtures("short")
def test_callable_that_never_calls_the_store_times_out(things: StorageProvider) -> None:
    def work(tx: TableContext) -> None:
        writes(1)(tx)
        time.sleep(1.2 * SHORT_S)

    with pytest.raises(TransactionTimeout):
        things.tx_runner.run(work)
    assert numbers(things) == []


@pytest.mark.usefixtures("short")
def test_callable_that_ignores_the_timeout_is_rolled_back(things: StorageProvider, threads: ThreadPoolExecutor) -> None:
    def stubborn(tx: TableContext) -> str:
        for work in (never_ends, writes(7), writes(8)):
            with pytest.raises(TransactionTimeout):
                work(tx)
        return "all is well"

    before, too_long, after = together(things, threads, writes(1), stubborn, writes(2))
    assert isinstance(too_long.exception(timeout=300), TransactionTimeout)
    before.result(timeout=300)
    after.result(timeout=300)
    assert numbers(things) == [1, 2]


@pytest.mark.usefixtures("short")
def test_readers_have_no_time_limit(things: StorageProvider) -> None:
    def work(tx: TableContext) -> int:
        before = tx.get_table("things").count()
        time.sleep(1.2 * SHORT_S)
        return before + tx.get_table("things").count()

    assert things.tx_runner.run(work, read_only=True) == 0


def test_other_processes_see_a_group_in_log_order(
    things: StorageProvider, another: StorageProvider, threads: ThreadPoolExecutor
) -> None:
    def work(number: int) -> Work:
        def write(tx: TableContext) -> int:
            return add_changes(tx, dict.fromkeys(CHANGE) | {"urn": str(number)})[0]

        return write

    def follow(store: StorageProvider) -> list[int]:
        seen: list[int] = []
        while len(seen) < 60:
            after = seen[-1] if seen else 0
            seen += [
                entry["seq"]
                for entry in store.tx_runner.run(lambda tx, a=after: tx.log.read_changes(a, 7, {}), read_only=True)
            ]
        return seen

    following = threads.submit(follow, another)
    expected = [
        done.result(timeout=300)
        for store in (things, another)
        for done in together(store, threads, *map(work, range(30)))
    ]
    assert sorted(expected) == following.result(timeout=300) == list(range(1, 61))
