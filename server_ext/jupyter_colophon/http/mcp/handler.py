"""The handler of `POST /colophon/mcp`."""

from collections.abc import Mapping
from dataclasses import replace

from tornado.web import HTTPError

from jupyter_colophon.core.access import Principal
from jupyter_colophon.http.operation_handler import OperationHandler
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

    async def run_operation_and_respond(self, operation: Operation, path: Mapping[str, str]) -> None:
        """Check the permission to write; then serve the message."""
        try:
            await self.require_jupyter_authorization("write")
        except HTTPError:
            self._may_write = False
        else:
            self._may_write = True
        await super().run_operation_and_respond(operation, path)
