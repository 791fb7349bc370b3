"""The application dataprep on a catalog in SQLite, with a permitted folder of files."""

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from support.catalog import ADA
from support.stores import open_new_catalog
from support.system_apps import call_app, open_shipped_apps

Call = Callable[..., Any]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    """The applications' tables on each store are tested beside this folder."""
    with open_new_catalog("sqlite", tmp_path) as opened:
        for name in ("sales", "ops"):
            opened.deployer.create_or_update_namespace(name, {}, ADA)
        yield opened


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A permitted folder beside one that is not."""
    folder = tmp_path / "data"
    (folder / "shop").mkdir(parents=True)
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "secret.txt").write_text("CANARY")
    (folder / "shop" / "orders.csv").write_text(
        'id,"unit price",day\n1," 1.50",27.11.2026\n2,,28.11.2026\n3,x,29.11.2026\n'
    )
    monkeypatch.setenv("COLOPHON_DATAPREP_FOLDERS", os.pathsep.join([str(tmp_path / "missing"), str(folder)]))
    return folder


@pytest.fixture
def shipped(catalog: Catalog) -> Callable[[Collection[str]], SystemApps]:
    """`shipped(["dataprep"])` returns the applications of this package that a setting names."""
    return lambda names: open_shipped_apps(catalog, names)


@pytest.fixture
def apps(shipped: Callable[[Collection[str]], SystemApps]) -> Iterator[SystemApps]:
    opened = shipped(["dataprep"])
    yield opened
    opened.close()


@pytest.fixture
def call(apps: SystemApps) -> Call:
    """`call("GET", "connections")` calls a method in the namespace `sales`; `query` has texts."""

    def call_method(method: str, path: str, body: Any = None, /, *, context: str = "sales", **query: str) -> Any:
        values = {name: [value] for name, value in query.items()}
        return call_app(apps, method, f"/v2/contexts/{context}/{path}", body, query=values)

    return call_method


@pytest.fixture
def files(call: Call, data: Path) -> str:
    """The name of a connection to the folder."""
    call("PUT", "connections/files", {"folder": str(data)})
    return "files"
