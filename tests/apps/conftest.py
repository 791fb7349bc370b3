"""A catalog on each shipped store, with the namespaces `sales` and `ops`, and packages with applications."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from support.catalog import ADA
from support.stores import CATALOGS, open_new_catalog
from support.system_apps import DATAPREP, ROGUE, install_app, open_apps

Install = Callable[..., str]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_name" in metafunc.fixturenames:
        of_module = getattr(metafunc.module, "STORES", CATALOGS)
        names = metafunc.config.getoption("--storage-provider") or of_module
        metafunc.parametrize("store_name", names, scope="session")


@pytest.fixture
def catalog(store_name: str, tmp_path: Path) -> Iterator[Catalog]:
    with open_new_catalog(store_name, tmp_path) as opened:
        for name in ("sales", "ops"):
            opened.deployer.create_or_update_namespace(name, {"description": f"About {name}"}, ADA)
        yield opened


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """`install(source, "dataprep", "Dataprep")` installs a package, or another version of it; its module is returned."""
    modules: list[str] = []

    def install_one(source: str, name: str, class_name: str, version: str = "1.0", package: str = "") -> str:
        folder = tmp_path / f"site{len(modules)}"
        modules.append(install_app(folder, source, name, class_name, version, package))
        monkeypatch.syspath_prepend(str(folder))
        sys.modules.pop(modules[-1], None)
        return modules[-1]

    yield install_one
    for module in modules:
        sys.modules.pop(module, None)


@pytest.fixture
def apps(catalog: Catalog, install: Install) -> Iterator[SystemApps]:
    """The applications of a server with the package `dataprep`."""
    install(DATAPREP, "dataprep", "Dataprep")
    opened = open_apps(catalog)
    yield opened
    opened.close()


@pytest.fixture
def rogue(install: Install) -> Iterator[ModuleType]:
    """The package whose code fails."""
    module = import_module(install(ROGUE, "rogue", "Rogue"))
    yield module
    module.RELEASE.set()
