"""Fixtures: commands on instances in an empty folder, with a third-party package of schemaspaces."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import Commands
from support.packages import build_python_path, install_things
from support.shell import Shell
from support.warm import Warm, start_warm_process


@pytest.fixture(scope="session")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_things(tmp_path_factory.mktemp("things"))


@pytest.fixture(scope="session")
def warm(things: Path) -> Iterator[Warm]:
    with start_warm_process(things) as process:
        yield process


@pytest.fixture
def shell(tmp_path: Path, things: Path, warm: Warm) -> Shell:
    home = tmp_path / "home"
    home.mkdir()
    database = home / "data" / "colophon" / "colophon.db"
    return Shell(Commands(home, database, environment={"PYTHONPATH": build_python_path(things)}), warm)
