"""Transactions: whole or not at all, alone, over when they are over (spec STORE-7, STORE-8)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from jupyter_colophon.core.errors import ConditionFailed, InvalidField, MetadataError, StorageError
from jupyter_colophon.core.lineage.graph import EVER
from jupyter_colophon.storage.spi import Document, Range, RetryPolicy, StorageProvider, TableContext, Words
from jupyter_colophon.storage.tables import CHANGE
from support.changes import add_changes
from support.things import KEY, KEYS, fill, inside, keys

DOCUMENT = Document("urn:1", "sales", "dataset", frozenset(), frozenset({"orders"}), frozenset({"all"}))
ERRORS = [ValueError("mine"), KeyError("mine"), ConditionFailed("it", "1", 2), InvalidField("mine"), SystemExit(3)]
#: Everything through which a transaction reaches the store.
REACHES: dict[str, Callable[[TableContext], Any]] = {
    "table": lambda tx: tx.table("things").read(("a", 1, "x")),
    "scan": lambda tx: list(tx.table("things").scan(Range())),
    "upsert": lambda tx: tx.table("things").upsert(KEY),
    "many rows": lambda tx: tx.table("things").upsert_all([KEY]),
    "log": lambda tx: tx.log.head(),
    "search": lambda tx: tx.search.put(DOCUMENT),
    "edges": lambda tx: tx.edges.stop("run", None),
}


def count(tx: TableContext) -> int:
    return len(list(tx.table("things").scan(Range())))


def write_everywhere(tx: TableContext) -> None:
    tx.table("things").upsert(KEY | {"n": 1})
    add_changes(tx, dict.fromkeys(CHANGE))
    tx.search.put(DOCUMENT)
    tx.edges.add("data", "program", "read", "run", "", 1, None)


def nothing_is_there(tx: TableContext) -> bool:
    around = tx.edges.around("data", ["data"], ["read"], EVER, 9)
    return (count(tx), tx.log.head(), tx.search.groups(Words(("orders",)), 9), around) == (0, 0, [], [])


def test_the_result_of_a_callable_is_that_of_the_transaction(things: StorageProvider) -> None:
    for read_only in (True, False):
        assert things.tx_runner.run(lambda tx: ("value", count(tx)), read_only=read_only) == ("value", 0)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    "question",
    [
        lambda t: t.scan(Range()),
        lambda t: t.scan_index("n", None),
        lambda t: t.multi_scan([Range()]),
        lambda t: t.scan(Range(), order="desc"),
    ],
)
def test_6_rows_come_one_by_one_and_not_after_the_transaction(
    things: StorageProvider, question: Any, read_only: bool
) -> None:
    inside(things, fill)

    def work(table: Any) -> tuple[Any, Any]:
        begun, untouched = question(table), question(table)
        next(begun)
        return begun, untouched

    for rows in inside(things, work, read_only=read_only):
        with pytest.raises(StorageError):
            next(rows)


def test_6_rows_that_somebody_kept_hold_nobody_up(things: StorageProvider, another: StorageProvider) -> None:
    inside(things, fill)

    def begin(table: Any) -> Any:
        rows = table.scan(Range())
        next(rows)
        return rows

    kept = []
    for round_ in range(3):
        kept += [inside(things, begin, read_only=read_only) for read_only in (True, False)]
        inside(another, lambda table, round_=round_: table.upsert(KEY | {"n": round_}))
        assert inside(things, lambda table: table.read(KEYS[0], ["n"]), read_only=True) == {"n": round_}
        inside(things, lambda table: table.upsert(KEY | {"n": -1}))
    assert len(kept) == 6


@pytest.mark.parametrize("reach", REACHES.values(), ids=REACHES)
def test_6_nothing_is_reached_after_the_transaction(things: StorageProvider, reach: Any) -> None:
    for read_only in (True, False):
        tx = things.tx_runner.run(lambda tx: tx, read_only=read_only)
        with pytest.raises(StorageError):
            reach(tx)
    assert things.tx_runner.run(nothing_is_there, read_only=True)


@pytest.mark.parametrize("read_only", [True, False])
def test_7_actions_after_a_transaction_run_once_and_in_order(things: StorageProvider, read_only: bool) -> None:
    told: list[Any] = []

    def work(tx: TableContext) -> None:
        tx.after_commit(lambda: told.append("first"))
        tx.after_commit(lambda: told.append(things.tx_runner.run(count, read_only=True)))
        if not read_only:
            tx.table("things").upsert(KEY)
        assert told == []

    things.tx_runner.run(work, read_only=read_only)
    assert told == ["first", 0 if read_only else 1]


def test_7_no_action_follows_a_transaction_that_failed(things: StorageProvider) -> None:
    told: list[str] = []

    def fail(tx: TableContext) -> None:
        tx.after_commit(lambda: told.append("never"))
        raise KeyError("mine")

    for read_only in (True, False):
        with pytest.raises(KeyError):
            things.tx_runner.run(fail, read_only=read_only)
    things.tx_runner.run(count)
    assert told == []


def test_8_a_transaction_sees_its_own_writes_and_others_do_not(things: StorageProvider) -> None:
    def work(tx: TableContext) -> int:
        table = tx.table("things")
        table.upsert(KEY | {"n": 1})
        assert table.read(("a", 1, "x")) is not None
        assert count(tx) == len(list(table.scan_index("n", 1))) == table.count() == 1
        assert len(table.multi_read([("a", 1, "x")])) == 1
        with ThreadPoolExecutor(1) as elsewhere:
            return elsewhere.submit(things.tx_runner.run, count, read_only=True).result()

    assert things.tx_runner.run(work) == 0
    assert things.tx_runner.run(count, read_only=True) == 1


def test_8_what_another_process_committed_is_seen(things: StorageProvider, another: StorageProvider) -> None:
    for number in range(3):
        inside(things, lambda table, number=number: table.upsert(KEY | {"n": number}))
        for read_only in (True, False):
            assert inside(another, lambda table: table.read(KEYS[0], ["n"]), read_only=read_only) == {"n": number}


def test_8_a_reader_sees_one_moment(things: StorageProvider, another: StorageProvider) -> None:
    def work(tx: TableContext) -> tuple[int, int]:
        before = count(tx)
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(inside, another, fill).result(timeout=300)
        return before, count(tx)

    assert things.tx_runner.run(work, read_only=True) == (0, 0)
    assert things.tx_runner.run(count, read_only=True) == len(KEYS)


@pytest.mark.parametrize("inner", [True, False])
@pytest.mark.parametrize("outer", [True, False])
def test_11_a_transaction_inside_another_is_an_error(things: StorageProvider, outer: bool, inner: bool) -> None:
    def work(tx: TableContext) -> None:
        things.tx_runner.run(lambda again: None, read_only=inner)

    with pytest.raises(StorageError):
        things.tx_runner.run(work, read_only=outer)
    assert things.tx_runner.run(count) == 0


def test_11_the_transaction_goes_on_after_that_error(things: StorageProvider) -> None:
    def work(tx: TableContext) -> None:
        with pytest.raises(StorageError):
            things.tx_runner.run(lambda again: None)
        tx.table("things").upsert(KEY)

    things.tx_runner.run(work)
    assert things.tx_runner.run(count) == 1


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_12_an_exception_rolls_everything_back_and_comes_out_as_it_was(
    things: StorageProvider, error: BaseException
) -> None:
    def work(tx: TableContext) -> None:
        write_everywhere(tx)
        assert not nothing_is_there(tx)
        raise error

    with pytest.raises(type(error)) as raised:
        things.tx_runner.run(work)
    assert raised.value is error
    assert things.tx_runner.run(nothing_is_there, read_only=True)
    things.tx_runner.run(write_everywhere)
    assert not things.tx_runner.run(nothing_is_there, read_only=True)


def test_12_an_exception_of_a_reader_comes_out_as_it_was(things: StorageProvider) -> None:
    mine = ValueError("mine")

    def work(tx: TableContext) -> None:
        raise mine

    with pytest.raises(ValueError, match="mine") as raised:
        things.tx_runner.run(work, read_only=True)
    assert raised.value is mine
    assert things.tx_runner.run(count, read_only=True) == 0


def test_a_callable_that_is_not_patient_is_done_all_the_same(things: StorageProvider) -> None:
    assert things.tx_runner.run(count, retry=RetryPolicy(attempts=0)) == 0


def test_nobody_writes_while_reading(things: StorageProvider) -> None:
    writes: list[Callable[[TableContext], Any]] = [
        lambda tx: tx.table("things").upsert(KEY),
        lambda tx: tx.table("things").upsert_all([KEY]),
        lambda tx: tx.table("things").increment(KEYS[0], "n", 1),
        lambda tx: add_changes(tx, dict.fromkeys(CHANGE)),
        lambda tx: tx.search.put(DOCUMENT),
        lambda tx: tx.edges.add("data", "program", "read", "run", "", 1, None),
    ]
    for write in writes:
        with pytest.raises(MetadataError):
            things.tx_runner.run(write, read_only=True)
    assert things.tx_runner.run(nothing_is_there)


def test_every_commit_changes_the_number_of_commits(things: StorageProvider, another: StorageProvider) -> None:
    things.commits()
    for store in (things, another):
        before = things.commits()
        inside(store, lambda table: table.increment(KEYS[0], "n", 1))
        assert things.commits() != before
    before = things.commits()
    things.tx_runner.run(count, read_only=True)
    assert things.commits() == before


def test_a_store_that_is_open_is_well(things: StorageProvider) -> None:
    assert things.health()["status"] == "ok"
    assert {"status", "detail", "journalMode"} <= things.health().keys()
    assert things.check() == []
    assert things.name
    assert {"engine", "place"} <= things.about().keys()


def test_what_was_written_is_there_when_it_is_opened_again(things: StorageProvider, another: StorageProvider) -> None:
    things.tx_runner.run(write_everywhere)
    things.close()
    assert another.tx_runner.run(count) == 1
    assert another.tx_runner.run(lambda tx: tx.log.head()) == 1


def test_repair_and_reclaim_lose_nothing(things: StorageProvider) -> None:
    inside(things, fill)
    things.tx_runner.run(lambda tx: tx.search.put(DOCUMENT))
    things.repair()
    assert things.reclaim() >= 0
    assert inside(things, lambda table: keys(table.scan(Range()))) == KEYS
    assert things.tx_runner.run(lambda tx: [len(one.numbers) for one in tx.search.groups(Words(("orders",)), 9)]) == [1]
