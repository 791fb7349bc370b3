"""The body of a request, bounded in size, and how requests are logged."""

import zlib
from collections.abc import Awaitable
from http import HTTPStatus
from typing import Any, Final

from jupyter_server.base.handlers import APIHandler
from jupyter_server.prometheus.log_functions import prometheus_log_method
from tornado.web import HTTPError, stream_request_body

from jupyter_colophon.core.errors import MalformedBody, MetadataError, TooLarge
from jupyter_colophon.http.authenticated_request import AuthenticatedRequest

#: How many times the limit is read of a body that is refused, so that the answer can say why.
_DROPPED_FACTOR: Final = 4
#: The statuses of a store that is unavailable or full.
_STORE_STATUSES: Final = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE)


@stream_request_body
class BodyHandler(AuthenticatedRequest, APIHandler):  # type: ignore[misc]  # narrows identity_provider
    """Reads the body of a request up to a limit, and logs the request."""

    @property
    def max_body_bytes(self) -> int:
        """How large a body may be, also when it is inflated."""
        return self.state.settings.max_body_bytes

    def initialize(self) -> None:
        """Prepare for a body that comes in pieces."""
        self._pieces = bytearray()
        self._inflate: Any = None
        self._invalid_body: MetadataError | None = None
        #: Why the request is refused; its body is read only so that the connection can be used again.
        self.refusal: Exception | None = None

    async def prepare(self) -> None:  # type: ignore[override]  # as Jupyter's own APIHandler
        """Admit the request. One that is refused is answered after its body: before, the connection would be lost."""
        try:
            await self._admit()
        except (MetadataError, HTTPError) as error:
            if not self._is_body_worth_reading():
                raise
            self.refusal = error

    async def _admit(self) -> None:
        """Refuse a body that says it is too large before it is read; then do what Jupyter does."""
        limit = self.max_body_bytes
        connection: Any = self.request.connection
        # A body in pieces does not say how long it is: it is read, and dropped, so that we can answer why; to a bound.
        connection.set_max_body_size(limit * _DROPPED_FACTOR)
        if int(self.request.headers.get("Content-Length") or 0) > limit:
            self.set_header("Connection", "close")
            raise TooLarge(f"a body has at most {limit} bytes")
        encoding = self.request.headers.get("Content-Encoding", "identity")
        if encoding == "gzip":
            self._inflate = zlib.decompressobj(wbits=31)
        elif encoding != "identity":
            raise MalformedBody("the body's Content-Encoding is neither gzip nor identity")
        prepared: Awaitable[None] | None = super().prepare()
        if prepared is not None:
            await prepared

    def _is_body_worth_reading(self) -> bool:
        """Return whether a body follows that is not too large to be read and dropped."""
        length = self.request.headers.get("Content-Length")
        if length is None:
            return "Transfer-Encoding" in self.request.headers
        return 0 < int(length) <= self.max_body_bytes

    def check_xsrf_cookie(self) -> None:
        """Check as Jupyter does; a request that is not signed in at all is answered that first: only browsers need the cookie."""
        try:
            super().check_xsrf_cookie()
        except HTTPError as error:
            if self.current_user is not None:
                raise
            raise HTTPError(error.status_code, f"the token is wrong or missing ({error.log_message})") from None

    def data_received(self, chunk: bytes) -> None:
        """Collect a piece of the body, inflated where it came compressed, under the limit."""
        if self._invalid_body is not None or self.refusal is not None:
            return
        limit = self.max_body_bytes
        try:
            # An error raised here would close the connection without an answer: `body` raises it.
            self._pieces += chunk if self._inflate is None else self._inflate.decompress(chunk, limit + 1)
        except zlib.error:
            self._invalid_body = MalformedBody("the body is no gzip")
        if len(self._pieces) > limit:
            self._invalid_body = TooLarge(f"a body has at most {limit} bytes")
            self._pieces.clear()

    def sent_body(self) -> bytes:
        """Return the body as it was sent, but inflated. Raises MalformedBody, TooLarge."""
        if self._invalid_body is not None:
            raise self._invalid_body
        if self._inflate is not None and not self._inflate.eof:
            raise MalformedBody("the body is cut off")
        return bytes(self._pieces)

    def log_exception(self, *info: Any) -> None:
        """Log an unexpected error; one of ours is in the answer."""
        if not isinstance(info[1], MetadataError):
            super().log_exception(*info)

    def _log(self) -> None:
        """Log the request as the server does; one whose store is unavailable in one line, without its headers."""
        if self.get_status() not in _STORE_STATUSES:
            super()._log()
            return
        took = 1000 * self.request.request_time()
        self.log.error("%d %s %s %.2fms", self.get_status(), self.request.method, self.request.path, took)
        if self.serverapp is not None and self.serverapp.record_http_request_metrics:
            prometheus_log_method(self)
