"""An HTTP server that ends without failing a request that it has begun."""

import asyncio
from typing import Any, Final

from tornado.httpserver import HTTPServer
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPMessageDelegate,
    RequestStartLine,
    ResponseStartLine,
)

#: How long clients with an open connection may send another request, which is answered with `Connection: close`.
_LAST_REQUESTS_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.02


class DrainingServer(HTTPServer):
    """Knows which of its connections have a request in progress."""

    def initialize(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as Tornado's
        """Set what Tornado's server needs."""
        super().initialize(*args, **kwargs)
        self._busy: set[object] = set()
        self._is_draining = False

    def start_request(self, server_conn: object, request_conn: HTTPConnection) -> HTTPMessageDelegate:
        """Wait for the next request of a connection: the one before has been answered."""
        self._busy.discard(server_conn)
        if self._is_draining:
            _close(server_conn)
        return _ObservedRequest(self._busy, server_conn, super().start_request(server_conn, request_conn))

    def on_close(self, server_conn: object) -> None:
        """Forget a connection."""
        self._busy.discard(server_conn)
        super().on_close(server_conn)

    async def answer_requests_and_close(self, timeout_s: float) -> None:
        """Answer the requests in progress, and close every connection; those that take longer are cut off."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        self.conn_params.no_keep_alive = True
        # What a client has sent by now is answered; closing at once would lose it on the way.
        await asyncio.sleep(min(_LAST_REQUESTS_SECONDS, timeout_s))
        self._is_draining = True
        for connection in self._connections.difference(self._busy):
            _close(connection)
        while self._busy and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(_POLL_SECONDS)
        await self.close_all_connections()


class _ObservedRequest(HTTPMessageDelegate):
    """A request; its connection is busy once the headers have arrived."""

    def __init__(self, busy: set[object], server_conn: object, delegate: HTTPMessageDelegate) -> None:
        self._busy, self._connection, self._delegate = busy, server_conn, delegate

    def headers_received(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> Any:
        self._busy.add(self._connection)
        return self._delegate.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Any:
        return self._delegate.data_received(chunk)

    def finish(self) -> None:
        self._delegate.finish()

    def on_connection_close(self) -> None:
        self._delegate.on_connection_close()


def _close(server_conn: Any) -> None:
    server_conn.stream.close()
