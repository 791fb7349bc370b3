"""Routes that are loaded with the first request below them: nobody waits for their modules at the start of a server."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from jupyter_server.utils import url_path_join
from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.routing import PathMatches, Router, Rule
from tornado.web import Application

from jupyter_colophon.http import guard

#: Finds the modules of a table, and gives its patterns without the server's base URL.
Load = Callable[[], Iterable[tuple[str, type]]]
_logger = logging.getLogger("jupyter_colophon.http")


class LateRoutes(Router):
    """Stands before a table that is not there yet, and holds requests until it is."""

    #: The server asks what it is given whether its methods are guarded. Here are none: it asks the table when that comes.
    SUPPORTED_METHODS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, application: Application, base_url: str, load: Load) -> None:
        self.application = application
        self._base_url, self._load = base_url, load
        self._loading: asyncio.Task[None] | None = None
        self._over = False

    def stand(self, prefixes: Iterable[str]) -> None:
        """Hold what is asked for below these prefixes."""
        patterns = [url_path_join(self._base_url, prefix, ".*") for prefix in prefixes]
        self.application.add_handlers(".*$", [Rule(PathMatches(pattern), self) for pattern in patterns])

    def find_handler(self, request: HTTPServerRequest, **_: object) -> HTTPMessageDelegate | None:
        """Who holds the request; nobody once the table is there: it comes behind."""
        return None if self._over else _Held(self, request)

    async def loaded(self) -> None:
        """Wait for the table; the first who does loads it."""
        if self._loading is None:
            self._loading = asyncio.create_task(self._add())
        # Whoever goes away leaves the others their table.
        await asyncio.shield(self._loading)

    async def _add(self) -> None:
        try:
            self.application.add_handlers(".*$", await asyncio.to_thread(self._guarded))
        except Exception:
            _logger.exception("serves nothing: its routes cannot be loaded")
        finally:
            self._over = True

    def _guarded(self) -> list[tuple[str, type]]:
        """The table, once it is sure that every method in it is guarded. Raises UnguardedHandler."""
        table = list(self._load())
        guard.check(table, guard.RESOURCE)
        return [(url_path_join(self._base_url, pattern), handler) for pattern, handler in table]


class _Held(HTTPMessageDelegate):
    """A request that came before the table. It is routed anew when that is there; its body is not read before."""

    def __init__(self, late: LateRoutes, request: HTTPServerRequest) -> None:
        self._late, self._request = late, request
        self._routed: HTTPMessageDelegate | None = None

    async def headers_received(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> None:
        await self._late.loaded()
        # A request that came over the wire has a connection.
        connection: Any = self._request.connection
        self._routed = self._late.application.start_request(self._request.server_connection, connection)
        if (more := self._routed.headers_received(start_line, headers)) is not None:
            await more

    async def data_received(self, chunk: bytes) -> None:
        if self._routed is not None and (more := self._routed.data_received(chunk)) is not None:
            await more

    def finish(self) -> None:
        if self._routed is not None:
            self._routed.finish()

    def on_connection_close(self) -> None:
        if self._routed is not None:
            self._routed.on_connection_close()
