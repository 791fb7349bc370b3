"""The change log as server-sent events: resumed by the last id, filtered, cut off, and without loss."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from jupyter_colophon.http.state import SETTING
from support.catalog import metadata, say
from support.events import Events, Stream, streaming
from support.urns import ORDERS, table

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
#: So many changes of 120 KB that no buffer of a connection takes them.
_MANY = 160


@pytest.fixture
def stream(jp_serverapp: Any, http_server: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any) -> Stream:
    async def connect(last: str | None = None, **params: Any) -> Events:
        headers = jp_auth_header | ({"Last-Event-ID": last} if last is not None else {})
        return await streaming(jp_http_port, f"{jp_base_url}colophon/api/changes/stream", headers, **params)

    return connect


async def written(api: Any, after: int) -> Sequence[Any]:
    found: list[Any] = (await api("GET", "changes", params={"after": after}, answers="changes")).body["changes"]
    return found


@pytest.mark.each_store
async def test_events_are_the_changes_with_their_numbers_as_ids(api: Any, sales: None, stream: Stream) -> None:
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    events = await stream()
    assert (events.status, events.headers["Content-Type"]) == (200, "text/event-stream")
    hello = await events.next()
    assert hello == (str(head), "hello", {"head": head})
    for number in range(10):
        await api("PUT", *BUSINESS, body=metadata({"number": str(number)}))
    told = await written(api, head)
    assert await events.until(lambda one: one["seq"] == told[-1]["seq"]) == told
    events.close()


async def test_who_comes_back_with_the_last_id_misses_nothing(api: Any, sales: None, stream: Stream) -> None:
    head = (await api("GET", "changes", params={"limit": 0}, answers="changes")).body["cursor"]
    heard: list[Any] = []
    last = str(head)
    for number in range(4):
        # A browser asks with the same address as before, and its last id.
        events = await stream(last, after=0)
        assert (await events.next()).kind == "hello"  # type: ignore[union-attr]
        await api("PUT", *BUSINESS, body=metadata({"number": str(number)}))
        heard += await events.until(lambda one: True)
        last = str(heard[-1]["seq"])
        events.close()
        await api("PUT", *BUSINESS, body=metadata({"between": str(number)}))
    assert heard == list(await written(api, head))[: len(heard)]
    assert [one["seq"] for one in heard] == list(range(head + 1, head + 1 + len(heard)))


async def test_who_asks_for_less_is_told_less(api: Any, sales: None, stream: Stream) -> None:
    events = await stream(after=0, urn=ORDERS)
    await events.next()
    await api("PUT", "entities", table("other"), "aspects", "technicalMetadata", body=metadata())
    await api("PUT", *BUSINESS, body=metadata({"owner": "last"}))
    heard = await events.until(lambda one: (one["value"] or {}).get("properties") == {"owner": "last"})
    assert {one["urn"] for one in heard} == {ORDERS}
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
async def test_a_place_that_is_none_is_refused_before_the_first_event(
    sales: None, stream: Stream, last: str | None, params: dict[str, Any], status: int
) -> None:
    events = await stream(last, **params)
    assert events.status == status
    assert (await events.body())["status"] == status
    events.close()


async def test_nobody_is_told_who_is_not_signed_in(
    sales: None, http_server: Any, jp_http_port: int, jp_base_url: str
) -> None:
    path = f"{jp_base_url}colophon/api/changes/stream"
    assert (await streaming(jp_http_port, path, {})).status == 403


async def test_who_never_reads_is_hung_up_on_and_comes_back_without_loss(
    api: Any, sales: None, stream: Stream, jp_serverapp: Any
) -> None:
    door = jp_serverapp.web_app.settings[SETTING]
    catalog = door.catalog()
    slow = await stream()
    hello = await slow.next()
    assert hello is not None

    def write() -> None:
        for number in range(_MANY):
            say(catalog, properties={"text": "x" * 60_000, "number": str(number)})

    await asyncio.get_running_loop().run_in_executor(None, write)
    for _ in range(6_000):
        if not door.change_hub.count:
            break
        await asyncio.sleep(0.05)
    assert door.change_hub.count == 0
    heard = []
    while (event := await slow.next()) is not None:
        heard.append(event.data["seq"])
    assert len(heard) < _MANY
    again = await stream(str(heard[-1]) if heard else hello.id)
    await again.next()
    rest = await again.until(lambda one: one["value"]["properties"]["number"] == str(_MANY - 1))
    numbers = heard + [one["seq"] for one in rest]
    assert numbers == list(range(int(hello.id) + 1, int(hello.id) + 1 + _MANY))
    again.close()


async def test_streams_and_sockets_are_counted_together(
    api: Any, sales: None, stream: Stream, jp_serverapp: Any
) -> None:
    door = jp_serverapp.web_app.settings[SETTING]
    door.settings.max_connections_per_user = 3
    open_ones = [await stream() for _ in range(3)]
    for one in open_ones:
        await one.next()
    refused = await stream()
    assert refused.status == 429
    assert (await refused.body())["type"].endswith(":too-many-connections")
    assert (await api("GET", "health", answers="health")).body["subscribers"] == 3
    for one in open_ones:
        one.close()
    for _ in range(6_000):
        if not door.sockets.total():
            break
        await asyncio.sleep(0.05)
    assert door.sockets.total() == door.change_hub.count == 0
