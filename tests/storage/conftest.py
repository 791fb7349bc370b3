"""Stores for the conformance suite: every test that asks for one runs on each provider (`--storage-provider=NAME`)."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.spi import StorageProvider
from support.stores import STORES
from support.things import THINGS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_name" in metafunc.fixturenames:
        names = metafunc.config.getoption("--storage-provider") or list(STORES)
        metafunc.parametrize("store_name", names, scope="session")


@pytest.fixture
def choice(store_name: str, tmp_path: Path) -> Iterator[StoreChoice]:
    """A fresh and empty store."""
    with STORES[store_name](tmp_path) as made:
        yield made


@pytest.fixture
def store(choice: StoreChoice) -> Iterator[StorageProvider]:
    """The same, open."""
    provider = providers.opened(choice)
    yield provider
    provider.close()


@pytest.fixture
def things(store: StorageProvider) -> StorageProvider:
    """The same, with a table that is empty."""
    store.table_admin.create_or_update(THINGS)
    return store


@pytest.fixture
def another(choice: StoreChoice, store: StorageProvider) -> Iterator[StorageProvider]:
    """The same store once more, as another process would have opened it."""
    provider = providers.opened(choice)
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def shared(store_name: str, tmp_path_factory: Any) -> Iterator[StorageProvider]:
    """A store that all tests of a file use, for those with many examples; they begin by emptying the things."""
    with ExitStack() as stack:
        made = stack.enter_context(STORES[store_name](tmp_path_factory.mktemp("shared")))
        provider = providers.opened(made)
        stack.callback(provider.close)
        provider.table_admin.create_or_update(THINGS)
        yield provider
