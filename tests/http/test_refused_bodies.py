"""Unauthorized requests are refused before the path is resolved and after the body was read: the connection stays usable."""

import asyncio
from typing import Any

import pytest

STORE_NAMES = ["sqlite"]
PATHS = [
    "colophon/v3/nowhere",
    "colophon/v3/namespaces/sales/apps/shop/nowhere/at/all",
    "colophon/datahub/nowhere",
    "colophon/openlineage/nowhere",
    "colophon/api/nowhere",
    "colophon/api/proposals",
    "colophon/datahub/aspects?action=ingestProposal",
    "elyra/metadata/code-snippets",
]
LARGE = b"x" * 300_000


@pytest.fixture(params=[True, False], ids=["allow", "forbid"])
def jp_server_config(jp_server_config: dict[str, Any], request: pytest.FixtureRequest) -> dict[str, Any]:
    """Jupyter's default, and its recommendation for methods that do not declare who may call them."""
    jp_server_config["ServerApp"]["allow_unauthenticated_access"] = request.param
    return jp_server_config


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Read one answer from a connection; returns its status and headers."""
    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)).decode().splitlines()
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    await reader.readexactly(int(headers.get("content-length", "0")))
    return int(head[0].split()[1]), headers


@pytest.mark.parametrize("chunked", [False, True], ids=["sized", "chunked"])
async def test_refused_body_leaves_the_connection_usable(
    http_server_client: Any, http_server_port: Any, jp_base_url: str, jp_auth_header: dict[str, str], chunked: bool
) -> None:
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(LARGE)}"
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(LARGE), LARGE) if chunked else LARGE
    for token, expected in ((None, 403), (jp_auth_header["Authorization"], 404)):
        signed = f"Authorization: {token}\r\n" if token else ""
        reader, writer = await asyncio.open_connection("127.0.0.1", http_server_port[-1])
        for path in PATHS if token is None else PATHS[:5]:
            target = f"{jp_base_url}{path}"
            writer.write(f"POST {target} HTTP/1.1\r\nHost: localhost\r\n{signed}{length}\r\n\r\n".encode() + body)
            await writer.drain()
            status, headers = await _answer(reader)
            assert (path, status) == (path, expected)
            assert "close" not in headers.get("connection", "")
            writer.write(f"GET {jp_base_url}colophon/nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            await writer.drain()
            assert (await _answer(reader))[0] in (302, 403, 404)
        writer.close()


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_unknown_path_is_refused_before_it_is_looked_for(
    http_server_client: Any, jp_serverapp: Any, jp_base_url: str, jp_auth_header: dict[str, str], method: str
) -> None:
    for path in PATHS[:5]:
        for headers, statuses in (({}, (401, 403)), (jp_auth_header, (404,))):
            found = await http_server_client.fetch(
                f"{jp_base_url}{path}",
                method=method,
                body=b"{}" if method in ("POST", "PUT", "PATCH") else None,
                headers=headers,
                raise_error=False,
            )
            assert found.code in statuses, (path, found.code)
