"""Ranges of keys: rows in them are scanned, counted, changed and deleted (spec STORE-2)."""

from typing import Any

import pytest
from jupyter_colophon.storage.spi import FieldValue, Range, StorageProvider
from support.things_table import KEYS, build_row, insert_key_rows, list_row_keys, run_on_table

CASES: dict[str, tuple[Range, list[Any]]] = {
    "all": (Range(), KEYS),
    "prefix of one field": (Range.prefix("a"), KEYS[:3]),
    "prefix of two fields": (Range.prefix("a", 1), KEYS[:2]),
    "whole key": (Range.prefix("a", 1, "y"), KEYS[1:2]),
    "exclusive begin excludes its prefix": (Range(("a", 1), ("a", 1), begin_inclusive=False), []),
    "exclusive end excludes its prefix": (Range(("a", 1), ("a", 1), end_inclusive=False), []),
    "after a prefix": (Range(("a", 1), ("a", 2), begin_inclusive=False), KEYS[2:3]),
    "before a prefix": (Range(("a", 1), ("a", 2), end_inclusive=False), KEYS[:2]),
    "longer begin": (Range(("a", 1, "y"), ("b",)), KEYS[1:]),
    "longer begin, exclusive": (Range(("a", 1, "y"), ("b",), begin_inclusive=False), KEYS[2:]),
    "longer begin, exclusive end": (Range(("a", 1, "y"), ("b",), end_inclusive=False), KEYS[1:3]),
    "longer end": (Range(("a",), ("b", 9)), KEYS[:5]),
    "longer end, exclusive": (Range(("a",), ("b", 9), end_inclusive=False), KEYS[:4]),
    "no end": (Range(("a",), begin_inclusive=False), KEYS[3:]),
    "no begin": (Range((), ("a", 2)), KEYS[:3]),
    "no begin, exclusive": (Range((), ("a", 2), end_inclusive=False), KEYS[:2]),
    "between keys": (Range(("a", 1, "xx"), ("b", 0, "")), KEYS[1:4]),
    "after all": (Range(("z",)), []),
    "before all": (Range((), ("", 0, "")), []),
    "end before begin": (Range(("b",), ("a",)), []),
    "lowest number": (Range(("b", -(2**63)), ("b", 2**63 - 1)), KEYS[3:]),
    "empty text": (Range(("a", 1, ""), ("a", 1, "\U0010ffff")), KEYS[:2]),
}
by_range = pytest.mark.parametrize(("bounds", "expected"), CASES.values(), ids=CASES)


@by_range
def test_scan_includes_all_or_none_of_a_prefix(things: StorageProvider, bounds: Range, expected: list[Any]) -> None:
    run_on_table(things, insert_key_rows)
    for read_only in (True, False):
        assert run_on_table(things, lambda table: list_row_keys(table.scan(bounds)), read_only=read_only) == expected
    assert run_on_table(things, lambda table: list_row_keys(table.scan(bounds, order="desc"))) == expected[::-1]
    assert run_on_table(things, lambda table: list_row_keys(table.scan_ranges([bounds]))) == expected


@by_range
def test_count_update_and_delete_use_the_same_rows(things: StorageProvider, bounds: Range, expected: list[Any]) -> None:
    run_on_table(things, insert_key_rows)
    assert run_on_table(things, lambda table: table.count([bounds])) == len(expected)
    assert run_on_table(things, lambda table: table.update_range(bounds, {})) == len(expected)
    assert run_on_table(things, lambda table: table.update_range(bounds, {"n": 5, "y": True})) == len(expected)
    assert run_on_table(things, lambda table: list_row_keys(table.scan_index("n", 5))) == expected
    assert run_on_table(things, lambda table: table.delete_range(bounds)) == len(expected)
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range()))) == [
        key for key in KEYS if key not in expected
    ]


@by_range
def test_limit_returns_the_first_rows(things: StorageProvider, bounds: Range, expected: list[Any]) -> None:
    run_on_table(things, insert_key_rows)
    for limit in (0, 1, 2, 9):
        assert (
            run_on_table(things, lambda table, limit=limit: list_row_keys(table.scan(bounds, limit)))
            == expected[:limit]
        )
        assert (
            run_on_table(things, lambda table, limit=limit: list_row_keys(table.scan_ranges([bounds], limit)))
            == expected[:limit]
        )
        backwards = run_on_table(things, lambda table, limit=limit: list_row_keys(table.scan(bounds, limit, "desc")))
        assert backwards == expected[::-1][:limit]


def test_limit_zero_of_index_returns_nothing(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    assert run_on_table(things, lambda table: list(table.scan_index("n", None, 0))) == []


def test_overlapping_ranges_return_each_row_once_in_order(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    ranges = [Range.prefix("b", 9), Range.prefix("a", 1), Range(("a", 1, "y"), ("b", -1)), Range.prefix("a", 1)]
    assert run_on_table(things, lambda table: list_row_keys(table.scan_ranges(ranges))) == KEYS[:5]
    assert run_on_table(things, lambda table: list_row_keys(table.scan_ranges(ranges, 3))) == KEYS[:3]
    assert run_on_table(things, lambda table: table.count(ranges)) == 5


def test_no_ranges_scan_nothing_and_count_all(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    assert run_on_table(things, lambda table: list(table.scan_ranges([]))) == []
    assert run_on_table(things, lambda table: table.count()) == len(KEYS)


def test_thousand_ranges_are_scanned_at_once(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    ranges = [Range.prefix("a", number) for number in range(500, -500, -1)]
    assert run_on_table(things, lambda table: list_row_keys(table.scan_ranges(ranges))) == KEYS[:3]
    assert run_on_table(things, lambda table: table.count(ranges)) == 3
    assert run_on_table(things, lambda table: table.count(ranges, [FieldValue("c", "y")])) == 1


def test_filters_are_combined_with_or(things: StorageProvider) -> None:
    def work(table: Any) -> None:
        for number, key in enumerate(KEYS):
            table.upsert(build_row(key, n=number % 3 or None, y=number == 5))

    run_on_table(things, work)
    either = [FieldValue("n", 1), FieldValue("y", True)]
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range(), filters=either))) == [
        KEYS[1],
        KEYS[4],
        KEYS[5],
    ]
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range.prefix("a"), filters=either))) == [KEYS[1]]
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range(), 1, "desc", either))) == [KEYS[5]]
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range(), filters=[FieldValue("n", None)]))) == [
        KEYS[0],
        KEYS[3],
    ]
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range(), filters=[FieldValue("c", "y")]))) == [
        KEYS[1]
    ]
    assert run_on_table(things, lambda table: table.count(filters=either)) == 3
    assert run_on_table(things, lambda table: table.count([Range.prefix("b"), Range.prefix("b", 9)], either)) == 2


def test_rows_deleted_during_a_scan_are_returned_once(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)

    def work(table: Any) -> list[Any]:
        seen = []
        for entry in table.scan(Range()):
            seen += list_row_keys([entry])
            table.delete(seen[-1])
        return seen

    assert run_on_table(things, work) == KEYS
    assert run_on_table(things, lambda table: table.count()) == 0
