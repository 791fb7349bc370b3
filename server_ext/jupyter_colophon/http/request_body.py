"""The body of a request, bounded in size, and how requests are logged."""

import asyncio
import logging
import re
import secrets
import zlib
from collections.abc import Awaitable
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final

from jupyter_server.base.handlers import APIHandler
from jupyter_server.log import log_request
from jupyter_server.prometheus.log_functions import prometheus_log_method
from tornado.web import HTTPError, stream_request_body

from jupyter_colophon.core.errors import MalformedBody, MetadataError, Overloaded, TooLarge, TooManyRequests
from jupyter_colophon.http.authenticated_request import AuthenticatedRequest

_ID_HEADER: Final = "X-Request-Id"
_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
#: How many times the limit is read of a refused body, so that the response can give the reason.
_DROPPED_FACTOR: Final = 4
#: How long a request above a rate limit, or to an overloaded server, waits for its refusal.
REFUSAL_DELAY_S: Final = 1.0
#: The statuses of a store that is unavailable or full.
_STORE_STATUSES: Final = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE)


@stream_request_body
class BodyHandler(AuthenticatedRequest, APIHandler):  # type: ignore[misc]  # narrows identity_provider
    """Reads the body of a request up to a limit, and logs the request."""

    @property
    def max_body_bytes(self) -> int:
        """The size limit of a body, also when decompressed."""
        return self.state.settings.max_body_bytes

    @cached_property
    def request_id(self) -> str:
        """The client's `X-Request-Id`, or a new one: it is in the response, in the log of requests and in logged errors."""
        sent = str(self.request.headers.get(_ID_HEADER, ""))
        return sent if _ID.fullmatch(sent) else secrets.token_hex(8)

    def set_default_headers(self) -> None:
        """Set the headers of every response, also of errors."""
        super().set_default_headers()
        self.set_header(_ID_HEADER, self.request_id)

    def initialize(self) -> None:
        """Prepare for a body that arrives in chunks."""
        self._chunks = bytearray()
        self._inflate: Any = None
        self._invalid_body: MetadataError | None = None
        #: Why the request is refused; its body is read only to keep the connection usable.
        self.refusal: Exception | None = None

    async def prepare(self) -> None:  # type: ignore[override]  # as Jupyter's own APIHandler
        """Check the request. A refusal is sent after its body is read, since the connection would break otherwise."""
        try:
            await self._refuse_large_body_and_prepare()
        except (MetadataError, HTTPError) as error:
            if isinstance(error, Overloaded | TooManyRequests):
                # A client that ignores Retry-After would otherwise occupy the event loop with refusals.
                await asyncio.sleep(REFUSAL_DELAY_S)
            if not self._is_body_worth_reading():
                raise
            self.refusal = error

    def require_capacity(self) -> None:
        """Raise Overloaded if the server is too busy for the request."""

    async def _refuse_large_body_and_prepare(self) -> None:
        """Refuse a body whose declared length is too large, or any while the server is overloaded; then do what Jupyter does."""
        limit = self.max_body_bytes
        connection: Any = self.request.connection
        # The length of a chunked body is unknown: read and drop it up to a bound, so that the response can give the reason.
        connection.set_max_body_size(limit * _DROPPED_FACTOR)
        if int(self.request.headers.get("Content-Length") or 0) > limit:
            self.set_header("Connection", "close")
            raise TooLarge(f"a body may have at most {limit} bytes")
        encoding = self.request.headers.get("Content-Encoding", "identity")
        if encoding == "gzip":
            self._inflate = zlib.decompressobj(wbits=31)
        elif encoding != "identity":
            raise MalformedBody("the Content-Encoding of the body must be gzip or identity")
        # Before authentication, which may ask a hub.
        self.require_capacity()
        prepared: Awaitable[None] | None = super().prepare()
        if prepared is not None:
            await prepared
        self.count_request()

    def _is_body_worth_reading(self) -> bool:
        """Return whether a body follows that is small enough to be read and dropped."""
        length = self.request.headers.get("Content-Length")
        if length is None:
            return "Transfer-Encoding" in self.request.headers
        return 0 < int(length) <= self.max_body_bytes

    def check_xsrf_cookie(self) -> None:
        """Check as Jupyter does, but report missing authentication first: only browsers need the cookie."""
        if self.token_holder is not None:
            # JupyterHub replaces Jupyter's check by one that knows its own tokens only.
            return
        try:
            super().check_xsrf_cookie()
        except HTTPError as error:
            # JupyterHub checks before it returns the user.
            if hasattr(self, "_current_user") and self.current_user is not None:
                raise
            raise HTTPError(error.status_code, f"the token is wrong or missing ({error.log_message})") from None

    def data_received(self, chunk: bytes) -> None:
        """Append a chunk of the body, decompressed if needed, up to the limit."""
        if self._invalid_body is not None or self.refusal is not None:
            return
        limit, size = self.max_body_bytes, len(self._chunks)
        try:
            # An error raised here would close the connection without a response: `sent_body` raises it.
            self._chunks += chunk if self._inflate is None else self._inflate.decompress(chunk, limit + 1)
        except zlib.error:
            self._invalid_body = MalformedBody("the body is not valid gzip")
        if self.current_user is not None:
            self.state.rate_limits.count_body_bytes(self.principal, len(self._chunks) - size)
        if len(self._chunks) > limit:
            self._invalid_body = TooLarge(f"a body may have at most {limit} bytes")
            self._chunks.clear()

    def read_body(self) -> bytes:
        """Return the request body, decompressed. Raises MalformedBody, TooLarge."""
        if self._invalid_body is not None:
            raise self._invalid_body
        if self._inflate is not None and not self._inflate.eof:
            raise MalformedBody("the request body ended before its declared length: send the request again")
        return bytes(self._chunks)

    def log_exception(self, *info: Any) -> None:
        """Log an unexpected error; a MetadataError is in the response."""
        if not isinstance(info[1], MetadataError):
            super().log_exception(*info)
            if not isinstance(info[1], HTTPError):
                self.log.error("the error above occurred in the request with the id %s", self.request_id)

    def _log(self) -> None:
        """Log the request as the server does; failures of the store in one line, without headers."""
        status = self.get_status()
        if status not in _STORE_STATUSES:
            # To format a record that is not written takes as long as to route the request.
            if status < HTTPStatus.MULTIPLE_CHOICES and self._is_success_not_written():
                self._count_in_metrics()
            else:
                super()._log()
            return
        took = 1000 * self.request.request_time()
        self.log.error(
            "%d %s %s %.2fms request %s",
            self.get_status(),
            self.request.method,
            self.request.path,
            took,
            self.request_id,
        )
        self._count_in_metrics()

    def _is_success_not_written(self) -> bool:
        """Return whether the server logs successes as Jupyter does, by debug records, and no handler writes these."""
        function = self.settings.get("log_function")
        return getattr(function, "func", None) is log_request and not _has_handler_of_debug_records(self.log)

    def _count_in_metrics(self) -> None:
        if self.serverapp is not None and self.serverapp.record_http_request_metrics:
            prometheus_log_method(self)


def _has_handler_of_debug_records(logger: "logging.Logger | logging.LoggerAdapter[Any]") -> bool:
    """Return whether a handler of a logger or of those above it writes debug records.

    Jupyter's logger accepts all records; the level in the settings is that of its handlers.
    """
    current: logging.Logger | None = logger.logger if isinstance(logger, logging.LoggerAdapter) else logger
    while current is not None:
        if any(handler.level <= logging.DEBUG for handler in current.handlers):
            return True
        current = current.parent if current.propagate else None
    return False
