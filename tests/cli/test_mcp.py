"""`jupyter colophon mcp`, started by the client of the SDK, on a local store and on a server."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from live import LiveServer, run_live_server
from mcp import Client, StdioServerParameters
from support.assistants import MODES, READING, WRITING, call_refused_tool, call_tool, list_tool_names
from support.catalog import open_catalog_file, write_metadata
from support.commands import Commands
from support.urns import CELL, ORDERS, REPORT

WRITES = "--Colophon.mcp_access=write"


@asynccontextmanager
async def assistant(colophon: Commands, *options: str, mode: str = "auto") -> AsyncIterator[Client]:
    arguments = ["-m", "jupyter_colophon.cli", "mcp", *options]
    started = StdioServerParameters(
        command=sys.executable, args=arguments, env=dict(colophon.whole_environment), cwd=colophon.home
    )
    async with Client(started, mode=mode) as client:
        yield client


@pytest.fixture(scope="module")
def writable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with the table `orders`."""
    with run_live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as running:
        client = running.create_client()
        value = {"properties": {}, "tags": []}
        proposal = {"urn": ORDERS, "aspect": "technicalMetadata", "operation": "upsert", "value": value}
        client.submit_proposals({"proposals": [proposal]})
        client.close()
        yield running


@pytest.mark.parametrize("mode", MODES)
def test_assistant_searches_and_reads_store(colophon: Commands, database: Path, mode: str) -> None:
    async def ask() -> None:
        async with assistant(colophon, f"--database={database}", mode=mode) as client:
            assert await list_tool_names(client) == READING
            hits = (await call_tool(client, "colophon_search", query="owner:ops"))["hits"]
            assert {hit["urn"] for hit in hits} == {ORDERS, REPORT}
            entity = await call_tool(client, "colophon_read_entity", urn=REPORT, aspects="technicalMetadata")
            assert entity["aspects"]["technicalMetadata"]["value"]["properties"] == {"owner": "ops"}
            graph = await call_tool(client, "colophon_lineage", urn=REPORT)
            assert {ORDERS, CELL, REPORT} <= {node["urn"] for node in graph["nodes"]}
            impact = await call_tool(client, "colophon_impact", urn=ORDERS)
            assert {"name": "dataset", "count": 1} in impact["byType"]
            (run,) = (await call_tool(client, "colophon_runs", data=REPORT))["runs"]
            assert run["program"] == CELL

    asyncio.run(ask())


def test_assistant_reads_writes_of_other_processes(colophon: Commands, database: Path) -> None:
    async def ask() -> None:
        async with assistant(colophon, f"--database={database}") as client:
            head = (await call_tool(client, "colophon_changes", limit=0))["cursor"]
            for number in range(3):
                other = open_catalog_file(database)
                write_metadata(other, ORDERS, {"batch": f"b{number}"})
                other.close()
                result = await call_tool(client, "colophon_search", query=f"batch:b{number}")
                assert [hit["urn"] for hit in result["hits"]] == [ORDERS]
            changes = (await call_tool(client, "colophon_changes", after=head))["changes"]
            assert [change["urn"] for change in changes] == [ORDERS] * 3

    asyncio.run(ask())


def test_assistant_writes_if_setting_allows(colophon: Commands, database: Path) -> None:
    async def ask() -> None:
        async with assistant(colophon, f"--database={database}", WRITES) as client:
            assert await list_tool_names(client) == READING | WRITING
            tagged = await call_tool(client, "colophon_tag", urn=ORDERS, add=["gold", "faa-2"])
            assert tagged["tags"] == ["gold", "faa-2"]
            text = await call_tool(client, "colophon_set_properties", urn=ORDERS, properties={"refresh": "daily"})
            assert text["properties"] == {"refresh": "daily"}
            await call_tool(client, "colophon_propose_description", urn=ORDERS, description="All orders.")
            assert (await call_tool(client, "colophon_search", query="orders", tag="gold"))["total"] == 1

    asyncio.run(ask())
    shown = colophon("show", "sales.orders", "--json").answer
    assert "All orders." in str(shown)


class TestOfAServer:
    def test_assistant_uses_token_of_environment(
        self, colophon: Commands, database: Path, writable: LiveServer
    ) -> None:
        commands = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": writable.token})

        async def ask() -> None:
            async with assistant(commands, f"--url={writable.url}", WRITES) as client:
                await call_tool(client, "colophon_tag", urn=ORDERS, add=["silver"])
                (hit,) = (await call_tool(client, "colophon_search", query="tags:silver"))["hits"]
                assert hit["urn"] == ORDERS

        asyncio.run(ask())

    def test_server_errors_are_readable_messages(
        self, colophon: Commands, database: Path, writable: LiveServer
    ) -> None:
        commands = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": "wrong"})

        async def ask() -> str:
            async with assistant(commands, f"--url={writable.url}") as client:
                return await call_refused_tool(client, "colophon_search", query="*")

        assert "does not accept the token" in asyncio.run(ask())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--Colophon.mcp_access=off",), "the MCP server is disabled"),
        (("--url=nonsense",), "--url"),
        (("--database=/nowhere/colophon.db",), "/nowhere/colophon.db"),
    ],
)
def test_mcp_fails_without_access(colophon: Commands, options: Any, sentence: str) -> None:
    done = colophon.run("mcp", *options)
    assert done.status != 0
    assert sentence in done.err
    assert done.err.count("\n") == 1
