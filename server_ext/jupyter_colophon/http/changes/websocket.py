"""A WebSocket that uses little memory while idle: thousands may be open for days (spec FAULT-9)."""

import asyncio
from typing import Any, Final

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado.httputil import HTTPHeaders
from tornado.ioloop import IOLoop
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketHandler, WebSocketProtocol, WebSocketProtocol13

from jupyter_colophon.http.authenticated_request import AuthenticatedRequest
from jupyter_colophon.http.changes.close_codes import RIGHTS_CHANGED, TOKEN_ENDED

_TEXT: Final = 0x1
#: Replaces the request and response headers of an open socket.
_NO_HEADERS: Final = HTTPHeaders()


class SendProtocol(WebSocketProtocol13):
    """The WebSocket protocol; the request ends with the handshake, so that its objects are released."""

    def start_pinging(self) -> None:
        """Do nothing: the ping scheduler sends pings."""

    def send_text(self, message: bytes) -> "asyncio.Future[None]":
        """Send a text; the future is done when it is sent. Raises StreamClosedError."""
        return self._write_frame(True, _TEXT, message)

    async def _receive_frame_loop(self) -> None:
        self._reading = asyncio.ensure_future(self._read_frames_until_closed())

    async def _read_frames_until_closed(self) -> None:
        try:
            await super()._receive_frame_loop()
        except ValueError:
            # An invalid frame.
            self._abort()


class SendOnlyWebSocket(AuthenticatedRequest, WebSocketMixin, WebSocketHandler, JupyterHandler):  # type: ignore[misc]
    """A handler of WebSockets on which only the server sends."""

    @property
    def close_code_of_end(self) -> int:
        """The code of a connection whose access ends: what a token of our own opened ends with it."""
        return RIGHTS_CHANGED if self.token_holder is None else TOKEN_ENDED

    def get_websocket_protocol(self) -> WebSocketProtocol | None:
        """Return our protocol instead of Tornado's."""
        protocol = super().get_websocket_protocol()
        return SendProtocol(self, False, protocol.params) if isinstance(protocol, WebSocketProtocol13) else None

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Schedule pings, and release what only the handshake needed."""
        self.last_ping = self.last_pong = IOLoop.current().time()
        self.state.ping_scheduler.add_socket(self)
        self.request.headers = self._headers = _NO_HEADERS
        self.request.connection = None
        vars(self.request).pop("_cookies", None)
        vars(self).pop("_new_cookie", None)

    def on_close(self) -> None:
        """Stop pings."""
        self.state.ping_scheduler.remove_socket(self)

    def on_message(self, message: str | bytes) -> None:
        """Ignore messages of the client."""

    def send_text(self, message: bytes) -> "asyncio.Future[None]":
        """Send a text; the future is done when it is sent. Raises StreamClosedError."""
        if not isinstance(self.ws_connection, SendProtocol):
            raise StreamClosedError
        return self.ws_connection.send_text(message)
