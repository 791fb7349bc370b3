"""Commands on instances in a folder of their own, with a stranger's package installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import Commands
from support.packages import install_things, python_path
from support.shell import Shell
from support.warm import Warm, warmed


@pytest.fixture(scope="session")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_things(tmp_path_factory.mktemp("things"))


@pytest.fixture(scope="session")
def warm(things: Path) -> Iterator[Warm]:
    with warmed(things) as process:
        yield process


@pytest.fixture
def shell(tmp_path: Path, things: Path, warm: Warm) -> Shell:
    home = tmp_path / "home"
    home.mkdir()
    database = home / "data" / "colophon" / "colophon.db"
    return Shell(Commands(home, database, environment={"PYTHONPATH": python_path(things)}), warm)
