"""Compare any history of a table with a dictionary."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_colophon.storage.spi import FieldValue, Range, Row, StorageProvider, StructuredTable
from support.things_table import THINGS, build_row, list_row_keys, run_on_table

Key = tuple[Any, ...]
Model = dict[Key, Row]
_TEXT = st.sampled_from(["", "\x00", "a", "aa", "b", "é", "\U0001f600"])
_NUMBER = st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1])
_PARTS = (_TEXT, _NUMBER, _TEXT)
_KEY = st.tuples(*_PARTS)
_END = st.one_of(*(st.tuples(*_PARTS[:length]) for length in range(4)))
_RANGE = st.builds(Range, _END, _END, st.booleans(), st.booleans()) | st.builds(lambda end: Range(end, end), _END)
_FIELDS = st.fixed_dictionaries({}, optional={"n": st.none() | st.integers(0, 2), "y": st.none() | st.booleans()})
_FILTERS = st.lists(
    st.builds(FieldValue, st.just("n"), st.none() | st.integers(0, 2))
    | st.builds(FieldValue, st.just("y"), st.none() | st.booleans()),
    max_size=2,
)
_STEP = st.one_of(
    st.tuples(st.just("upsert_all"), st.lists(st.tuples(_KEY, _FIELDS), max_size=4)),
    st.tuples(st.sampled_from(["upsert", "update"]), _KEY, _FIELDS),
    st.tuples(st.just("delete"), _KEY),
    st.tuples(st.just("delete_all"), _RANGE),
    st.tuples(st.just("update_all"), _RANGE, _FIELDS),
    st.tuples(st.just("increment"), _KEY, st.integers(-3, 3)),
    st.tuples(st.just("swap"), _KEY, st.none() | st.integers(0, 2), st.none() | st.integers(0, 2)),
)
_LIMIT = st.none() | st.integers(0, 4)


def is_in(key: Key, keys: Range) -> bool:
    begin, end = key[: len(keys.begin)], key[: len(keys.end)]
    if keys.begin and not (begin > keys.begin or (keys.begin_inclusive and begin == keys.begin)):
        return False
    return not keys.end or end < keys.end or (keys.end_inclusive and end == keys.end)


def fits(row: Row, filters: list[FieldValue]) -> bool:
    return not filters or any(row[name] == value for name, value in filters)


def written(model: Model, key: Key, changes: Row) -> Row:
    old = model.get(key) or dict.fromkeys(THINGS.fields) | build_row(key)
    return old | changes


def upsert(model: Model, table: StructuredTable, key: Key, changes: Row) -> None:
    model[key] = written(model, key, changes)
    table.upsert(build_row(key, **changes))


def upsert_all(model: Model, table: StructuredTable, rows: list[tuple[Key, Row]]) -> None:
    for key, changes in rows:
        model[key] = written(model, key, changes)
    table.upsert_many([build_row(key, **changes) for key, changes in rows])


def update(model: Model, table: StructuredTable, key: Key, changes: Row) -> None:
    there = key in model
    if there:
        model[key] = written(model, key, changes)
    assert table.update(build_row(key, **changes)) is there


def delete(model: Model, table: StructuredTable, key: Key) -> None:
    model.pop(key, None)
    table.delete(key)


def delete_all(model: Model, table: StructuredTable, bounds: Range) -> None:
    expected = [key for key in model if is_in(key, bounds)]
    for key in expected:
        del model[key]
    assert table.delete_range(bounds) == len(expected)


def update_all(model: Model, table: StructuredTable, bounds: Range, changes: Row) -> None:
    expected = [key for key in model if is_in(key, bounds)]
    for key in expected:
        model[key] = written(model, key, changes)
    assert table.update_range(bounds, changes) == len(expected)


def increment(model: Model, table: StructuredTable, key: Key, amount: int) -> None:
    value = ((model.get(key) or {}).get("n") or 0) + amount
    model[key] = written(model, key, {"n": value})
    assert table.increment(key, "n", amount) == value


def swap(model: Model, table: StructuredTable, key: Key, old: int | None, new: int | None) -> None:
    swaps = (model.get(key) or {}).get("n") == old
    if swaps:
        model[key] = written(model, key, {"n": new})
    assert table.compare_and_swap(key, "n", old, new) is swaps


_STEPS: dict[str, Callable[..., None]] = {
    "upsert": upsert,
    "upsert_all": upsert_all,
    "update": update,
    "delete": delete,
    "delete_all": delete_all,
    "update_all": update_all,
    "increment": increment,
    "swap": swap,
}


@settings(max_examples=150)
@given(st.lists(_STEP, max_size=15), st.lists(st.tuples(_RANGE, _FILTERS, _LIMIT), max_size=3), st.integers(0, 15))
def test_any_history_equals_a_dictionary(
    shared: StorageProvider, history: list[Any], questions: list[Any], cut: int
) -> None:
    model: Model = {}

    def work(table: Any) -> None:
        for name, *arguments in history[:cut]:
            _STEPS[name](model, table, *arguments)

    def more(table: Any) -> None:
        for name, *arguments in history[cut:]:
            _STEPS[name](model, table, *arguments)
        compare(table)

    def compare(table: Any) -> None:
        assert list(table.scan(Range())) == [model[key] for key in sorted(model)]
        for keys, filters, limit in questions:
            ask(model, table, keys, filters, limit)
        ranges = [keys for keys, _, _ in questions]
        either = sorted(key for key in model if any(is_in(key, keys) for keys in ranges))
        assert list_row_keys(table.scan_ranges(ranges)) == either
        assert table.count(ranges) == (len(either) if ranges else len(model))

    run_on_table(shared, lambda table: table.delete_range(Range()))
    run_on_table(shared, work)
    run_on_table(shared, more)
    run_on_table(shared, compare, read_only=True)


def ask(model: Model, table: Any, bounds: Range, filters: list[FieldValue], limit: int | None) -> None:
    found = sorted(key for key in model if is_in(key, bounds) and fits(model[key], filters))
    by_number = sorted(found, key=lambda key: (model[key]["n"] is not None, model[key]["n"] or 0, key))
    assert list_row_keys(table.scan(bounds, limit, "asc", filters)) == found[:limit]
    assert list_row_keys(table.scan(bounds, limit, "desc", filters)) == found[::-1][:limit]
    assert list_row_keys(table.scan(bounds, limit, "asc", filters, "n")) == by_number[:limit]
    assert list_row_keys(table.scan(bounds, limit, "desc", filters, "n")) == by_number[::-1][:limit]
    assert table.count([bounds], filters) == len(found)
    for name, value in filters:
        expected = sorted(key for key in model if model[key][name] == value)
        assert list_row_keys(table.scan_index(name, value, limit)) == expected[:limit]
    assert sorted(list_row_keys(table.read_many(found))) == found
