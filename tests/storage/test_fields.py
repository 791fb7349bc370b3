"""What does not fit a table's shape is refused before anything is sent (spec STORE-9)."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage.spi import Field, Range, Row, StorageProvider
from support.things import KEY, inside

ROWS: dict[str, Row] = {
    "unknown field": KEY | {"none": 1},
    "no whole key": {"a": "a", "b": 1},
    "no key": {},
    "null in the key": KEY | {"b": None},
    "number for a text in the key": KEY | {"a": 1},
    "text for a number in the key": KEY | {"b": "1"},
    "truth for a number in the key": KEY | {"b": True},
    "fraction for a number in the key": KEY | {"b": 1.0},
    "fraction for a long": KEY | {"n": 1.5},
    "truth for a long": KEY | {"n": True},
    "too large a long": KEY | {"n": 2**63},
    "too small a long": KEY | {"n": -(2**63) - 1},
    "too large an int": KEY | {"i": 2**31},
    "too small an int": KEY | {"i": -(2**31) - 1},
    "text for a double": KEY | {"x": "1"},
    "truth for a double": KEY | {"x": True},
    "no number": KEY | {"x": math.nan},
    "whole number that no double is": KEY | {"x": 2**53 + 1},
    "huge whole number for a float": KEY | {"f": -(2**70)},
    "number for a truth": KEY | {"y": 1},
    "text for bytes": KEY | {"z": "text"},
    "bytes for a text": KEY | {"c": b"bytes"},
    "half of a character": KEY | {"c": "\ud800"},
}
CALLS: dict[str, Callable[[Any], Any]] = {
    "read by a part of the key": lambda table: table.read(("a", 1)),
    "read by more than the key": lambda table: table.read(("a", 1, "c", "d")),
    "read by a key out of order": lambda table: table.read((1, "a", "c")),
    "read by a null": lambda table: table.read(("a", None, "c")),
    "read of an unknown column": lambda table: table.read(("a", 1, "c"), ["none"]),
    "delete by a part of the key": lambda table: table.delete(("a",)),
    "read many by a part of the key": lambda table: table.multi_read([("a",)]),
    "increment by a part of the key": lambda table: table.increment(("a",), "n", 1),
    "increment of an unknown field": lambda table: table.increment(("a", 1, "c"), "none", 1),
    "increment of a text": lambda table: table.increment(("a", 1, "c"), "c", 1),
    "increment of a key": lambda table: table.increment(("a", 1, "c"), "b", 1),
    "increment of a double": lambda table: table.increment(("a", 1, "c"), "x", 1),
    "increment by a fraction": lambda table: table.increment(("a", 1, "c"), "n", 0.5),
    "increment by too much": lambda table: table.increment(("a", 1, "c"), "i", 2**31),
    "increment of many, one by a part of the key": lambda table: table.increment_all(
        {("b", 1, "c"): 1, ("a",): 1}, "n"
    ),
    "increment of many by too much": lambda table: table.increment_all({("b", 1, "c"): 2**31}, "i"),
    "increment of many texts": lambda table: table.increment_all({}, "c"),
    "swap by a part of the key": lambda table: table.compare_and_swap(("a",), "n", None, 1),
    "swap of a key": lambda table: table.compare_and_swap(("a", 1, "c"), "b", None, 1),
    "swap of an unknown field": lambda table: table.compare_and_swap(("a", 1, "c"), "none", None, 1),
    "swap to a wrong type": lambda table: table.compare_and_swap(("a", 1, "c"), "n", None, "1"),
    "swap from a wrong type": lambda table: table.compare_and_swap(("a", 1, "c"), "n", "1", 1),
    "range longer than the key": lambda table: list(table.scan(Range.prefix("a", 1, "c", "d"))),
    "range of a wrong type": lambda table: list(table.scan(Range.prefix("a", "1"))),
    "range with a null": lambda table: list(table.scan(Range(("a",), ("a", None)))),
    "many ranges, one too long": lambda table: list(table.multi_scan([Range(), Range.prefix("a", 1, "c", "d")])),
    "delete of a range too long": lambda table: table.delete_all(Range(("a", 1, "c", "d"))),
    "delete of a range of a wrong type": lambda table: table.delete_all(Range.prefix(1)),
    "count of a range too long": lambda table: table.count([Range.prefix("a", 1, "c", "d")]),
    "change of a range too long": lambda table: table.update_all(Range.prefix("a", 1, "c", "d"), {"n": 1}),
    "change of the key": lambda table: table.update_all(Range(), {"b": 1}),
    "change to a wrong type": lambda table: table.update_all(Range(), {"n": "1"}),
    "change of an unknown field": lambda table: table.update_all(Range(), {"none": 1}),
    "index that there is not": lambda table: list(table.scan_index("x", 1.0)),
    "index of an unknown field": lambda table: list(table.scan_index("none", 1)),
    "index with a wrong type": lambda table: list(table.scan_index("n", "1")),
    "filter that is no index": lambda table: list(table.scan(Range(), filters=[Field("x", 1.0)])),
    "filter with a wrong type": lambda table: table.count(filters=[Field("n", "1")]),
    "order by what is no index": lambda table: list(table.scan(Range(), order_by="x")),
    "limit below 0": lambda table: list(table.scan(Range(), -1)),
    "limit below 0 of an index": lambda table: list(table.scan_index("n", 1, -1)),
    "limit below 0 of many ranges": lambda table: list(table.multi_scan([Range()], -1)),
}


@pytest.mark.parametrize("wrong", ROWS.values(), ids=ROWS)
def test_9_a_row_that_does_not_fit_is_refused(things: StorageProvider, wrong: Row) -> None:
    def work(table: Any) -> None:
        for write in (table.upsert, table.update):
            with pytest.raises(InvalidField):
                write(wrong)
        with pytest.raises(InvalidField):
            table.upsert_all([KEY, wrong])
        assert list(table.scan(Range())) == []
        table.upsert(KEY)  # the transaction goes on

    inside(things, work)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_9_a_question_that_does_not_fit_is_refused(things: StorageProvider, call: Callable[[Any], Any]) -> None:
    def work(table: Any) -> None:
        table.upsert(KEY | {"c": "c"})
        with pytest.raises(InvalidField):
            call(table)
        assert table.count() == 1

    inside(things, work)


def test_9_a_table_that_there_is_not_is_an_error(things: StorageProvider) -> None:
    for read_only in (True, False):
        with pytest.raises(InvalidField):
            things.tx_runner.run(lambda tx: tx.table("none"), read_only=read_only)
