"""Providers by name: shipped ones, and installed ones of other packages (spec STORE-15)."""

from pathlib import Path

import pytest
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.errors import InvalidField, StorageError
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.portable.provider import PortableProvider
from jupyter_colophon.storage.spi import CAPABILITIES, SUBSYSTEMS, Range, StorageProvider
from jupyter_colophon.storage.sqlite.provider import SqliteProvider
from support.catalog import ADA, delete_entity_or_aspect, list_hit_names, record_run, search_catalog, write_metadata
from support.stores import STORES, install_provider_package
from support.things_table import KEYS, THINGS, insert_key_rows, list_row_keys, run_on_table
from support.urns import CELL, ORDERS, REPORT


def test_open_provider_has_all_subsystems_and_capabilities(store: StorageProvider, store_name: str) -> None:
    assert store.name == store_name
    assert store.subsystems >= SUBSYSTEMS
    assert store.capabilities >= CAPABILITIES


def test_complete_provider_is_not_wrapped(tmp_path: Path) -> None:
    store = providers.open_complete_provider(choose_sqlite_store(tmp_path / "store.db"))
    assert type(store) is SqliteProvider
    store.close()


def test_installed_provider_is_found_by_its_entry_point(tmp_path: Path) -> None:
    choice = StorageChoice("stranger", {"place": str(tmp_path)})
    with pytest.raises(InvalidField):
        providers.open_complete_provider(choice)
    with install_provider_package(tmp_path, "stranger", "support.toy_store:ToyProvider"):
        store = providers.open_complete_provider(choice)
    store.table_admin.create_or_update(THINGS)
    run_on_table(store, insert_key_rows)
    assert run_on_table(store, lambda table: list_row_keys(table.scan(Range(), order="desc"))) == KEYS[::-1]
    store.close()
    with pytest.raises(InvalidField):
        providers.open_complete_provider(choice)


def test_invalid_option_or_path_raises(tmp_path: Path) -> None:
    with pytest.raises(InvalidField):
        providers.open_complete_provider(StorageChoice("sqlite", {"path": str(tmp_path / "store.db"), "none": 1}))
    with install_provider_package(tmp_path, "stranger", "support.toy_store:ToyProvider"), pytest.raises(InvalidField):
        providers.open_complete_provider(StorageChoice("stranger", {}))
    with pytest.raises(StorageError):
        providers.open_complete_provider(StorageChoice("sqlite", {"path": str(tmp_path)}))


def test_tables_of_subsystems_are_not_listed(store: StorageProvider) -> None:
    assert store.table_admin.list() == []


@pytest.mark.parametrize(
    "lacking", [frozenset(), frozenset({"desc"}), frozenset({"order_by"}), frozenset({"native_prefix"}), CAPABILITIES]
)
def test_missing_capabilities_are_supplied(tmp_path: Path, lacking: frozenset[str]) -> None:
    class Half(SqliteProvider):
        subsystems = frozenset({"log"})
        capabilities = CAPABILITIES - lacking

    half = Half()
    half.initialize({"path": tmp_path / "store.db"})
    store: StorageProvider = PortableProvider(half)
    store.table_admin.create_or_update(THINGS)
    run_on_table(store, insert_key_rows)
    assert (
        run_on_table(store, lambda table: list_row_keys(table.scan(Range.prefix("a"), 2, "desc"))) == KEYS[:3][::-1][:2]
    )
    assert (
        run_on_table(store, lambda table: list_row_keys(table.scan(Range(("a", 1), ("b", 9)), order_by="n")))
        == KEYS[:5]
    )
    assert run_on_table(
        store, lambda table: list_row_keys(table.scan_ranges([Range.prefix("b"), Range.prefix("a", 1)]))
    ) == [
        *KEYS[:2],
        *KEYS[3:],
    ]
    assert run_on_table(store, lambda table: table.delete_range(Range(("a", 1), ("b", -1), begin_inclusive=False))) == 2
    assert store.table_admin.list() == ["things"]
    half.close()


def test_whole_catalog_works_on_any_store(choice: StorageChoice) -> None:
    catalog = open_or_create_catalog(choice, IdentityRules())
    write_metadata(catalog, ORDERS, {"owner": "Ada", "note": "straße"}, ["raw"])
    write_metadata(catalog, ORDERS, {"owner": "Grace"}, ["raw", "checked"], version=1)
    write_metadata(catalog, REPORT, {"source": "orders"})
    run = record_run(
        catalog, CELL, "0e2f2c0e-9d5c-4f0e-8a44-64f1d4a8a001", ("read", ORDERS), ("write", REPORT), end=2_000
    )
    assert (
        list_hit_names(search_catalog(catalog, "owner:grace"))
        == list_hit_names(search_catalog(catalog, "chec*"))
        == ["orders"]
    )
    assert list_hit_names(search_catalog(catalog, "straße")) == []
    assert sorted(list_hit_names(search_catalog(catalog, "sales*"))) == ["orders", "report", "sales"]
    delete_entity_or_aspect(catalog, REPORT)
    assert list_hit_names(search_catalog(catalog, "source:orders")) == []
    catalog.close()
    again = open_or_create_catalog(choice, IdentityRules())
    assert list_hit_names(search_catalog(again, "owner:grace")) == ["orders"]
    changes = again.feed.read_visible_changes(0, 500, {"urn": ORDERS}, ADA)
    assert [change.operation for change in changes if change.aspect == "technicalMetadata"] == ["create", "update"]
    assert [change.run for change in changes if change.operation == "access"] == [run]
    again.close()


def test_suite_runs_on_all_shipped_providers() -> None:
    assert set(providers._SHIPPED) <= set(STORES)
