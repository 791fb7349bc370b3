"""Many writers at once: whose callable fails or takes too long loses its own part alone (spec STORE-14)."""

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
from support.things import KEYS, inside, keys, row

Work = Callable[[TableContext], Any]
#: What a callable may take that is told apart from a short one, on a busy machine too.
SHORT_S = 1.0


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may hold up the others for longer than this."""
    monkeypatch.setattr(transaction_lifetime, "WRITE_S", SHORT_S)


def together(store: StorageProvider, threads: ThreadPoolExecutor, *works: Work) -> list[Future[Any]]:
    """Callables that come while another one is under way, so that a store which writes in groups makes them one."""
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
    return lambda tx: tx.table("things").upsert(row(("a", number, "x")))


def never_ends(tx: TableContext) -> None:
    writes(-1)(tx)
    while True:
        tx.table("things").read(KEYS[0])


def numbers(store: StorageProvider) -> list[int]:
    return [key[1] for key in inside(store, lambda table: keys(table.scan(Range())), read_only=True)]


def test_14_writes_of_many_threads_are_all_there(things: StorageProvider, threads: ThreadPoolExecutor) -> None:
    for done in together(things, threads, *map(writes, range(60))):
        done.result(timeout=300)
    assert numbers(things) == list(range(60))


def test_14_a_callable_that_fails_loses_its_own_part_alone(
    things: StorageProvider, threads: ThreadPoolExecutor
) -> None:
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


def test_14_actions_run_once_each_and_only_of_those_that_succeeded(
    things: StorageProvider, threads: ThreadPoolExecutor
) -> None:
    told: list[tuple[int, bool]] = []

    def work(number: int) -> Work:
        def write(tx: TableContext) -> None:
            tx.after_commit(lambda: told.append((number, number in numbers(things))))
            writes(number)(tx)
            if number % 4 == 0:
                raise KeyError(number)

        return write

    for done in together(things, threads, *map(work, range(20))):
        done.exception(timeout=300)
    assert sorted(told) == [(number, True) for number in range(20) if number % 4]


def test_14_an_action_that_fails_undoes_nothing_and_stops_no_other(things: StorageProvider) -> None:
    told: list[str] = []

    def fail() -> None:
        raise ValueError("not the transaction's fault")

    def work(tx: TableContext) -> str:
        tx.after_commit(fail)
        tx.after_commit(lambda: told.append("done"))
        writes(1)(tx)
        return "value"

    assert things.tx_runner.run(work) == "value"
    assert (told, numbers(things)) == (["done"], [1])


@pytest.mark.usefixtures("short")
def test_14_a_callable_that_takes_too_long_is_given_up_and_the_others_are_not(
    things: StorageProvider, threads: ThreadPoolExecutor
) -> None:
    before, too_long, behind = together(things, threads, writes(1), never_ends, writes(2))
    assert isinstance(too_long.exception(timeout=300), TransactionTimeout)
    before.result(timeout=300)
    behind.result(timeout=300)
    assert numbers(things) == [1, 2]


@pytest.mark.usefixtures("short")
def test_14_one_that_takes_too_long_without_asking_the_store_is_given_up_too(things: StorageProvider) -> None:
    def work(tx: TableContext) -> None:
        writes(1)(tx)
        time.sleep(1.2 * SHORT_S)

    with pytest.raises(TransactionTimeout):
        things.tx_runner.run(work)
    assert numbers(things) == []


@pytest.mark.usefixtures("short")
def test_14_one_that_does_not_take_no_for_an_answer_is_given_up_too(
    things: StorageProvider, threads: ThreadPoolExecutor
) -> None:
    def stubborn(tx: TableContext) -> str:
        for work in (never_ends, writes(7), writes(8)):
            with pytest.raises(TransactionTimeout):
                work(tx)
        return "all is well"

    before, too_long, behind = together(things, threads, writes(1), stubborn, writes(2))
    assert isinstance(too_long.exception(timeout=300), TransactionTimeout)
    before.result(timeout=300)
    behind.result(timeout=300)
    assert numbers(things) == [1, 2]


@pytest.mark.usefixtures("short")
def test_14_readers_take_as_long_as_they_need(things: StorageProvider) -> None:
    def work(tx: TableContext) -> int:
        before = tx.table("things").count()
        time.sleep(1.2 * SHORT_S)
        return before + tx.table("things").count()

    assert things.tx_runner.run(work, read_only=True) == 0


def test_14_what_a_group_commits_another_process_sees_in_the_order_of_the_log(
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
                one["seq"] for one in store.tx_runner.run(lambda tx, a=after: tx.log.read(a, 7, {}), read_only=True)
            ]
        return seen

    following = threads.submit(follow, another)
    given = [
        done.result(timeout=300)
        for store in (things, another)
        for done in together(store, threads, *map(work, range(30)))
    ]
    assert sorted(given) == following.result(timeout=300) == list(range(1, 61))
