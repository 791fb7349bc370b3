"""A catalog in a file, and commands for it."""

from pathlib import Path

import pytest
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
