"""The order of keys and of indexes (spec STORE-3)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.storage.spi import Range, StorageProvider, TableSpec
from support.things import KEYS, fill, inside, keys, row

#: In the order of their code points; not in that of UTF-16, of words or of any language.
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


def test_3_texts_come_by_code_point(things: StorageProvider) -> None:
    inside(things, lambda table: fill(table, [(text, 0, "") for text in reversed(TEXTS)]))
    assert sorted(TEXTS) == TEXTS
    assert [key[0] for key in inside(things, lambda table: keys(table.scan(Range())))] == TEXTS
    assert [key[0] for key in inside(things, lambda table: keys(table.scan(Range(("a",), ("b",)))))] == TEXTS[11:16]


def test_3_numbers_come_by_value(things: StorageProvider) -> None:
    inside(things, lambda table: fill(table, [("a", number, "") for number in reversed(NUMBERS)]))
    assert [key[1] for key in inside(things, lambda table: keys(table.scan(Range())))] == NUMBERS
    backwards = inside(things, lambda table: keys(table.scan(Range(), order="desc")))
    assert [key[1] for key in backwards] == NUMBERS[::-1]


def test_3_false_comes_before_true(store: StorageProvider) -> None:
    store.table_admin.create_or_update(SWITCHES)

    def work(tx: Any) -> list[Any]:
        for on, at in ((True, -1), (False, 5), (True, -7), (False, 4)):
            tx.table("switches").upsert({"on": on, "at": at})
        return [(one["on"], one["at"]) for one in tx.table("switches").scan(Range())]

    assert store.tx_runner.run(work) == [(False, 4), (False, 5), (True, -7), (True, -1)]
    tail = store.tx_runner.run(lambda tx: [one["at"] for one in tx.table("switches").scan(Range.prefix(True))])
    assert tail == [-7, -1]


@pytest.fixture
def indexed(things: StorageProvider) -> StorageProvider:
    def work(table: Any) -> None:
        for key, number in INDEXED:
            table.upsert(row(key, n=number))

    inside(things, work)
    return things


@pytest.mark.parametrize("value", [2, 1, -1, None, 7])
def test_3_an_index_finds_a_value_or_null_in_key_order(indexed: StorageProvider, value: Any) -> None:
    expected = [key for key, number in INDEXED if number == value]
    assert inside(indexed, lambda table: keys(table.scan_index("n", value))) == expected
    assert inside(indexed, lambda table: keys(table.scan_index("n", value, 1))) == expected[:1]


def test_3_a_part_of_the_key_is_an_index_too(indexed: StorageProvider) -> None:
    assert inside(indexed, lambda table: keys(table.scan_index("c", "y"))) == KEYS[1:2]


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [None, 0, 2, 4])
def test_3_in_the_order_of_an_index_nulls_are_lowest(indexed: StorageProvider, order: Any, limit: int | None) -> None:
    def rank(one: tuple[Any, Any]) -> Any:
        return (one[1] is not None, one[1] or 0, one[0])

    expected = [key for key, _ in sorted(INDEXED, key=rank, reverse=order == "desc")]
    found = inside(indexed, lambda table: keys(table.scan(Range(), limit, order, order_by="n")))
    assert found == expected[:limit]
    some = inside(indexed, lambda table: keys(table.scan(Range.prefix("a"), limit, order, order_by="n")))
    assert some == [key for key in expected if key[0] == "a"][:limit]


def test_3_an_index_follows_what_changes(indexed: StorageProvider) -> None:
    inside(indexed, lambda table: table.update(row(KEYS[0], n=None)))
    inside(indexed, lambda table: table.delete(KEYS[3]))
    inside(indexed, lambda table: table.update_all(Range.prefix("b"), {"n": 3}))
    assert inside(indexed, lambda table: keys(table.scan_index("n", 2))) == []
    assert inside(indexed, lambda table: keys(table.scan_index("n", 3))) == KEYS[4:]
    assert inside(indexed, lambda table: keys(table.scan_index("n", None))) == KEYS[:2]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=8))
def test_3_any_texts_are_in_the_order_of_their_code_points(shared: StorageProvider, texts: list[str]) -> None:
    def work(table: Any) -> list[str]:
        table.delete_all(Range())
        fill(table, [(text, 0, "") for text in texts])
        return [one["a"] for one in table.scan(Range())]

    assert inside(shared, work) == sorted(set(texts))
