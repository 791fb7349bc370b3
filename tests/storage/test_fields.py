"""Values that do not match a table's spec are rejected before anything is sent (spec STORE-9)."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage.spi import FieldValue, Range, Row, StorageProvider
from support.things_table import KEY, run_on_table

ROWS: dict[str, Row] = {
    "unknown field": KEY | {"none": 1},
    "incomplete key": {"a": "a", "b": 1},
    "no key": {},
    "null in the key": KEY | {"b": None},
    "int for a string in the key": KEY | {"a": 1},
    "string for an int in the key": KEY | {"b": "1"},
    "bool for an int in the key": KEY | {"b": True},
    "float for an int in the key": KEY | {"b": 1.0},
    "float for a long": KEY | {"n": 1.5},
    "bool for a long": KEY | {"n": True},
    "too large a long": KEY | {"n": 2**63},
    "too small a long": KEY | {"n": -(2**63) - 1},
    "too large an int": KEY | {"i": 2**31},
    "too small an int": KEY | {"i": -(2**31) - 1},
    "string for a double": KEY | {"x": "1"},
    "bool for a double": KEY | {"x": True},
    "NaN": KEY | {"x": math.nan},
    "int not exact as a double": KEY | {"x": 2**53 + 1},
    "huge int for a float": KEY | {"f": -(2**70)},
    "int for a bool": KEY | {"y": 1},
    "string for bytes": KEY | {"z": "text"},
    "bytes for a string": KEY | {"c": b"bytes"},
    "lone surrogate": KEY | {"c": "\ud800"},
}
CALLS: dict[str, Callable[[Any], Any]] = {
    "read with partial key": lambda table: table.read(("a", 1)),
    "read with too long key": lambda table: table.read(("a", 1, "c", "d")),
    "read with key out of order": lambda table: table.read((1, "a", "c")),
    "read with null in key": lambda table: table.read(("a", None, "c")),
    "read of unknown column": lambda table: table.read(("a", 1, "c"), ["none"]),
    "delete with partial key": lambda table: table.delete(("a",)),
    "read_many with partial key": lambda table: table.read_many([("a",)]),
    "read_many of unknown column": lambda table: table.read_many([("a", 1, "c")], ["none"]),
    "increment with partial key": lambda table: table.increment(("a",), "n", 1),
    "increment of unknown field": lambda table: table.increment(("a", 1, "c"), "none", 1),
    "increment of string": lambda table: table.increment(("a", 1, "c"), "c", 1),
    "increment of key": lambda table: table.increment(("a", 1, "c"), "b", 1),
    "increment of double": lambda table: table.increment(("a", 1, "c"), "x", 1),
    "increment by fraction": lambda table: table.increment(("a", 1, "c"), "n", 0.5),
    "increment out of range": lambda table: table.increment(("a", 1, "c"), "i", 2**31),
    "increment_many with a partial key": lambda table: table.increment_many({("b", 1, "c"): 1, ("a",): 1}, "n"),
    "increment_many out of range": lambda table: table.increment_many({("b", 1, "c"): 2**31}, "i"),
    "increment_many of strings": lambda table: table.increment_many({}, "c"),
    "swap with partial key": lambda table: table.compare_and_swap(("a",), "n", None, 1),
    "swap of key": lambda table: table.compare_and_swap(("a", 1, "c"), "b", None, 1),
    "swap of unknown field": lambda table: table.compare_and_swap(("a", 1, "c"), "none", None, 1),
    "swap to wrong type": lambda table: table.compare_and_swap(("a", 1, "c"), "n", None, "1"),
    "swap from wrong type": lambda table: table.compare_and_swap(("a", 1, "c"), "n", "1", 1),
    "range longer than the key": lambda table: list(table.scan(Range.prefix("a", 1, "c", "d"))),
    "range of wrong type": lambda table: list(table.scan(Range.prefix("a", "1"))),
    "range with null": lambda table: list(table.scan(Range(("a",), ("a", None)))),
    "scan_ranges with one too long": lambda table: list(table.scan_ranges([Range(), Range.prefix("a", 1, "c", "d")])),
    "delete_range too long": lambda table: table.delete_range(Range(("a", 1, "c", "d"))),
    "delete_range of wrong type": lambda table: table.delete_range(Range.prefix(1)),
    "count of range too long": lambda table: table.count([Range.prefix("a", 1, "c", "d")]),
    "update_range too long": lambda table: table.update_range(Range.prefix("a", 1, "c", "d"), {"n": 1}),
    "update_range of key": lambda table: table.update_range(Range(), {"b": 1}),
    "update_range to wrong type": lambda table: table.update_range(Range(), {"n": "1"}),
    "update_range of unknown field": lambda table: table.update_range(Range(), {"none": 1}),
    "unknown index": lambda table: list(table.scan_index("x", 1.0)),
    "index of unknown field": lambda table: list(table.scan_index("none", 1)),
    "index with wrong type": lambda table: list(table.scan_index("n", "1")),
    "filter without index": lambda table: list(table.scan(Range(), filters=[FieldValue("x", 1.0)])),
    "filter with wrong type": lambda table: table.count(filters=[FieldValue("n", "1")]),
    "order_by without index": lambda table: list(table.scan(Range(), order_by="x")),
    "negative limit of scan": lambda table: list(table.scan(Range(), -1)),
    "negative limit of scan_index": lambda table: list(table.scan_index("n", 1, -1)),
    "negative limit of scan_ranges": lambda table: list(table.scan_ranges([Range()], -1)),
}


@pytest.mark.parametrize("wrong", ROWS.values(), ids=ROWS)
def test_invalid_row_is_rejected(things: StorageProvider, wrong: Row) -> None:
    def work(table: Any) -> None:
        for write in (table.upsert, table.update):
            with pytest.raises(InvalidField):
                write(wrong)
        with pytest.raises(InvalidField):
            table.upsert_many([KEY, wrong])
        assert list(table.scan(Range())) == []
        table.upsert(KEY)  # the transaction continues

    run_on_table(things, work)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_invalid_call_is_rejected(things: StorageProvider, call: Callable[[Any], Any]) -> None:
    def work(table: Any) -> None:
        table.upsert(KEY | {"c": "c"})
        with pytest.raises(InvalidField):
            call(table)
        assert table.count() == 1

    run_on_table(things, work)


def test_unknown_table_is_an_error(things: StorageProvider) -> None:
    for read_only in (True, False):
        with pytest.raises(InvalidField):
            things.tx_runner.run(lambda tx: tx.get_table("none"), read_only=read_only)
