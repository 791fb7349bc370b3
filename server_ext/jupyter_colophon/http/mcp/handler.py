"""The handler of `POST /colophon/mcp`."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from tornado.web import HTTPError

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.operations.operation import Operation

T = TypeVar("T")


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

    async def serve(self, operation: Operation, path: Mapping[str, str]) -> None:
        """Check the permission to write; then serve the message."""
        try:
            await self.authorize("write")
        except HTTPError:
            self._may_write = False
        else:
            self._may_write = True
        await super().serve(operation, path)

    async def run(self, operation: Operation, path: Mapping[str, str], work: Callable[[], T]) -> T:
        """Run the work on the query threads, where users take turns. Raises StoreUnavailable."""
        if self.state.closed:
            raise StoreUnavailable("the server is stopping")
        return await asyncio.wrap_future(self.state.query_pool.submit(self.principal.user, work))
