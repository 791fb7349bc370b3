"""Shapes of tables: what a sound one is, and what may become of it (spec STORE-13, STORE-17)."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField, NotFound, TableSchemaIncompatible
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.spi import Range, StorageProvider, TableSpec
from support.things import KEY, KEYS, THINGS, fill, inside, keys

UNSOUND: dict[str, TableSpec] = {
    "no key": TableSpec("t", {"a": "string"}, ()),
    "no fields": TableSpec("t", {}, ()),
    "key that is no field": TableSpec("t", {"a": "string"}, ("b",)),
    "index that is no field": TableSpec("t", {"a": "string"}, ("a",), ("b",)),
    "double in the key": TableSpec("t", {"a": "double"}, ("a",)),
    "float in the key": TableSpec("t", {"a": "float"}, ("a",)),
    "bytes in the key": TableSpec("t", {"a": "bytes"}, ("a",)),
    "index of bytes": TableSpec("t", {"a": "string", "b": "bytes"}, ("a",), ("b",)),
    "index of doubles": TableSpec("t", {"a": "string", "b": "double"}, ("a",), ("b",)),
    "unknown type": TableSpec("t", {"a": "text"}, ("a",)),  # type: ignore[dict-item]
    "name with a quote": TableSpec('t"; DROP TABLE t; --', {"a": "string"}, ("a",)),
    "name that begins with a digit": TableSpec("1t", {"a": "string"}, ("a",)),
    "name with a letter of another alphabet": TableSpec("tä", {"a": "string"}, ("a",)),
    "empty name": TableSpec("", {"a": "string"}, ("a",)),
    "endless name": TableSpec("t" * 49, {"a": "string"}, ("a",)),
    "field with a quote": TableSpec("t", {'a"': "string"}, ('a"',)),
    "field with a blank": TableSpec("t", {"a": "string", "b c": "string"}, ("a",)),
    "key that has a field twice": TableSpec("t", {"a": "string"}, ("a", "a")),
    "index twice": TableSpec("t", {"a": "string", "b": "int"}, ("a",), ("b", "b")),
    "names that differ in case alone": TableSpec("t", {"a": "string", "A": "string"}, ("a",)),
}
FIELDS = dict(THINGS.fields)
INCOMPATIBLE: dict[str, TableSpec] = {
    "field gone": replace(THINGS, fields={name: kind for name, kind in FIELDS.items() if name != "x"}),
    "index gone": replace(THINGS, indexes=("n",)),
    "key longer": replace(THINGS, primary_key=("a", "b", "c", "i")),
    "key shorter": replace(THINGS, primary_key=("a", "b")),
    "key in another order": replace(THINGS, primary_key=("b", "a", "c")),
    "long to int": replace(THINGS, fields=FIELDS | {"n": "int"}),
    "int to double": replace(THINGS, fields=FIELDS | {"i": "double"}),
    "double to float": replace(THINGS, fields=FIELDS | {"x": "float"}),
    "bool to int": replace(THINGS, fields=FIELDS | {"y": "int"}),
    "bytes to text": replace(THINGS, fields=FIELDS | {"z": "string"}),
    "text to bytes in the key": replace(THINGS, fields=FIELDS | {"c": "long"}),
}
GROWN = TableSpec(
    "things",
    FIELDS | {"i": "long", "f": "double", "more": "string", "flag": "bool"},
    THINGS.primary_key,
    (*THINGS.indexes, "more", "i"),
)


@pytest.mark.parametrize("spec", UNSOUND.values(), ids=UNSOUND)
def test_an_unsound_shape_is_refused(store: StorageProvider, spec: TableSpec) -> None:
    sound = TableSpec("sound", {"a": "string"}, ("a",))
    with pytest.raises(InvalidField):
        store.table_admin.create_or_update(sound, spec)
    assert store.table_admin.list() == []


def test_a_table_may_not_have_the_name_of_another_but_for_case(things: StorageProvider) -> None:
    with pytest.raises(InvalidField):
        things.table_admin.create_or_update(TableSpec("Things", {"a": "string"}, ("a",)))
    assert things.table_admin.list() == ["things"]


@pytest.mark.parametrize("spec", INCOMPATIBLE.values(), ids=INCOMPATIBLE)
def test_a_shape_that_a_table_cannot_take_is_refused_and_changes_nothing(
    things: StorageProvider, spec: TableSpec
) -> None:
    inside(things, fill)
    with pytest.raises(TableSchemaIncompatible):
        things.table_admin.create_or_update(TableSpec("other", {"a": "string"}, ("a",)), spec)
    assert things.table_admin.list() == ["things"]
    assert things.table_admin.schema("things") == THINGS
    assert inside(things, lambda table: keys(table.scan(Range()))) == KEYS


def test_a_table_grows_fields_indexes_and_wider_fields_and_keeps_its_rows(things: StorageProvider) -> None:
    full = KEY | {"n": 7, "i": -7, "x": 0.5, "f": 1 / 3, "y": True, "z": b"\x00\xff"}
    inside(things, lambda table: table.upsert(full))
    things.table_admin.create_or_update(GROWN)
    assert inside(things, lambda table: table.read(("a", 1, "x"))) == full | {"more": None, "flag": None}
    inside(things, lambda table: table.upsert(KEY | {"i": 2**40, "more": "yes", "flag": False}))
    assert inside(things, lambda table: keys(table.scan_index("more", "yes"))) == [("a", 1, "x")]
    assert inside(things, lambda table: keys(table.scan_index("i", 2**40))) == [("a", 1, "x")]
    assert inside(things, lambda table: table.increment(("a", 1, "x"), "i", 2**40)) == 2**41


def test_a_table_may_be_made_again_as_it_is(things: StorageProvider) -> None:
    inside(things, fill)
    things.table_admin.create_or_update(THINGS, THINGS)
    assert inside(things, lambda table: table.count()) == len(KEYS)


def test_a_part_of_the_key_may_become_wider(store: StorageProvider) -> None:
    narrow = TableSpec("counted", {"k": "int", "v": "string"}, ("k",))
    store.table_admin.create_or_update(narrow)
    store.tx_runner.run(lambda tx: tx.table("counted").upsert({"k": 7, "v": "seven"}))
    store.table_admin.create_or_update(replace(narrow, fields={"k": "long", "v": "string"}))
    store.tx_runner.run(lambda tx: tx.table("counted").upsert({"k": -(2**40), "v": "less"}))
    rows = store.tx_runner.run(lambda tx: list(tx.table("counted").scan(Range(end=(10,)))))
    assert [one["k"] for one in rows] == [-(2**40), 7]


def test_tables_are_listed_told_and_dropped(things: StorageProvider) -> None:
    admin, other = things.table_admin, TableSpec("Another_1", {"a": "bool"}, ("a",))
    admin.create_or_update(other)
    assert admin.list() == sorted(["things", "Another_1"])
    assert admin.schema("Another_1") == other
    assert [admin.exists(name) for name in ("things", "Another_1", "none")] == [True, True, False]
    admin.drop("Another_1")
    admin.drop("Another_1")
    assert admin.list() == ["things"]
    with pytest.raises(NotFound):
        admin.schema("Another_1")
    with pytest.raises(InvalidField):
        things.tx_runner.run(lambda tx: tx.table("Another_1"))


def test_a_dropped_table_comes_back_empty_and_in_any_shape(things: StorageProvider) -> None:
    inside(things, fill)
    things.table_admin.drop("things")
    things.table_admin.create_or_update(TableSpec("things", {"a": "long"}, ("a",)))
    assert inside(things, lambda table: list(table.scan(Range()))) == []
    inside(things, lambda table: table.upsert({"a": 1}))


def test_rename_keeps_rows_and_indexes_under_the_new_names(things: StorageProvider, another: StorageProvider) -> None:
    admin, fields = things.table_admin, {"b": "number", "n": "total", "z": "raw"}
    inside(things, lambda table: table.upsert(KEY | {"n": 7, "y": True, "z": b"\x00"}))
    for _ in range(2):
        admin.rename("things", "objects", fields)
    assert admin.list() == ["objects"]
    assert (admin.schema("objects").primary_key, admin.schema("objects").indexes) == (
        ("a", "number", "c"),
        ("total", "y"),
    )

    def read(store: StorageProvider) -> Any:
        return store.tx_runner.run(lambda tx: list(tx.table("objects").scan_index("total", 7)))

    assert read(things) == read(another)
    assert [(one["number"], one["total"], one["raw"], one["y"]) for one in read(things)] == [(1, 7, b"\x00", True)]
    admin.create_or_update(admin.schema("objects"), THINGS)
    inside(things, fill)
    assert inside(things, lambda table: table.count()) == len(KEYS)


def test_rename_refuses_the_name_of_another_table_and_fields_that_clash(things: StorageProvider) -> None:
    things.table_admin.create_or_update(TableSpec("other", {"a": "string"}, ("a",)))
    for new_id, fields in (("OTHER", {}), ("things", {"n": "x"}), ("two words", {})):
        with pytest.raises(InvalidField):
            things.table_admin.rename("things", new_id, fields)
    assert things.table_admin.list() == ["other", "things"]
    assert things.table_admin.schema("things") == THINGS


def test_tables_may_have_the_names_of_words_of_sql(store: StorageProvider) -> None:
    spec = TableSpec("select", {"order": "string", "group": "long", "value": "bool"}, ("order",), ("group",))
    store.table_admin.create_or_update(spec)
    written = {"order": "by", "group": 1, "value": True}
    store.tx_runner.run(lambda tx: tx.table("select").upsert(written))
    assert store.tx_runner.run(lambda tx: list(tx.table("select").scan_index("group", 1))) == [written]


def test_what_another_process_made_is_there(things: StorageProvider, another: StorageProvider) -> None:
    inside(things, fill)
    assert another.table_admin.list() == ["things"]
    assert another.table_admin.schema("things") == THINGS
    assert inside(another, lambda table: keys(table.scan(Range()))) == KEYS


def test_a_process_that_knows_less_fields_is_told(things: StorageProvider, another: StorageProvider) -> None:
    another.table_admin.create_or_update(GROWN)
    with pytest.raises(TableSchemaIncompatible):
        things.table_admin.create_or_update(THINGS)
    assert another.table_admin.schema("things") == GROWN


def test_13_many_that_start_together_make_each_table_once(choice: StoreChoice) -> None:
    specs = [THINGS, *(TableSpec(f"t{number}", {"a": "string", "n": "int"}, ("a",), ("n",)) for number in range(5))]

    def start(number: int) -> list[str]:
        provider = providers.opened(choice)
        try:
            # In turned order, so that one which locks table by table would wait for the other for ever.
            provider.table_admin.create_or_update(*(specs if number % 2 else specs[::-1]))
            provider.tx_runner.run(lambda tx: tx.table("things").increment(KEYS[0], "n", 1))
            return provider.table_admin.list()
        finally:
            provider.close()

    with ThreadPoolExecutor(6) as threads:
        lists = list(threads.map(start, range(6), timeout=300))
    assert lists == [sorted(spec.id for spec in specs)] * 6
    provider = providers.opened(choice)
    assert inside(provider, lambda table: table.read(KEYS[0], ["n"])) == {"n": 6}
    provider.close()


def test_names_of_fields_reach_messages_only_in_quotes(things: StorageProvider) -> None:
    def work(table: Any) -> None:
        table.upsert(KEY | {"no\nfield": 1})

    with pytest.raises(InvalidField) as raised:
        inside(things, work)
    assert not re.search(r"[\n\r]", raised.value.detail)
