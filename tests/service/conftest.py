"""Provide a separate catalog for each test, on every shipped store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog
from support.stores import CATALOGS, open_new_catalog


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_name" in metafunc.fixturenames:
        names = metafunc.config.getoption("--storage-provider") or CATALOGS
        metafunc.parametrize("store_name", names, scope="session")


@pytest.fixture
def catalog(store_name: str, tmp_path: Path) -> Iterator[Catalog]:
    with open_new_catalog(store_name, tmp_path) as opened_catalog:
        yield opened_catalog
