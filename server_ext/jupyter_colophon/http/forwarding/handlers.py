"""The handlers of a single-user server that uses the shared service: they check a request and forward it."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from tornado.httputil import HTTPHeaders

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import Urn, is_variable_urn
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
from jupyter_colophon.operations.native.lineage import find_present_program, find_present_variable
from jupyter_colophon.operations.operation import Operation

#: Operations of this server itself: pipelines and checks run on its machine, with the plugins and the Spark of its user.
_LOCAL: Final = frozenset(
    {
        "checkPipeline",
        "listPipelinePlugins",
        "packagePipeline",
        "readPipelineExecution",
        "startPipelinePreview",
        "startPipelineRun",
        "startQualityCheck",
        "stopPipelineExecution",
    }
)


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
            self._read_body_to_forward(operation),
            self._begin_answer,
            self._send_chunk,
        )
        cancel = self.call_when_access_ends(self._abort_exchange_from_any_thread)
        try:
            await exchange.send_and_receive()
        finally:
            cancel()
        self._end_answer(exchange)

    def _read_body_to_forward(self, operation: Operation) -> bytes:
        """Return the body, with the present path of the kernel's notebook, which only this server knows.

        Raises MalformedBody, TooLarge.
        """
        body = self.read_body()
        if self.principal.via is None:
            return body
        # The service reports what is wrong with a body.
        with suppress(ValueError, LookupError, TypeError, AttributeError, MetadataError):
            if operation.id == "startRun":
                return self._move_start(body)
            if operation.id == "recordAccesses":
                return self._move_accesses(body)
        return body

    def _move_start(self, body: bytes) -> bytes:
        start = json.loads(body)
        moved = find_present_program(self.state, self.principal, Urn.parse(start["program"]))
        if moved is None:
            return body
        facts = {**start.get("facts", {}), "notebook": moved[1]}
        return json.dumps({**start, "program": str(moved[0]), "facts": facts}).encode()

    def _move_accesses(self, body: bytes) -> bytes:
        accesses = json.loads(body)
        ends = [(access, "data") for access in accesses["accesses"]]
        ends += [(column, end) for column in accesses.get("columns", ()) for end in ("source", "target")]
        for document, name in ends:
            if is_variable_urn(document[name]):
                document[name] = str(find_present_variable(self.state, self.principal, Urn.parse(document[name])))
        return json.dumps(accesses).encode()

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
        members: dict[str, Any] = dict(*arguments)
        is_local = any(operation.id in _LOCAL for operation in members.get("operations", {}).values())
        yield pattern, handler if is_local else _choose_forwarding_handler(handler), members


def _choose_forwarding_handler(handler: type) -> type:
    if issubclass(handler, ChangeSocketHandler):
        return ForwardingSocketHandler
    return ForwardingMcpHandler if issubclass(handler, McpHandler) else ForwardingHandler
