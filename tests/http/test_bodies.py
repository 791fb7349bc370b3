"""Untrusted input: sizes, encodings, malformed JSON, path traversal; and the error messages."""

import asyncio
import gzip
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import pytest
from jupyter_colophon.service.search.search import CatalogSearcher
from support.catalog import build_metadata_value
from support.urns import CELL, ORDERS
from tornado.httpclient import HTTPClientError

LIMIT = 10 * 1024 * 1024
BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")


async def test_large_content_length_is_refused_before_the_body(
    jp_serverapp: Any, http_server: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", jp_http_port)
    head = f"POST {jp_base_url}colophon/api/proposals HTTP/1.1\r\nHost: x\r\nContent-Length: {LIMIT + 1}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in jp_auth_header.items())
    writer.write(head.encode() + b"\r\n")
    status = await asyncio.wait_for(reader.readline(), 120)
    assert b" 413 " in status
    assert b"application/problem+json" in await asyncio.wait_for(reader.read(4_000), 120)
    writer.close()


async def test_chunked_body_is_limited(
    http_server_client: Any, jp_base_url: str, jp_auth_header: Any, sales: None
) -> None:
    async def pieces(write: Callable[[bytes], Awaitable[None]]) -> None:
        await write(b'{"properties": {}, "tags": [')
        for _ in range(11):
            await write(b" " * 1024 * 1024)
        await write(b"]}")

    url = f"{jp_base_url}colophon/api/" + "/".join(quote(part, safe="") for part in BUSINESS)
    with pytest.raises(HTTPClientError) as refused:
        await http_server_client.fetch(url, method="PUT", body_producer=pieces, headers=jp_auth_header)
    assert refused.value.code == 413


async def test_a_small_body_that_inflates_beyond_the_limit_is_refused(api: Any, sales: None) -> None:
    packed = {"Content-Encoding": "gzip"}
    assert (
        await api("PUT", *BUSINESS, body=gzip.compress(json.dumps(build_metadata_value()).encode()), headers=packed)
    ).status == 200
    bomb = gzip.compress(b" " * (LIMIT * 20))
    assert len(bomb) < LIMIT
    assert (await api("PUT", *BUSINESS, body=bomb, headers=packed)).status == 413
    assert (await api("PUT", *BUSINESS, body=b"{}", headers=packed)).status == 400
    cut = gzip.compress(json.dumps(build_metadata_value({"a": "b"})).encode())[:-4]
    assert (await api("PUT", *BUSINESS, body=cut, headers=packed)).status == 400
    assert (await api("PUT", *BUSINESS, body=b"{}", headers={"Content-Encoding": "br"})).status == 400


NO_JSON = [
    (b"", 400),
    (b"{", 400),
    (b'{"properties": {"a": NaN}, "tags": []}', 400),
    (b'{"properties": {"a": -Infinity}, "tags": []}', 400),
    (b'{"properties": {"a": 1e999}, "tags": []}', 400),
    (b'{"properties": {}, "properties": {}, "tags": []}', 400),
    (b'{"properties": {"a": "\\ud800"}, "tags": []}', 400),
    (b'{"properties": {"\\udc00": "a"}, "tags": []}', 400),
    (b'{"properties": {"a": "\\u0000"}, "tags": []}', 400),
    (b'{"properties": {"a\\u0000": "b"}, "tags": []}', 400),
    (b'{"properties": {"a": "\xff"}, "tags": []}', 400),
    (b"\xef\xbb\xbf{}", 400),
    (b"[" * 100_000 + b"]" * 100_000, 413),
    (b'{"a":' * 70 + b"1" + b"}" * 70, 413),
    (b'{"properties": {"a": ' + b"9" * 5_000 + b'}, "tags": []}', 400),
    (json.dumps({"properties": {f"k{i}": "" for i in range(200_001)}, "tags": []}).encode(), 413),
]


async def test_invalid_json_returns_400(api: Any, sales: None) -> None:
    for body, status in NO_JSON:
        found = await api("PUT", *BUSINESS, body=body)
        assert found.status == status, body[:60]
    assert (await api("GET", *BUSINESS)).status == 404


async def test_non_finite_numbers_are_refused_in_free_values(api: Any, sales: None) -> None:
    schema = b'{"upstreams": [], "fineGrainedLineages": [{"upstreamType": "NONE", "downstreamType": "FIELD", '
    schema += b'"confidenceScore": %s}]}'
    path = ("entities", ORDERS, "aspects", "upstreamLineage")
    for number in (b"1e999", b"-1e999", b"NaN"):
        assert (await api("PUT", *path, body=schema % number)).status == 400
    assert (await api("PUT", *path, body=schema % b"1e300")).status == 200
    run = b'{"program": "%s", "runId": "r", "start": "2026-11-20T12:00:00Z", "facts": {"n": 1e999}}'
    assert (await api("POST", "runs", body=run % CELL.encode())).status == 400


CLIMBING = [
    "%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "%252e%252e%252f",
    "a%00b",
    "%0d%0aSet-Cookie:%20a=b",
    "..%5c..%5cwindows",
    "%20",
    "%ff%fe",
    "urn:li:dataset:(urn:li:dataPlatform:spark,a%00b,PROD)",
    "urn:li:namespace:..",
    "urn:li:namespace:%2e%2e%2fetc",
    "urn:li:dataset:" + "x" * 5_000,
    "urn:li:dataset:" + "(" * 500,
    "%7B%7B7*7%7D%7D",
]


async def test_names_that_climb_or_break_lines_are_refused(
    http_server_client: Any, jp_base_url: str, jp_auth_header: Any, sales: None
) -> None:
    async def requested(method: str, path: str, body: bytes | None) -> int:
        url = f"{jp_base_url}colophon/api/{path}"
        found = await http_server_client.fetch(url, method=method, body=body, headers=jp_auth_header, raise_error=False)
        assert b"Traceback" not in found.body
        assert b"49" not in found.body
        assert not any(cookie.startswith("a=b") for cookie in found.headers.get_list("Set-Cookie"))
        return int(found.code)

    value = json.dumps(build_metadata_value()).encode()
    for name in CLIMBING:
        assert await requested("GET", f"entities/{name}", None) in (400, 404), name
        assert await requested("PUT", f"entities/{name}/aspects/technicalMetadata", value) in (400, 404), name
        assert await requested("GET", f"registry/{name}", None) in (400, 404), name
        assert await requested("GET", f"runs/{name}", None) in (400, 404), name
        assert await requested("GET", f"entities/-?urn={name}", None) in (400, 404), name


async def test_unexpected_error_hides_its_message(api: Any, sales: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise KeyError("hunter2")

    monkeypatch.setattr(CatalogSearcher, "search_page_of_hits", fail)
    found = await api("GET", "search", params={"q": "a"}, documented=False)
    assert found.status == 500
    assert "hunter2" not in json.dumps(found.body)


async def test_successes_are_in_the_log_of_debug_records_only(
    api: Any, sales: None, caplog: pytest.LogCaptureFixture
) -> None:
    lines = {}
    for level in (logging.INFO, logging.DEBUG):
        caplog.clear()
        caplog.handler.setLevel(level)
        await api("GET", "me")
        await api("GET", "nowhere")
        lines[level] = [record.getMessage().split()[:2] for record in caplog.records]
    assert [line[0] for line in lines[logging.INFO] if line[0] in ("200", "404")] == ["404"]
    assert [line[0] for line in lines[logging.DEBUG] if line[0] in ("200", "404")] == ["200", "404"]


async def test_user_values_are_not_in_problems_or_logs(api: Any, sales: None, caplog: pytest.LogCaptureFixture) -> None:
    secret = "hunter2-CANARY"
    bodies = [
        build_metadata_value({"password": secret, "no key": "x"}),
        build_metadata_value({"password": secret * 1_000}),
        build_metadata_value({"password": {"nested": secret}}),  # type: ignore[dict-item]
        {"properties": secret, "tags": []},
    ]
    for body in bodies:
        found = await api("PUT", *BUSINESS, body=body)
        assert found.status == 400
        assert secret not in json.dumps(found.body)
    assert secret not in caplog.text


async def test_every_answer_is_an_object_with_a_content_type(api: Any, sales: None) -> None:
    for path in (("me",), ("health",), ("registry",), ("entities",), ("keys",), ("runs",), ("changes",), TECHNICAL):
        found = await api("GET", *path)
        assert isinstance(found.body, dict)
        assert found.headers["Content-Type"] == "application/json"
        assert found.headers["X-Content-Type-Options"] == "nosniff"
        assert not found.headers.get("Access-Control-Allow-Origin")
    refused = await api("GET", "entities", "x")
    assert refused.headers["X-Content-Type-Options"] == "nosniff"
    assert (await api("POST", "search", body={})).status == 405


@pytest.mark.parametrize("number", ["1" * 10_000, "-" + "1" * 10_000, "1e400"])
async def test_too_large_number_returns_a_clear_error(api: Any, sales: None, number: str) -> None:
    refused = await api("PUT", *BUSINESS, body=f'{{"properties": {{}}, "tags": [{number}]}}'.encode())
    assert (refused.status, refused.body["detail"]) == (400, "a number is too large")
