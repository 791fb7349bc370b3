"""A catalog in a file, or of a server, and commands for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import LiveServer, live_server
from support.catalog import opened, say, touch
from support.commands import Commands
from support.urns import CELL, ORDERS, REPORT


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A catalog that nobody has open."""
    path = tmp_path / "catalog" / "colophon.db"
    catalog = opened(path)
    say(catalog, ORDERS, {"owner": "ops"}, ["faa"])
    say(catalog, REPORT, {"owner": "ops"})
    touch(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000)
    catalog.close()
    return path


@pytest.fixture
def colophon(tmp_path: Path, database: Path) -> Commands:
    home = tmp_path / "home"
    home.mkdir()
    return Commands(home, database)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with a home of its own."""
    with live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as running:
        yield running
