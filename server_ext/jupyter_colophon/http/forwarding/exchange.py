"""One request to the shared service, and its answer as it arrives. No redirect is followed."""

import socket
import ssl
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from tornado.http1connection import HTTP1Connection, HTTP1ConnectionParameters
from tornado.httputil import HTTPHeaders, HTTPMessageDelegate, RequestStartLine, ResponseStartLine
from tornado.iostream import IOStream, StreamClosedError
from tornado.tcpclient import TCPClient

from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.http.forwarding.shared_catalog import ServiceAddress

CONNECT_SECONDS: Final = 5.0
#: How long the service may take to begin its answer: longer than the longest long poll.
ANSWER_SECONDS: Final = 120.0
_HEADER_BYTES_MAX: Final = 64 * 1024
#: Seconds without data after which the system checks that the service's machine is still there.
_KEEPALIVE_SECONDS: Final = 30


class ServiceAway(StoreUnavailable):
    """The shared service did not answer; a retry may succeed."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"the shared catalog at {url} does not answer ({reason}): try again later")


@dataclass(slots=True)
class Exchange(HTTPMessageDelegate):
    """A request and its answer. `on_headers` and `on_chunk` are awaited as the answer arrives, so nothing piles up."""

    address: ServiceAddress
    method: str
    #: Path and query below the service's URL, as they are sent.
    target: str
    headers: HTTPHeaders
    body: bytes
    on_headers: Callable[[int, HTTPHeaders], None]
    on_chunk: Callable[[bytes], Awaitable[None]]
    is_begun: bool = False
    is_complete: bool = False
    #: Why an answer is none of the catalog's.
    _refusal: str = ""
    _stream: IOStream | None = None
    _parameters: HTTP1ConnectionParameters = field(
        default_factory=lambda: HTTP1ConnectionParameters(
            no_keep_alive=True,
            header_timeout=ANSWER_SECONDS,
            max_header_size=_HEADER_BYTES_MAX,
            max_body_size=sys.maxsize,
        )
    )

    async def send_and_receive(self) -> None:
        """Send the request and receive the whole answer, unless it is aborted. Raises ServiceAway before its headers."""
        reason = "the connection ended without an answer"
        try:
            self._stream = stream = await self._connect()
            connection = HTTP1Connection(stream, True, self._parameters)
            start = RequestStartLine(self.method, self._format_target(), "HTTP/1.1")
            connection.write_headers(start, self._build_headers(), self.body or None)
            connection.finish()
            await connection.read_response(self)
        except (OSError, TimeoutError) as error:
            reason = _format_reason(error)
        finally:
            self.abort()
        if not self.is_begun:
            raise ServiceAway(self.address.url, self._refusal or reason)

    def abort(self) -> None:
        """Close the connection to the service."""
        if self._stream is not None:
            self._stream.close()

    def headers_received(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> None:
        """Receive the status and the headers."""
        assert isinstance(start_line, ResponseStartLine)  # noqa: S101  of a client's connection
        status = start_line.code
        if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST and status != HTTPStatus.NOT_MODIFIED:
            # Another server than the catalog, such as a proxy that redirects to a page for signing in.
            self._refusal = "it redirects to another page"
            self.abort()
        elif status >= HTTPStatus.OK:
            self.is_begun = True
            self.on_headers(status, headers)

    async def data_received(self, chunk: bytes) -> None:
        """Receive a part of the body; an answer that can no longer be passed on is given up."""
        try:
            await self.on_chunk(chunk)
        except StreamClosedError:
            self.abort()

    def finish(self) -> None:
        """Receive the end of the body."""
        self.is_complete = True

    def on_connection_close(self) -> None:
        """Do nothing: the answer is not complete."""

    async def _connect(self) -> IOStream:
        parts = self.address.parts
        secure = parts.scheme == "https"
        stream = await TCPClient().connect(
            parts.hostname or "",
            parts.port or (443 if secure else 80),
            ssl_options=ssl.create_default_context() if secure else None,
            timeout=CONNECT_SECONDS,
        )
        stream.set_nodelay(True)
        _enable_keepalive(stream.socket)
        return stream

    def _format_target(self) -> str:
        return self.address.parts.path.rstrip("/") + self.target

    def _build_headers(self) -> HTTPHeaders:
        headers = HTTPHeaders(self.headers)
        headers["Host"] = self.address.parts.netloc
        headers["Authorization"] = f"token {self.address.token}"
        headers["Connection"] = "close"
        if self.body or self.method in ("POST", "PUT", "PATCH"):
            headers["Content-Length"] = str(len(self.body))
        return headers


def _enable_keepalive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEPALIVE_SECONDS)


def _format_reason(error: Exception) -> str:
    if isinstance(error, StreamClosedError):
        return "the connection was closed"
    if isinstance(error, TimeoutError):
        return "timed out"
    return str(getattr(error, "strerror", None) or type(error).__name__)
