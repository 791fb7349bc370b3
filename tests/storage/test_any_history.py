"""Any history of a table gives what a plain dictionary gives."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_colophon.storage.spi import Field, Range, Row, StorageProvider, StructuredTable
from support.things import THINGS, inside, keys, row

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
    st.builds(Field, st.just("n"), st.none() | st.integers(0, 2))
    | st.builds(Field, st.just("y"), st.none() | st.booleans()),
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


def fits(one: Row, filters: list[Field]) -> bool:
    return not filters or any(one[name] == value for name, value in filters)


def written(model: Model, key: Key, changes: Row) -> Row:
    old = model.get(key) or dict.fromkeys(THINGS.fields) | row(key)
    return old | changes


def upsert(model: Model, table: StructuredTable, key: Key, changes: Row) -> None:
    model[key] = written(model, key, changes)
    table.upsert(row(key, **changes))


def upsert_all(model: Model, table: StructuredTable, rows: list[tuple[Key, Row]]) -> None:
    for key, changes in rows:
        model[key] = written(model, key, changes)
    table.upsert_all([row(key, **changes) for key, changes in rows])


def update(model: Model, table: StructuredTable, key: Key, changes: Row) -> None:
    there = key in model
    if there:
        model[key] = written(model, key, changes)
    assert table.update(row(key, **changes)) is there


def delete(model: Model, table: StructuredTable, key: Key) -> None:
    model.pop(key, None)
    table.delete(key)


def delete_all(model: Model, table: StructuredTable, asked: Range) -> None:
    found = [key for key in model if is_in(key, asked)]
    for key in found:
        del model[key]
    assert table.delete_all(asked) == len(found)


def update_all(model: Model, table: StructuredTable, asked: Range, changes: Row) -> None:
    found = [key for key in model if is_in(key, asked)]
    for key in found:
        model[key] = written(model, key, changes)
    assert table.update_all(asked, changes) == len(found)


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
def test_any_history_gives_what_a_plain_dictionary_gives(
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
        for asked, filters, limit in questions:
            ask(model, table, asked, filters, limit)
        ranges = [asked for asked, _, _ in questions]
        either = sorted(key for key in model if any(is_in(key, asked) for asked in ranges))
        assert keys(table.multi_scan(ranges)) == either
        assert table.count(ranges) == (len(either) if ranges else len(model))

    inside(shared, lambda table: table.delete_all(Range()))
    inside(shared, work)
    inside(shared, more)
    inside(shared, compare, read_only=True)


def ask(model: Model, table: Any, asked: Range, filters: list[Field], limit: int | None) -> None:
    found = sorted(key for key in model if is_in(key, asked) and fits(model[key], filters))
    by_number = sorted(found, key=lambda key: (model[key]["n"] is not None, model[key]["n"] or 0, key))
    assert keys(table.scan(asked, limit, "asc", filters)) == found[:limit]
    assert keys(table.scan(asked, limit, "desc", filters)) == found[::-1][:limit]
    assert keys(table.scan(asked, limit, "asc", filters, "n")) == by_number[:limit]
    assert keys(table.scan(asked, limit, "desc", filters, "n")) == by_number[::-1][:limit]
    assert table.count([asked], filters) == len(found)
    for name, value in filters:
        expected = sorted(key for key in model if model[key][name] == value)
        assert keys(table.scan_index(name, value, limit)) == expected[:limit]
    assert sorted(keys(table.multi_read(found))) == found
