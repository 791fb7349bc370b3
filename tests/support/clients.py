"""Third-party clients, and the server behind a base URL that they use. A conftest imports the fixtures that it needs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import LiveServer, run_live_server

#: Created by `make`; not part of the distribution.
CLIENTS = Path(__file__).parents[2] / ".venv" / "clients" / "bin"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("server")
    with run_live_server(root, home, "--ServerApp.base_url=/user/bob/") as running:
        yield running
