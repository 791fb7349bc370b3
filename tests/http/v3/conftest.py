"""Calls `/colophon/v3` of a real server."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
from support import openapi_contract
from support.v3 import AVRO


@dataclass(frozen=True)
class Reported:
    status: int
    body: Any
    etag: str | None
    headers: Any


Ask = Callable[..., Awaitable[Reported]]


@pytest.fixture
def v3(jp_serverapp: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str) -> Ask:
    """`await v3("GET", "namespaces/sales/datasets/orders/metadata", scope="system")`; the path goes as it is."""

    async def ask(method: str, path: str, body: Any = None, headers: Any = None, **params: Any) -> Reported:
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        if raw is None and method in ("POST", "PUT"):
            raw = b""
        found = await http_server_client.fetch(
            f"{jp_base_url}colophon/v3/{path}" + (f"?{urlencode(params, doseq=True)}" if params else ""),
            method=method,
            body=raw,
            headers=jp_auth_header | (headers or {}),
            request_timeout=120,
            allow_nonstandard_methods=True,
            raise_error=False,
        )
        document = json.loads(found.body) if found.body else None
        if found.code >= 400:
            assert set(document) == {"message", "reason", "status"}
            assert document["status"] == found.code < 500, document
        template = "/" + path.partition("?")[0].rstrip("/")
        openapi_contract.V3.require_described_response(method, template, found.code, found.headers, document, None)
        return Reported(found.code, document, found.headers.get("Etag"), found.headers)

    return ask


@pytest.fixture
def shop(v3: Ask, jp_asyncio_loop: Any) -> None:
    """The namespace `shop` with the dataset `orders`, the stream `clicks` and the application `etl`."""

    async def make() -> None:
        programs = {"flows": ["Load"], "spark": ["Join"]}
        for path, body in (
            ("namespaces/shop", {"description": "What we sell"}),
            ("namespaces/shop/datasets/orders", {"typeName": "table", "description": "All orders"}),
            ("namespaces/shop/streams/clicks", {"schema": AVRO}),
            ("namespaces/shop/apps/etl", {"programs": programs, "artifact": "etl-jar"}),
        ):
            assert (await v3("PUT", path, body)).status == 200

    jp_asyncio_loop.run_until_complete(make())
