"""Fields that many write at once: increment, compare and swap (spec STORE-4, STORE-5)."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage.spi import Range, StorageProvider
from support.things import KEY, KEYS, inside, row

AT = ("a", 1, "x")
BOUNDS = {"n": (-(2**63), 2**63 - 1), "i": (-(2**31), 2**31 - 1)}


def value(store: StorageProvider, name: str = "n") -> Any:
    found = inside(store, lambda table: table.read(AT), read_only=True)
    return None if found is None else found[name]


def test_4_increment_creates_a_missing_row(things: StorageProvider) -> None:
    assert inside(things, lambda table: table.increment(AT, "n", 5)) == 5
    assert inside(things, lambda table: table.read(AT, ["a", "n", "i"])) == {"a": "a", "n": 5, "i": None}


def test_4_increment_adds_and_takes_away(things: StorageProvider) -> None:
    assert [inside(things, lambda table, by=by: table.increment(AT, "i", by)) for by in (5, -7, 0)] == [5, -2, -2]


def test_4_increment_counts_from_null(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(KEY | {"n": None, "y": True}))
    assert inside(things, lambda table: table.increment(AT, "n", 3)) == 3
    assert value(things, "y") is True


def test_4_increment_of_many_adds_to_each(things: StorageProvider) -> None:
    inside(things, lambda table: table.increment_all({}, "n"))
    inside(things, lambda table: table.upsert_all([row(KEYS[0], n=3, y=True), row(KEYS[1])]))
    amounts = {key: at - 1 for at, key in enumerate(KEYS)}
    inside(things, lambda table: table.increment_all(amounts, "n"))
    assert [one["n"] for one in inside(things, lambda table: list(table.scan(Range())))] == [2, 0, 1, 2, 3, 4]
    assert value(things, "y") is True


def test_4_an_overflow_among_many_undoes_the_transaction(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(row(KEYS[1], n=2**63 - 1)))
    with pytest.raises(InvalidField):
        inside(things, lambda table: table.increment_all(dict.fromkeys(KEYS[:3], 1), "n"))
    assert [one["n"] for one in inside(things, lambda table: list(table.scan(Range())))] == [2**63 - 1]


def test_4_what_is_left_with_nothing_goes(things: StorageProvider) -> None:
    inside(things, lambda table: table.decrement_all({}, "n"))
    inside(things, lambda table: table.upsert_all([row(key, n=at) for at, key in enumerate(KEYS)] + [row(KEYS[0])]))
    inside(things, lambda table: table.decrement_all(dict.fromkeys([*KEYS, ("not", 1, "there")], 2), "n"))
    assert [one["n"] for one in inside(things, lambda table: list(table.scan(Range())))] == [1, 2, 3]
    with pytest.raises(InvalidField):
        inside(things, lambda table: table.decrement_all({KEYS[0]: 1}, "a"))


@pytest.mark.parametrize("name", BOUNDS)
def test_4_increment_reaches_the_bounds_and_an_overflow_changes_nothing(things: StorageProvider, name: str) -> None:
    for bound, step in zip(BOUNDS[name], (-1, 1), strict=True):

        def work(table: Any, bound: int = bound, step: int = step) -> None:
            table.upsert(KEY | {name: bound - step})
            assert table.increment(AT, name, step) == bound
            for by in (step, bound):
                with pytest.raises(InvalidField):
                    table.increment(AT, name, by)

        inside(things, work)
        assert value(things, name) == bound


def test_4_a_whole_number_keeps_every_digit(things: StorageProvider) -> None:
    for by in (2**53, 1, 2**62):
        inside(things, lambda table, by=by: table.increment(AT, "n", by))
    assert value(things) == 2**62 + 2**53 + 1


def test_5_swap_takes_only_what_it_expects(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(KEY | {"n": 1, "i": 9}))
    assert inside(things, lambda table: table.compare_and_swap(AT, "n", 2, 3)) is False
    assert inside(things, lambda table: table.compare_and_swap(AT, "n", None, 3)) is False
    assert inside(things, lambda table: table.compare_and_swap(AT, "n", 1, 3)) is True
    assert (value(things), value(things, "i")) == (3, 9)


def test_5_swap_makes_a_missing_row_of_none_alone(things: StorageProvider) -> None:
    assert inside(things, lambda table: table.compare_and_swap(AT, "n", 1, 3)) is False
    assert inside(things, lambda table: table.read(AT)) is None
    assert inside(things, lambda table: table.compare_and_swap(AT, "n", None, 3)) is True
    assert value(things) == 3


def test_5_swap_takes_null_for_none_and_gives_none_back(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(KEY))
    assert inside(things, lambda table: table.compare_and_swap(AT, "n", None, 3)) is True
    assert inside(things, lambda table: table.compare_and_swap(AT, "n", 3, None)) is True
    assert value(things) is None


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("x", 0.1, 1 / 3), ("y", False, True), ("z", b"\x00", b""), ("i", -1, 1)],
    ids=["double", "bool", "bytes", "int"],
)
def test_5_swap_compares_values_of_every_type(things: StorageProvider, name: str, old: Any, new: Any) -> None:
    inside(things, lambda table: table.upsert(KEY | {name: old}))
    assert inside(things, lambda table: table.compare_and_swap(AT, name, new, old)) is False
    assert inside(things, lambda table: table.compare_and_swap(AT, name, old, new)) is True
    assert value(things, name) == new


def swap(key: Any, old: int | None, new: int, table: Any) -> bool:
    return bool(table.compare_and_swap(key, "n", old, new))


@pytest.mark.parametrize("there", [True, False])
def test_5_of_two_racers_exactly_one_wins(things: StorageProvider, another: StorageProvider, there: bool) -> None:
    for round_ in range(8):
        key = ("race", round_, "x")
        if there:
            inside(things, lambda table, key=key: table.increment(key, "n", 0))
        with ThreadPoolExecutor(4) as threads:
            tries = [
                threads.submit(
                    inside,
                    store,
                    partial(swap, key, 0 if there else None, mine),
                )
                for mine, store in enumerate([things, another, things, another], 1)
            ]
            won = [mine for mine, one in enumerate(tries, 1) if one.result(timeout=300)]
        assert len(won) == 1
        assert inside(things, lambda table, key=key: table.read(key, ["n"])) == {"n": won[0]}


def test_4_increments_of_many_are_all_counted(things: StorageProvider, another: StorageProvider) -> None:
    def count(store: StorageProvider) -> list[int]:
        return [inside(store, lambda table: table.increment(AT, "n", 1)) for _ in range(15)]

    with ThreadPoolExecutor(4) as threads:
        seen = [number for one in threads.map(count, [things, another] * 2, timeout=300) for number in one]
    assert sorted(seen) == list(range(1, 61))


def test_8_a_condition_that_was_read_still_holds_when_it_is_written(
    things: StorageProvider, another: StorageProvider
) -> None:
    def raise_by_one(table: Any) -> None:
        found = table.read(AT)
        table.upsert(KEY | {"n": found["n"] + 1 if found else 1})

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(inside, store, raise_by_one) for store in [things, another] * 20]:
            done.result(timeout=300)
    assert value(things) == 40
