"""OpenLineage's own clients, unmodified, in environments of their own, before a real server behind a base URL."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.catalog import Catalog
from live import LiveServer, live_server

ROOT = Path(__file__).parents[2]
#: Made by `make`; it is no part of what is shipped.
CLIENTS = ROOT / ".venv" / "clients" / "bin"
Program = Callable[..., str]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("server")
    with live_server(root, home, "--ServerApp.base_url=/user/bob/") as running:
        yield running


@pytest.fixture(scope="session")
def catalog(server: LiveServer) -> Iterator[Catalog]:
    """The catalog as the server's owner sees it."""
    made = server.catalog()
    yield made
    made.close()


@pytest.fixture
def client_python() -> Path:
    """The Python that has OpenLineage's client."""
    return CLIENTS / "python"


@pytest.fixture
def run_python(server: LiveServer, tmp_path: Path) -> Program:
    """`run_python(python, text, NAME=…)`: what a program says that is told where the server is; it must succeed."""

    def run(python: Path | str, text: str, **more: str) -> str:
        told = {"HOME": str(tmp_path), "SERVER": server.url, "TOKEN": server.token, "FOLDER": str(tmp_path)}
        kept: dict[str, Any] = {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}
        done = subprocess.run(
            [python, "-c", text],
            env=kept | told | more,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout + done.stderr

    return run
