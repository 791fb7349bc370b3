"""Deployments: tables are created once, extended, or refused as a whole; a broken application is reported (spec SEC-17)."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import pytest
from jupyter_colophon.apps import installed_app
from jupyter_colophon.apps.installed_app import AppState
from jupyter_colophon.apps.installed_apps import find_registered_apps
from jupyter_colophon.apps.panel_access import PanelAccess
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import AccessDenied, NotFound, SystemAppUnavailable
from jupyter_colophon.service.schemaspaces.registrations import BuiltinEntryPoint, list_registrations
from support.catalog import ADA
from support.system_apps import DATAPREP, call_app, open_apps, open_shipped_apps, wait_for_records

SALES = "/v2/contexts/sales/connections"
TABLES = ("app_dataprep_connections", "app_dataprep_settings")
WAIT_S = 120
SHIPPED = ("analytics", "dataprep", "reports")
#: Applications that cannot be deployed, each with a part of the reason.
BROKEN = {
    "raising": (
        "class App(SystemApp):\n    def configure(self, configurer):\n        raise RuntimeError('no way')",
        "no way",
    ),
    "ending": ("raise SystemExit(3)", "SystemExit"),
    "other": ("class App:\n    pass", "is not a SystemApp"),
    "path": ("HANDLERS = [('GET', 'v2')]", "must begin with /"),
    "segment": ("HANDLERS = [('GET', '/v2/{a}-{b}')]", "has the segment"),
    "method": ("HANDLERS = [('TRACE', '/v2')]", "is not supported"),
    "twice": ("HANDLERS = [('GET', '/v2/{a}'), ('GET', '/v2/{b}')]", "is declared twice"),
    "key": ("TABLES = [TableSpec('rows', {'name': 'string'}, ())]", "has no key"),
    "type": ("TABLES = [TableSpec('rows', {'name': 'text'}, ('name',))]", "unknown type 'text'"),
    "text": (
        "TABLES = [TableSpec('rows', {'name': 'string'}, ('name'))]",
        "primary_key must be a tuple of names: write ('name',)",
    ),
    "texts": (
        "TABLES = [TableSpec('rows', {'name': 'string'}, ('name',), 'name')]",
        "indexes must be a tuple of names: write ('name',)",
    ),
    "absent": ("TABLES = [TableSpec('rows', {'name': 'string'}, ('name', 'z'))]", "there is no field 'z'"),
    "bytes": (
        "TABLES = [TableSpec('rows', {'name': 'bytes'}, ('name',))]",
        "is a field of type bytes, which cannot be part of a key or an index: use int, long, string or bool",
    ),
    "context": ("TABLES = [TableSpec('rows', {'context': 'long'}, ('context',))]", "must be a string"),
    "long": ("TABLES = [TableSpec(48 * 'a', {'name': 'string'}, ('name',))]", "is not a valid name"),
    "un_fit": ("", "is not a valid name of a system application"),
}
FRAME = """
from jupyter_colophon.apps import SystemApp, TableSpec

HANDLERS, TABLES = [], []


class App(SystemApp):
    def configure(self, configurer):
        for table in TABLES:
            configurer.create_table(table)
        for method, path in HANDLERS:
            configurer.add_handler(method, path, lambda context, request: None)


"""
HANGING = """
import threading
from jupyter_colophon.apps import SystemApp

RELEASE = threading.Event()


class App(SystemApp):
    def configure(self, configurer):
        RELEASE.wait(120)
        configurer.add_handler("GET", "/late", lambda context, request: "late")
"""


def find_state(apps: SystemApps, name: str = "dataprep") -> AppState:
    return next(state for state in apps.list_states() if state.name == name)


def wait_for_state(apps: SystemApps, name: str, holds: Callable[[AppState], bool]) -> AppState:
    """Wait until the state fulfils a condition."""
    for _ in range(100 * WAIT_S):
        if holds(state := find_state(apps, name)):
            return state
        threading.Event().wait(0.01)
    raise AssertionError(state)


def test_tables_are_created_with_the_name_of_the_application(apps: SystemApps, catalog: Catalog) -> None:
    state = find_state(apps)
    assert (state.state, state.version, state.tables, state.problem) == ("running", "1.0", TABLES, "")
    assert {*TABLES} <= {*catalog.provider.table_admin.list()}
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "a"})
    # Another process, or the next one.
    other = open_apps(catalog)
    assert (find_state(other).state, find_state(other).deployed_version) == ("running", "1.0")
    assert call_app(other, "GET", SALES) == {"connections": ["lake"]}
    other.close()


def test_process_that_serves_nothing_creates_nothing(install: Any, catalog: Catalog) -> None:
    install(DATAPREP, "dataprep", "Dataprep")
    before = catalog.provider.table_admin.list()
    state = find_state(open_apps(catalog, serves=False))
    assert (state.state, state.tables, state.deployed_version) == ("installed", TABLES, "")
    assert catalog.provider.table_admin.list() == before


def test_compatible_version_extends_tables(apps: SystemApps, catalog: Catalog, install: Any) -> None:
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "a"})
    newer = DATAPREP.replace('"uses": "int"}', '"uses": "long", "note": "string"}').replace(
        '("owner",)', '("owner", "url")'
    )
    install(newer, "dataprep", "Dataprep", "1.1")
    upgraded = open_apps(catalog)
    assert (find_state(upgraded).state, find_state(upgraded).version) == ("running", "1.1")
    assert call_app(upgraded, "GET", f"{SALES}/lake") == {
        "context": "sales",
        "name": "lake",
        "url": "a",
        "owner": "ada",
        "created_by": "ada",
        "uses": None,
        "note": None,
    }
    # The earlier version still works in other processes.
    assert call_app(apps, "POST", f"{SALES}/lake/use") == {"uses": 1}
    assert call_app(apps, "PUT", f"{SALES}/shop", {"url": "b"}) == {"name": "shop"}
    assert call_app(upgraded, "GET", SALES) == {"connections": ["lake", "shop"]}
    upgraded.close()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('("context", "name"),\n    ("owner",)', '("context", "owner"),\n    ("owner",)'), "has another key"),
        (('"url": "string"', '"url": "long"'), "url is string and cannot be changed to long"),
        (('"uses": "int"', '"used": "int"'), "has a field uses that this program does not know"),
        (('("owner",),', "(),"), "has an index owner"),
    ],
    ids=["key", "type", "field", "index"],
)
def test_incompatible_version_is_refused_as_a_whole(
    apps: SystemApps, catalog: Catalog, install: Any, change: tuple[str, str], reason: str
) -> None:
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "a"})
    admin = catalog.provider.table_admin
    before = {name: admin.get_spec(name) for name in TABLES}
    # The other table, which is declared first, could be extended.
    first, second = "create_table(SETTINGS)", "create_table(CONNECTIONS)"
    newer = DATAPREP.replace(*change).replace('"value": "string"}', '"value": "string", "note": "string"}')
    newer = newer.replace(second, "create_table(_)").replace(first, second).replace("create_table(_)", first)
    install(newer, "dataprep", "Dataprep", "2.0")
    upgraded = open_apps(catalog)
    state = find_state(upgraded)
    assert (state.state, state.version, state.deployed_version) == ("failed", "2.0", "1.0")
    assert reason in state.problem
    with pytest.raises(SystemAppUnavailable, match="could not be deployed"):
        call_app(upgraded, "GET", SALES)
    assert {name: admin.get_spec(name) for name in TABLES} == before
    assert call_app(apps, "GET", SALES) == {"connections": ["lake"]}
    upgraded.close()


def test_application_that_cannot_be_deployed_is_reported(apps: SystemApps, install: Any) -> None:
    for name, (source, _) in BROKEN.items():
        install(FRAME + source, name, "App")
    states = {state.name: state for state in apps.list_states()}
    for name, (_, reason) in BROKEN.items():
        assert (states[name].state, states[name].tables) == ("failed", ()), name
        assert reason in states[name].problem
        with pytest.raises(SystemAppUnavailable, match="could not be deployed"):
            call_app(apps, "GET", "/v2", app=name)
    assert states["dataprep"].state == "running"
    assert call_app(apps, "GET", SALES) == {"connections": []}


def test_first_of_two_applications_of_a_name_counts(apps: SystemApps, install: Any) -> None:
    # Tables of names that differ only in their case would be the same.
    install(DATAPREP, "DataPrep", "Dataprep", package="another")
    found = [(state.name, state.state, state.problem) for state in apps.list_states()]
    assert sorted(state for _, state, _ in found) == ["failed", "running"]
    assert next(problem for _, state, problem in found if state == "failed").endswith("has an application of this name")


def test_disabled_application_is_refused_in_each_process(apps: SystemApps, catalog: Catalog) -> None:
    other = open_apps(catalog)
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "a"})
    assert apps.set_enabled("dataprep", enabled=False).state == "disabled"
    for process in (apps, other):
        with pytest.raises(SystemAppUnavailable, match="it is disabled"):
            call_app(process, "GET", SALES)
        assert find_state(process).state == "disabled"
    assert other.set_enabled("DATAPREP", enabled=True).state == "running"
    for process in (apps, other):
        assert call_app(process, "GET", SALES) == {"connections": ["lake"]}
    with pytest.raises(NotFound):
        apps.set_enabled("other", enabled=False)
    other.close()


def test_settings_disable_an_application_for_their_process(apps: SystemApps, catalog: Catalog) -> None:
    limited = open_apps(catalog, disabled_names=["dataprep"])
    assert find_state(limited).state == "disabled"
    with pytest.raises(SystemAppUnavailable, match=r"it is disabled by the setting c\.Colophon\.disabled_system_apps"):
        call_app(limited, "GET", SALES)
    with pytest.raises(AccessDenied, match="disabled_system_apps"):
        limited.set_enabled("dataprep", enabled=True)
    # Nothing of it was loaded, and nothing was created.
    assert not {*TABLES} & {*catalog.provider.table_admin.list()}
    assert call_app(apps, "GET", SALES) == {"connections": []}


def test_hanging_application_is_refused_until_it_has_loaded(
    apps: SystemApps, install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed_app, "LOADING_S", 0.2)
    module = import_module(install(HANGING, "hanging", "App"))
    try:
        with pytest.raises(SystemAppUnavailable):
            call_app(apps, "GET", "/late", app="hanging")
        state = wait_for_state(apps, "hanging", lambda state: state.state == "failed")
        assert "did not load within 0.2 s" in state.problem
        # The log states the limit, too.
        wait_for_records(apps, "hanging", 1)
        monkeypatch.setattr(installed_app, "LOADING_S", 120.0)
        assert call_app(apps, "GET", SALES) == {"connections": []}
    finally:
        module.RELEASE.set()
    wait_for_state(apps, "hanging", lambda state: state.state == "running")
    assert call_app(apps, "GET", "/late", app="hanging") == "late"
    late, loaded = wait_for_records(apps, "hanging", 2)
    assert (late.level, "cannot be deployed: it did not load within 0.2 s" in late.message) == ("ERROR", True)
    assert loaded.message == "the system application hanging has loaded late: it is running now"


def test_shipped_applications_are_deployed_by_their_first_use(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = [f"jupyter_colophon.apps.{name}.app" for name in SHIPPED]
    for module in modules:
        monkeypatch.delitem(sys.modules, module, raising=False)
    apps = open_shipped_apps(catalog, SHIPPED)
    apps.start_all()
    assert not any(thread.name.endswith("-start") for thread in threading.enumerate())
    assert not any(module in sys.modules for module in modules)
    # Listing them and their panels loads them, and creates nothing.
    panels = PanelAccess(apps, ADA).list_panels()
    assert [(panel.app, panel.title) for panel in panels] == [
        ("analytics", "Train models"),
        ("dataprep", "Prepare data"),
        ("reports", "Reports"),
    ]
    assert [state.state for state in apps.list_states()] == 3 * ["installed"]
    assert not [table for table in catalog.provider.table_admin.list() if table.startswith("app_")]
    assert call_app(apps, "GET", "/v1/reports/definitions", app="reports") == {"definitions": []}
    assert [state.state for state in apps.list_states()] == ["installed", "installed", "running"]
    apps.close()
    # The next server loads what was used, whose listeners and schedules then run.
    restarted = open_shipped_apps(catalog, SHIPPED)
    restarted.start_all()
    listed = {name for name, _ in restarted.list_running_deployments()}
    assert listed == {*SHIPPED}
    assert [state.state for state in restarted.list_states()] == ["installed", "installed", "running"]
    restarted.close()


def test_first_uses_at_the_same_time_deploy_an_application_once(catalog: Catalog) -> None:
    apps = open_shipped_apps(catalog, SHIPPED)
    apps.list_states()
    with ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(call_app, apps, "GET", "/v1/reports/definitions", app="reports") for _ in range(4)]
        answers = [call.exception(120) for call in calls]
    # As many as wait for an application that starts.
    assert {type(answer) for answer in answers} <= {type(None), SystemAppUnavailable}
    assert call_app(apps, "GET", "/v1/reports/definitions", app="reports") == {"definitions": []}
    apps.close()


def test_application_of_a_package_replaces_a_shipped_one(catalog: Catalog, install: Any) -> None:
    install(DATAPREP, "dataprep", "Dataprep")
    shipped = BuiltinEntryPoint("dataprep", "jupyter_colophon.apps.dataprep.app:Dataprep")
    registrations = [*list_registrations([shipped], ()), *find_registered_apps()]
    apps = open_apps(catalog, shipped_names=SHIPPED, find_registrations=lambda: registrations)
    (dataprep,) = (state for state in apps.list_states() if state.name == "dataprep")
    assert (dataprep.state, dataprep.package.endswith("for-tests")) == ("running", True)
    apps.close()
