"""The stores of the conformance suite, by name.

Each yields the choice of an empty store, quickly. It may be opened several times by `providers.open_complete_provider`: several
providers on one store stand for several processes.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import entry_points
from pathlib import Path

from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Authorizer
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.service.instances.secrets.file_store import FileSecretStore
from jupyter_colophon.service.instances.secrets.stores import SecretStores
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.storage.providers import GROUP
from support.postgres import create_empty_store, create_store_in_schema

Store = Callable[[Path], AbstractContextManager[StorageChoice]]

#: The size limit of files of system applications, in bytes.
APP_FILE_BYTES = 100_000


@contextmanager
def _create_sqlite_store(folder: Path) -> Iterator[StorageChoice]:
    yield choose_sqlite_store(folder / "store.db")


@contextmanager
def _create_postgresql_store(folder: Path) -> Iterator[StorageChoice]:
    with create_store_in_schema() as choice:
        yield choice


@contextmanager
def _create_toy_store(folder: Path) -> Iterator[StorageChoice]:
    with install_provider_package(folder, "toy", "support.toy_store:ToyProvider"):
        yield StorageChoice("toy", {"place": str(folder)})


@contextmanager
def install_provider_package(folder: Path, name: str, target: str) -> Iterator[None]:
    """Install a package with a storage provider in this folder, as pip does."""
    package = folder / f"{name}_store-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-store\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {target}\n")
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


#: The context manager that creates a store, by provider; the folder belongs to the test.
STORES: dict[str, Store] = {
    "sqlite": _create_sqlite_store,
    "postgresql": _create_postgresql_store,
    "toy": _create_toy_store,
}


def add_installed_provider(name: str, options: Mapping[str, str]) -> bool:
    """Add the provider of an installed package by its entry point's name; return whether there is one.

    `{folder}` in an option is replaced by a fresh folder.
    """

    @contextmanager
    def open_store(folder: Path) -> Iterator[StorageChoice]:
        yield StorageChoice(name, {key: value.replace("{folder}", str(folder)) for key, value in options.items()})

    if name not in entry_points(group=GROUP).names:
        return False
    STORES[name] = READY[name] = open_store
    return True


#: The shipped providers; tests of whole catalogs run on them.
CATALOGS = ["sqlite", "postgresql"]


#: The same stores for tests that do not test their creation: that of PostgreSQL is already created.
READY: dict[str, Store] = STORES | {"postgresql": lambda folder: create_empty_store()}


@contextmanager
def open_new_catalog(name: str, folder: Path, authorizer: Authorizer | None = None) -> Iterator[Catalog]:
    """Open a catalog in an empty store of this kind."""
    with READY[name](folder) as choice:
        secret_stores = SecretStores(FileSecretStore(folder / "secrets"))
        catalog = open_or_create_catalog(
            choice,
            IdentityRules(),
            authorizer=authorizer,
            app_files=AppFileFolder(folder / "app-files", APP_FILE_BYTES),
            secret_stores=lambda: secret_stores,
        )
        try:
            yield catalog
        finally:
            catalog.close()
