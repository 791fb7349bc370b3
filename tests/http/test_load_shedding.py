"""An overloaded server refuses requests, first those that cost most, and shows that in its health and metrics."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.errors import Overloaded
from jupyter_colophon.core.server_load import NOT_READY_S, REQUEST_KINDS
from jupyter_colophon.http.load_shedding import LoadShedder
from jupyter_colophon.http.state import SETTING, ServerState
from jupyter_colophon.settings import Settings
from jupyter_colophon.system import memory
from mcp.shared.exceptions import MCPError
from prometheus_client.parser import text_string_to_metric_families
from support.assistants import connect_assistant
from support.catalog import build_metadata_value
from support.service_tokens import create_service_token
from support.urns import ORDERS, build_table_urn

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
MIB = 1024 * 1024


@pytest.fixture
def state(jp_serverapp: Any) -> ServerState:
    """The state of the running server."""
    chosen: ServerState = jp_serverapp.web_app.settings[SETTING]
    return chosen


async def count_shed(jp_fetch: Any) -> dict[str, float]:
    text = (await jp_fetch("colophon", "api", "metrics")).body.decode()
    return {
        sample.labels["kind"]: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "colophon_requests_shed_total"
    }


async def send_each_kind(api: Any) -> list[int]:
    """Return the statuses of a search, of a read, and of a write."""
    calls = (
        api("GET", "search", params={"q": "*"}),
        api("GET", *BUSINESS),
        api("PUT", *BUSINESS, body=build_metadata_value({"a": "b"})),
    )
    return [answer.status for answer in await asyncio.gather(*calls)]


async def send_each_kind_at_memory_limit(api: Any, state: ServerState, factor: float, shed: Counter[str]) -> list[int]:
    """Return the statuses while the limit is a multiple of the memory in use; count the refusals.

    Threads of earlier tests allocate memory too: it is repeated until the memory was the same before and after.
    """
    for _ in range(50):
        # The server returns free memory while it is above its limit.
        memory.return_free_memory()
        before = memory.read_resident_bytes()
        assert before is not None
        state.settings.max_memory_mb = int(before * factor / MIB)
        # The server measures it every 0.1 seconds.
        await asyncio.sleep(0.2)
        statuses = await send_each_kind(api)
        shed.update(kind for kind, status in zip(REQUEST_KINDS, statuses, strict=True) if status == 503)
        after = memory.read_resident_bytes()
        if after is not None and abs(after - before) < before * 0.02:
            return statuses
    raise AssertionError("the memory of the test process does not stay the same")


async def test_memory_above_the_limit_refuses_queries_then_reads_then_writes(
    api: Any, sales: None, state: ServerState, jp_fetch: Any
) -> None:
    await api("PUT", *BUSINESS, body=build_metadata_value())
    shed: Counter[str] = Counter()
    for factor, expected in (
        (2.0, [200, 200, 200]),
        (0.95, [503, 200, 200]),
        (0.87, [503, 503, 200]),
        (0.5, [503] * 3),
    ):
        statuses = await send_each_kind_at_memory_limit(api, state, factor, shed)
        assert statuses == expected
    refused = await api("GET", "search", params={"q": "*"})
    assert refused.body["type"].endswith(":overloaded")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert 1 < int(refused.headers["Retry-After"]) < 10
    health = await api("GET", "health")
    assert (health.status, health.body["load"]["refused"]) == (200, list(REQUEST_KINDS))
    assert health.body["load"]["memoryBytes"] > health.body["load"]["memoryLimitBytes"]
    assert await count_shed(jp_fetch) == shed + Counter({"query": 1})
    state.settings.max_memory_mb = 0
    assert await send_each_kind(api) == [200, 200, 200]


@pytest.fixture
def locked_store(state: ServerState) -> Iterator[Any]:
    """Return a connection that can lock the store: writes then wait."""
    with closing(sqlite3.connect(Path(state.store.options["path"]), isolation_level=None)) as connection:
        yield connection
        if connection.in_transaction:
            connection.rollback()


async def test_queries_are_refused_while_requests_wait_for_threads(
    api: Any, sales: None, state: ServerState, locked_store: sqlite3.Connection, jp_fetch: Any
) -> None:
    """Writes of several users that wait for a lock occupy the threads."""
    state.settings.max_queue_delay_seconds = 0.2
    # One more than there are threads; the client of the tests sends ten requests at once.
    users = [await create_service_token(api, f"writer{number}", "annotate", "read") for number in range(5)]
    locked_store.execute("BEGIN IMMEDIATE")
    writes = [
        asyncio.ensure_future(
            api(
                "PUT",
                *("entities", build_table_urn(f"t{number}", "sales"), "aspects", "businessMetadata"),
                body=build_metadata_value(),
                anonymous=True,
                headers=users[number % len(users)],
            )
        )
        for number in range(9)
    ]
    for _ in range(1_200):
        refused = await api("GET", "search", params={"q": "*"})
        if refused.status == 503:
            break
        await asyncio.sleep(0.05)
    assert refused.body["type"].endswith(":overloaded")
    locked_store.rollback()
    statuses = [answer.status for answer in await asyncio.gather(*writes)]
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= 8
    assert (await count_shed(jp_fetch))["query"] >= 1
    for _ in range(1_200):
        if (await api("GET", "search", params={"q": "*"})).status == 200:
            break
    assert (await api("GET", "health")).body["load"]["refused"] == []


async def test_tools_of_assistants_are_refused_as_the_requests_that_they_make(
    api: Any, sales: None, state: ServerState, jp_http_port: int, jp_base_url: str, jp_auth_header: Any, jp_fetch: Any
) -> None:
    delays_s = [0.0]
    state.load_shedder.stop()
    # Far above the delays of a busy machine.
    state.settings.max_queue_delay_seconds, state.settings.mcp_access = 60.0, "write"
    state.load_shedder = LoadShedder(state.settings, lambda: delays_s[0])
    url = f"http://127.0.0.1:{jp_http_port}{jp_base_url}colophon/mcp"
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("colophon_search", {"query": "orders"}),
        ("colophon_read_entity", {"urn": ORDERS}),
        ("colophon_tag", {"urn": ORDERS, "add": ["gold"]}),
    )
    async with connect_assistant(url, jp_auth_header) as client:
        for refused, delays_s[0] in ((1, 70.0), (2, 140.0), (3, 280.0)):
            await wait_until_refused(api, [503] * refused + [200] * (3 - refused))
            before = Counter(await count_shed(jp_fetch))
            answers = await asyncio.gather(
                *(client.call_tool(name, arguments) for name, arguments in calls), return_exceptions=True
            )
            for error in answers[:refused]:
                assert isinstance(error, MCPError)
                assert str(error).startswith("the server is overloaded: try again in ")
            for answer in answers[refused:]:
                assert not isinstance(answer, BaseException)
                assert not answer.is_error
            # A message is counted as a write if it is refused before it is read.
            kinds = Counter(REQUEST_KINDS[:refused]) if refused < 3 else Counter(write=3)
            assert Counter(await count_shed(jp_fetch)) == before + kinds


async def wait_until_refused(api: Any, statuses: list[int]) -> None:
    """Wait until a search, a read and a write have these statuses: a delay counts if it lasts."""
    for _ in range(1_200):
        if await send_each_kind(api) == statuses:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"the statuses do not become {statuses}")


async def test_a_long_overload_makes_the_server_not_ready(api: Any, sales: None, state: ServerState) -> None:
    clock = [0.0]
    state.load_shedder = LoadShedder(state.settings, lambda: 0.0, lambda: clock[0])
    state.settings.max_memory_mb = 1
    assert (await api("GET", "health")).body["load"]["overloadedSeconds"] == 0
    while clock[0] <= NOT_READY_S:
        assert (await api("GET", *BUSINESS)).status == 503
        clock[0] += 8
    health = await api("GET", "health")
    assert (health.status, health.body["status"]) == (503, "overloaded")
    assert health.body["store"]["status"] == "ok"
    # Without requests there is no overload.
    clock[0] += NOT_READY_S
    assert (await api("GET", "health")).body["status"] == "ok"


@pytest.mark.parametrize(
    ("delay_s", "refused"), [(0.4, []), (0.6, ["query"]), (1.2, ["query", "read"]), (2.5, ["query", "read", "write"])]
)
async def test_a_lasting_delay_decides_what_is_refused(delay_s: float, refused: list[str]) -> None:
    shedder = LoadShedder(Settings(max_memory_mb=1_000_000, max_queue_delay_seconds=0.5), lambda: 0.0)
    shedder.record_delay(9.0)
    # A single delay refuses nothing.
    assert shedder.measure_load().refused == ()
    shedder.record_delay(delay_s)
    assert list(shedder.measure_load().refused) == refused
    for kind in REQUEST_KINDS:
        if kind in refused:
            with pytest.raises(Overloaded):
                shedder.require_capacity(kind)
    shedder.record_delay(0.0)
    assert shedder.measure_load().refused == ()
    shedder.stop()


def test_the_limit_of_memory_is_shared_by_processes() -> None:
    shedder = LoadShedder(Settings(), lambda: 0.0)
    available = memory.find_available_bytes()
    assert available is not None
    assert shedder.memory_limit_bytes == int(available * 0.8)
    shedder.processes = 4
    assert shedder.memory_limit_bytes == int(available * 0.2)
