"""Single rows: written, merged, read and removed (spec STORE-1)."""

import math
import sys
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage.spi import Range, StorageProvider, StructuredTable
from support.things import KEY, KEYS, fill, inside, keys, row

FULL = KEY | {"n": 7, "i": -7, "x": 0.5, "f": 0.25, "y": True, "z": b"\x00\xff"}
KEPT = tuple(KEYS[0])
#: Each with the field that holds it, and comes back just as it was.
VALUES: list[tuple[str, Any]] = [
    ("n", 2**63 - 1),
    ("n", -(2**63)),
    ("n", 0),
    ("i", 2**31 - 1),
    ("i", -(2**31)),
    ("x", sys.float_info.max),
    ("x", 5e-324),
    ("x", 0.1),
    ("x", math.inf),
    ("x", -math.inf),
    ("x", 2**53),
    ("f", 1 / 3),
    ("f", -sys.float_info.max),
    ("f", -3),
    ("y", True),
    ("y", False),
    ("z", b""),
    ("z", bytes(range(256))),
    ("z", b"\x00" * 70_000),
]
TEXTS = [
    "",
    "\x00",
    "a\x00b",
    "\x00\x00",
    "\U0001f600",
    "\U0010ffff",
    "\ue000",
    "\uffff",
    "é",
    "e\u0301",
    "'\"\\%_;--",
    " a ",
    "\n\t",
    "\u200f",
    "x" * 9_000,
]


def test_1_upsert_merges(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(FULL))
    inside(things, lambda table: table.upsert(KEY | {"n": 8}))
    inside(things, lambda table: table.upsert(KEY))
    assert inside(things, lambda table: table.read(KEPT)) == FULL | {"n": 8}


def test_1_many_rows_merge_one_after_the_other(things: StorageProvider) -> None:
    rows = [FULL, KEY | {"n": 8}, row(KEYS[1], n=1), row(KEYS[2], n=2), KEY | {"n": 9}, {"n": 3} | row(KEYS[3]), KEY]
    inside(things, lambda table: table.upsert_all(rows))
    assert inside(things, lambda table: table.read(KEPT)) == FULL | {"n": 9}
    assert [one["n"] for one in inside(things, lambda table: list(table.scan(Range())))] == [9, 1, 2, 3]


def test_rows_of_many_keys_are_removed_at_once(things: StorageProvider) -> None:
    inside(things, fill)
    inside(things, lambda table: table.multi_delete([]))
    inside(things, lambda table: table.multi_delete([*KEYS[1:4], ("not", 1, "there"), KEYS[1]]))
    assert keys(inside(things, lambda table: list(table.scan(Range())))) == [KEYS[0], *KEYS[4:]]
    with pytest.raises(InvalidField):
        inside(things, lambda table: table.multi_delete([KEYS[0], ("a",)]))
    assert inside(things, lambda table: table.count()) == 3


def test_as_many_rows_as_one_likes_are_written_and_none_is_nothing(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert_all([]))
    inside(things, lambda table: table.upsert_all([row(("many", at, "x"), n=at) for at in range(3_000)]))
    assert [one["n"] for one in inside(things, lambda table: list(table.scan(Range())))] == list(range(3_000))


def test_many_rows_of_a_transaction_that_fails_are_not_there(things: StorageProvider) -> None:
    def work(table: StructuredTable) -> None:
        table.upsert_all([row(key, n=1) for key in KEYS])
        raise KeyError

    with pytest.raises(KeyError):
        inside(things, work)
    assert inside(things, lambda table: table.count()) == 0


def test_1_a_column_never_given_is_null_and_a_null_takes_a_value_away(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(KEY | {"n": 8, "y": False}))
    inside(things, lambda table: table.upsert(KEY | {"n": None, "y": None}))
    found = inside(things, lambda table: table.read(KEPT))
    assert found == dict.fromkeys(FULL) | KEY


def test_1_update_changes_a_row_that_is_there(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(FULL))
    assert inside(things, lambda table: table.update(KEY | {"x": 2.5})) is True
    assert inside(things, lambda table: table.read(KEPT)) == FULL | {"x": 2.5}


def test_1_update_of_a_missing_row_makes_none(things: StorageProvider) -> None:
    assert inside(things, lambda table: table.update(FULL)) is False
    assert inside(things, lambda table: table.read(KEPT)) is None


def test_1_update_of_nothing_says_whether_the_row_is_there(things: StorageProvider) -> None:
    assert inside(things, lambda table: table.update(KEY)) is False
    inside(things, lambda table: table.upsert(FULL))
    assert inside(things, lambda table: table.update(KEY)) is True
    assert inside(things, lambda table: table.read(KEPT)) == FULL


@pytest.mark.parametrize(("name", "value"), VALUES, ids=str)
def test_values_come_back_as_they_were(things: StorageProvider, name: str, value: Any) -> None:
    inside(things, lambda table: table.upsert(KEY | {name: value}))
    found = inside(things, lambda table: table.read(KEPT))
    assert found is not None
    assert found[name] == value
    assert isinstance(found[name], bool) is isinstance(value, bool)
    assert isinstance(found[name], bytes) is isinstance(value, bytes)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_texts_come_back_as_they_were_also_in_keys(things: StorageProvider, text: str) -> None:
    key = (text, 1, text)
    inside(things, lambda table: table.upsert(row(key, n=1)))
    inside(things, lambda table: table.upsert(row((text, 1, text + "a"), n=1)))
    assert inside(things, lambda table: table.read(key)) == dict.fromkeys(FULL) | row(key, n=1)
    assert sorted(inside(things, lambda table: keys(table.scan(Range.prefix(text))))) == [key, (text, 1, text + "a")]
    inside(things, lambda table: table.delete(key))
    assert inside(things, lambda table: keys(table.scan(Range()))) == [(text, 1, text + "a")]


def test_reading_some_columns_gives_no_others(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(FULL))
    assert inside(things, lambda table: table.read(KEPT, ["y", "a"])) == {"y": True, "a": "a"}


def test_reading_what_is_not_there_gives_none(things: StorageProvider) -> None:
    assert inside(things, lambda table: table.read(KEPT)) is None
    assert inside(things, lambda table: table.read(KEPT, ["n"])) is None


def test_reading_many_leaves_out_what_is_not_there(things: StorageProvider) -> None:
    inside(things, fill)
    asked = [*KEYS, ("none", 1, "x")] * 300
    assert sorted(set(inside(things, lambda table: keys(table.multi_read(asked))))) == sorted(KEYS)
    assert inside(things, lambda table: table.multi_read([])) == []


def test_reading_many_gives_whole_rows(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(FULL))
    assert inside(things, lambda table: table.multi_read([KEPT])) == [FULL]


def test_deleting_a_row_that_is_not_there_is_nothing(things: StorageProvider) -> None:
    inside(things, fill)
    inside(things, lambda table: table.delete(("none", 1, "x")))
    inside(things, lambda table: table.delete(KEPT))
    assert inside(things, lambda table: keys(table.scan(Range()))) == KEYS[1:]


def test_a_row_that_was_deleted_comes_back_empty(things: StorageProvider) -> None:
    inside(things, lambda table: table.upsert(FULL))
    inside(things, lambda table: table.delete(KEPT))
    inside(things, lambda table: table.upsert(KEY))
    assert inside(things, lambda table: table.read(KEPT)) == dict.fromkeys(FULL) | KEY


def test_stats_count_the_rows(things: StorageProvider) -> None:
    assert inside(things, lambda table: table.stats().rows) == 0
    inside(things, fill)
    assert inside(things, lambda table: table.stats().rows) == len(KEYS)
