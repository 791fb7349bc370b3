"""Ranges of keys: what is in them is scanned, counted, changed and removed (spec STORE-2)."""

from typing import Any

import pytest
from jupyter_colophon.storage.spi import Field, Range, StorageProvider
from support.things import KEYS, fill, inside, keys, row

CASES: dict[str, tuple[Range, list[Any]]] = {
    "all": (Range(), KEYS),
    "prefix of one": (Range.prefix("a"), KEYS[:3]),
    "prefix of two": (Range.prefix("a", 1), KEYS[:2]),
    "whole key": (Range.prefix("a", 1, "y"), KEYS[1:2]),
    "exclusive begin of a prefix takes none of it": (Range(("a", 1), ("a", 1), begin_inclusive=False), []),
    "exclusive end of a prefix takes none of it": (Range(("a", 1), ("a", 1), end_inclusive=False), []),
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
    "behind all": (Range(("z",)), []),
    "before all": (Range((), ("", 0, "")), []),
    "the wrong way round": (Range(("b",), ("a",)), []),
    "lowest number": (Range(("b", -(2**63)), ("b", 2**63 - 1)), KEYS[3:]),
    "empty text": (Range(("a", 1, ""), ("a", 1, "\U0010ffff")), KEYS[:2]),
}
by_range = pytest.mark.parametrize(("asked", "found"), CASES.values(), ids=CASES)


@by_range
def test_2_a_scan_takes_all_or_none_of_a_prefix(things: StorageProvider, asked: Range, found: list[Any]) -> None:
    inside(things, fill)
    for read_only in (True, False):
        assert inside(things, lambda table: keys(table.scan(asked)), read_only=read_only) == found
    assert inside(things, lambda table: keys(table.scan(asked, order="desc"))) == found[::-1]
    assert inside(things, lambda table: keys(table.multi_scan([asked]))) == found


@by_range
def test_2_counting_changing_and_removing_take_the_same_rows(
    things: StorageProvider, asked: Range, found: list[Any]
) -> None:
    inside(things, fill)
    assert inside(things, lambda table: table.count([asked])) == len(found)
    assert inside(things, lambda table: table.update_all(asked, {})) == len(found)
    assert inside(things, lambda table: table.update_all(asked, {"n": 5, "y": True})) == len(found)
    assert inside(things, lambda table: keys(table.scan_index("n", 5))) == found
    assert inside(things, lambda table: table.delete_all(asked)) == len(found)
    assert inside(things, lambda table: keys(table.scan(Range()))) == [key for key in KEYS if key not in found]


@by_range
def test_6_a_limit_takes_the_first(things: StorageProvider, asked: Range, found: list[Any]) -> None:
    inside(things, fill)
    for limit in (0, 1, 2, 9):
        assert inside(things, lambda table, limit=limit: keys(table.scan(asked, limit))) == found[:limit]
        assert inside(things, lambda table, limit=limit: keys(table.multi_scan([asked], limit))) == found[:limit]
        backwards = inside(things, lambda table, limit=limit: keys(table.scan(asked, limit, "desc")))
        assert backwards == found[::-1][:limit]


def test_6_a_limit_of_0_gives_nothing_from_an_index(things: StorageProvider) -> None:
    inside(things, fill)
    assert inside(things, lambda table: list(table.scan_index("n", None, 0))) == []


def test_ranges_that_overlap_give_each_row_once_and_in_order(things: StorageProvider) -> None:
    inside(things, fill)
    ranges = [Range.prefix("b", 9), Range.prefix("a", 1), Range(("a", 1, "y"), ("b", -1)), Range.prefix("a", 1)]
    assert inside(things, lambda table: keys(table.multi_scan(ranges))) == KEYS[:5]
    assert inside(things, lambda table: keys(table.multi_scan(ranges, 3))) == KEYS[:3]
    assert inside(things, lambda table: table.count(ranges)) == 5


def test_no_ranges_are_nothing_to_scan_and_all_to_count(things: StorageProvider) -> None:
    inside(things, fill)
    assert inside(things, lambda table: list(table.multi_scan([]))) == []
    assert inside(things, lambda table: table.count()) == len(KEYS)


def test_a_thousand_ranges_are_scanned_at_once(things: StorageProvider) -> None:
    inside(things, fill)
    ranges = [Range.prefix("a", number) for number in range(500, -500, -1)]
    assert inside(things, lambda table: keys(table.multi_scan(ranges))) == KEYS[:3]
    assert inside(things, lambda table: table.count(ranges)) == 3
    assert inside(things, lambda table: table.count(ranges, [Field("c", "y")])) == 1


def test_filters_take_what_fits_any_of_them(things: StorageProvider) -> None:
    def work(table: Any) -> None:
        for number, key in enumerate(KEYS):
            table.upsert(row(key, n=number % 3 or None, y=number == 5))

    inside(things, work)
    either = [Field("n", 1), Field("y", True)]
    assert inside(things, lambda table: keys(table.scan(Range(), filters=either))) == [KEYS[1], KEYS[4], KEYS[5]]
    assert inside(things, lambda table: keys(table.scan(Range.prefix("a"), filters=either))) == [KEYS[1]]
    assert inside(things, lambda table: keys(table.scan(Range(), 1, "desc", either))) == [KEYS[5]]
    assert inside(things, lambda table: keys(table.scan(Range(), filters=[Field("n", None)]))) == [KEYS[0], KEYS[3]]
    assert inside(things, lambda table: keys(table.scan(Range(), filters=[Field("c", "y")]))) == [KEYS[1]]
    assert inside(things, lambda table: table.count(filters=either)) == 3
    assert inside(things, lambda table: table.count([Range.prefix("b"), Range.prefix("b", 9)], either)) == 2


def test_what_one_removes_while_one_reads_on_is_each_row_once(things: StorageProvider) -> None:
    inside(things, fill)

    def work(table: Any) -> list[Any]:
        met = []
        for found in table.scan(Range()):
            met += keys([found])
            table.delete(met[-1])
        return met

    assert inside(things, work) == KEYS
    assert inside(things, lambda table: table.count()) == 0
