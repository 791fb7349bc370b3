"""How messages reach the server: standard input and output of a process, or one HTTP request."""

import asyncio
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, Final, TypeVar

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from jupyter_colophon.mcp_server.protocol_server import create_server
from jupyter_colophon.mcp_server.toolbox import Toolbox

T = TypeVar("T")
_PATH: Final = "/colophon/mcp"


def serve_stdio(toolbox: Toolbox) -> None:
    """Serve a client over standard input and output until it closes them."""

    async def run(work: Callable[[], T]) -> T:
        return await asyncio.to_thread(work)

    async def serve() -> None:
        server = create_server(toolbox, run)
        async with stdio_server() as (source, sink):
            await server.run(source, sink, server.create_initialization_options())

    asyncio.run(serve())


def answer_http(toolbox: Toolbox, headers: Sequence[tuple[str, str]], body: bytes) -> tuple[int, bytes]:
    """Answer a POST of one message, on this thread. Returns the status, and a document in JSON or nothing."""

    async def run(work: Callable[[], T]) -> T:
        return work()

    return asyncio.run(_call_asgi_app(create_server(toolbox, run), headers, body))


async def _call_asgi_app(server: Server[Any], headers: Sequence[tuple[str, str]], body: bytes) -> tuple[int, bytes]:
    """Pass the request to the SDK as ASGI would, and collect its response."""
    statuses: list[int] = []
    pieces: list[bytes] = []
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": _PATH,
        "raw_path": _PATH.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "client": None,
        "server": None,
    }
    waiting: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> MutableMapping[str, Any]:
        if not waiting:
            # The HTTP server watches the connection of the client.
            await asyncio.get_running_loop().create_future()
        return waiting.pop()

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        else:
            pieces.append(message.get("body", b""))

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return statuses[-1], b"".join(pieces)
