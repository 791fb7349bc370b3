"""The handlers of a single-user server that uses the shared service: they check a request and forward it."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from tornado.httputil import HTTPHeaders

from jupyter_colophon.http.changes.change_socket import ChangeSocketHandler
from jupyter_colophon.http.forwarding.caller_headers import build_caller_headers
from jupyter_colophon.http.forwarding.change_socket import ForwardingSocketHandler
from jupyter_colophon.http.forwarding.exchange import Exchange, ServiceAway
from jupyter_colophon.http.forwarding.rewriting import build_target, select_request_headers, select_response_headers
from jupyter_colophon.http.lazy_routes import Route
from jupyter_colophon.http.mcp.handler import McpHandler
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.http.routes import list_server_routes
from jupyter_colophon.operations.change_log import EVENT_STREAM
from jupyter_colophon.operations.operation import Operation


class ForwardingHandler(OperationHandler):
    """Forwards an operation to the service, in the name of this server's user, and passes the answer on."""

    _exchange: Exchange | None = None

    async def run_operation_and_respond(self, operation: Operation, path: Mapping[str, str]) -> None:
        """Forward the request. Raises ServiceAway, AccessDenied."""
        self._operation, principal = operation, self.principal
        shared = self.state.require_owner_of_shared_catalog(principal)
        headers = select_request_headers(self.request, operation)
        headers.update({**build_caller_headers(principal), "X-Request-Id": self.request_id})
        self._loop = asyncio.get_running_loop()
        self._exchange = exchange = Exchange(
            shared.address,
            str(self.request.method),
            build_target(self.request, self.base_url),
            headers,
            self.read_body(),
            self._begin_answer,
            self._send_chunk,
        )
        cancel = self.call_when_access_ends(self._abort_exchange_from_any_thread)
        try:
            await exchange.send_and_receive()
        finally:
            cancel()
        self._end_answer(exchange)

    def on_connection_close(self) -> None:
        """Give up the request to the service: its client has gone."""
        super().on_connection_close()
        if self._exchange is not None:
            self._exchange.abort()

    def compute_etag(self) -> str | None:
        """Return None: the service computes it."""
        return None

    def _begin_answer(self, status: int, headers: HTTPHeaders) -> None:
        self.set_status(status)
        for name, value in select_response_headers(headers, self.state.get_shared_catalog().address, self.base_url):
            self.set_header(name, value)
        self._is_stream = headers.get("Content-Type", "").startswith(EVENT_STREAM)

    async def _send_chunk(self, chunk: bytes) -> None:
        self.write(chunk)
        await self.flush()

    def _end_answer(self, exchange: Exchange) -> None:
        connection: Any = self.request.connection
        if connection is None or connection.stream is None or connection.stream.closed():
            # The client has gone.
            return
        if exchange.is_complete:
            self.finish(set_content_type=self._headers.get("Content-Type", self.api.content_type))
        elif self._headers_written:
            # The status is already sent: abort the connection, so that the answer does not look complete.
            self.detach().close()
        else:
            raise ServiceAway(exchange.address.url, "its answer is incomplete")

    def _abort_exchange_from_any_thread(self) -> None:
        if self._exchange is not None:
            self._loop.call_soon_threadsafe(self._exchange.abort)


class ForwardingMcpHandler(McpHandler, ForwardingHandler):  # type: ignore[misc]  # as BodyHandler
    """Forwards a message of an assistant; without the permission to write, with the scope `read` only."""


def list_forwarding_routes(*, elyra: bool) -> Iterator[Route]:
    """Yield the routes of a server, with handlers that forward."""
    for pattern, handler, *arguments in list_server_routes(elyra=elyra):
        yield pattern, _choose_forwarding_handler(handler), dict(*arguments)


def _choose_forwarding_handler(handler: type) -> type:
    if issubclass(handler, ChangeSocketHandler):
        return ForwardingSocketHandler
    return ForwardingMcpHandler if issubclass(handler, McpHandler) else ForwardingHandler
