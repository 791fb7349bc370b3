"""The handler of all operations: authenticates, authorises, runs the operation off the event loop and responds (spec SEC-1)."""

import asyncio
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.client import responses
from itertools import islice
from math import inf
from typing import Any, Final, TypeVar

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler, authenticated

from jupyter_colophon.core.documents.json_parsing import encode_json_in_pieces
from jupyter_colophon.core.errors import (
    MetadataError,
    MethodNotAllowed,
    NotFound,
    StoreUnavailable,
    quote_and_truncate_text,
)
from jupyter_colophon.core.read_budget import (
    ANSWER_BYTES_MAX,
    limit_items_to_page_bytes,
    limit_reads_of_thread,
)
from jupyter_colophon.http.load_shedding import find_request_kind
from jupyter_colophon.http.request_body import BodyHandler
from jupyter_colophon.operations.api import ApiDefinition, RequestFailure
from jupyter_colophon.operations.call import check_and_run_operation
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.request import ChangesAnswer, LinesAnswer, OperationAnswer, PendingAnswer, Result

T = TypeVar("T")
_ACTIONS: Final = {"GET": "read", "HEAD": "read"}
#: How many lines are produced and sent together.
_LINES_AT_ONCE: Final = 500


class OperationHandler(BodyHandler):
    """Serves the operations of one path; an unknown path returns 404 to users who may read."""

    def initialize(self, api: ApiDefinition, operations: Mapping[str, Operation]) -> None:  # type: ignore[override]  # by the route
        """Set the operations of the route, by method."""
        super().initialize()
        self.api, self._operations = api, operations
        #: The operation of the request, once it is authorised.
        self._operation: Operation | None = None
        self._is_stream = False

    @property
    def max_body_bytes(self) -> int:
        """The size limit of a body, also when decompressed."""
        return self.api.max_body_bytes(self.state.settings)

    def require_capacity(self) -> None:
        """Raise Overloaded if the server is too busy for the request."""
        operation = self._operations.get(str(self.request.method))
        if operation is not None and not operation.is_essential:
            self.state.require_capacity(find_request_kind(operation))

    def check_xsrf_cookie(self) -> None:
        """Check as for every request, except for files that pages of this origin import: imports send no XSRF token."""
        operation = self._operations.get(str(self.request.method))
        is_import = operation is not None and operation.returns_web_files
        if not is_import or self.request.headers.get("Sec-Fetch-Site") != "same-origin":
            super().check_xsrf_cookie()

    async def _serve_any_method(self, *_: str, **path: str) -> None:
        """Serve a request; every method of every path is handled here."""
        if self.refusal is not None:
            raise self.refusal
        coroutine = self._authorize_and_serve(path)
        if coroutine is not None:
            await coroutine

    @authenticated
    async def _authorize_and_serve(self, path: Mapping[str, str]) -> None:
        """Authorise the request, run its operation, and respond."""
        method = str(self.request.method)
        served = self._operations.get(method)
        await self.require_jupyter_authorization(
            served.permission if served is not None else _ACTIONS.get(method, "write")
        )
        if served is None and (self._operations or method not in self.api.unknown_methods):
            raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)
        if served is None:
            raise NotFound("path", str(self.request.path))
        chosen = served.choose_action(self.parse_query_parameters()) if served.actions else served
        if chosen.permission != served.permission:
            await self.require_jupyter_authorization(chosen.permission)
        await self.run_operation_and_respond(chosen, path)

    get = post = put = patch = delete = _serve_any_method

    async def run_operation_and_respond(self, operation: Operation, path: Mapping[str, str]) -> None:
        """Run an operation and send the response."""
        self._operation = operation
        call = self.build_received_call(path)

        def run_operation() -> tuple[Result, str | bytes]:
            result = check_and_run_operation(self.api, operation, self.state, call)
            return result, _encode_document(result.document, operation) if isinstance(result, OperationAnswer) else ""

        result, text = await self.run_on_thread_pool(operation, path, run_operation)
        if isinstance(result, PendingAnswer):
            result = await _wait_for_pending_answer(result)
            # The package's thread has encoded it.
            text = result.document
        self._is_stream = not isinstance(result, OperationAnswer)
        if isinstance(result, LinesAnswer):
            await self._stream_lines(result, operation.content_type)
        elif isinstance(result, OperationAnswer):
            self._send_answer(result, text, operation)
        else:
            await self.send_changes(result)

    async def send_changes(self, changes: ChangesAnswer) -> None:
        """Send changes of the change log. Only the handlers of routes with such answers can."""
        raise TypeError(f"{self.request.path} answers changes, but its route has no handler for them")

    async def run_on_thread_pool(self, operation: Operation, path: Mapping[str, str], work: Callable[[], T]) -> T:
        """Run synchronous work on the thread pool for this kind of operation. Raises StoreUnavailable."""
        state = self.state
        if state.closed:
            raise StoreUnavailable("the server is stopping: try again when it has restarted")
        if operation.schemaspace:
            return await self._run_on_schemaspace_pool(operation, operation.schemaspace.format(**path), work)
        if operation.is_read_only and operation.may_read_many_entities:
            return await asyncio.wrap_future(state.query_pool.submit_work(self.principal.user, work))
        user = self.principal.user
        async with state.admission.admit_request(user):
            return await asyncio.wrap_future(state.request_pool.submit_work(user, work))

    async def _run_on_schemaspace_pool(self, operation: Operation, schemaspace: str, work: Callable[[], T]) -> T:
        """Run work that may call a schemaspace's package, without delaying other schemaspaces.

        Raises StoreUnavailable if too much work of this schemaspace is waiting, or if reading takes too long.
        """
        future = asyncio.wrap_future(
            self.state.schemaspace_pools.submit_work_of_schemaspace(
                schemaspace, lambda: _run_and_convert_system_exit(work)
            )
        )
        if not operation.is_read_only:
            return await future
        seconds = self.state.settings.read_timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await future
        except TimeoutError:
            # Package code cannot be interrupted; its thread stays in the pool of its schemaspace.
            reason = f"reading schemaspace {quote_and_truncate_text(schemaspace)} took longer than {seconds:g} s"
            raise StoreUnavailable(reason) from None

    def _send_answer(self, answer: OperationAnswer, text: str | bytes, operation: Operation) -> None:
        for name, value in answer.headers.items():
            self.set_header(name, value)
        if answer.etag is not None:
            self.set_header("Etag", answer.etag)
            if self.request.method == "GET" and self.check_etag_header():
                self.set_status(HTTPStatus.NOT_MODIFIED)
                self.finish()
                return
        self.set_status(answer.status)
        self.set_headers_of_failure(answer.status, None)
        if answer.status == HTTPStatus.NO_CONTENT:
            self.finish()
        else:
            content_type = answer.headers.get("Content-Type") or operation.content_type or self.api.content_type
            self.finish(text, set_content_type=content_type)

    async def _stream_lines(self, answer: LinesAnswer, content_type: str) -> None:
        """Stream lines as they are produced, so that they are never in memory all at once."""
        self.set_header("Content-Type", content_type)
        seconds, pool = self.state.settings.read_timeout_seconds, self.state.request_pool

        def read() -> list[str]:
            with limit_reads_of_thread(seconds):
                return list(limit_items_to_page_bytes(islice(answer.lines, _LINES_AT_ONCE), len))

        try:
            while lines := await asyncio.wrap_future(pool.submit_work(self.principal.user, read)):
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

    def on_finish(self) -> None:
        """Count the request, and write it to the log of requests."""
        operation, state = self._operation, self.state
        name = "" if operation is None else operation.id
        state.request_metrics.record_request(name, self.get_status())
        seconds = self.request.request_time()
        if operation is not None and not self._is_stream:
            state.request_metrics.record_duration(is_read=operation.is_read_only, seconds=seconds)
        if state.request_log is not None:
            # Requests that are refused before they are authenticated have no user.
            user = getattr(self, "_jupyter_current_user", None)
            principal = None if user is None else self.principal
            state.request_log.write_request(
                {
                    "requestId": self.request_id,
                    "user": None if principal is None else principal.user,
                    "via": None if principal is None else principal.via,
                    "method": self.request.method,
                    "operation": name,
                    "status": self.get_status(),
                    "durationMs": round(1000 * seconds, 1),
                    "requestBytes": len(self._chunks),
                }
            )
        super().on_finish()

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
            status_code = self.api.find_status_of_error(self._operations.get(str(self.request.method)), type(error))
        elif isinstance(error, HTTPError) and _is_explained(status_code):
            message = error.log_message or ""
        failure = RequestFailure(
            status_code,
            responses.get(status_code, "Error"),
            message,
            error if isinstance(error, MetadataError) else None,
        )
        self.set_status(status_code)
        if status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = error.allowed if isinstance(error, MethodNotAllowed) else self._operations
            self.set_header("Allow", ", ".join(allowed))
        self.set_headers_of_failure(status_code, error)
        document = json.dumps(self.api.error_document(failure))
        self.finish(document, set_content_type=self.api.error_content_type)


def _is_explained(status_code: int) -> bool:
    """Return whether the message of an error is for the client: it caused the error, or may try again."""
    return status_code < HTTPStatus.INTERNAL_SERVER_ERROR or status_code == HTTPStatus.SERVICE_UNAVAILABLE


def _encode_document(document: Any, operation: Operation) -> str | bytes:
    """Return a document as JSON text; bytes are encoded already. Raises TooLarge if the response to a read is too large.

    A write is not limited, since it has already taken effect.
    """
    if isinstance(document, bytes):
        return document
    return encode_json_in_pieces(document, ANSWER_BYTES_MAX if operation.is_read_only else inf)


async def _wait_for_pending_answer(pending: PendingAnswer) -> OperationAnswer:
    """Wait for code of a package without occupying a thread. Raises the error of the answer after its time limit."""
    try:
        async with asyncio.timeout(pending.timeout_s):
            return await asyncio.wrap_future(pending.future)
    except TimeoutError:
        raise pending.create_timeout_error() from None


def _run_and_convert_system_exit(work: Callable[[], T]) -> T:
    """Run work, turning SystemExit into RuntimeError, so that a package cannot end the server."""
    try:
        return work()
    except SystemExit as error:
        raise RuntimeError(
            "a package of a schemaspace called sys.exit(); the request failed, and the server continues"
        ) from error
