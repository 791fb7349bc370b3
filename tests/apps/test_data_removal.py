"""Tables of applications that are not installed any more: they are listed, and deleted with all that belongs to them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.audit import AuditRules, AuditSelection
from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.errors import NotFound, SystemAppEnabled, SystemAppUnavailable
from jupyter_colophon.core.system_app_log import AppLogRecord
from jupyter_colophon.storage.dead_events import write_event
from jupyter_colophon.storage.spi import Range
from jupyter_colophon.storage.system_app_logs import append_log_records
from jupyter_colophon.storage.system_apps import start_dropping
from support.catalog import ADA
from support.system_apps import call_app, open_apps, prepare_context
from support.urns import ORDERS

#: Has tables of both kinds, a listener and a schedule. Its name begins the name of another application.
STOCK = """
from jupyter_colophon.apps import EntityCreated, EventListener, SystemApp, TableSpec


class Ignore(EventListener):
    def on_event(self, context, event):
        pass


class Stock(SystemApp):
    def configure(self, configurer):
        configurer.create_table(TableSpec("parts", {"context": "string", "name": "string"}, ("context", "name")))
        configurer.create_table(TableSpec("settings", {"name": "string"}, ("name",)))
        configurer.add_event_listener(Ignore(), types=(EntityCreated,))
        configurer.schedule("PT1H", lambda context: None, name="tick")
        configurer.add_handler("GET", "/v1/contexts/{context}", lambda context, request: None)
        configurer.add_handler("GET", "/v1/all", lambda context, request: None)
"""
#: More rows than one transaction deletes.
ROWS = 1_500
TABLES = ("app_stock_parts", "app_stock_settings")
KEPT = ("app_stock2_parts", "app_stock2_settings")
NAMED = ("cursors", "leases", "dead_events", "system_app_files", "system_app_logs", "system_app_schedules")


def fill(apps: SystemApps, app: str) -> None:
    """Let an application store rows, files of a namespace and of none, and an event."""
    for namespace in ("sales", ""):
        context = prepare_context(apps, namespace, app=app)
        context.files.put("model", b"weights")
    rows = [{"context": "sales", "name": f"part {number}"} for number in range(ROWS)]
    sales = prepare_context(apps, "sales", app=app)
    sales.execute(lambda tables: tables.get_table("parts").upsert_many(rows))
    sales.execute(lambda tables: tables.get_table("settings").upsert({"name": "unit"}))
    parked = DeadEvent(app, "Ignore", 1, ORDERS, 12, 8, 1, True, "ValueError: no stock", 1_000)
    apps.provider.tx_runner.run(lambda tx: write_event(tx, parked))
    apps.provider.tx_runner.run(lambda tx: append_log_records(tx, app, [AppLogRecord(0, 1, "INFO", "imported")]))


def list_stored(catalog: Catalog) -> dict[str, list[str]]:
    """Return the keys of all rows that belong to applications, by table."""

    def read(tx: Any) -> dict[str, list[str]]:
        rows = {table: [str(row) for row in tx.get_table(table).scan(Range())] for table in NAMED}
        return {table: [row for row in found if "stock" in row] for table, found in rows.items()}

    return catalog.provider.tx_runner.run(read, read_only=True)


@pytest.fixture
def stock(catalog: Catalog, install: Any) -> SystemApps:
    """Two applications that have stored something, in a server that has ended; the applications of the next one."""
    for name in ("stock", "stock2"):
        install(STOCK, name, "Stock")
    apps = open_apps(catalog)
    apps.list_states()
    fill(apps, "stock")
    fill(apps, "stock2")
    apps.close()
    return apps


def open_without(catalog: Catalog, stock: SystemApps, name: str) -> SystemApps:
    """Open the applications after one was uninstalled."""
    kept = [one for one in stock.find_registrations() if one.name != name]
    return open_apps(catalog, find_registrations=lambda: kept)


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_uninstalled_application_is_listed_and_its_data_deleted(
    catalog: Catalog, stock: SystemApps, tmp_path: Path
) -> None:
    apps = open_without(catalog, stock, "stock")
    left = {state.name: state for state in apps.list_states()}["stock"]
    assert (left.state, left.package, left.version, left.tables) == ("uninstalled", "", "1.0", TABLES)
    before = list_stored(catalog)
    assert all(any("stock2" not in row for row in rows) for table, rows in before.items() if table != "leases")
    folder = catalog.namespaces.app_files
    assert folder is not None
    assert len([path for path in folder.root.rglob("*") if path.is_file()]) == 4
    catalog.audit.recorder.rules = AuditRules("on")
    apps.drop_tables("stock", ADA)
    wait_until(lambda: "stock" not in [state.name for state in apps.list_states()])
    assert {*catalog.provider.table_admin.list()}.isdisjoint(TABLES)
    after = list_stored(catalog)
    assert after == {table: [row for row in rows if "stock2" in row] for table, rows in before.items()} | {
        "leases": after["leases"],
        "cursors": after["cursors"],
    }
    assert all("stock2" in row for rows in after.values() for row in rows)
    # The other application keeps what it has.
    assert len([path for path in folder.root.rglob("*") if path.is_file()]) == 2
    with prepare_context(apps, "sales", app="stock2").files.open("model") as file:
        assert file.read() == b"weights"
    count = prepare_context(apps, "sales", app="stock2").execute(lambda tables: tables.get_table("parts").count())
    assert count == ROWS
    with pytest.raises(NotFound):
        apps.drop_tables("stock", ADA)
    catalog.audit.recorder.store_now()
    entries, _ = catalog.audit.list_page(AuditSelection(), 10, "")
    details = [(entry.user, entry.detail) for entry in entries]
    assert ("ada", "delete the tables of the system application stock") in details
    apps.close()


def test_enabled_application_keeps_its_tables_and_a_disabled_one_loses_them(
    catalog: Catalog, stock: SystemApps
) -> None:
    apps = open_apps(catalog)
    call_app(apps, "GET", "/v1/all", app="stock")
    with pytest.raises(SystemAppEnabled, match="disable or uninstall it first"):
        apps.drop_tables("stock", ADA)
    apps.set_enabled("stock", enabled=False)
    assert apps.get_state("stock").tables == TABLES
    apps.drop_tables("stock", ADA)
    wait_until(lambda: apps.get_state("stock").tables == ())
    # This process has loaded the application: only the next one creates tables again.
    assert apps.set_enabled("stock", enabled=True).problem == "its tables were deleted: restart the server"
    with pytest.raises(SystemAppUnavailable, match="restart the server"):
        call_app(apps, "GET", "/v1/all", app="stock")
    apps.close()
    restarted = open_apps(catalog)
    call_app(restarted, "GET", "/v1/all", app="stock")
    sales = prepare_context(restarted, "sales", app="stock")
    assert sales.execute(lambda tables: tables.get_table("parts").count()) == 0
    restarted.close()


def test_deletion_of_a_killed_server_is_continued(catalog: Catalog, stock: SystemApps) -> None:
    catalog.provider.tx_runner.run(lambda tx: start_dropping(tx, "stock"))
    apps = open_without(catalog, stock, "stock")
    apps.start_all()
    wait_until(lambda: {*catalog.provider.table_admin.list()}.isdisjoint(TABLES))
    wait_until(lambda: "stock" not in [state.name for state in apps.list_states()])
    assert {*KEPT} <= {*catalog.provider.table_admin.list()}
    apps.close()
