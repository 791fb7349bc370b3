"""Single rows: written, merged, read and deleted (spec STORE-1)."""

import math
import sys
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage.spi import Range, StorageProvider, StructuredTable, TableSpec
from support.things_table import KEY, KEYS, build_row, insert_key_rows, list_row_keys, run_on_table

FULL = KEY | {"n": 7, "i": -7, "x": 0.5, "f": 0.25, "y": True, "z": b"\x00\xff"}
KEPT = tuple(KEYS[0])
#: Each value with its field; it must be read unchanged.
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


def test_upsert_merges(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(FULL))
    run_on_table(things, lambda table: table.upsert(KEY | {"n": 8}))
    run_on_table(things, lambda table: table.upsert(KEY))
    assert run_on_table(things, lambda table: table.read(KEPT)) == FULL | {"n": 8}


def test_upsert_many_merges_in_order(things: StorageProvider) -> None:
    rows = [
        FULL,
        KEY | {"n": 8},
        build_row(KEYS[1], n=1),
        build_row(KEYS[2], n=2),
        KEY | {"n": 9},
        {"n": 3} | build_row(KEYS[3]),
        KEY,
    ]
    run_on_table(things, lambda table: table.upsert_many(rows))
    assert run_on_table(things, lambda table: table.read(KEPT)) == FULL | {"n": 9}
    assert [entry["n"] for entry in run_on_table(things, lambda table: list(table.scan(Range())))] == [9, 1, 2, 3]


def test_upsert_many_keeps_the_last_of_rows_with_the_same_key(things: StorageProvider) -> None:
    rows = [build_row(("many", at % 7, "x"), n=at) for at in reversed(range(270))]
    run_on_table(things, lambda table: table.upsert_many(rows))
    assert [entry["n"] for entry in run_on_table(things, lambda table: list(table.scan(Range())))] == list(range(7))


def test_delete_many_removes_all_keys(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    run_on_table(things, lambda table: table.delete_many([]))
    run_on_table(things, lambda table: table.delete_many([*KEYS[1:4], ("not", 1, "there"), KEYS[1]]))
    assert list_row_keys(run_on_table(things, lambda table: list(table.scan(Range())))) == [KEYS[0], *KEYS[4:]]
    with pytest.raises(InvalidField):
        run_on_table(things, lambda table: table.delete_many([KEYS[0], ("a",)]))
    assert run_on_table(things, lambda table: table.count()) == 3


def test_upsert_many_accepts_any_number_of_rows(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert_many([]))
    run_on_table(things, lambda table: table.upsert_many([build_row(("many", at, "x"), n=at) for at in range(3_000)]))
    assert [entry["n"] for entry in run_on_table(things, lambda table: list(table.scan(Range())))] == list(range(3_000))


def test_upsert_many_stores_nulls_and_booleans(things: StorageProvider) -> None:
    # More rows than a store may write with one statement: of these, some share their nulls and booleans, some do not.
    rows = [
        build_row(("flags", at, "x"), i=None, n=at if at > 150 else None, y=[True, False, at % 2 == 0][at // 100])
        for at in range(217)
    ]
    run_on_table(things, lambda table: table.upsert_many([row | {"x": 1.0, "i": 1} for row in rows]))
    run_on_table(things, lambda table: table.upsert_many(rows))
    stored = run_on_table(things, lambda table: list(table.scan(Range.prefix("flags"))))
    expected = [row | {"x": 1.0, "f": None, "z": None} for row in rows]
    assert stored == expected
    assert {type(row["y"]) for row in stored} == {bool}


def test_upsert_many_accepts_wide_rows(store: StorageProvider) -> None:
    names = [f"column{at}" for at in range(400)]
    spec = TableSpec("wide", {"id": "long"} | dict.fromkeys(names, "long"), ("id",))
    store.table_admin.create_or_update(spec)
    rows = [{"id": at} | dict.fromkeys(names, at) for at in range(120)]
    store.tx_runner.run(lambda tx: tx.get_table("wide").upsert_many(rows))
    assert store.tx_runner.run(lambda tx: list(tx.get_table("wide").scan(Range())), read_only=True) == rows


def test_rows_of_a_failed_transaction_are_not_stored(things: StorageProvider) -> None:
    def work(table: StructuredTable) -> None:
        table.upsert_many([build_row(key, n=1) for key in KEYS])
        raise KeyError

    with pytest.raises(KeyError):
        run_on_table(things, work)
    assert run_on_table(things, lambda table: table.count()) == 0


def test_missing_column_is_null_and_null_overwrites(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(KEY | {"n": 8, "y": False}))
    run_on_table(things, lambda table: table.upsert(KEY | {"n": None, "y": None}))
    read_row = run_on_table(things, lambda table: table.read(KEPT))
    assert read_row == dict.fromkeys(FULL) | KEY


def test_update_changes_an_existing_row(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(FULL))
    assert run_on_table(things, lambda table: table.update(KEY | {"x": 2.5})) is True
    assert run_on_table(things, lambda table: table.read(KEPT)) == FULL | {"x": 2.5}


def test_update_of_missing_row_creates_none(things: StorageProvider) -> None:
    assert run_on_table(things, lambda table: table.update(FULL)) is False
    assert run_on_table(things, lambda table: table.read(KEPT)) is None


def test_update_of_key_only_reports_existence(things: StorageProvider) -> None:
    assert run_on_table(things, lambda table: table.update(KEY)) is False
    run_on_table(things, lambda table: table.upsert(FULL))
    assert run_on_table(things, lambda table: table.update(KEY)) is True
    assert run_on_table(things, lambda table: table.read(KEPT)) == FULL


@pytest.mark.parametrize(("name", "value"), VALUES, ids=str)
def test_values_are_read_unchanged(things: StorageProvider, name: str, value: Any) -> None:
    run_on_table(things, lambda table: table.upsert(KEY | {name: value}))
    read_row = run_on_table(things, lambda table: table.read(KEPT))
    assert read_row is not None
    assert read_row[name] == value
    assert isinstance(read_row[name], bool) is isinstance(value, bool)
    assert isinstance(read_row[name], bytes) is isinstance(value, bytes)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_strings_are_read_unchanged_also_in_keys(things: StorageProvider, text: str) -> None:
    key = (text, 1, text)
    run_on_table(things, lambda table: table.upsert(build_row(key, n=1)))
    run_on_table(things, lambda table: table.upsert(build_row((text, 1, text + "a"), n=1)))
    assert run_on_table(things, lambda table: table.read(key)) == dict.fromkeys(FULL) | build_row(key, n=1)
    assert sorted(run_on_table(things, lambda table: list_row_keys(table.scan(Range.prefix(text))))) == [
        key,
        (text, 1, text + "a"),
    ]
    run_on_table(things, lambda table: table.delete(key))
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range()))) == [(text, 1, text + "a")]


def test_read_with_columns_returns_only_those(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(FULL))
    assert run_on_table(things, lambda table: table.read(KEPT, ["y", "a"])) == {"y": True, "a": "a"}


def test_read_of_missing_row_returns_none(things: StorageProvider) -> None:
    assert run_on_table(things, lambda table: table.read(KEPT)) is None
    assert run_on_table(things, lambda table: table.read(KEPT, ["n"])) is None


def test_read_many_omits_missing_rows(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    requested = [*KEYS, ("none", 1, "x")] * 300
    assert sorted(set(run_on_table(things, lambda table: list_row_keys(table.read_many(requested))))) == sorted(KEYS)
    assert run_on_table(things, lambda table: table.read_many([])) == []


def test_read_many_returns_whole_rows(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(FULL))
    assert run_on_table(things, lambda table: table.read_many([KEPT])) == [FULL]


@pytest.mark.parametrize("count", [1, 3])
def test_read_many_with_columns_returns_only_those(things: StorageProvider, count: int) -> None:
    run_on_table(things, lambda table: table.upsert(FULL))
    keys = [KEPT, *(("none", number, "x") for number in range(count - 1))]
    assert run_on_table(things, lambda table: table.read_many(keys, ["y", "a"])) == [{"y": True, "a": "a"}]


def test_scan_with_columns_returns_only_those(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(FULL))
    all_of_them = run_on_table(things, lambda table: list(table.scan(Range(), columns=["y", "a"])))
    newest = run_on_table(things, lambda table: list(table.scan(Range(), 1, "desc", columns=["n"])))
    assert (all_of_them, newest) == ([{"y": True, "a": "a"}], [{"n": FULL["n"]}])


def test_delete_of_missing_row_changes_nothing(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    run_on_table(things, lambda table: table.delete(("none", 1, "x")))
    run_on_table(things, lambda table: table.delete(KEPT))
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range()))) == KEYS[1:]


def test_deleted_row_is_recreated_empty(things: StorageProvider) -> None:
    run_on_table(things, lambda table: table.upsert(FULL))
    run_on_table(things, lambda table: table.delete(KEPT))
    run_on_table(things, lambda table: table.upsert(KEY))
    assert run_on_table(things, lambda table: table.read(KEPT)) == dict.fromkeys(FULL) | KEY


def test_stats_count_rows(things: StorageProvider) -> None:
    assert run_on_table(things, lambda table: table.get_stats().rows) == 0
    run_on_table(things, insert_key_rows)
    assert run_on_table(things, lambda table: table.get_stats().rows) == len(KEYS)
