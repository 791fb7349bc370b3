"""Fields that are written concurrently: increment, compare and swap (spec STORE-4, STORE-5)."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage.spi import Range, StorageProvider
from support.things_table import KEY, KEYS, build_row, run_on_table

AT = ("a", 1, "x")
BOUNDS = {"n": (-(2**63), 2**63 - 1), "i": (-(2**31), 2**31 - 1)}


def value(store: StorageProvider, name: str = "n") -> Any:
    row = run_on_table(store, lambda table: table.read(AT), read_only=True)
    return None if row is None else row[name]


def test_increment_creates_missing_row(things: StorageProvider) -> None:
    assert run_on_table(things, lambda table: table.increment(AT, "n", 5)) == 5
    assert run_on_table(things, lambda table: table.read(AT, ["a", "n", "i"])) == {"a": "a", "n": 5, "i": None}


def test_increment_adds_and_subtracts(things: StorageProvider) -> None:
    assert [run_on_table(things, lambda table, by=by: table.increment(AT, "i", by)) for by in (5, -7, 0)] == [5, -2, -2]


def test_increment_counts_from_null(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(KEY | {"n": None, "y": True}))
    assert run_on_table(things, lambda table: table.increment(AT, "n", 3)) == 3
    assert value(things, "y") is True


def test_increment_many_adds_to_each_row(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.increment_many({}, "n"))
    run_on_table(things, lambda table: table.upsert_many([build_row(KEYS[0], n=3, y=True), build_row(KEYS[1])]))
    amounts = {key: at - 1 for at, key in enumerate(KEYS)}
    run_on_table(things, lambda table: table.increment_many(amounts, "n"))
    assert [entry["n"] for entry in run_on_table(things, lambda table: list(table.scan(Range())))] == [2, 0, 1, 2, 3, 4]
    assert value(things, "y") is True


def test_overflow_in_increment_many_undoes_the_transaction(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(build_row(KEYS[1], n=2**63 - 1)))
    with pytest.raises(InvalidField):
        run_on_table(things, lambda table: table.increment_many(dict.fromkeys(KEYS[:3], 1), "n"))
    assert [entry["n"] for entry in run_on_table(things, lambda table: list(table.scan(Range())))] == [2**63 - 1]


def test_decrement_many_deletes_rows_at_zero(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.decrement_many({}, "n"))
    run_on_table(
        things,
        lambda table: table.upsert_many([build_row(key, n=at) for at, key in enumerate(KEYS)] + [build_row(KEYS[0])]),
    )
    run_on_table(things, lambda table: table.decrement_many(dict.fromkeys([*KEYS, ("not", 1, "there")], 2), "n"))
    assert [entry["n"] for entry in run_on_table(things, lambda table: list(table.scan(Range())))] == [1, 2, 3]
    with pytest.raises(InvalidField):
        run_on_table(things, lambda table: table.decrement_many({KEYS[0]: 1}, "a"))


@pytest.mark.parametrize("name", BOUNDS)
def test_increment_reaches_bounds_and_overflow_changes_nothing(things: StorageProvider, name: str) -> None:
    for bound, step in zip(BOUNDS[name], (-1, 1), strict=True):

        def work(table: Any, bound: int = bound, step: int = step) -> None:
            table.upsert(KEY | {name: bound - step})
            assert table.increment(AT, name, step) == bound
            for by in (step, bound):
                with pytest.raises(InvalidField):
                    table.increment(AT, name, by)

        run_on_table(things, work)
        assert value(things, name) == bound


def test_increment_keeps_every_digit(things: StorageProvider) -> None:
    for by in (2**53, 1, 2**62):
        run_on_table(things, lambda table, by=by: table.increment(AT, "n", by))
    assert value(things) == 2**62 + 2**53 + 1


def test_swap_succeeds_only_with_expected_value(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(KEY | {"n": 1, "i": 9}))
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, "n", 2, 3)) is False
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, "n", None, 3)) is False
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, "n", 1, 3)) is True
    assert (value(things), value(things, "i")) == (3, 9)


def test_swap_creates_missing_row_only_from_none(things: StorageProvider) -> None:
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, "n", 1, 3)) is False
    assert run_on_table(things, lambda table: table.read(AT)) is None
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, "n", None, 3)) is True
    assert value(things) == 3


def test_swap_treats_null_as_none(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(KEY))
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, "n", None, 3)) is True
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, "n", 3, None)) is True
    assert value(things) is None


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("x", 0.1, 1 / 3), ("y", False, True), ("z", b"\x00", b""), ("i", -1, 1)],
    ids=["double", "bool", "bytes", "int"],
)
def test_swap_compares_values_of_every_type(things: StorageProvider, name: str, old: Any, new: Any) -> None:
    run_on_table(things, lambda table: table.upsert(KEY | {name: old}))
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, name, new, old)) is False
    assert run_on_table(things, lambda table: table.compare_and_swap(AT, name, old, new)) is True
    assert value(things, name) == new


def swap(key: Any, old: int | None, new: int, table: Any) -> bool:
    return bool(table.compare_and_swap(key, "n", old, new))


@pytest.mark.parametrize("there", [True, False])
def test_exactly_one_concurrent_swap_succeeds(things: StorageProvider, another: StorageProvider, there: bool) -> None:
    for round_ in range(8):
        key = ("race", round_, "x")
        if there:
            run_on_table(things, lambda table, key=key: table.increment(key, "n", 0))
        with ThreadPoolExecutor(4) as threads:
            tries = [
                threads.submit(
                    run_on_table,
                    store,
                    partial(swap, key, 0 if there else None, number),
                )
                for number, store in enumerate([things, another, things, another], 1)
            ]
            won = [number for number, attempt in enumerate(tries, 1) if attempt.result(timeout=300)]
        assert len(won) == 1
        assert run_on_table(things, lambda table, key=key: table.read(key, ["n"])) == {"n": won[0]}


def test_concurrent_increments_are_all_counted(things: StorageProvider, another: StorageProvider) -> None:
    def count(store: StorageProvider) -> list[int]:
        return [run_on_table(store, lambda table: table.increment(AT, "n", 1)) for _ in range(15)]

    with ThreadPoolExecutor(4) as threads:
        seen = [number for counts in threads.map(count, [things, another] * 2, timeout=300) for number in counts]
    assert sorted(seen) == list(range(1, 61))


def test_value_read_in_transaction_is_unchanged_when_written(things: StorageProvider, another: StorageProvider) -> None:
    def raise_by_one(table: Any) -> None:
        row = table.read(AT)
        table.upsert(KEY | {"n": row["n"] + 1 if row else 1})

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(run_on_table, store, raise_by_one) for store in [things, another] * 20]:
            done.result(timeout=300)
    assert value(things) == 40
