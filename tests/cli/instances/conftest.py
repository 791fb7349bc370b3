"""Fixtures: commands on instances in an empty folder, with a third-party package of schemaspaces."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import Commands
from support.fork_server import ForkServer, start_fork_server
from support.packages import build_python_path, install_things_package
from support.shell import InstanceShell


@pytest.fixture(scope="session")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_things_package(tmp_path_factory.mktemp("things"))


@pytest.fixture(scope="session")
def warm(things: Path) -> Iterator[ForkServer]:
    with start_fork_server(things) as process:
        yield process


@pytest.fixture
def shell(tmp_path: Path, things: Path, warm: ForkServer) -> InstanceShell:
    home = tmp_path / "home"
    home.mkdir()
    database = home / "data" / "colophon" / "colophon.db"
    return InstanceShell(Commands(home, database, environment={"PYTHONPATH": build_python_path(things)}), warm)
