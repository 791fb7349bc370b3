"""Limits per user and service token: requests, bytes of bodies and subscribers."""

import asyncio
from functools import partial
from typing import Any

import pytest
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import TooManyRequests
from jupyter_colophon.http.admission import Admission
from jupyter_colophon.http.rate_limits import RateLimits
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.settings import Settings
from support.catalog import build_metadata_value
from support.events import open_event_stream
from support.service_tokens import create_service_token
from support.urns import ORDERS
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

#: 4,000 bytes more than 60,000: a busy machine sends the next request before there is room for it.
LARGE = {f"text-{number}": "x" * 8_000 for number in range(8)}
BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")


@pytest.fixture
def program(api: Any, sales: None, jp_asyncio_loop: Any) -> dict[str, str]:
    """The headers of a service token."""
    headers: dict[str, str] = jp_asyncio_loop.run_until_complete(create_service_token(api, "flood", "read", "annotate"))
    return headers


@pytest.fixture
def limits(jp_serverapp: Any) -> Settings:
    """The settings of the running server."""
    chosen: Settings = jp_serverapp.web_app.settings[SETTING].settings
    return chosen


async def test_excess_requests_get_429_and_others_are_unaffected(
    api: Any, program: dict[str, str], limits: Settings, jp_http_port: int, jp_base_url: str
) -> None:
    limits.max_request_burst, limits.max_requests_per_second = 3, 0.2
    flood = partial(api, anonymous=True, headers=program)
    statuses = [(await flood("GET", "me")).status for _ in range(3)]
    assert statuses == [200] * 3
    refused = await flood("GET", "search", params={"q": "*"})
    assert refused.status == 429
    assert refused.body["type"].endswith(":too-many-requests")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert int(refused.headers["Retry-After"]) in range(1, 6)
    assert (await flood("PUT", *BUSINESS, body=build_metadata_value())).status == 429
    # Connections are refused before they are opened.
    stream = await open_event_stream(jp_http_port, f"{jp_base_url}colophon/api/changes/stream", program)
    assert stream.status == 429
    assert int(stream.headers["Retry-After"]) in range(1, 6)
    url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
    with pytest.raises(HTTPClientError) as socket:
        await websocket_connect(HTTPRequest(url, headers=program))
    assert socket.value.code == 429
    assert socket.value.response is not None
    wait_s = int(socket.value.response.headers["Retry-After"])
    # The limit of another principal is its own.
    assert (await api("GET", "me")).status == 200
    await asyncio.sleep(wait_s)
    assert (await flood("GET", "me")).status == 200


async def test_bytes_of_bodies_are_limited(api: Any, program: dict[str, str], limits: Settings) -> None:
    limits.max_body_bytes_per_minute = 60_000
    flood = partial(api, "PUT", *BUSINESS, anonymous=True, headers=program)
    # A body may be larger than what is left; the next one waits for it.
    assert (await flood(body=build_metadata_value(LARGE))).status == 200
    refused = await flood(body=build_metadata_value({"text": "y"}))
    assert (refused.status, int(refused.headers["Retry-After"]) <= 5) == (429, True)
    # Requests without a body are not affected, and neither are others.
    assert (await api("GET", *BUSINESS, anonymous=True, headers=program)).status == 200
    assert (await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}))).status == 200
    await asyncio.sleep(int(refused.headers["Retry-After"]))
    assert (await flood(body=build_metadata_value({"text": "y"}))).status == 200


async def test_subscribers_are_limited_per_principal(
    api: Any,
    program: dict[str, str],
    limits: Settings,
    jp_serverapp: Any,
    jp_http_port: int,
    jp_base_url: str,
    jp_auth_header: Any,
) -> None:
    limits.max_connections_per_user = 1
    path = f"{jp_base_url}colophon/api/changes/stream"
    first = await open_event_stream(jp_http_port, path, program)
    await first.read_next()
    refused = await open_event_stream(jp_http_port, path, program)
    assert (refused.status, refused.headers["Retry-After"]) == (429, "5")
    own = await open_event_stream(jp_http_port, path, jp_auth_header)
    await own.read_next()
    assert own.status == 200
    for stream in (first, own):
        stream.close()
    state = jp_serverapp.web_app.settings[SETTING]
    for _ in range(600):
        if not state.sockets:
            break
        await asyncio.sleep(0.05)
    # Nothing is kept of users without connections.
    assert dict(state.sockets) == {}


async def test_there_is_no_limit_by_default(api: Any, program: dict[str, str]) -> None:
    statuses = {(await api("GET", "me", anonymous=True, headers=program)).status for _ in range(150)}
    assert statuses == {200}


def test_principals_that_stopped_sending_take_no_memory() -> None:
    now = [0.0]
    settings = Settings()
    settings.max_requests_per_second, settings.max_request_burst = 1.0, 2
    limits = RateLimits(settings, lambda: now[0])
    for number in range(10_000):
        limits.count_request(Principal(f"user-{number}"), has_body=False)
        now[0] += 0.001
    assert len(limits._requests) <= 1_001
    ada = Principal("ada")
    for _ in range(2):
        limits.count_request(ada, has_body=False)
    with pytest.raises(TooManyRequests) as refused:
        limits.count_request(ada, has_body=False)
    assert refused.value.retry_after_s == 1
    now[0] += refused.value.retry_after_s
    limits.count_request(ada, has_body=False)


async def test_many_requests_of_one_principal_wait_while_others_are_served() -> None:
    admission, done, end = Admission(), list[tuple[str, int]](), asyncio.Event()

    async def serve(user: str, number: int) -> None:
        admission.record_request(user)
        async with admission.admit_request(user):
            done.append((user, number))
            await end.wait()

    # Alone, a principal is not restricted.
    alone = [asyncio.ensure_future(serve("flood", number)) for number in range(5)]
    await asyncio.sleep(0)
    assert len(done) == 5
    end.set()
    await asyncio.gather(*alone)
    end.clear()
    done.clear()
    admission.record_request("ada")
    flood = [asyncio.ensure_future(serve("flood", number)) for number in range(5)]
    other = asyncio.ensure_future(serve("ada", 0))
    await asyncio.sleep(0.01)
    assert done == [("flood", 0), ("flood", 1), ("ada", 0)]
    flood[2].cancel()
    end.set()
    await asyncio.gather(*flood, other, return_exceptions=True)
    # The others follow in their order; one that was cancelled does not hold them up.
    assert done[3:] == [("flood", 3), ("flood", 4)]
    assert not admission._waiting
    assert not admission._running
