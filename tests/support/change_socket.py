"""A client of the change log's WebSocket."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from jupyter_colophon.operations.request_schemas import ApiSchemas
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

_SCHEMAS = ApiSchemas()


@dataclass
class ChangeSocket:
    """One connection; every message is validated against its schema."""

    socket: WebSocketClientConnection
    head: int = 0

    async def read_message(self) -> Any:
        """Return the next message, None when the server has closed the connection."""
        text = await self.socket.read_message()
        if text is None:
            return None
        document = json.loads(text)
        _SCHEMAS.require_valid_body("message", document)
        return document

    async def read_until(self, fits: Callable[[Any], bool]) -> list[Any]:
        """Return changes up to the first that matches, in the order in which they arrived."""
        received: list[Any] = []
        while not any(fits(change) for change in received):
            message = await self.read_message()
            assert message is not None, "the server closed the connection"
            assert message["kind"] == "changes"
            assert message["cursor"] == message["changes"][-1]["seq"]
            received += message["changes"]
        return received


Listen = Callable[..., Awaitable[ChangeSocket]]


async def open_change_socket(url: str, headers: Any, **params: Any) -> ChangeSocket:
    """Connect and read the greeting."""
    address = f"{url}?{urlencode(params)}" if params else url
    listener = ChangeSocket(await websocket_connect(HTTPRequest(address, headers=headers)))
    hello = await listener.read_message()
    assert hello["kind"] == "hello"
    listener.head = hello["head"]
    return listener
