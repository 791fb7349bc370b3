"""Clients of the MCP server, built with the protocol's own SDK."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

#: How a client connects: with the handshake of earlier revisions, or by negotiating the revision (since 2026-07-28).
MODES: Final = ("legacy", "auto")
READING: Final = {
    "colophon_search",
    "colophon_read_entity",
    "colophon_lineage",
    "colophon_impact",
    "colophon_runs",
    "colophon_cells",
    "colophon_changes",
}
WRITING: Final = {"colophon_tag", "colophon_set_properties", "colophon_propose_description"}


@asynccontextmanager
async def connect_assistant(url: str, headers: Mapping[str, str], mode: str = "auto") -> AsyncIterator[Client]:
    """Connect to a server over streamable HTTP."""
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=120) as http_client,
        Client(streamable_http_client(url, http_client=http_client), mode=mode) as client,
    ):
        yield client


async def list_tool_names(client: Client) -> set[str]:
    """Return the names of the tools that the client may use."""
    return {tool.name for tool in (await client.list_tools()).tools}


async def call_tool(client: Client, name: str, **arguments: Any) -> Any:
    """Call a tool and return its document."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def call_refused_tool(client: Client, name: str, **arguments: Any) -> str:
    """Call a tool that refuses and return its error message."""
    result = await client.call_tool(name, arguments)
    assert result.is_error
    (content,) = result.content
    assert "Traceback" not in content.text
    return str(content.text)
