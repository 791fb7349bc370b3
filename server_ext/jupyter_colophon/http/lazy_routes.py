"""Routes that are loaded by the first request for them, so that the server starts without their modules."""

import asyncio
import json
import logging
import math
import re
import time
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

#: A pattern, a handler's class, and the arguments of its initialize.
Route = tuple[str, type] | tuple[str, type, Mapping[str, Any]]
#: Imports the handlers and returns the routes, without the server's base URL.
Load = Callable[[], Iterable[Route]]
#: The literal prefix of a pattern: at most two path segments.
_PREFIX = re.compile(r"^(?:/\w+(?![^/(])){1,2}")
#: How long after a failure the routes are loaded again, in seconds: the package may have been replaced at that moment.
_RETRY_S = 10
_REFUSAL = {"message": "the catalog could not be loaded (see the log of the server): try again later"}
_logger = logging.getLogger("jupyter_colophon.http")


class LazyRouter(Router):
    """A router that holds requests until the route table is loaded."""

    #: The server checks that handler methods are guarded. This router has none; those of the loaded table are checked.
    SUPPORTED_METHODS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, application: Application, base_url: str, load: Load, *, retry_s: int = _RETRY_S) -> None:
        self.application, self.retry_s = application, retry_s
        self._base_url, self._load = base_url, load
        self._loading: asyncio.Task[None] | None = None
        self._failed = -math.inf
        self._table: _RuleTable | None = None

    def install_for_prefixes(self, prefixes: Iterable[str]) -> None:
        """Route requests below these prefixes to this router."""
        patterns = [url_path_join(self._base_url, prefix, ".*") for prefix in prefixes]
        self.application.add_handlers(".*$", [Rule(PathMatches(pattern), self) for pattern in patterns])

    def find_handler(self, request: HTTPServerRequest, **_: object) -> HTTPMessageDelegate | None:
        """Return the handler for the request, or a delegate that waits until the routes are loaded.

        After a failure, the delegate refuses the request, until it is time to load them again.
        """
        if self._table is not None:
            return self._table.find_handler(request)
        if time.monotonic() < self._failed + self.retry_s:
            return _RefusedRequest(request, self.retry_s)
        return _PendingRequest(self, request)

    async def wait_until_loaded(self) -> None:
        """Wait until the table is loaded, or could not be; the first caller starts loading it."""
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load_and_add_rules())
        # A cancelled request must not cancel loading for the others.
        await asyncio.shield(self._loading)

    async def _load_and_add_rules(self) -> None:
        try:
            self._table = _RuleTable(self.application, await asyncio.to_thread(self._load_rules))
        except Exception:
            self._failed = time.monotonic()
            _logger.exception("cannot load the routes: no request can be served, will retry in %s s", self.retry_s)

    def _load_rules(self) -> list[Rule]:
        """Load the routes, and return rules grouped by path prefix, so that a request is not matched against all of them."""
        rules_by_prefix: dict[str, list[Rule]] = {}
        for pattern, handler, *kwargs in self._load():
            prefix = "".join(_PREFIX.findall(pattern)[:1])
            rule = Rule(PathMatches(url_path_join(self._base_url, pattern)), handler, dict(*kwargs))
            rules_by_prefix.setdefault(prefix, []).append(rule)
        return [
            Rule(PathMatches(f"{url_path_join(self._base_url, prefix)}.*"), _RuleTable(self.application, rules))
            for prefix, rules in rules_by_prefix.items()
        ]


class _RuleTable(RuleRouter):
    """Rules whose targets are the application's handlers, or nested tables."""

    def __init__(self, application: Application, rules: list[Rule]) -> None:
        self._application = application
        super().__init__(rules)

    def get_target_delegate(self, target: Any, request: HTTPServerRequest, **kwargs: Any) -> HTTPMessageDelegate | None:
        if isinstance(target, Router):
            return target.find_handler(request, **kwargs)
        return self._application.get_handler_delegate(request, target, **kwargs)


class _PendingRequest(HTTPMessageDelegate):
    """A request that arrived before the routes were loaded. It is routed again then; its body is not read before."""

    def __init__(self, router: LazyRouter, request: HTTPServerRequest) -> None:
        self._router, self._request = router, request
        self._delegate: HTTPMessageDelegate | None = None

    async def headers_received(self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders) -> None:
        await self._router.wait_until_loaded()
        # A request received over the network has a connection.
        connection: Any = self._request.connection
        self._delegate = self._router.application.start_request(self._request.server_connection, connection)
        if (awaitable := self._delegate.headers_received(start_line, headers)) is not None:
            await awaitable

    async def data_received(self, chunk: bytes) -> None:
        if self._delegate is not None and (awaitable := self._delegate.data_received(chunk)) is not None:
            await awaitable

    def finish(self) -> None:
        if self._delegate is not None:
            self._delegate.finish()

    def on_connection_close(self) -> None:
        if self._delegate is not None:
            self._delegate.on_connection_close()


class _RefusedRequest(HTTPMessageDelegate):
    """A request that is refused so that its client tries again. Without routes, no user can be authenticated."""

    def __init__(self, request: HTTPServerRequest, retry_s: int) -> None:
        self._request, self._retry_s = request, retry_s

    def finish(self) -> None:
        body = json.dumps(_REFUSAL).encode()
        headers = HTTPHeaders(
            {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                "Retry-After": str(self._retry_s),
            }
        )
        # A request received over the network has a connection.
        connection: Any = self._request.connection
        connection.write_headers(ResponseStartLine("HTTP/1.1", 503, "Service Unavailable"), headers, body)
        connection.finish()
