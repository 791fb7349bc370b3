"""Specs of tables: valid specs, and allowed changes of existing tables (spec STORE-13, STORE-17)."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from jupyter_colophon.core.errors import InvalidField, NotFound, TableSchemaIncompatible
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.spi import Range, StorageProvider, TableSpec
from support.things_table import KEY, KEYS, THINGS, insert_key_rows, list_row_keys, run_on_table

UNSOUND: dict[str, TableSpec] = {
    "no key": TableSpec("t", {"a": "string"}, ()),
    "no fields": TableSpec("t", {}, ()),
    "key not a field": TableSpec("t", {"a": "string"}, ("b",)),
    "index not a field": TableSpec("t", {"a": "string"}, ("a",), ("b",)),
    "double in the key": TableSpec("t", {"a": "double"}, ("a",)),
    "float in the key": TableSpec("t", {"a": "float"}, ("a",)),
    "bytes in the key": TableSpec("t", {"a": "bytes"}, ("a",)),
    "index of bytes": TableSpec("t", {"a": "string", "b": "bytes"}, ("a",), ("b",)),
    "index of doubles": TableSpec("t", {"a": "string", "b": "double"}, ("a",), ("b",)),
    "unknown type": TableSpec("t", {"a": "text"}, ("a",)),  # type: ignore[dict-item]
    "name with a quote": TableSpec('t"; DROP TABLE t; --', {"a": "string"}, ("a",)),
    "name that begins with a digit": TableSpec("1t", {"a": "string"}, ("a",)),
    "name with a non-ASCII letter": TableSpec("tä", {"a": "string"}, ("a",)),
    "empty name": TableSpec("", {"a": "string"}, ("a",)),
    "too long name": TableSpec("t" * 49, {"a": "string"}, ("a",)),
    "field with a quote": TableSpec("t", {'a"': "string"}, ('a"',)),
    "field with a blank": TableSpec("t", {"a": "string", "b c": "string"}, ("a",)),
    "repeated field in the key": TableSpec("t", {"a": "string"}, ("a", "a")),
    "repeated index": TableSpec("t", {"a": "string", "b": "int"}, ("a",), ("b", "b")),
    "fields that differ only in case": TableSpec("t", {"a": "string", "A": "string"}, ("a",)),
}
FIELDS = dict(THINGS.fields)
INCOMPATIBLE: dict[str, TableSpec] = {
    "missing field": replace(THINGS, fields={name: kind for name, kind in FIELDS.items() if name != "x"}),
    "missing index": replace(THINGS, indexes=("n",)),
    "longer key": replace(THINGS, primary_key=("a", "b", "c", "i")),
    "shorter key": replace(THINGS, primary_key=("a", "b")),
    "reordered key": replace(THINGS, primary_key=("b", "a", "c")),
    "long to int": replace(THINGS, fields=FIELDS | {"n": "int"}),
    "int to double": replace(THINGS, fields=FIELDS | {"i": "double"}),
    "double to float": replace(THINGS, fields=FIELDS | {"x": "float"}),
    "bool to int": replace(THINGS, fields=FIELDS | {"y": "int"}),
    "bytes to string": replace(THINGS, fields=FIELDS | {"z": "string"}),
    "string to bytes in the key": replace(THINGS, fields=FIELDS | {"c": "long"}),
}
GROWN = TableSpec(
    "things",
    FIELDS | {"i": "long", "f": "double", "more": "string", "flag": "bool"},
    THINGS.primary_key,
    (*THINGS.indexes, "more", "i"),
)


@pytest.mark.parametrize("spec", UNSOUND.values(), ids=UNSOUND)
def test_invalid_spec_is_rejected(store: StorageProvider, spec: TableSpec) -> None:
    sound = TableSpec("sound", {"a": "string"}, ("a",))
    with pytest.raises(InvalidField):
        store.table_admin.create_or_update(sound, spec)
    assert store.table_admin.list() == []


def test_table_names_must_differ_in_more_than_case(things: StorageProvider) -> None:
    with pytest.raises(InvalidField):
        things.table_admin.create_or_update(TableSpec("Things", {"a": "string"}, ("a",)))
    assert things.table_admin.list() == ["things"]


@pytest.mark.parametrize("spec", INCOMPATIBLE.values(), ids=INCOMPATIBLE)
def test_incompatible_spec_is_rejected_and_changes_nothing(things: StorageProvider, spec: TableSpec) -> None:
    run_on_table(things, insert_key_rows)
    with pytest.raises(TableSchemaIncompatible):
        things.table_admin.create_or_update(TableSpec("other", {"a": "string"}, ("a",)), spec)
    assert things.table_admin.list() == ["things"]
    assert things.table_admin.get_spec("things") == THINGS
    assert run_on_table(things, lambda table: list_row_keys(table.scan(Range()))) == KEYS


def test_table_gets_fields_indexes_and_wider_fields(things: StorageProvider) -> None:
    full = KEY | {"n": 7, "i": -7, "x": 0.5, "f": 1 / 3, "y": True, "z": b"\x00\xff"}
    run_on_table(things, lambda table: table.upsert(full))
    things.table_admin.create_or_update(GROWN)
    assert run_on_table(things, lambda table: table.read(("a", 1, "x"))) == full | {"more": None, "flag": None}
    run_on_table(things, lambda table: table.upsert(KEY | {"i": 2**40, "more": "yes", "flag": False}))
    assert run_on_table(things, lambda table: list_row_keys(table.scan_index("more", "yes"))) == [("a", 1, "x")]
    assert run_on_table(things, lambda table: list_row_keys(table.scan_index("i", 2**40))) == [("a", 1, "x")]
    assert run_on_table(things, lambda table: table.increment(("a", 1, "x"), "i", 2**40)) == 2**41


def test_creating_an_existing_table_changes_nothing(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    things.table_admin.create_or_update(THINGS, THINGS)
    assert run_on_table(things, lambda table: table.count()) == len(KEYS)


def test_key_field_can_be_widened(store: StorageProvider) -> None:
    narrow = TableSpec("counted", {"k": "int", "v": "string"}, ("k",))
    store.table_admin.create_or_update(narrow)
    store.tx_runner.run(lambda tx: tx.get_table("counted").upsert({"k": 7, "v": "seven"}))
    store.table_admin.create_or_update(replace(narrow, fields={"k": "long", "v": "string"}))
    store.tx_runner.run(lambda tx: tx.get_table("counted").upsert({"k": -(2**40), "v": "less"}))
    rows = store.tx_runner.run(lambda tx: list(tx.get_table("counted").scan(Range(end=(10,)))))
    assert [entry["k"] for entry in rows] == [-(2**40), 7]


def test_tables_are_listed_described_and_dropped(things: StorageProvider) -> None:
    admin, other = things.table_admin, TableSpec("Another_1", {"a": "bool"}, ("a",))
    admin.create_or_update(other)
    assert admin.list() == sorted(["things", "Another_1"])
    assert admin.get_spec("Another_1") == other
    assert [admin.exists(name) for name in ("things", "Another_1", "none")] == [True, True, False]
    admin.drop("Another_1")
    admin.drop("Another_1")
    assert admin.list() == ["things"]
    with pytest.raises(NotFound):
        admin.get_spec("Another_1")
    with pytest.raises(InvalidField):
        things.tx_runner.run(lambda tx: tx.get_table("Another_1"))


def test_dropped_table_can_be_recreated_with_any_spec(things: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    things.table_admin.drop("things")
    things.table_admin.create_or_update(TableSpec("things", {"a": "long"}, ("a",)))
    assert run_on_table(things, lambda table: list(table.scan(Range()))) == []
    run_on_table(things, lambda table: table.upsert({"a": 1}))


def test_rename_keeps_rows_and_indexes(things: StorageProvider, another: StorageProvider) -> None:
    admin, fields = things.table_admin, {"b": "number", "n": "total", "z": "raw"}
    run_on_table(things, lambda table: table.upsert(KEY | {"n": 7, "y": True, "z": b"\x00"}))
    for _ in range(2):
        admin.rename("things", "objects", fields)
    assert admin.list() == ["objects"]
    assert (admin.get_spec("objects").primary_key, admin.get_spec("objects").indexes) == (
        ("a", "number", "c"),
        ("total", "y"),
    )

    def read(store: StorageProvider) -> Any:
        return store.tx_runner.run(lambda tx: list(tx.get_table("objects").scan_index("total", 7)))

    assert read(things) == read(another)
    assert [(entry["number"], entry["total"], entry["raw"], entry["y"]) for entry in read(things)] == [
        (1, 7, b"\x00", True)
    ]
    admin.create_or_update(admin.get_spec("objects"), THINGS)
    run_on_table(things, insert_key_rows)
    assert run_on_table(things, lambda table: table.count()) == len(KEYS)


def test_rename_rejects_existing_names(things: StorageProvider) -> None:
    things.table_admin.create_or_update(TableSpec("other", {"a": "string"}, ("a",)))
    for new_id, fields in (("OTHER", {}), ("things", {"n": "x"}), ("two words", {})):
        with pytest.raises(InvalidField):
            things.table_admin.rename("things", new_id, fields)
    assert things.table_admin.list() == ["other", "things"]
    assert things.table_admin.get_spec("things") == THINGS


def test_names_may_be_sql_keywords(store: StorageProvider) -> None:
    spec = TableSpec("select", {"order": "string", "group": "long", "value": "bool"}, ("order",), ("group",))
    store.table_admin.create_or_update(spec)
    written = {"order": "by", "group": 1, "value": True}
    store.tx_runner.run(lambda tx: tx.get_table("select").upsert(written))
    assert store.tx_runner.run(lambda tx: list(tx.get_table("select").scan_index("group", 1))) == [written]


def test_table_of_another_process_is_visible(things: StorageProvider, another: StorageProvider) -> None:
    run_on_table(things, insert_key_rows)
    assert another.table_admin.list() == ["things"]
    assert another.table_admin.get_spec("things") == THINGS
    assert run_on_table(another, lambda table: list_row_keys(table.scan(Range()))) == KEYS


def test_outdated_process_gets_an_error(things: StorageProvider, another: StorageProvider) -> None:
    another.table_admin.create_or_update(GROWN)
    with pytest.raises(TableSchemaIncompatible):
        things.table_admin.create_or_update(THINGS)
    assert another.table_admin.get_spec("things") == GROWN


def test_concurrent_starts_create_each_table_once(choice: StorageChoice) -> None:
    specs = [THINGS, *(TableSpec(f"t{number}", {"a": "string", "n": "int"}, ("a",), ("n",)) for number in range(5))]

    def start(number: int) -> list[str]:
        provider = providers.open_complete_provider(choice)
        try:
            # In reverse order: locking table by table would be a deadlock.
            provider.table_admin.create_or_update(*(specs if number % 2 else specs[::-1]))
            provider.tx_runner.run(lambda tx: tx.get_table("things").increment(KEYS[0], "n", 1))
            return provider.table_admin.list()
        finally:
            provider.close()

    with ThreadPoolExecutor(6) as threads:
        lists = list(threads.map(start, range(6), timeout=300))
    assert lists == [sorted(spec.id for spec in specs)] * 6
    provider = providers.open_complete_provider(choice)
    assert run_on_table(provider, lambda table: table.read(KEYS[0], ["n"])) == {"n": 6}
    provider.close()


def test_field_names_are_quoted_in_messages(things: StorageProvider) -> None:
    def work(table: Any) -> None:
        table.upsert(KEY | {"no\nfield": 1})

    with pytest.raises(InvalidField) as raised:
        run_on_table(things, work)
    assert not re.search(r"[\n\r]", raised.value.detail)
