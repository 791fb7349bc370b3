"""The application analytics on a catalog in SQLite, with a permitted folder of files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.analytics.app import Analytics
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.service.schemaspaces.registrations import PackageRegistration
from support.catalog import ADA
from support.stores import open_new_catalog
from support.system_apps import call_app, open_apps

Call = Callable[..., Any]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with open_new_catalog("sqlite", tmp_path) as opened:
        for name in ("sales", "ops"):
            opened.deployer.create_or_update_namespace(name, {}, ADA)
        yield opened


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A permitted folder with customers, of whom some have left."""
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [
        f"{20 + number % 50},{('Rome', 'Oslo')[number % 2]},{('no', 'yes')[number % 3 == 0]}" for number in range(60)
    ]
    (folder / "churn.csv").write_text("\n".join(["age,city,churned", *rows, ",,no"]) + "\n")
    monkeypatch.setenv("COLOPHON_DATAPREP_FOLDERS", str(folder))
    return folder


@pytest.fixture
def apps(catalog: Catalog) -> Iterator[SystemApps]:
    value = "jupyter_colophon.apps.analytics.app:Analytics"
    registration = PackageRegistration("analytics", value, "tests", "1.0", lambda: Analytics)
    opened = open_apps(catalog, find_registrations=lambda: [registration])
    yield opened
    opened.close()


@pytest.fixture
def call(apps: SystemApps) -> Call:
    """`call("GET", "experiments")` calls a method in the namespace `sales`; `query` has texts."""

    def call_method(method: str, path: str, body: Any = None, /, *, context: str = "sales", **query: str) -> Any:
        values = {name: [value] for name, value in query.items()}
        return call_app(apps, method, f"/v2/contexts/{context}/{path}", body, app="analytics", query=values)

    return call_method


@pytest.fixture
def experiment(call: Call, data: Path) -> dict[str, Any]:
    """The body of an experiment that predicts who leaves."""
    body = {
        "source": {"path": str(data / "churn.csv")},
        "outcome": {"name": "churned", "type": "categorical"},
        "predictors": [{"name": "age", "type": "numeric"}, {"name": "city", "type": "categorical"}],
    }
    call("PUT", "experiments/churn", body)
    return body
