"""The kernel side is tested on a real server."""

from pathlib import Path

import pytest
from support.servers import catalog, database, kernel, server

__all__ = ["catalog", "database", "kernel", "server"]


@pytest.fixture(autouse=True)
def outbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what waits for the server, for kernels within the test's process."""
    monkeypatch.setenv("COLOPHON_OUTBOX", str(tmp_path / "outbox"))
    return tmp_path / "outbox"
