"""An HTTP connection to one server, kept open between requests."""

import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from jupyter_colophon.client.caller import Call, Document, format_parameter
from jupyter_colophon.client.problems import HELD_FOR_REVIEW, RequestFailed, ServerUnavailable

CONNECT_TIMEOUT_S = 2.0
TOTAL_TIMEOUT_S = 10.0
#: For each block of an answer that comes in lines.
LINES_TIMEOUT_S = 60.0

#: Larger responses are rejected; the server's own lists end at 500 rows, its graphs at 10,000 edges.
LARGEST_ANSWER_BYTES = 64 * 1024 * 1024

#: Characters that are not encoded in a path (RFC 3986); `%` too, since a URL may be encoded already.
_PATH = "/%~:@!$&'()*+,;="

_BLOCK_BYTES = 64 * 1024

#: Errors that mean the server closed an idle connection without reading the request.
_CONNECTION_CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError, ConnectionAbortedError)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response: HTTP status, header fields in lower case, and the parsed JSON (None without a body)."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server: `url` is its base URL with the base path, `token` is sent as `Authorization` and never shown.

    User, password, query and fragment of a URL are dropped, since they may contain secrets.
    """

    url: str
    token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Normalize the URL.

        Raises:
            ValueError: the URL is not http or https or has no host, or the token is not valid in a header.
        """
        if not (self.token.isascii() and self.token.isprintable()):
            msg = "the token contains invalid characters"
            raise ValueError(msg)
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            msg = "this is not the URL of a Jupyter server: write http://host:port/ or https://host/"
            raise ValueError(msg)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        port = f":{parts.port}" if parts.port else ""
        object.__setattr__(self, "url", f"{parts.scheme}://{host}{port}{quote(parts.path.rstrip('/'), safe=_PATH)}/")


class Transport:
    """Sends requests one at a time, from any thread; a second thread waits for the first. A `Caller` over HTTP."""

    def __init__(
        self,
        server: ServerAddress,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        timeout_s: float = TOTAL_TIMEOUT_S,
        prefix: str = "/colophon/api",
    ) -> None:
        parts = urlsplit(server.url)
        self.server = server
        self._host, self._port = parts.hostname or "", parts.port
        self._secure = parts.scheme == "https"
        self._prefix = parts.path.rstrip("/") + prefix
        self._connect_timeout_s, self._timeout_s = connect_timeout_s, timeout_s
        self._lock = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> HttpAnswer:
        """Send one request and read its whole response.

        `path` follows the API's prefix and is already percent-encoded; None in `query` is left out; `body` becomes JSON
        unless it is bytes, whose type is then given in `headers`.
        A write is sent a second time if its response is lost or is 503 with Retry-After, and there is time; its
        idempotency key prevents duplicates.

        Raises:
            ServerUnavailable: no answer within `timeout_s` (default 10 s), or one that is not JSON.
            RequestFailed: the answer's status is 3xx, 4xx or 5xx (304 is an answer).
        """
        target = self._prefix + path + _format_query(query)
        payload = _encode_body(body)
        fields = self._build_headers(method, payload, headers)
        deadline = time.monotonic() + (timeout_s or self._timeout_s)

        def send() -> HttpAnswer:
            with self._lock:
                try:
                    return self._send_with_reconnect(method, target, payload, fields, deadline)
                except (OSError, http.client.HTTPException):
                    self._drop_connection()
                    raise

        try:
            return _raise_for_status(send() if method == "GET" else _send_write_with_one_retry(send, deadline))
        except (OSError, http.client.HTTPException) as reason:
            raise ServerUnavailable(self.server.url, _format_reason(reason)) from None

    def call(self, call: Call, timeout_s: float | None = None) -> Document:
        """Send a call, and return the answer's JSON object; an empty one if it has no body. Raises what `request` raises."""
        answer = self.request(
            call.method,
            _format_path(call),
            query=call.query,
            body=call.body,
            headers=_build_call_headers(call),
            timeout_s=timeout_s,
        )
        return answer.body if isinstance(answer.body, dict) else {}

    def stream_lines(self, call: Call, timeout_s: float | None = None) -> Iterator[bytes]:
        """Send a call on a separate connection, and yield the lines of the answer as they arrive.

        Each block has to arrive within `timeout_s`, by default 60 s. Raises what `request` raises, also if the
        response is truncated.
        """
        connection: http.client.HTTPConnection | None = None
        try:
            connection = self._create_connection(time.monotonic() + self._timeout_s)
            payload = _encode_body(call.body)
            target = self._prefix + _format_path(call) + _format_query(call.query)
            connection.request(
                call.method, target, payload, self._build_headers(call.method, payload, _build_call_headers(call))
            )
            _set_timeout(connection, timeout_s or LINES_TIMEOUT_S)
            response = connection.getresponse()
            if response.status != HTTPStatus.OK:
                headers = {name.lower(): value for name, value in response.getheaders()}
                _raise_for_status(HttpAnswer(response.status, headers, _parse_body(response.read(_BLOCK_BYTES))))
            rest = b""
            # Split at \n only: strings contain other line breaks. read1 raises if a chunk is missing, readline does not.
            while block := response.read1(_BLOCK_BYTES):
                *whole, rest = (rest + block).split(b"\n")
                yield from whole
        except (OSError, http.client.HTTPException) as reason:
            raise ServerUnavailable(self.server.url, _format_reason(reason)) from None
        finally:
            if connection is not None:
                connection.close()

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        with self._lock:
            self._drop_connection()

    def _build_headers(self, method: str, payload: bytes | None, headers: Mapping[str, str] | None) -> dict[str, str]:
        fields = {"Accept": "application/json", "User-Agent": "jupyter-colophon"}
        if method != "GET":
            fields["Idempotency-Key"] = os.urandom(16).hex()
        if payload is not None:
            fields["Content-Type"] = "application/json"
        if self.server.token:
            fields["Authorization"] = f"token {self.server.token}"
        fields.update(headers or {})
        return fields

    def _send_with_reconnect(
        self, method: str, target: str, payload: bytes | None, fields: Mapping[str, str], deadline: float
    ) -> HttpAnswer:
        """Send on the open connection; if the server has closed it, send again on a new one.

        Sending again is safe: a write has its idempotency key.
        """
        reused = self._connection is not None
        try:
            return self._send_on_open_connection(method, target, payload, fields, deadline)
        except _CONNECTION_CLOSED:
            self._drop_connection()
            if not reused:
                raise
        return self._send_on_open_connection(method, target, payload, fields, deadline)

    def _send_on_open_connection(
        self, method: str, target: str, payload: bytes | None, fields: Mapping[str, str], deadline: float
    ) -> HttpAnswer:
        connection = self._open_connection(deadline)
        self._set_deadline(connection, deadline)
        connection.request(method, target, payload, dict(fields))
        self._set_deadline(connection, deadline)
        response = connection.getresponse()
        content = self._read_body_until_deadline(connection, response, deadline)
        answer = HttpAnswer(response.status, {k.lower(): v for k, v in response.getheaders()}, _parse_body(content))
        if response.will_close:
            self._drop_connection()
        return answer

    def _open_connection(self, deadline: float) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = self._create_connection(deadline)
        return self._connection

    def _create_connection(self, deadline: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(
            self._host, self._port, timeout=min(self._connect_timeout_s, _compute_remaining_seconds(deadline))
        )
        connection.connect()
        return connection

    def _read_body_until_deadline(
        self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse, deadline: float
    ) -> bytes:
        blocks: list[bytes] = []
        size = 0
        # read1 returns available bytes, so the deadline also holds for a slow server.
        while block := response.read1(_BLOCK_BYTES):
            blocks.append(block)
            size += len(block)
            if size > LARGEST_ANSWER_BYTES:
                msg = "its response is too large"
                raise http.client.HTTPException(msg)
            self._set_deadline(connection, deadline)
        is_cut = bool(response.length)
        response.close()
        if is_cut:
            msg = "its response is truncated"
            raise http.client.HTTPException(msg)
        return b"".join(blocks)

    def _set_deadline(self, connection: http.client.HTTPConnection, deadline: float) -> None:
        _set_timeout(connection, _compute_remaining_seconds(deadline))

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None


def _send_write_with_one_retry(attempt: Callable[[], HttpAnswer], deadline: float) -> HttpAnswer:
    """Return the response to a write; send it a second time if the first response was lost and there is time."""
    try:
        answer = attempt()
    except TimeoutError:
        raise
    except (OSError, http.client.HTTPException):
        return attempt()
    pause_s = answer.headers.get("retry-after", "")
    if answer.status != HTTPStatus.SERVICE_UNAVAILABLE or not (pause_s.isascii() and pause_s.isdigit()):
        return answer
    if time.monotonic() + int(pause_s) >= deadline:
        return answer
    time.sleep(int(pause_s))
    return attempt()


def _set_timeout(connection: http.client.HTTPConnection, timeout_s: float) -> None:
    if connection.sock is not None:
        connection.sock.settimeout(timeout_s)


def _encode_body(body: object) -> bytes | None:
    return body if body is None or isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()


def _format_path(call: Call) -> str:
    return call.path_template.format_map({name: quote(value, safe="") for name, value in call.path.items()})


def _build_call_headers(call: Call) -> dict[str, str]:
    content_type = {} if call.body is None else {"Content-Type": call.content_type}
    return content_type | {name: str(value) for name, value in call.headers.items()}


def _compute_remaining_seconds(deadline: float) -> float:
    """Return the seconds until the deadline.

    Raises:
        TimeoutError: the deadline has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _format_query(query: Mapping[str, object] | None) -> str:
    parameters = {name: format_parameter(value) for name, value in (query or {}).items() if value is not None}
    return f"?{urlencode(parameters)}" if parameters else ""


def _parse_body(content: bytes) -> object:
    """Return the JSON of a response; None without a body, the bytes if it is not JSON."""
    if not content:
        return None
    try:
        return json.loads(content)
    except ValueError:
        return content


def _raise_for_status(answer: HttpAnswer) -> HttpAnswer:
    no_json = isinstance(answer.body, bytes)
    if answer.status < 300 or answer.status == 304:
        if no_json:
            msg = "the response is not from the catalog"
            raise http.client.HTTPException(msg)
        if isinstance(answer.body, dict) and answer.body.get("type") == HELD_FOR_REVIEW:
            # The change was not made.
            raise RequestFailed(answer.status, answer.body)
        return answer
    problem = answer.body if isinstance(answer.body, dict) else {}
    # Errors of our own APIs are marked: problem documents by their type, those of `/v3` by their status.
    if answer.status == 404 and not {"type", "status"} & problem.keys():
        msg = "the Jupyter Colophon extension is not enabled on this server"
        raise http.client.HTTPException(msg)
    raise RequestFailed(answer.status, {**problem, "detail": _get_problem_detail(answer.status, problem)})


def _get_problem_detail(status: int, body: Mapping[str, Any]) -> str:
    """Return the detail of a problem; for errors of Jupyter itself, which are not problem documents, our own text."""
    words = str(body.get("detail") or body.get("message") or f"the server answered {status}")
    # Without a valid token Jupyter treats us as a browser and requires a cookie, a sign-in, or an XSRF token. A denied
    # action of a known principal is a problem of another type.
    is_problem = body.get("detail") or ("status" in body and words != HTTPStatus.FORBIDDEN.phrase)
    is_jupyter_error = not is_problem or "_xsrf" in words or str(body.get("type")).endswith(":forbidden")
    is_unknown = status < 400 or status == 401 or (status == 403 and is_jupyter_error)
    return "the server does not accept the token" if is_unknown else words


def _format_reason(reason: Exception) -> str:
    if isinstance(reason, TimeoutError):
        return "timed out"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror.lower()
    return str(reason) or type(reason).__name__
