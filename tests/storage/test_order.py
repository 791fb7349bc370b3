"""The order of keys and indexes (spec STORE-3)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.storage.spi import Range, StorageProvider, TableSpec
from support.things_table import KEYS, build_row, insert_key_rows, list_row_keys, run_on_table

#: In the order of their code points, not in that of UTF-16, words or a language.
TEXTS = [
    "",
    "\x00",
    "\x00a",
    " ",
    "!",
    "10",
    "9",
    "A",
    "B",
    "Z",
    "_",
    "a",
    "a\x00",
    "a ",
    "aa",
    "b",
    "ß",
    "ä",
    "é",
    "\u0130",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\U00010000",
    "\U0001f600",
    "\U0010ffff",
]
NUMBERS = [-(2**63), -(2**53) - 1, -(2**53), -10, -9, -1, 0, 1, 9, 10, 2**31, 2**53, 2**53 + 1, 2**63 - 1]
SWITCHES = TableSpec("switches", {"on": "bool", "at": "int", "n": "int"}, ("on", "at"), ("n",))
INDEXED: list[tuple[tuple[Any, ...], Any]] = list(zip(KEYS, [2, None, 1, 2, None, -1], strict=True))


def test_strings_are_ordered_by_code_point(things: StorageProvider) -> None:
    run_on_table(things, lambda table: insert_key_rows(table, [(text, 0, "") for text in reversed(TEXTS)]))
    assert sorted(TEXTS) == TEXTS
    assert [key[0] for key in run_on_table(things, lambda table: list_row_keys(table.scan(Range())))] == TEXTS
    assert [
        key[0] for key in run_on_table(things, lambda table: list_row_keys(table.scan(Range(("a",), ("b",)))))
    ] == TEXTS[11:16]


def test_numbers_are_ordered_by_value(things: StorageProvider) -> None:
    run_on_table(things, lambda table: insert_key_rows(table, [("a", number, "") for number in reversed(NUMBERS)]))
    assert [key[1] for key in run_on_table(things, lambda table: list_row_keys(table.scan(Range())))] == NUMBERS
    backwards = run_on_table(things, lambda table: list_row_keys(table.scan(Range(), order="desc")))
    assert [key[1] for key in backwards] == NUMBERS[::-1]


def test_false_is_before_true(store: StorageProvider) -> None:
    store.table_admin.create_or_update(SWITCHES)

    def work(tx: Any) -> list[Any]:
        for on, at in ((True, -1), (False, 5), (True, -7), (False, 4)):
            tx.get_table("switches").upsert({"on": on, "at": at})
        return [(entry["on"], entry["at"]) for entry in tx.get_table("switches").scan(Range())]

    assert store.tx_runner.run(work) == [(False, 4), (False, 5), (True, -7), (True, -1)]
    tail = store.tx_runner.run(lambda tx: [entry["at"] for entry in tx.get_table("switches").scan(Range.prefix(True))])
    assert tail == [-7, -1]


@pytest.fixture
def indexed(things: StorageProvider) -> StorageProvider:
    def work(table: Any) -> None:
        for key, number in INDEXED:
            table.upsert(build_row(key, n=number))

    run_on_table(things, work)
    return things


@pytest.mark.parametrize("value", [2, 1, -1, None, 7])
def test_index_finds_value_or_null_in_key_order(indexed: StorageProvider, value: Any) -> None:
    expected = [key for key, number in INDEXED if number == value]
    assert run_on_table(indexed, lambda table: list_row_keys(table.scan_index("n", value))) == expected
    assert run_on_table(indexed, lambda table: list_row_keys(table.scan_index("n", value, 1))) == expected[:1]


def test_part_of_the_key_is_an_index(indexed: StorageProvider) -> None:
    assert run_on_table(indexed, lambda table: list_row_keys(table.scan_index("c", "y"))) == KEYS[1:2]


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [None, 0, 2, 4])
def test_nulls_are_lowest_in_index_order(indexed: StorageProvider, order: Any, limit: int | None) -> None:
    def rank(pair: tuple[Any, Any]) -> Any:
        return (pair[1] is not None, pair[1] or 0, pair[0])

    expected = [key for key, _ in sorted(INDEXED, key=rank, reverse=order == "desc")]
    result = run_on_table(indexed, lambda table: list_row_keys(table.scan(Range(), limit, order, order_by="n")))
    assert result == expected[:limit]
    some = run_on_table(indexed, lambda table: list_row_keys(table.scan(Range.prefix("a"), limit, order, order_by="n")))
    assert some == [key for key in expected if key[0] == "a"][:limit]


def test_index_follows_changes(indexed: StorageProvider) -> None:
    run_on_table(indexed, lambda table: table.update(build_row(KEYS[0], n=None)))
    run_on_table(indexed, lambda table: table.delete(KEYS[3]))
    run_on_table(indexed, lambda table: table.update_range(Range.prefix("b"), {"n": 3}))
    assert run_on_table(indexed, lambda table: list_row_keys(table.scan_index("n", 2))) == []
    assert run_on_table(indexed, lambda table: list_row_keys(table.scan_index("n", 3))) == KEYS[4:]
    assert run_on_table(indexed, lambda table: list_row_keys(table.scan_index("n", None))) == KEYS[:2]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=8))
def test_any_strings_are_ordered_by_code_point(shared: StorageProvider, texts: list[str]) -> None:
    def work(table: Any) -> list[str]:
        table.delete_range(Range())
        insert_key_rows(table, [(text, 0, "") for text in texts])
        return [entry["a"] for entry in table.scan(Range())]

    assert run_on_table(shared, work) == sorted(set(texts))
