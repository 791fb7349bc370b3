"""Fixtures of the conformance suite: every test that uses a store runs on each provider (`--storage-provider=NAME`)."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.spi import StorageProvider
from support.postgres import spread_entries_over_blocks
from support.stores import STORES
from support.things_table import THINGS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_name" in metafunc.fixturenames:
        names = metafunc.config.getoption("--storage-provider") or list(STORES)
        metafunc.parametrize("store_name", names, scope="session")


@pytest.fixture
def choice(store_name: str, tmp_path: Path) -> Iterator[StorageChoice]:
    """Create an empty store."""
    with STORES[store_name](tmp_path) as store_choice:
        yield store_choice


@pytest.fixture
def store(choice: StorageChoice) -> Iterator[StorageProvider]:
    """Open the store."""
    provider = providers.open_complete_provider(choice)
    yield provider
    provider.close()


@pytest.fixture
def things(store: StorageProvider) -> StorageProvider:
    """Add an empty table to the store."""
    store.table_admin.create_or_update(THINGS)
    return store


@pytest.fixture
def another(choice: StorageChoice, store: StorageProvider) -> Iterator[StorageProvider]:
    """Open the same store a second time, as another process does."""
    provider = providers.open_complete_provider(choice)
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def shared(store_name: str, tmp_path_factory: Any) -> Iterator[StorageProvider]:
    """Share one store among the tests of a module that run many examples; each test first empties the table."""
    with ExitStack() as stack:
        store_choice = stack.enter_context(STORES[store_name](tmp_path_factory.mktemp("shared")))
        provider = providers.open_complete_provider(store_choice)
        stack.callback(provider.close)
        provider.table_admin.create_or_update(THINGS)
        if store_name == "postgresql":
            spread_entries_over_blocks(store_choice)
        yield provider
