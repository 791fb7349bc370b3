"""The handler of `POST /colophon/mcp`."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from tornado.web import HTTPError

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import Overloaded
from jupyter_colophon.http.load_shedding import find_request_kind
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.http.request_body import REFUSAL_DELAY_S
from jupyter_colophon.mcp_server.called_operation import find_called_operation
from jupyter_colophon.operations.operation import Operation


class McpHandler(OperationHandler):
    """Serves a message, which may read or write.

    Requires the permission to read; without the permission to write, the principal gets the scope `read` only.
    """

    _may_write = False

    @property
    def principal(self) -> Principal:
        """The principal of the request, restricted to `read` without the permission to write."""
        principal = super().principal
        return principal if self._may_write else replace(principal, scopes=principal.scopes & {"read"})

    def require_capacity(self) -> None:
        """Raise Overloaded if the server refuses even writes: what the message calls is known when its body was read."""
        self.state.require_capacity("write")

    async def run_operation_and_respond(self, operation: Operation, path: Mapping[str, str]) -> None:
        """Check the capacity for what the message calls, and the permission to write; then serve it. Raises Overloaded."""
        await self._require_capacity_for_message()
        try:
            await self.require_jupyter_authorization("write")
        except HTTPError:
            self._may_write = False
        else:
            self._may_write = True
        await super().run_operation_and_respond(operation, path)

    async def _require_capacity_for_message(self) -> None:
        """Raise Overloaded if the server is too busy for the operation that the message calls."""
        called = find_called_operation(self.read_body())
        if called is None:
            return
        try:
            self.state.require_capacity(find_request_kind(called))
        except Overloaded:
            await asyncio.sleep(REFUSAL_DELAY_S)
            raise
