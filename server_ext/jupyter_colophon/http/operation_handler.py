"""The handler of all operations: authenticates, authorises, runs the operation off the event loop and responds (spec SEC-1)."""

import asyncio
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.client import responses
from itertools import islice
from typing import Any, Final, TypeVar

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler, authenticated

from jupyter_colophon.core.documents.json_parsing import encode_in_pieces
from jupyter_colophon.core.documents.json_values import is_larger
from jupyter_colophon.core.errors import MetadataError, NotFound, StoreUnavailable, quote_text
from jupyter_colophon.core.read_budget import limit_reads, require_answer_size, take_page
from jupyter_colophon.http.request_body import BodyHandler
from jupyter_colophon.operations.api import Api, Failure
from jupyter_colophon.operations.call import perform
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.request import Answer, ChangesAnswer, LinesAnswer, Result

T = TypeVar("T")
_ACTIONS: Final = {"GET": "read", "HEAD": "read"}
#: Documents up to about this many bytes are encoded at once, larger ones in pieces.
_ENCODED_AT_ONCE: Final = 100_000
#: When to try again where the store is unavailable.
_RETRY_AFTER_SECONDS: Final = "5"
#: How many lines are produced and sent together.
_LINES_AT_ONCE: Final = 500


class OperationHandler(BodyHandler):
    """Serves the operations of one path; an unknown path returns 404 to users who may read."""

    def initialize(self, api: Api, operations: Mapping[str, Operation]) -> None:  # type: ignore[override]  # by the route
        """Set the operations of the route, by method."""
        super().initialize()
        self.api, self._operations = api, operations

    @property
    def max_body_bytes(self) -> int:
        """The size limit of a body, also when decompressed."""
        return self.api.max_body_bytes(self.state.settings)

    async def _serve(self, *_: str, **path: str) -> None:
        """Serve a request; every method of every path is handled here."""
        if self.refusal is not None:
            raise self.refusal
        coroutine = self._serve_user(path)
        if coroutine is not None:
            await coroutine

    @authenticated
    async def _serve_user(self, path: Mapping[str, str]) -> None:
        """Authorise the request, run its operation, and respond."""
        method = str(self.request.method)
        served = self._operations.get(method)
        await self.authorize(served.permission if served is not None else _ACTIONS.get(method, "write"))
        if served is None and (self._operations or method not in self.api.unknown_methods):
            raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)
        if served is None:
            raise NotFound("path", str(self.request.path))
        chosen = served.choose(self.read_query()) if served.actions else served
        if chosen.permission != served.permission:
            await self.authorize(chosen.permission)
        await self.serve(chosen, path)

    get = post = put = patch = delete = _serve

    async def serve(self, operation: Operation, path: Mapping[str, str]) -> None:
        """Run an operation and send the response."""
        call = self.call(path)

        def run_operation() -> tuple[Result, str]:
            result = perform(self.api, operation, self.state, call)
            return result, _encode(result.document, operation) if isinstance(result, Answer) else ""

        result, text = await self.run(operation, path, run_operation)
        if isinstance(result, LinesAnswer):
            await self._send_lines(result, operation.content_type)
        elif isinstance(result, Answer):
            self._send(result, text, operation)
        else:
            await self.send_changes(result)

    async def send_changes(self, changes: ChangesAnswer) -> None:
        """Send changes of the change log. Only the handlers of routes with such answers can."""
        raise TypeError(f"{self.request.path} answers changes, but its route has no handler for them")

    def _set_retry_after(self, status: int) -> None:
        """Set the Retry-After header of a 503."""
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.set_header("Retry-After", _RETRY_AFTER_SECONDS)

    async def run(self, operation: Operation, path: Mapping[str, str], work: Callable[[], T]) -> T:
        """Run synchronous work on the thread pool for this kind of operation. Raises StoreUnavailable."""
        state = self.state
        if state.closed:
            raise StoreUnavailable("the server is stopping")
        if operation.schemaspace:
            return await self._run_beside_packages(operation, operation.schemaspace.format(**path), work)
        if operation.is_read and operation.scans:
            return await asyncio.wrap_future(state.query_pool.submit(self.principal.user, work))
        return await asyncio.get_running_loop().run_in_executor(state.threads, work)

    async def _run_beside_packages(self, operation: Operation, schemaspace: str, work: Callable[[], T]) -> T:
        """Run work that may call a schemaspace's package, without delaying other schemaspaces.

        Raises StoreUnavailable if too much work of this schemaspace is waiting, or if reading takes too long.
        """
        future = asyncio.wrap_future(self.state.schemaspace_pools.submit(schemaspace, lambda: _run_without_exit(work)))
        if not operation.is_read:
            return await future
        seconds = self.state.settings.read_timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await future
        except TimeoutError:
            # Package code cannot be interrupted; its thread stays in the pool of its schemaspace.
            reason = f"reading schemaspace {quote_text(schemaspace)} took longer than {seconds:g} s"
            raise StoreUnavailable(reason) from None

    def _send(self, answer: Answer, text: str, operation: Operation) -> None:
        for name, value in answer.headers.items():
            self.set_header(name, value)
        if answer.etag is not None:
            self.set_header("Etag", answer.etag)
            if self.request.method == "GET" and self.check_etag_header():
                self.set_status(HTTPStatus.NOT_MODIFIED)
                self.finish()
                return
        self.set_status(answer.status)
        self._set_retry_after(answer.status)
        if answer.status == HTTPStatus.NO_CONTENT:
            self.finish()
        else:
            self.finish(text, set_content_type=operation.content_type or self.api.content_type)

    async def _send_lines(self, answer: LinesAnswer, content_type: str) -> None:
        """Stream lines as they are produced, so that they are never in memory all at once."""
        self.set_header("Content-Type", content_type)
        seconds, loop = self.state.settings.read_timeout_seconds, asyncio.get_running_loop()

        def read() -> list[str]:
            with limit_reads(seconds):
                return list(take_page(islice(answer.lines, _LINES_AT_ONCE), len))

        try:
            while lines := await loop.run_in_executor(self.state.threads, read):
                self.write("".join(f"{line}\n" for line in lines))
                await self.flush()
        except StreamClosedError:
            return
        except Exception:
            if self._headers_written:
                # The status is already sent: abort the connection, so that the response does not look complete.
                self.detach().close()
            raise
        self.finish(set_content_type=content_type)

    def compute_etag(self) -> str | None:
        """Return the ETag that was set, or a hash of the response for an API that hashes responses."""
        if not self.api.hashes_answers:
            return None
        version: str | None = self._headers.get("Etag")
        return version or RequestHandler.compute_etag(self)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send an error in the API's format; an unexpected one without its message."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        message = ""
        if isinstance(error, MetadataError):
            status_code = self.api.find_status(self._operations.get(str(self.request.method)), type(error))
        elif isinstance(error, HTTPError) and status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            message = error.log_message or ""
        failure = Failure(
            status_code,
            responses.get(status_code, "Error"),
            message,
            error if isinstance(error, MetadataError) else None,
        )
        self.set_status(status_code)
        if status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            self.set_header("Allow", ", ".join(self._operations))
        self._set_retry_after(status_code)
        document = json.dumps(self.api.error_document(failure))
        self.finish(document, set_content_type=self.api.error_content_type)


def _encode(document: Any, operation: Operation) -> str:
    """Return a document as JSON text; bytes are already JSON. Raises TooLarge if the response to a read is too large.

    A write is not limited, since it has already taken effect.
    """
    if isinstance(document, bytes):
        return document.decode()
    if not is_larger(document, _ENCODED_AT_ONCE):
        return json.dumps(document, ensure_ascii=False)
    if operation.is_read:
        require_answer_size(document)
    return encode_in_pieces(document)


def _run_without_exit(work: Callable[[], T]) -> T:
    """Run work, turning SystemExit into RuntimeError, so that a package cannot end the server."""
    try:
        return work()
    except SystemExit as error:
        raise RuntimeError("a package tried to end the server") from error
