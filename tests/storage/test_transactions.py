"""Transactions are atomic and isolated, and unusable after their end (spec STORE-7, STORE-8)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from jupyter_colophon.core.errors import ConditionFailed, InvalidField, MetadataError, StorageError
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.storage.spi import Document, Range, RetryPolicy, StorageProvider, TableContext, TextQuery
from jupyter_colophon.storage.tables import CHANGE
from support.changes import add_changes
from support.things_table import KEY, KEYS, insert_key_rows, list_row_keys, run_on_table

DOCUMENT = Document("urn:1", "sales", "dataset", frozenset(), frozenset({"orders"}), frozenset({"all"}))
ERRORS = [ValueError("mine"), KeyError("mine"), ConditionFailed("it", "1", 2), InvalidField("mine"), SystemExit(3)]
#: Everything through which a transaction reaches the store.
REACHES: dict[str, Callable[[TableContext], Any]] = {
    "table": lambda tx: tx.get_table("things").read(("a", 1, "x")),
    "scan": lambda tx: list(tx.get_table("things").scan(Range())),
    "upsert": lambda tx: tx.get_table("things").upsert(KEY),
    "many rows": lambda tx: tx.get_table("things").upsert_many([KEY]),
    "log": lambda tx: tx.log.get_newest_number(),
    "search": lambda tx: tx.search.put_documents(DOCUMENT),
    "edges": lambda tx: tx.edges.set_run_stop("run", None),
}


def count(tx: TableContext) -> int:
    return len(list(tx.get_table("things").scan(Range())))


def write_everywhere(tx: TableContext) -> None:
    tx.get_table("things").upsert(KEY | {"n": 1})
    add_changes(tx, dict.fromkeys(CHANGE))
    tx.search.put_documents(DOCUMENT)
    tx.edges.record_access("data", "program", "read", "run", "", 1, None)


def nothing_is_there(tx: TableContext) -> bool:
    around = tx.edges.find_neighbours("data", ["data"], ["read"], ALL_TIME, 9)
    return (count(tx), tx.log.get_newest_number(), tx.search.find_matches(TextQuery(("orders",)), 9), around) == (
        0,
        0,
        [],
        [],
    )


def test_run_returns_the_result_of_the_callable(things: StorageProvider) -> None:
    for read_only in (True, False):
        assert things.tx_runner.run(lambda tx: ("value", count(tx)), read_only=read_only) == ("value", 0)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    "question",
    [
        lambda t: t.scan(Range()),
        lambda t: t.scan_index("n", None),
        lambda t: t.scan_ranges([Range()]),
        lambda t: t.scan(Range(), order="desc"),
    ],
)
def test_rows_are_lazy_and_end_with_the_transaction(things: StorageProvider, question: Any, read_only: bool) -> None:
    run_on_table(things, insert_key_rows)

    def work(table: Any) -> tuple[Any, Any]:
        begun, untouched = question(table), question(table)
        next(begun)
        return begun, untouched

    for rows in run_on_table(things, work, read_only=read_only):
        with pytest.raises(StorageError):
            next(rows)


def test_unread_rows_block_nothing(things: StorageProvider, another: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)

    def begin(table: Any) -> Any:
        rows = table.scan(Range())
        next(rows)
        return rows

    kept = []
    for round_ in range(3):
        kept += [run_on_table(things, begin, read_only=read_only) for read_only in (True, False)]
        run_on_table(another, lambda table, round_=round_: table.upsert(KEY | {"n": round_}))
        assert run_on_table(things, lambda table: table.read(KEYS[0], ["n"]), read_only=True) == {"n": round_}
        run_on_table(things, lambda table: table.upsert(KEY | {"n": -1}))
    assert len(kept) == 6


@pytest.mark.parametrize("reach", REACHES.values(), ids=REACHES)
def test_ended_transaction_cannot_be_used(things: StorageProvider, reach: Any) -> None:
    for read_only in (True, False):
        tx = things.tx_runner.run(lambda tx: tx, read_only=read_only)
        with pytest.raises(StorageError):
            reach(tx)
    assert things.tx_runner.run(nothing_is_there, read_only=True)


@pytest.mark.parametrize("read_only", [True, False])
def test_actions_run_once_in_order_after_commit(things: StorageProvider, read_only: bool) -> None:
    calls: list[Any] = []

    def work(tx: TableContext) -> None:
        tx.on_commit(lambda: calls.append("first"))
        tx.on_commit(lambda: calls.append(things.tx_runner.run(count, read_only=True)))
        if not read_only:
            tx.get_table("things").upsert(KEY)
        assert calls == []

    things.tx_runner.run(work, read_only=read_only)
    assert calls == ["first", 0 if read_only else 1]


def test_no_action_runs_after_a_failed_transaction(things: StorageProvider) -> None:
    calls: list[str] = []

    def fail(tx: TableContext) -> None:
        tx.on_commit(lambda: calls.append("never"))
        raise KeyError("mine")

    for read_only in (True, False):
        with pytest.raises(KeyError):
            things.tx_runner.run(fail, read_only=read_only)
    things.tx_runner.run(count)
    assert calls == []


def test_transaction_sees_its_own_writes_and_others_do_not(things: StorageProvider) -> None:
    def work(tx: TableContext) -> int:
        table = tx.get_table("things")
        table.upsert(KEY | {"n": 1})
        assert table.read(("a", 1, "x")) is not None
        assert count(tx) == len(list(table.scan_index("n", 1))) == table.count() == 1
        assert len(table.read_many([("a", 1, "x")])) == 1
        with ThreadPoolExecutor(1) as elsewhere:
            return elsewhere.submit(things.tx_runner.run, count, read_only=True).result()

    assert things.tx_runner.run(work) == 0
    assert things.tx_runner.run(count, read_only=True) == 1


def test_commit_of_another_process_is_visible(things: StorageProvider, another: StorageProvider) -> None:
    for number in range(3):
        run_on_table(things, lambda table, number=number: table.upsert(KEY | {"n": number}))
        for read_only in (True, False):
            assert run_on_table(another, lambda table: table.read(KEYS[0], ["n"]), read_only=read_only) == {"n": number}


def test_reader_sees_one_snapshot(things: StorageProvider, another: StorageProvider) -> None:
    def work(tx: TableContext) -> tuple[int, int]:
        before = count(tx)
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(run_on_table, another, insert_key_rows).result(timeout=300)
        return before, count(tx)

    assert things.tx_runner.run(work, read_only=True) == (0, 0)
    assert things.tx_runner.run(count, read_only=True) == len(KEYS)


@pytest.mark.parametrize("inner", [True, False])
@pytest.mark.parametrize("outer", [True, False])
def test_nested_transaction_is_an_error(things: StorageProvider, outer: bool, inner: bool) -> None:
    def work(tx: TableContext) -> None:
        things.tx_runner.run(lambda again: None, read_only=inner)

    with pytest.raises(StorageError):
        things.tx_runner.run(work, read_only=outer)
    assert things.tx_runner.run(count) == 0


def test_transaction_continues_after_nested_error(things: StorageProvider) -> None:
    def work(tx: TableContext) -> None:
        with pytest.raises(StorageError):
            things.tx_runner.run(lambda again: None)
        tx.get_table("things").upsert(KEY)

    things.tx_runner.run(work)
    assert things.tx_runner.run(count) == 1


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_exception_rolls_back_and_is_raised_unchanged(things: StorageProvider, error: BaseException) -> None:
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


def test_exception_of_reader_is_raised_unchanged(things: StorageProvider) -> None:
    error = ValueError("mine")

    def work(tx: TableContext) -> None:
        raise error

    with pytest.raises(ValueError, match="mine") as raised:
        things.tx_runner.run(work, read_only=True)
    assert raised.value is error
    assert things.tx_runner.run(count, read_only=True) == 0


def test_callable_without_retries_runs_once(things: StorageProvider) -> None:
    assert things.tx_runner.run(count, retry=RetryPolicy(attempts=0)) == 0


def test_read_only_transaction_cannot_write(things: StorageProvider) -> None:
    writes: list[Callable[[TableContext], Any]] = [
        lambda tx: tx.get_table("things").upsert(KEY),
        lambda tx: tx.get_table("things").upsert_many([KEY]),
        lambda tx: tx.get_table("things").increment(KEYS[0], "n", 1),
        lambda tx: add_changes(tx, dict.fromkeys(CHANGE)),
        lambda tx: tx.search.put_documents(DOCUMENT),
        lambda tx: tx.edges.record_access("data", "program", "read", "run", "", 1, None),
    ]
    for write in writes:
        with pytest.raises(MetadataError):
            things.tx_runner.run(write, read_only=True)
    assert things.tx_runner.run(nothing_is_there)


def test_every_commit_changes_the_data_version(things: StorageProvider, another: StorageProvider) -> None:
    things.get_data_version()
    for store in (things, another):
        before = things.get_data_version()
        run_on_table(store, lambda table: table.increment(KEYS[0], "n", 1))
        assert things.get_data_version() != before
    before = things.get_data_version()
    things.tx_runner.run(count, read_only=True)
    assert things.get_data_version() == before


def test_open_store_is_healthy(things: StorageProvider) -> None:
    assert things.check_health()["status"] == "ok"
    assert {"status", "detail", "journalMode"} <= things.check_health().keys()
    assert things.find_store_problems() == []
    assert things.name
    assert {"engine", "place"} <= things.describe_store().keys()


def test_written_rows_survive_reopening(things: StorageProvider, another: StorageProvider) -> None:
    things.tx_runner.run(write_everywhere)
    things.close()
    assert another.tx_runner.run(count) == 1
    assert another.tx_runner.run(lambda tx: tx.log.get_newest_number()) == 1


def test_repair_and_reclaim_keep_all_rows(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    things.tx_runner.run(lambda tx: tx.search.put_documents(DOCUMENT))
    things.rebuild_derived_data()
    assert things.reclaim_space() >= 0
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range()))) == KEYS
    assert things.tx_runner.run(
        lambda tx: [match.urn for match in tx.search.find_matches(TextQuery(("orders",)), 9)]
    ) == [DOCUMENT.urn]
