"""Somebody who listens on the change log's WebSocket."""

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
class Listener:
    """One connection; every message is checked against its schema."""

    socket: WebSocketClientConnection
    head: int = 0

    async def message(self) -> Any:
        """The next message, or None when the server has closed."""
        text = await self.socket.read_message()
        if text is None:
            return None
        document = json.loads(text)
        _SCHEMAS.validate("message", document)
        return document

    async def until(self, fits: Callable[[Any], bool]) -> list[Any]:
        """Changes up to the first that fits, in the order in which they came."""
        heard: list[Any] = []
        while not any(fits(one) for one in heard):
            message = await self.message()
            assert message is not None, "the server closed the connection"
            assert message["kind"] == "changes"
            assert message["cursor"] == message["changes"][-1]["seq"]
            heard += message["changes"]
        return heard


Listen = Callable[..., Awaitable[Listener]]


async def listening(url: str, headers: Any, **params: Any) -> Listener:
    """A connection that has said hello."""
    asked = f"{url}?{urlencode(params)}" if params else url
    listener = Listener(await websocket_connect(HTTPRequest(asked, headers=headers)))
    hello = await listener.message()
    assert hello["kind"] == "hello"
    listener.head = hello["head"]
    return listener
