"""Provide instances in a separate data folder for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog
from support.catalog import open_catalog_file
from support.instance_stores import InstanceStoreFixture, PlainInstance, open_instance_store


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(folder))
    monkeypatch.setenv("ELYRA_METADATA_PATH", "")
    monkeypatch.setattr(PlainInstance, "calls", [])
    return folder


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Catalog]:
    found = open_catalog_file(tmp_path / "catalog.db")
    yield found
    found.close()


@pytest.fixture(params=["file", "catalog"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def kept(beside: Catalog, data_folder: Path, kind: str) -> Iterator[InstanceStoreFixture]:
    """Yield a schemaspace on each of our own kinds of store."""
    with open_instance_store(beside, data_folder, kind) as found:
        yield found


@pytest.fixture
def files(beside: Catalog, data_folder: Path) -> Iterator[InstanceStoreFixture]:
    """Yield a schemaspace whose instances are in files."""
    with open_instance_store(beside, data_folder) as found:
        yield found
