"""jupyter-server-mcp itself in one Jupyter server with the extension (tests/mcp_server/requirements.txt)."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import LiveServer, run_live_server
from mcp import Client
from support.assistants import READING, call_refused_tool, call_tool, list_tool_names
from support.urns import ORDERS

#: Created by `make`; it is not part of the distribution.
PYTHON = Path(__file__).parents[2] / ".venv" / "server-tools" / "bin" / "python"
#: Nothing depends on it but how long a failure keeps the suite waiting.
PATIENCE_S = 300.0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that may write: jupyter-server-mcp is enabled by its own configuration, on a free port."""
    enabled = "--ServerApp.jpserver_extensions={'jupyter_colophon': True}"
    options = (enabled, "--MCPExtensionApp.mcp_port=0", "--Colophon.mcp_access=write")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FASTMCP_CHECK_FOR_UPDATES", "off")
        environment.setenv("FASTMCP_TELEMETRY_MODE", "off")
        with run_live_server(tmp_path_factory.mktemp("root"), home, *options, python=str(PYTHON)) as running:
            yield running


@pytest.fixture(scope="module")
def server_mcp_url(server: LiveServer, home: Path) -> str:
    """The address of jupyter-server-mcp, which it publishes once it listens."""
    deadline = time.monotonic() + PATIENCE_S
    while not (published := list((home / "runtime").glob("jpserver-mcp-*.json"))):
        assert time.monotonic() < deadline, server.create_failure("jupyter-server-mcp does not listen")
        time.sleep(0.05)
    return f"http://127.0.0.1:{json.loads(published[0].read_text())['port']}/mcp"


def test_an_assistant_finds_and_uses_the_tools_that_read(server: LiveServer, server_mcp_url: str) -> None:
    value = {"properties": {"format": "parquet"}}
    proposal = {"urn": ORDERS, "aspect": "technicalMetadata", "operation": "patch", "value": value}
    server.call("POST", "colophon/api/proposals", {"proposals": [proposal]})
    asyncio.run(use_tools(server_mcp_url))


async def use_tools(url: str) -> None:
    async with Client(url) as client:
        assert await list_tool_names(client) == READING
        (search,) = [tool for tool in (await client.list_tools()).tools if tool.name == "colophon_search"]
        assert search.input_schema["required"] == ["query"]
        assert search.input_schema["properties"]["query"]["type"] == "string"
        assert "USER" in str(search.input_schema["properties"]["scope"])
        assert search.input_schema["properties"]["limit"]["default"] == 20
        assert "Find datasets" in search.description
        (hit,) = (await call_tool(client, "colophon_search", query="orders"))["hits"]
        assert hit["urn"] == ORDERS
        graph = await call_tool(client, "colophon_lineage", urn=ORDERS, direction="both", levels=2, columns=True)
        assert graph["levels"] == 2
        assert "no such entity type" in await call_refused_tool(client, "colophon_search", query="a", type="nonsense")
        assert "limit: " in await call_refused_tool(client, "colophon_search", query="a", limit=100_000)
