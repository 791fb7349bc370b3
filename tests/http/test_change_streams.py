"""The change log as server-sent events: resumed by the last id, filtered, cut off, and without loss."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from support.catalog import build_metadata_value, write_metadata
from support.events import EventStream, Stream, open_event_stream
from support.urns import ORDERS, build_table_urn

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
#: More changes of 120 KB than any buffer of a connection holds.
_MANY = 160


@pytest.fixture
def stream(jp_serverapp: Any, http_server: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any) -> Stream:
    async def connect(last: str | None = None, **params: Any) -> EventStream:
        headers = jp_auth_header | ({"Last-Event-ID": last} if last is not None else {})
        return await open_event_stream(jp_http_port, f"{jp_base_url}colophon/api/changes/stream", headers, **params)

    return connect


async def written(api: Any, after: int) -> Sequence[Any]:
    found: list[Any] = (await api("GET", "changes", params={"after": after}, answers="changes")).body["changes"]
    return found


@pytest.mark.each_store
async def test_events_are_the_changes_with_their_numbers_as_ids(api: Any, sales: None, stream: Stream) -> None:
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    events = await stream()
    assert (events.status, events.headers["Content-Type"]) == (200, "text/event-stream")
    hello = await events.read_next()
    assert hello == (str(head), "hello", {"head": head})
    for number in range(10):
        await api("PUT", *BUSINESS, body=build_metadata_value({"number": str(number)}))
    reported = await written(api, head)
    assert await events.read_until(lambda one: one["seq"] == reported[-1]["seq"]) == reported
    events.close()


async def test_last_event_id_resumes_without_loss(api: Any, sales: None, stream: Stream) -> None:
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    received: list[Any] = []
    last = str(head)
    for number in range(4):
        # A browser reconnects with the same URL, and its last id.
        events = await stream(last, after=0)
        assert (await events.read_next()).kind == "hello"  # type: ignore[union-attr]
        await api("PUT", *BUSINESS, body=build_metadata_value({"number": str(number)}))
        received += await events.read_until(lambda one: True)
        last = str(received[-1]["seq"])
        events.close()
        await api("PUT", *BUSINESS, body=build_metadata_value({"between": str(number)}))
    assert received == list(await written(api, head))[: len(received)]
    assert [one["seq"] for one in received] == list(range(head + 1, head + 1 + len(received)))


async def test_stream_filters_changes(api: Any, sales: None, stream: Stream) -> None:
    events = await stream(after=0, urn=ORDERS)
    await events.read_next()
    await api("PUT", "entities", build_table_urn("other"), "aspects", "technicalMetadata", body=build_metadata_value())
    await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "last"}))
    received = await events.read_until(lambda one: (one["value"] or {}).get("properties") == {"owner": "last"})
    assert {one["urn"] for one in received} == {ORDERS}
    events.close()


@pytest.mark.parametrize(
    ("last", "params", "status"),
    [
        ("x", {}, 400),
        (None, {"after": "-1"}, 400),
        (None, {"after": "9" * 19}, 400),
        (None, {"after": "999999"}, 410),
        ("999999", {"after": 0}, 410),
    ],
)
async def test_invalid_start_is_refused_before_the_first_event(
    sales: None, stream: Stream, last: str | None, params: dict[str, Any], status: int
) -> None:
    events = await stream(last, **params)
    assert events.status == status
    assert (await events.read_body())["status"] == status
    events.close()


async def test_stream_requires_authentication(
    sales: None, http_server: Any, jp_http_port: int, jp_base_url: str
) -> None:
    path = f"{jp_base_url}colophon/api/changes/stream"
    assert (await open_event_stream(jp_http_port, path, {})).status == 403


async def test_slow_reader_is_disconnected_and_resumes_without_loss(
    api: Any, sales: None, stream: Stream, jp_serverapp: Any
) -> None:
    endpoint = jp_serverapp.web_app.settings[SETTING]
    catalog = endpoint.get_or_open_catalog()
    slow = await stream()
    hello = await slow.read_next()
    assert hello is not None

    def write() -> None:
        for number in range(_MANY):
            write_metadata(catalog, properties={"text": "x" * 60_000, "number": str(number)})

    await asyncio.get_running_loop().run_in_executor(None, write)
    for _ in range(6_000):
        if not endpoint.change_hub.count:
            break
        await asyncio.sleep(0.05)
    assert endpoint.change_hub.count == 0
    received = []
    while (event := await slow.read_next()) is not None:
        received.append(event.data["seq"])
    assert len(received) < _MANY
    again = await stream(str(received[-1]) if received else hello.id)
    await again.read_next()
    rest = await again.read_until(lambda one: one["value"]["properties"]["number"] == str(_MANY - 1))
    numbers = received + [one["seq"] for one in rest]
    assert numbers == list(range(int(hello.id) + 1, int(hello.id) + 1 + _MANY))
    again.close()


async def test_streams_and_sockets_are_counted_together(
    api: Any, sales: None, stream: Stream, jp_serverapp: Any
) -> None:
    endpoint = jp_serverapp.web_app.settings[SETTING]
    endpoint.settings.max_connections_per_user = 3
    open_ones = [await stream() for _ in range(3)]
    for one in open_ones:
        await one.read_next()
    refused = await stream()
    assert refused.status == 429
    assert (await refused.read_body())["type"].endswith(":too-many-connections")
    assert (await api("GET", "health", answers="health")).body["subscribers"] == 3
    for one in open_ones:
        one.close()
    for _ in range(6_000):
        if not endpoint.sockets.total():
            break
        await asyncio.sleep(0.05)
    assert endpoint.sockets.total() == endpoint.change_hub.count == 0
