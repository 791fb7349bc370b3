"""The tools in jupyter-server-mcp, which runs beside the extension in one Jupyter server."""

from typing import Any

import pytest
from mcp import Client
from support.assistants import READING, call, refusal, tool_names
from support.catalog import metadata
from support.urns import ORDERS

#: The subject is how tools are found.
STORE_NAMES = ["sqlite"]


@pytest.fixture
def jp_server_config(jp_server_config: Any) -> Any:
    extensions = jp_server_config["ServerApp"]["jpserver_extensions"] | {"jupyter_server_mcp": True}
    server = jp_server_config["ServerApp"] | {"jpserver_extensions": extensions}
    return jp_server_config | {"ServerApp": server, "MCPExtensionApp": {"mcp_port": 0}}


@pytest.fixture
def off(jp_server_config: Any) -> None:
    jp_server_config["Colophon"]["mcp_access"] = "off"


@pytest.fixture
def writing(jp_server_config: Any) -> None:
    jp_server_config["Colophon"]["mcp_access"] = "write"


@pytest.fixture
def server_mcp_url(jp_serverapp: Any, jp_asyncio_loop: Any) -> Any:
    """The address of jupyter-server-mcp."""
    (extension,) = jp_serverapp.extension_manager.extension_apps["jupyter_server_mcp"]
    jp_asyncio_loop.run_until_complete(extension.start_extension())
    yield f"http://127.0.0.1:{extension.mcp_server_instance.port}/mcp"
    jp_asyncio_loop.run_until_complete(extension.stop_extension())


async def test_an_assistant_in_jupyterlab_finds_and_uses_the_tools_that_read(
    api: Any, sales: None, server_mcp_url: str
) -> None:
    async with Client(server_mcp_url) as client:
        assert await tool_names(client) == READING
        for number in range(2):
            value = metadata({"batch": f"b{number}"})
            await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=value)
            (hit,) = (await call(client, "colophon_search", query=f"batch:b{number}"))["hits"]
            assert hit["urn"] == ORDERS
        graph = await call(client, "colophon_lineage", urn=ORDERS, direction="both", levels=2, columns=True)
        assert graph["levels"] == 2
        changes = await call(client, "colophon_changes", urn=ORDERS, limit=2)
        assert [change["urn"] for change in changes["changes"]] == [ORDERS] * 2


async def test_arguments_have_their_types_and_descriptions(sales: None, server_mcp_url: str) -> None:
    async with Client(server_mcp_url) as client:
        (search,) = [tool for tool in (await client.list_tools()).tools if tool.name == "colophon_search"]
        assert search.input_schema["required"] == ["query"]
        assert search.input_schema["properties"]["query"]["type"] == "string"
        assert "USER" in str(search.input_schema["properties"]["scope"])
        assert search.input_schema["properties"]["limit"]["default"] == 20
        assert "Find datasets" in search.description


async def test_errors_are_sentences(sales: None, server_mcp_url: str) -> None:
    async with Client(server_mcp_url) as client:
        assert "no entity type" in await refusal(client, "colophon_search", query="a", type="nonsense")
        assert "limit: " in await refusal(client, "colophon_search", query="a", limit=100_000)


async def test_they_write_nothing_whatever_the_setting_is(writing: None, sales: None, server_mcp_url: str) -> None:
    async with Client(server_mcp_url) as client:
        assert await tool_names(client) == READING


async def test_there_are_none_where_the_setting_is_off(off: None, jp_serverapp: Any, server_mcp_url: str) -> None:
    async with Client(server_mcp_url) as client:
        assert await tool_names(client) == set()
