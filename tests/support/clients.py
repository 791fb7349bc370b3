"""Where the clients of others are, and the server behind a base URL that they talk to. A conftest imports what it uses."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import LiveServer, live_server

#: Made by `make`; it is no part of what is shipped.
CLIENTS = Path(__file__).parents[2] / ".venv" / "clients" / "bin"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("server")
    with live_server(root, home, "--ServerApp.base_url=/user/bob/") as running:
        yield running
