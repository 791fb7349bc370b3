"""Providers by name: shipped ones, and strangers that are installed beside us (spec STORE-15)."""

from pathlib import Path

import pytest
from jupyter_colophon.composition import open_catalog
from jupyter_colophon.core.errors import InvalidField, StorageError
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice, sqlite_file
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.portable.provider import PortableProvider
from jupyter_colophon.storage.spi import CAPABILITIES, SEAMS, Range, StorageProvider
from jupyter_colophon.storage.sqlite.provider import SqliteProvider
from support.catalog import ADA, forget, names, say, search, touch
from support.stores import STORES, installed
from support.things import KEYS, THINGS, fill, inside, keys
from support.urns import CELL, ORDERS, REPORT


def test_every_provider_has_all_seams_and_capabilities_when_it_is_open(store: StorageProvider, store_name: str) -> None:
    assert store.name == store_name
    assert store.seams >= SEAMS
    assert store.capabilities >= CAPABILITIES


def test_a_provider_that_lacks_nothing_is_used_as_it_is(tmp_path: Path) -> None:
    store = providers.opened(sqlite_file(tmp_path / "store.db"))
    assert type(store) is SqliteProvider
    store.close()


def test_a_stranger_is_found_when_it_is_installed_and_not_before(tmp_path: Path) -> None:
    choice = StoreChoice("stranger", {"place": str(tmp_path)})
    with pytest.raises(InvalidField):
        providers.opened(choice)
    with installed(tmp_path, "stranger", "support.toy_store:ToyProvider"):
        store = providers.opened(choice)
    store.table_admin.create_or_update(THINGS)
    inside(store, fill)
    assert inside(store, lambda table: keys(table.scan(Range(), order="desc"))) == KEYS[::-1]
    store.close()
    with pytest.raises(InvalidField):
        providers.opened(choice)


def test_a_wrong_option_and_a_store_that_cannot_be_opened_say_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidField):
        providers.opened(StoreChoice("sqlite", {"path": str(tmp_path / "store.db"), "none": 1}))
    with installed(tmp_path, "stranger", "support.toy_store:ToyProvider"), pytest.raises(InvalidField):
        providers.opened(StoreChoice("stranger", {}))
    with pytest.raises(StorageError):
        providers.opened(StoreChoice("sqlite", {"path": str(tmp_path)}))


def test_the_tables_of_the_seams_are_not_the_applications(store: StorageProvider) -> None:
    assert store.table_admin.list() == []


@pytest.mark.parametrize(
    "lacking", [frozenset(), frozenset({"desc"}), frozenset({"order_by"}), frozenset({"native_prefix"}), CAPABILITIES]
)
def test_what_a_table_lacks_is_made_up_for_whatever_it_is(tmp_path: Path, lacking: frozenset[str]) -> None:
    class Half(SqliteProvider):
        seams = frozenset({"log"})
        capabilities = CAPABILITIES - lacking

    half = Half()
    half.initialize({"path": tmp_path / "store.db"})
    store: StorageProvider = PortableProvider(half)
    store.table_admin.create_or_update(THINGS)
    inside(store, fill)
    assert inside(store, lambda table: keys(table.scan(Range.prefix("a"), 2, "desc"))) == KEYS[:3][::-1][:2]
    assert inside(store, lambda table: keys(table.scan(Range(("a", 1), ("b", 9)), order_by="n"))) == KEYS[:5]
    assert inside(store, lambda table: keys(table.multi_scan([Range.prefix("b"), Range.prefix("a", 1)]))) == [
        *KEYS[:2],
        *KEYS[3:],
    ]
    assert inside(store, lambda table: table.delete_all(Range(("a", 1), ("b", -1), begin_inclusive=False))) == 2
    assert store.table_admin.list() == ["things"]
    half.close()


def test_a_whole_catalog_works_on_any_store(choice: StoreChoice) -> None:
    catalog = open_catalog(choice, Identity())
    say(catalog, ORDERS, {"owner": "Ada", "note": "straße"}, ["raw"])
    say(catalog, ORDERS, {"owner": "Grace"}, ["raw", "checked"], version=1)
    say(catalog, REPORT, {"source": "orders"})
    run = touch(catalog, CELL, "0e2f2c0e-9d5c-4f0e-8a44-64f1d4a8a001", ("read", ORDERS), ("write", REPORT), end=2_000)
    assert names(search(catalog, "owner:grace")) == names(search(catalog, "chec*")) == ["orders"]
    assert names(search(catalog, "straße")) == []
    assert sorted(names(search(catalog, "sales*"))) == ["orders", "report", "sales"]
    forget(catalog, REPORT)
    assert names(search(catalog, "source:orders")) == []
    catalog.close()
    again = open_catalog(choice, Identity())
    assert names(search(again, "owner:grace")) == ["orders"]
    changes = again.feed.changes(0, 500, {"urn": ORDERS}, ADA)
    assert [one.operation for one in changes if one.aspect == "technicalMetadata"] == ["create", "update"]
    assert [one.run for one in changes if one.operation == "access"] == [run]
    again.close()


def test_the_suite_is_run_on_all_that_we_ship() -> None:
    assert set(providers._SHIPPED) <= set(STORES)
