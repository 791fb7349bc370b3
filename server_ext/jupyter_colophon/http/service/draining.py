"""An HTTP server that ends without failing requests: those that it has begun, and the next one of each open connection.

HTTP gives a server no way to close an idle connection safely: the client may be sending its next request. The next
request is therefore awaited for some time, and answered with `Connection: close`.
"""

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

_POLL_SECONDS: Final = 0.02


class DrainingServer(HTTPServer):
    """Knows since when each of its connections has waited for a request."""

    #: How long a connection is idle before it is closed; it may be changed while the server ends.
    idle_seconds = 0.0

    def initialize(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as Tornado's
        """Set what Tornado's server needs."""
        super().initialize(*args, **kwargs)
        self._idle_since: dict[object, float] = {}

    def start_request(self, server_conn: object, request_conn: HTTPConnection) -> HTTPMessageDelegate:
        """Wait for the next request of a connection: the one before has been answered."""
        self._idle_since[server_conn] = _read_time_s()
        return _ObservedRequest(self._idle_since, server_conn, super().start_request(server_conn, request_conn))

    def on_close(self, server_conn: object) -> None:
        """Forget a connection."""
        self._idle_since.pop(server_conn, None)
        super().on_close(server_conn)

    async def answer_requests_and_close(self, timeout_s: float) -> None:
        """Answer requests, the last one of each connection, until all connections are closed or the time is over.

        A connection is closed once it has been idle for `idle_seconds` since the call.
        """
        began_s = _read_time_s()
        self.conn_params.no_keep_alive = True
        while self._connections and _read_time_s() < began_s + timeout_s:
            for connection, since_s in list(self._idle_since.items()):
                if _read_time_s() >= max(began_s, since_s) + self.idle_seconds:
                    _close(connection)
            await asyncio.sleep(_POLL_SECONDS)
        await self.close_all_connections()


class _ObservedRequest(HTTPMessageDelegate):
    """A request; its connection is no longer idle once the headers have arrived."""

    def __init__(self, idle_since: dict[object, float], server_conn: object, delegate: HTTPMessageDelegate) -> None:
        self._idle_since, self._connection, self._delegate = idle_since, server_conn, delegate

    def headers_received(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> Any:
        self._idle_since.pop(self._connection, None)
        return self._delegate.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Any:
        return self._delegate.data_received(chunk)

    def finish(self) -> None:
        self._delegate.finish()

    def on_connection_close(self) -> None:
        self._delegate.on_connection_close()


def _read_time_s() -> float:
    return asyncio.get_running_loop().time()


def _close(server_conn: Any) -> None:
    server_conn.stream.close()
