"""An API without HTTP: its calls run in this process, on the caller's thread."""

import json
import threading
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from jupyter_colophon.client.caller import Call, Document, format_parameter
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.written_change import WrittenChange
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.read_budget import limit_reads_of_thread
from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.call import ReceivedCall as SentCall
from jupyter_colophon.operations.call import check_and_run_operation
from jupyter_colophon.operations.change_log import read_page_or_cursor
from jupyter_colophon.operations.problems import render_problem_document
from jupyter_colophon.operations.request import ChangesAnswer, LinesAnswer, OperationAnswer, PendingAnswer
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_BAD_REQUEST: Final = 400


class InProcessCaller:
    """A `Caller` that runs operations of an API on the services of this process.

    Calls have no time limit but the read deadline of the settings. The answers are those of HTTP, and so are the
    errors: `RequestFailed` with a status and a problem document.
    """

    def __init__(self, services: ProcessServices, principal: Principal, api: ApiDefinition) -> None:
        self.services, self._principal, self._api = services, principal, api
        self._operations = {operation.id: operation for operation in api.operations}

    def call(self, call: Call, timeout_s: float | None = None) -> Document:
        """Run an operation, and return its document; an empty one if it has none. Raises RequestFailed."""
        result = self._run_and_translate_errors(call)
        if isinstance(result, ChangesAnswer):
            return self._read_or_wait_for_changes(call, result)
        if isinstance(result, LinesAnswer):
            raise TypeError(f"{call.operation} answers lines")
        if result.status >= _BAD_REQUEST:
            raise RequestFailed(result.status, result.document)
        return result.document if isinstance(result.document, dict) else {}

    def stream_lines(self, call: Call, timeout_s: float | None = None) -> Iterator[bytes]:
        """Yield the lines of an answer as they are produced. Raises RequestFailed, also in the middle."""
        result = self._run_and_translate_errors(call)
        if not isinstance(result, LinesAnswer):
            raise TypeError(f"{call.operation} does not answer lines")
        try:
            for line in result.lines:
                yield line.encode()
        except MetadataError as error:
            raise self._create_request_failed(call, error) from error

    def close(self) -> None:
        """Close the services."""
        self.services.close()

    def _run_and_translate_errors(self, call: Call) -> OperationAnswer | LinesAnswer | ChangesAnswer:
        operation, body = self._operations[call.operation], _encode_request_body(call.body)
        sent = SentCall(
            principal=self._principal,
            query={name: (format_parameter(value),) for name, value in call.query.items()},
            headers={"content-type": call.content_type}
            | {name.lower(): format_parameter(v) for name, v in call.headers.items()},
            path=call.path,
            body=lambda: body,
            raw_path=self._api.prefix
            + call.path_template.format_map({k: quote(v, safe="") for k, v in call.path.items()}),
            display_name=self._principal.user,
            fingerprint=lambda: _compute_call_fingerprint(call, body),
        )
        try:
            result = check_and_run_operation(self._api, operation, self.services, sent)
            if isinstance(result, PendingAnswer):
                raise TypeError(f"{call.operation} runs code of packages, which only servers do")
            return result
        except MetadataError as error:
            raise self._create_request_failed(call, error) from error

    def _read_or_wait_for_changes(self, call: Call, changes: ChangesAnswer) -> Document:
        """Return a page of changes; if there are none, wait for one."""
        catalog, news = self.services.get_or_open_catalog(), threading.Event()
        stop = catalog.feed.register_listener(lambda _: news.set()) if changes.wait_seconds else None
        try:
            page, cursor = self._read_change_page(catalog, changes, changes.after)
            if not page and changes.limit and stop is not None and news.wait(changes.wait_seconds):
                page, cursor = self._read_change_page(catalog, changes, cursor)
        except MetadataError as error:
            raise self._create_request_failed(call, error) from error
        finally:
            if stop is not None:
                stop()
        return {"cursor": cursor, "changes": [json.loads(item.text) for item in page]}

    def _read_change_page(
        self, catalog: "Catalog", changes: ChangesAnswer, after: int | None
    ) -> tuple[list[WrittenChange], int]:
        with limit_reads_of_thread(self.services.settings.read_timeout_seconds):
            return read_page_or_cursor(catalog, changes, after, self._principal)

    def _create_request_failed(self, call: Call, error: MetadataError) -> RequestFailed:
        return RequestFailed(
            self._api.find_status_of_error(self._operations[call.operation], type(error)),
            render_problem_document(error),
        )


def _encode_request_body(body: Any) -> bytes:
    if body is None or isinstance(body, bytes):
        return body or b""
    # A lone surrogate, as in arguments of a command line, is refused when the body is parsed.
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _compute_call_fingerprint(call: Call, body: bytes) -> str:
    parts = json.dumps([call.operation, dict(call.path), dict(call.query), dict(call.headers)], sort_keys=True)
    return sha256(parts.encode() + b"\n" + body).hexdigest()
