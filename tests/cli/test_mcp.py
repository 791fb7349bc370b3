"""`jupyter colophon mcp`, a process that the SDK's client starts, on the store of this machine and on a server's."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from live import LiveServer, live_server
from mcp import Client, StdioServerParameters
from support.assistants import MODES, READING, WRITING, call, refusal, tool_names
from support.catalog import opened, say
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
    """A server whose catalog has the table `orders`."""
    with live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as running:
        client = running.catalog()
        value = {"properties": {}, "tags": []}
        proposal = {"urn": ORDERS, "aspect": "technicalMetadata", "operation": "upsert", "value": value}
        client.submit_proposals({"proposals": [proposal]})
        client.close()
        yield running


@pytest.mark.parametrize("mode", MODES)
def test_an_assistant_finds_and_reads_what_the_store_has(colophon: Commands, database: Path, mode: str) -> None:
    async def ask() -> None:
        async with assistant(colophon, f"--database={database}", mode=mode) as client:
            assert await tool_names(client) == READING
            hits = (await call(client, "colophon_search", query="owner:ops"))["hits"]
            assert {hit["urn"] for hit in hits} == {ORDERS, REPORT}
            entity = await call(client, "colophon_read_entity", urn=REPORT, aspects="technicalMetadata")
            assert entity["aspects"]["technicalMetadata"]["value"]["properties"] == {"owner": "ops"}
            graph = await call(client, "colophon_lineage", urn=REPORT)
            assert {ORDERS, CELL, REPORT} <= {node["urn"] for node in graph["nodes"]}
            impact = await call(client, "colophon_impact", urn=ORDERS)
            assert {"name": "dataset", "count": 1} in impact["byType"]
            (run,) = (await call(client, "colophon_runs", data=REPORT))["runs"]
            assert run["program"] == CELL

    asyncio.run(ask())


def test_a_write_of_another_process_is_read_at_once(colophon: Commands, database: Path) -> None:
    async def ask() -> None:
        async with assistant(colophon, f"--database={database}") as client:
            head = (await call(client, "colophon_changes", limit=0))["cursor"]
            for number in range(3):
                other = opened(database)
                say(other, ORDERS, {"batch": f"b{number}"})
                other.close()
                found = await call(client, "colophon_search", query=f"batch:b{number}")
                assert [hit["urn"] for hit in found["hits"]] == [ORDERS]
            changes = (await call(client, "colophon_changes", after=head))["changes"]
            assert [change["urn"] for change in changes] == [ORDERS] * 3

    asyncio.run(ask())


def test_it_tags_and_describes_where_the_setting_allows_it(colophon: Commands, database: Path) -> None:
    async def ask() -> None:
        async with assistant(colophon, f"--database={database}", WRITES) as client:
            assert await tool_names(client) == READING | WRITING
            tagged = await call(client, "colophon_tag", urn=ORDERS, add=["gold", "faa-2"])
            assert tagged["tags"] == ["gold", "faa-2"]
            said = await call(client, "colophon_set_properties", urn=ORDERS, properties={"refresh": "daily"})
            assert said["properties"] == {"refresh": "daily"}
            await call(client, "colophon_propose_description", urn=ORDERS, description="All orders.")
            assert (await call(client, "colophon_search", query="orders", tag="gold"))["total"] == 1

    asyncio.run(ask())
    shown = colophon("show", "sales.orders", "--json").answer
    assert "All orders." in str(shown)


class TestOfAServer:
    def test_it_reads_and_writes_by_the_token_in_the_environment(
        self, colophon: Commands, database: Path, writable: LiveServer
    ) -> None:
        asking = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": writable.token})

        async def ask() -> None:
            async with assistant(asking, f"--url={writable.url}", WRITES) as client:
                await call(client, "colophon_tag", urn=ORDERS, add=["silver"])
                (hit,) = (await call(client, "colophon_search", query="tags:silver"))["hits"]
                assert hit["urn"] == ORDERS

        asyncio.run(ask())

    def test_its_refusals_are_sentences(self, colophon: Commands, database: Path, writable: LiveServer) -> None:
        asking = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": "wrong"})

        async def ask() -> str:
            async with assistant(asking, f"--url={writable.url}") as client:
                return await refusal(client, "colophon_search", query="*")

        assert "does not accept the token" in asyncio.run(ask())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--Colophon.mcp_access=off",), "the MCP server is off"),
        (("--url=nonsense",), "--url"),
        (("--database=/nowhere/colophon.db",), "/nowhere/colophon.db"),
    ],
)
def test_it_does_not_start_where_it_cannot_serve(colophon: Commands, options: Any, sentence: str) -> None:
    done = colophon.bare("mcp", *options)
    assert done.status != 0
    assert sentence in done.err
    assert done.err.count("\n") == 1
