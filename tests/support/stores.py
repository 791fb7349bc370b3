"""The stores that the conformance suite is run on, by name.

Each gives the choice of a fresh and empty store, quickly. It may be opened more than once, by `providers.opened`:
several providers on one store are what several processes are.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import entry_points
from pathlib import Path

from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice, sqlite_file
from jupyter_colophon.storage.providers import GROUP
from support.postgres import empty_store, fresh_schema

Store = Callable[[Path], AbstractContextManager[StoreChoice]]


@contextmanager
def _sqlite(folder: Path) -> Iterator[StoreChoice]:
    yield sqlite_file(folder / "store.db")


@contextmanager
def _postgresql(folder: Path) -> Iterator[StoreChoice]:
    with fresh_schema() as choice:
        yield choice


@contextmanager
def _toy(folder: Path) -> Iterator[StoreChoice]:
    with installed(folder, "toy", "support.toy_store:ToyProvider"):
        yield StoreChoice("toy", {"place": str(folder)})


@contextmanager
def installed(folder: Path, name: str, target: str) -> Iterator[None]:
    """A package in this folder that brings a storage provider, as pip would have installed it."""
    package = folder / f"{name}_store-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-store\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {target}\n")
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


#: A provider's name, and what makes a store of it; the folder is the test's own.
STORES: dict[str, Store] = {
    "sqlite": _sqlite,
    "postgresql": _postgresql,
    "toy": _toy,
}


def add_installed_provider(name: str, options: Mapping[str, str]) -> bool:
    """Add the provider of an installed package by its entry point's name; return whether there is one.

    `{folder}` in an option is replaced by a fresh folder.
    """

    @contextmanager
    def open_store(folder: Path) -> Iterator[StoreChoice]:
        yield StoreChoice(name, {key: value.replace("{folder}", str(folder)) for key, value in options.items()})

    if name not in entry_points(group=GROUP).names:
        return False
    STORES[name] = READY[name] = open_store
    return True


#: Those that we ship, on which all that is asked of a catalog is asked.
CATALOGS = ["sqlite", "postgresql"]


#: The same stores for tests that are not about the making of one: PostgreSQL's is made already.
READY: dict[str, Store] = STORES | {"postgresql": lambda folder: empty_store()}


@contextmanager
def fresh_catalog(name: str, folder: Path) -> Iterator[Catalog]:
    """An open catalog in a store of this kind that holds nothing."""
    with READY[name](folder) as choice:
        catalog = open_catalog(choice, Identity())
        try:
            yield catalog
        finally:
            catalog.close()
