"""Fixtures: a catalog in a file or of a server, and commands on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.client.operations import Operations
from live import LiveServer, run_live_server
from support.captured_commands import Folder
from support.catalog import open_catalog_file, record_run, write_metadata
from support.commands import Commands
from support.urns import CELL, ORDERS, REPORT


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A catalog that no process has open."""
    path = tmp_path / "catalog" / "colophon.db"
    catalog = open_catalog_file(path)
    write_metadata(catalog, ORDERS, {"owner": "ops"}, ["faa"])
    write_metadata(catalog, REPORT, {"owner": "ops"})
    record_run(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000)
    catalog.close()
    return path


@pytest.fixture
def colophon(tmp_path: Path, database: Path) -> Commands:
    home = tmp_path / "home"
    home.mkdir()
    return Commands(home, database)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with its own home directory."""
    with run_live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture
def folder(served: LiveServer, tmp_path: Path) -> Folder:
    return Folder(tmp_path, served)


@pytest.fixture(scope="module")
def catalog(served: LiveServer) -> Iterator[Operations]:
    operations = served.create_client()
    yield operations
    operations.close()
