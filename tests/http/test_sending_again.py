"""`Idempotency-Key` over HTTP: the same request again has the first answer, byte for byte (spec WRITE-9)."""

import asyncio
import getpass
import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import pytest
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth.identity import User
from support.catalog import build_metadata_value
from support.urns import CELL, ORDERS, REPORT

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")
START = {"program": CELL, "runId": "run-1", "start": "2026-11-20T12:00:00.000Z"}
BATCH = {
    "proposals": [
        {"urn": REPORT, "aspect": "technicalMetadata", "operation": "create", "value": build_metadata_value()}
    ]
}
#: Each means something else, or nothing at all, when it is done a second time.
WRITES: list[tuple[str, tuple[str, ...], Any, dict[str, str]]] = [
    ("PUT", BUSINESS, build_metadata_value({"owner": "ops"}), {"If-None-Match": "*"}),
    ("PATCH", TECHNICAL, {"properties": {"a": "b"}}, {"If-Match": '"1"', "Content-Type": "application/json"}),
    ("DELETE", TECHNICAL, None, {"If-Match": '"1"'}),
    ("DELETE", ("entities", ORDERS), None, {}),
    ("POST", ("proposals",), BATCH, {}),
    ("POST", ("proposals?async=true",), BATCH, {}),
    ("POST", ("runs",), START, {}),
    ("PATCH", ("runs", "{run}"), {"facts": {"n": 1}}, {}),
    ("POST", ("runs", "{run}", "accesses"), {"accesses": [{"data": ORDERS, "mode": "read"}]}, {}),
]
Sent = tuple[int, bytes, str | None, str | None]


@pytest.fixture
def send(jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Any:
    """Sends one request; answers its status, its bytes, its ETag and its Location."""

    async def sent(method: str, path: tuple[str, ...], body: Any, headers: dict[str, str]) -> Sent:
        raw = None if body is None else json.dumps(body).encode()
        found = await http_server_client.fetch(
            f"{jp_base_url}colophon/api/{'/'.join(quote(part, safe='?=') for part in path)}",
            method=method,
            body=raw,
            headers=jp_auth_header | headers,
            raise_error=False,
        )
        return found.code, found.body, found.headers.get("Etag"), found.headers.get("Location")

    return sent


@pytest.mark.parametrize(("method", "path", "body", "conditions"), WRITES, ids=lambda part: str(part)[:30])
async def test_repeated_write_returns_the_original_answer(
    api: Any,
    send: Callable[..., Awaitable[Sent]],
    sales: None,
    method: str,
    path: tuple[str, ...],
    body: Any,
    conditions: dict[str, str],
) -> None:
    run = (await api("POST", "runs", body=START | {"runId": "earlier"}, answers="run")).body["urn"]
    path = tuple(run if part == "{run}" else part for part in path)
    headers = conditions | {"Idempotency-Key": "the-key"}
    first = await send(method, path, body, headers)
    assert first[0] in (200, 202), first
    if first[0] == 202:
        while (await api("GET", "inbox", json.loads(first[1])["id"])).body["state"] == "pending":
            await asyncio.sleep(0.01)
    await api("PATCH", "runs", run, body={"facts": {"later": True}}, answers="run")
    before = (await api("GET", "changes", params={"limit": 0})).body
    assert await send(method, path, body, headers) == first
    assert (await api("GET", "changes", params={"limit": 0})).body == before


async def test_key_reused_for_another_request_returns_409(api: Any, sales: None) -> None:
    key = {"Idempotency-Key": "the-key", "Content-Type": "application/json"}
    assert (
        await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}), headers=key, answers="write-result")
    ).status == 200
    for method, path, body in (
        ("PUT", BUSINESS, build_metadata_value({"owner": "sales"})),
        ("PUT", TECHNICAL, build_metadata_value({"owner": "ops"})),
        ("PATCH", BUSINESS, build_metadata_value({"owner": "ops"})),
        ("DELETE", BUSINESS, None),
    ):
        refused = await api(method, *path, body=body, headers=key)
        assert (refused.status, refused.body["type"]) == (409, "urn:jupyter-colophon:problem:idempotency-key-reused")
    assert (await api("GET", *BUSINESS, answers="aspect")).body["version"] == 1


@pytest.mark.each_store
async def test_anothers_key_is_another_key(api: Any, sales: None, jp_serverapp: Any) -> None:
    tokens = jp_serverapp.web_app.settings[SETTING].tokens
    key, wish = {"Idempotency-Key": "the-key"}, build_metadata_value({"owner": "ops"})
    first = await api("PUT", *BUSINESS, body=wish, headers=key, answers="write-result")
    bob = {"Authorization": f"token {tokens.issue_token_and_revoke_earlier('k1', User('bob'), 'bob')}"} | key
    theirs = await api(
        "PUT", *BUSINESS, body=build_metadata_value({"owner": "b"}), headers=bob, anonymous=True, answers="write-result"
    )
    assert (first.body["version"], theirs.body["version"]) == (1, 2)
    mine = {
        "Authorization": f"token {tokens.issue_token_and_revoke_earlier('k2', User('ada'), getpass.getuser())}"
    } | key
    again = await api("PUT", *BUSINESS, body=wish, headers=mine, anonymous=True, answers="write-result")
    assert again.body == first.body


async def test_key_of_a_refused_write_can_be_reused(api: Any, sales: None) -> None:
    key = {"Idempotency-Key": "the-key"}
    for body in ({"no": "metadata"}, b"{", build_metadata_value({"no good": "1"})):
        assert (await api("PUT", *BUSINESS, body=body, headers=key)).status == 400
    assert (await api("PUT", *BUSINESS, body=build_metadata_value(), headers=key | {"If-Match": '"7"'})).status == 412
    assert (
        await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}), headers=key, answers="write-result")
    ).status == 200


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "caf\u00e9"])
async def test_invalid_idempotency_key_returns_400(api: Any, sales: None, key: str) -> None:
    refused = await api("PUT", *BUSINESS, body=build_metadata_value(), headers={"Idempotency-Key": key})
    assert (refused.status, refused.body["type"]) == (400, "urn:jupyter-colophon:problem:invalid-query")
    assert (await api("GET", *BUSINESS)).status == 404


async def test_longest_documented_key_is_accepted(api: Any, sales: None) -> None:
    for key in ("!", "~" * 255):
        written = await api(
            "PUT", *BUSINESS, body=build_metadata_value(), headers={"Idempotency-Key": key}, answers="write-result"
        )
        assert written.status == 200


async def test_condition_is_part_of_the_request_identity(api: Any, sales: None) -> None:
    body, key = {"properties": {"a": "1"}, "tags": []}, {"Idempotency-Key": "with-and-without"}
    place = ("entities", ORDERS, "aspects", "technicalMetadata")
    assert (await api("PUT", *place, body=body, headers=key)).status == 200
    assert (await api("PUT", *place, body=body, headers=key | {"If-Match": '"1"'})).status == 409
