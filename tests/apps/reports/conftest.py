"""The application reports on a catalog in SQLite, with runs in two namespaces."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.service.policy import open_access_control
from jupyter_colophon.service.schemaspaces.registrations import BuiltinEntryPoint, list_registrations
from support.catalog import ADA
from support.report_runs import DAILY, LOADER, NOVEMBER, REPAIR, run_program
from support.stores import open_new_catalog
from support.system_apps import call_app, open_apps
from support.waiting import wait_for

Call = Callable[..., Any]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    # Policies are in force after a test has written one.
    access = open_access_control("", [], {}, None)
    with open_new_catalog("sqlite", tmp_path, access) as opened:
        for name in ("sales", "ops"):
            opened.deployer.create_or_update_namespace(name, {}, ADA)
        for number in range(4):
            run_program(opened, DAILY, number, 10 * (number + 1), "failed" if number == 3 else "succeeded")
        run_program(opened, LOADER, 30, 5, user="bob")
        run_program(opened, REPAIR, 50, None, user="bob")
        yield opened


@pytest.fixture
def apps(catalog: Catalog) -> Iterator[SystemApps]:
    """The applications of a server, after the listener has handled the runs that were there before."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    points = [BuiltinEntryPoint(name, value) for name, value in groups["jupyter_colophon.system_apps"].items()]
    opened = open_apps(catalog, shipped_names=["reports"], find_registrations=lambda: list_registrations(points, ()))
    wait_for(
        lambda: call_app(opened, "POST", "/v1/reports/runs", {"interval": NOVEMBER}, app="reports")["runs"],
        lambda runs: len(runs) == 6,
    )
    assert [(state.name, state.state) for state in opened.list_states()] == [("reports", "running")]
    yield opened
    opened.close()


@pytest.fixture
def call(apps: SystemApps) -> Call:
    """`call("POST", "query", {…})` calls a method; `query` has texts."""

    def call_method(method: str, path: str, body: Any = None, /, *, principal: Principal = ADA, **query: str) -> Any:
        values = {name: [value] for name, value in query.items()}
        return call_app(apps, method, f"/v1/reports/{path}", body, app="reports", query=values, principal=principal)

    return call_method
