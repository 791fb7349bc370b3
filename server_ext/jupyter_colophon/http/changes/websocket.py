"""A WebSocket that costs little while it waits: thousands of them may be open for days (spec FAULT-9)."""

import asyncio
from typing import Any, Final

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado.httputil import HTTPHeaders
from tornado.ioloop import IOLoop
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketHandler, WebSocketProtocol, WebSocketProtocol13

from jupyter_colophon.http.authenticated_request import AuthenticatedRequest

_TEXT: Final = 0x1
#: What a socket has left of its request's head, and of its answer's.
_NO_HEADERS: Final = HTTPHeaders()


class Line(WebSocketProtocol13):
    """The protocol. The request ends with the handshake, so that nothing of what answered it is kept."""

    def start_pinging(self) -> None:
        """Nothing: the pulse does it."""

    def send(self, message: bytes) -> "asyncio.Future[None]":
        """Send a text; done when it has left. Raises StreamClosedError."""
        return self._write_frame(True, _TEXT, message)

    async def _receive_frame_loop(self) -> None:
        self._reading = asyncio.ensure_future(self._read_on())

    async def _read_on(self) -> None:
        try:
            await super()._receive_frame_loop()
        except ValueError:
            # A frame that is none.
            self._abort()


class QuietSocket(AuthenticatedRequest, WebSocketMixin, WebSocketHandler, JupyterHandler):  # type: ignore[misc]
    """A handler of WebSockets on which this side talks, and the other one listens."""

    def get_websocket_protocol(self) -> WebSocketProtocol | None:
        """Ours in the place of Tornado's."""
        protocol = super().get_websocket_protocol()
        return Line(self, False, protocol.params) if isinstance(protocol, WebSocketProtocol13) else None

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Have it pinged, and let go of what only the beginning needed."""
        self.last_ping = self.last_pong = IOLoop.current().time()
        self.state.pulse.join(self)
        self.request.headers = self._headers = _NO_HEADERS
        self.request.connection = None
        vars(self.request).pop("_cookies", None)
        vars(self).pop("_new_cookie", None)

    def on_close(self) -> None:
        """Have it pinged no more."""
        self.state.pulse.leave(self)

    def on_message(self, message: str | bytes) -> None:
        """Nothing is expected from the other side."""

    def send(self, message: bytes) -> "asyncio.Future[None]":
        """Send a text; done when it has left. Raises StreamClosedError."""
        if not isinstance(self.ws_connection, Line):
            raise StreamClosedError
        return self.ws_connection.send(message)
