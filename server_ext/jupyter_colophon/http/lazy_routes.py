"""Routes that are loaded with the first request below them: nobody waits for their modules at the start of a server."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from jupyter_server.utils import url_path_join
from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.routing import PathMatches, Router, Rule, RuleRouter
from tornado.web import Application

#: A pattern, a handler's class, and what it is initialised with.
Route = tuple[str, type] | tuple[str, type, Mapping[str, Any]]
#: Finds the modules of a table, and gives its patterns without the server's base URL.
Load = Callable[[], Iterable[Route]]
#: The words that a pattern begins with: at most two steps of a path.
_BEGINNING = re.compile(r"^(?:/\w+(?![^/(])){1,2}")
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
        self._table: _Table | None = None

    def stand(self, prefixes: Iterable[str]) -> None:
        """Hold what is asked for below these prefixes."""
        patterns = [url_path_join(self._base_url, prefix, ".*") for prefix in prefixes]
        self.application.add_handlers(".*$", [Rule(PathMatches(pattern), self) for pattern in patterns])

    def find_handler(self, request: HTTPServerRequest, **_: object) -> HTTPMessageDelegate | None:
        """Who takes the request by the table; who holds it until the table is there. Nobody where there is none."""
        if self._table is not None:
            return self._table.find_handler(request)
        return None if self._over else _Held(self, request)

    async def loaded(self) -> None:
        """Wait for the table; the first who does loads it."""
        if self._loading is None:
            self._loading = asyncio.create_task(self._add())
        # Whoever goes away leaves the others their table.
        await asyncio.shield(self._loading)

    async def _add(self) -> None:
        try:
            self._table = _Table(self.application, await asyncio.to_thread(self._rules))
        except Exception:
            _logger.exception("serves nothing: its routes cannot be loaded")
        finally:
            self._over = True

    def _rules(self) -> list[Rule]:
        """Load the table, and return its rules grouped by how their paths begin: a request is not matched against all."""
        alike: dict[str, list[Rule]] = {}
        for pattern, handler, *kwargs in self._load():
            beginning = "".join(_BEGINNING.findall(pattern)[:1])
            rule = Rule(PathMatches(url_path_join(self._base_url, pattern)), handler, dict(*kwargs))
            alike.setdefault(beginning, []).append(rule)
        return [
            Rule(PathMatches(f"{url_path_join(self._base_url, beginning)}.*"), _Table(self.application, rules))
            for beginning, rules in alike.items()
        ]


class _Table(RuleRouter):
    """Rules whose targets are the application's handlers, or tables of more of them."""

    def __init__(self, application: Application, rules: list[Rule]) -> None:
        self._application = application
        super().__init__(rules)

    def get_target_delegate(self, target: Any, request: HTTPServerRequest, **given: Any) -> HTTPMessageDelegate | None:
        if isinstance(target, Router):
            return target.find_handler(request, **given)
        return self._application.get_handler_delegate(request, target, **given)


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
