"""OpenLineage's own clients, unmodified, in environments of their own, before a real server behind a base URL."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from live import LiveServer
from support.clients import CLIENTS, server
from support.servers import catalog

__all__ = ["catalog", "server"]
Program = Callable[..., str]


@pytest.fixture
def client_python() -> Path:
    """The Python that has OpenLineage's client."""
    return CLIENTS / "python"


@pytest.fixture
def run_python(server: LiveServer, tmp_path: Path) -> Program:
    """`run_python(python, text, NAME=…)`: the output of a program that has the address of the server; it must succeed."""

    def run(python: Path | str, text: str, **more: str) -> str:
        reported = {"HOME": str(tmp_path), "SERVER": server.url, "TOKEN": server.token, "FOLDER": str(tmp_path)}
        kept: dict[str, Any] = {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}
        done = subprocess.run(
            [python, "-c", text],
            env=kept | reported | more,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout + done.stderr

    return run
