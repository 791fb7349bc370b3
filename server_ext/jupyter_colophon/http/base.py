"""The base of our handlers: size, identity, JSON, one hop to a thread, and one way to tell errors."""

import asyncio
import json
import logging
import zlib
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from http.client import responses
from typing import TYPE_CHECKING, Any, Final, TypeVar

from jupyter_server.base.handlers import APIHandler
from jupyter_server.prometheus.log_functions import prometheus_log_method
from jupyter_server.utils import ensure_async
from tornado.httputil import HTTPServerRequest
from tornado.web import HTTPError, stream_request_body

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.documents.json_parsing import encode_in_pieces, parse
from jupyter_colophon.core.documents.json_values import is_larger
from jupyter_colophon.core.errors import InvalidQuery, MalformedBody, MetadataError, StoreUnavailable, TooLarge, shown
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.read_budget import limit_reads, require_answer_size
from jupyter_colophon.http.kernels.tokens import KernelIdentity
from jupyter_colophon.http.operation import Operation, Shape, declared, methods
from jupyter_colophon.http.state import SETTING, ServerState, actor
from jupyter_colophon.operations.call import Call
from jupyter_colophon.operations.idempotency import ASKING, IDEMPOTENCY_KEY, fingerprint
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.problems import document, problem, row_of

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

T = TypeVar("T")
_UNAVAILABLE, _STORE_FULL = 503, 507
#: The coarse resource that Jupyter's authorizers are asked about.
RESOURCE: Final = "colophon"
#: Seconds to wait before a store that is away is asked again.
RETRY_AFTER_S = "5"
_DROPPED_FACTOR = 4
_SMALL_BYTES = 10_000
#: Documents up to about so many bytes are encoded on the event loop: a thread would take longer.
_ENCODED_AT_ONCE = 100_000
_READING = ("GET", "HEAD")
_EXPLAINED = {403: "you are not signed in, or may not do this", 405: "this path does not take this method"}
_logger = logging.getLogger("jupyter_colophon.http")


class Identified:
    """What REST handlers and WebSockets share: who asks, and the catalog."""

    settings: dict[str, Any]
    current_user: Any
    authorizer: Any
    base_url: str
    request: HTTPServerRequest
    get_query_arguments: Callable[..., list[str]]

    @property
    def state(self) -> ServerState:
        """The extension's state."""
        state: ServerState = self.settings[SETTING]
        return state

    @property
    def identity_provider(self) -> Any:
        """The server's identity provider, which here also knows kernels' tokens."""
        return KernelIdentity(self.settings["identity_provider"], self.state.tokens)

    @property
    def principal(self) -> Principal:
        """Who asks, with the scopes of the token used."""
        holder = self.state.tokens.holder(self)  # type: ignore[arg-type]  # a mixin of RequestHandlers
        if holder is not None:
            return holder.principal
        return Principal(actor(self.settings["identity_provider"], self.current_user))

    @property
    def operation(self) -> Operation:
        """What the method that answers this request declares."""
        told = declared(type(self), str(self.request.method).lower())
        if told is None:
            raise LookupError(f"{type(self).__name__}.{self.request.method} declares no operation")
        return told

    def asked(self, parameter: Parameter[T]) -> T:
        """A parameter that the method declares, read. Raises InvalidQuery, and LookupError where it is not declared."""
        if parameter not in self.operation.takes:
            raise LookupError(f"{self.operation.id} does not declare {parameter.name}")
        told = self.request.headers.get(parameter.name) if parameter.place == "header" else self._sent(parameter.name)
        if told is None and parameter.required:
            raise InvalidQuery("is missing", parameter.name)
        return parameter.default if told is None else parameter.read(told)

    __getitem__ = asked

    @property
    def sent_names(self) -> frozenset[str]:
        """The names of the headers that were sent."""
        return frozenset(name.lower() for name in self.request.headers)

    def _sent(self, name: str) -> str | None:
        """A query parameter exactly as it was sent: blanks are part of names. Raises InvalidQuery."""
        found: list[str] = self.get_query_arguments(name, strip=False)
        if len(found) > 1:
            raise InvalidQuery("is sent more than once", name)
        return found[0] if found else None

    async def hop(self, work: "Callable[[Catalog], T]", *, asks: bool = False) -> T:
        """Do synchronous work on the catalog, off the event loop.

        What only reads has a deadline, and what looks through many entities threads of its own. A GET only reads; with
        `asks`, the request is a question in whatever method. Raises StoreUnavailable, TransactionTimeout, TooLarge.
        """
        state = self.state
        if not asks and self.request.method not in _READING:
            return await self.aside(lambda: work(state.catalog()))

        def read() -> T:
            with limit_reads(state.settings.read_timeout_seconds):
                return work(state.catalog())

        if state.closed or not (asks or self.operation.looks_through_many):
            return await self.aside(read)
        return await asyncio.wrap_future(state.query_pool.submit(self.principal.user, read))

    async def authorize(self, action: str) -> None:
        """Raise HTTPError 403 where Jupyter's authorizer denies the action on our resource."""
        allowed = self.authorizer.is_authorized(self, self.current_user, action, RESOURCE)
        if not await ensure_async(allowed):
            raise HTTPError(HTTPStatus.FORBIDDEN, f"User is not authorized to {action} on resource: {RESOURCE}.")

    def call(self, path: Mapping[str, str]) -> Call:
        """Return the request as operations read it."""
        request, user = self.request, self.current_user
        principal = self.principal
        # Where Jupyter invents names, its invention is no name of the account (docs/decisions, 3).
        name = (user.display_name or user.name) if user.username == principal.user else principal.user
        return Call(
            principal=principal,
            query={name: self.get_query_arguments(name, strip=False) for name in request.query_arguments},
            headers={name.lower(): value for name, value in request.headers.items()},
            path=path,
            body=self.sent_body,
            raw_path=str(request.path).removeprefix(self.base_url.rstrip("/")),
            base_url=self.base_url,
            display_name=name or principal.user,
            fingerprint=self.fingerprint,
        )

    def sent_body(self) -> bytes:
        """Return the body as it was sent, but inflated. Raises MalformedBody, TooLarge."""
        return bytes(self.request.body)

    def fingerprint(self) -> str:
        """Compute what distinguishes this request from another. It takes a moment where the body is large."""
        path = str(self.request.uri).removeprefix(self.base_url)
        headers = [self.request.headers.get(name, "") for name in ASKING]
        return fingerprint(str(self.request.method), path, headers, self.sent_body())

    async def query(self, work: "Callable[[Catalog], T]") -> T:
        """Read the catalog off the event loop, under the read deadline. Raises StorageError."""
        state = self.state
        if state.closed:
            raise StoreUnavailable("the server is stopping")

        def read() -> T:
            with limit_reads(state.settings.read_timeout_seconds):
                return work(state.catalog())

        return await asyncio.get_running_loop().run_in_executor(state.threads, read)

    async def aside(self, work: Callable[[], T]) -> T:
        """Do synchronous work off the event loop; the catalog is not opened for it. Raises StoreUnavailable."""
        state = self.state
        if state.closed:
            raise StoreUnavailable("the server is stopping")
        return await asyncio.get_running_loop().run_in_executor(state.threads, work)

    async def among(self, space: str, work: Callable[[], T]) -> T:
        """As `aside`, for what may call the code of a schemaspace's package: that holds up no other schemaspace.

        A request that only reads has a deadline. Raises StoreUnavailable where too much of this schemaspace waits
        already, or where reading took too long.
        """
        if self.state.closed:
            raise StoreUnavailable("the server is stopping")
        if self.request.method not in _READING:
            return await asyncio.wrap_future(self.state.schemaspace_pools.submit(space, lambda: _lasting(work)))
        seconds = self.state.settings.read_timeout_seconds

        def read() -> T:
            with limit_reads(seconds):
                return _lasting(work)

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(self.state.schemaspace_pools.submit(space, read))
        except TimeoutError:
            # Nothing can end the code of a package; its thread stays with its own schemaspace.
            raise StoreUnavailable(f"reading schemaspace {shown(space)} took longer than {seconds:g} s") from None


def _lasting(work: Callable[[], T]) -> T:
    """Do it; a package that ends the program ends no server."""
    try:
        return work()
    except SystemExit as error:
        raise RuntimeError("a package tried to end the server") from error


def _encode_read(value: Any) -> str:
    """Return what a read answers as JSON text. Raises TooLarge."""
    require_answer_size(value)
    return encode_in_pieces(value)


def _refuse(error: Exception, *_: str, **__: str) -> None:
    raise error


@stream_request_body
class ApiHandler(Identified, APIHandler):  # type: ignore[misc]  # narrows identity_provider
    """A REST handler. Its methods return nothing and call `answer` once, or raise a MetadataError."""

    #: Of a document that is answered.
    content_type = "application/json"

    @property
    def body_bytes_max(self) -> int:
        """How large a body may be, also when it is inflated."""
        return self.state.settings.max_body_bytes

    def initialize(self) -> None:
        """Prepare for a body that comes in pieces."""
        self._pieces = bytearray()
        self._inflate: Any = None
        self._refused: MetadataError | None = None
        #: Whether the body is read only so that the connection can be used again.
        self._dropped = False

    async def prepare(self) -> None:  # type: ignore[override]  # as Jupyter's own APIHandler
        """Admit the request. One that is refused is answered after its body: before, the connection would be lost."""
        try:
            await self._admit()
        except (MetadataError, HTTPError) as error:
            if not self._is_body_worth_reading():
                raise
            self._dropped = True
            setattr(self, str(self.request.method).lower(), partial(_refuse, error))

    async def _admit(self) -> None:
        """Refuse a body that says it is too large before it is read; then do what Jupyter does."""
        limit = self.body_bytes_max
        connection: Any = self.request.connection
        # A body in pieces does not say how long it is: it is read, and dropped, so that we can answer why; to a bound.
        connection.set_max_body_size(limit * _DROPPED_FACTOR)
        if int(self.request.headers.get("Content-Length") or 0) > limit:
            self.set_header("Connection", "close")
            raise TooLarge(f"a body has at most {limit} bytes")
        encoding = self.request.headers.get("Content-Encoding", "identity")
        if encoding == "gzip":
            self._inflate = zlib.decompressobj(wbits=31)
        elif encoding != "identity":
            raise MalformedBody("the body's Content-Encoding is neither gzip nor identity")
        prepared: Awaitable[None] | None = super().prepare()
        if prepared is not None:
            await prepared

    def _is_body_worth_reading(self) -> bool:
        """Return whether a body follows that is not too large to be read and dropped."""
        length = self.request.headers.get("Content-Length")
        if length is None:
            return "Transfer-Encoding" in self.request.headers
        return 0 < int(length) <= self.body_bytes_max

    def check_xsrf_cookie(self) -> None:
        """As Jupyter does; but who is not signed in at all is told so first: only browsers need that cookie."""
        try:
            super().check_xsrf_cookie()
        except HTTPError as error:
            if self.current_user is not None:
                raise
            raise HTTPError(error.status_code, f"the token is wrong or missing ({error.log_message})") from None

    def data_received(self, chunk: bytes) -> None:
        """Collect a piece of the body, inflated where it came compressed, under the limit."""
        if self._refused is not None or self._dropped:
            return
        limit = self.body_bytes_max
        try:
            # An error raised here would close the connection without an answer: `body` raises it.
            self._pieces += chunk if self._inflate is None else self._inflate.decompress(chunk, limit + 1)
        except zlib.error:
            self._refused = MalformedBody("the body is no gzip")
        if len(self._pieces) > limit:
            self._refused = TooLarge(f"a body has at most {limit} bytes")
            self._pieces.clear()

    async def body(self) -> Any:
        """The body as JSON, checked against the schema that the method declares.

        Raises MalformedBody, TooLarge, InvalidInstance.

        One that is not small is read on a thread: the server has notebooks to serve (spec SEC-8).
        """
        raw = self.sent_body()
        shape = self.operation.body_shape(self.request.headers.get("Content-Type", ""))
        if len(raw) <= _SMALL_BYTES:
            return self.read(raw, shape)
        return await asyncio.get_running_loop().run_in_executor(self.state.threads, self.read, raw, shape)

    def sent_body(self) -> bytes:
        """Return the body as it was sent, but inflated. Raises MalformedBody, TooLarge."""
        if self._refused is not None:
            raise self._refused
        if self._inflate is not None and not self._inflate.eof:
            raise MalformedBody("the body is cut off")
        return bytes(self._pieces)

    sent = sent_body

    def read(self, raw: bytes, shape: Shape) -> Any:
        """A body of this shape. Raises MalformedBody, TooLarge, InvalidInstance."""
        value = parse(raw)
        self.state.schemas.validate(shape, value)
        return value

    async def writing(self, work: "Callable[[Catalog, Once | None], T]") -> T:
        """Do a write, off the event loop; sent again with its idempotency key, it has its effect once.

        The method declares IDEMPOTENCY_KEY.
        """
        key, principal = self.asked(IDEMPOTENCY_KEY), self.principal

        def keyed(catalog: "Catalog") -> T:
            return work(catalog, Once(principal.user, key, self.fingerprint()) if key else None)

        return await self.hop(keyed)

    def urn(self, in_path: str) -> Urn:
        """The URN in the path, or that of `?urn=` where the path has `-`. Raises InvalidName."""
        return Urn.parse(self._sent("urn") or "" if in_path == "-" else in_path)

    def answer(self, value: Any, etag: str | None = None, status: int = 200) -> None:
        """Send a document. With an ETag, a GET whose If-None-Match names it is answered 304."""
        if etag is not None:
            self.set_header("Etag", etag)
            if self.request.method == "GET" and self.check_etag_header():
                self.set_status(304)
                self.finish()
                return
        self.set_status(status)
        self.retry_later(status)
        if not is_larger(value, _ENCODED_AT_ONCE):
            self.finish(json.dumps(value, ensure_ascii=False), set_content_type=self.content_type)
            return
        # What is large is encoded on a thread: the server has notebooks to serve.
        self._auto_finish = False
        self._encoding = asyncio.ensure_future(self._finish_encoded(value))

    async def _finish_encoded(self, value: Any) -> None:
        # What a write did stays done, however much there is to answer.
        encode = _encode_read if self.request.method in _READING else encode_in_pieces
        try:
            text = await asyncio.get_running_loop().run_in_executor(self.state.threads, encode, value)
            self.finish(text, set_content_type=self.content_type)
        except Exception as error:  # noqa: BLE001  the handler's method is over: nobody else answers for it
            self._handle_request_exception(error)

    @classmethod
    def status_of(cls, cause: type[MetadataError]) -> int:
        """The status of an error of this class."""
        return row_of(cause).status

    def retry_later(self, status: int) -> None:
        """With a 503, say when to ask again."""
        if status == _UNAVAILABLE:
            self.set_header("Retry-After", RETRY_AFTER_S)

    def compute_etag(self) -> str | None:
        """No ETag but the versions that `answer` is given."""
        return None

    def log_exception(self, *info: Any) -> None:
        """What the caller can be told is no news for the log; anything else is."""
        if not isinstance(info[1], MetadataError):
            super().log_exception(*info)

    def _log(self) -> None:
        """As the server logs requests; but a store that is away is told in one line, without the request's headers."""
        if self.get_status() not in (_UNAVAILABLE, _STORE_FULL):
            super()._log()
            return
        took = 1000 * self.request.request_time()
        self.log.error("%d %s %s %.2fms", self.get_status(), self.request.method, self.request.path, took)
        if self.serverapp is not None and self.serverapp.record_http_request_metrics:
            prometheus_log_method(self)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Tell an error as a problem document (RFC 9457); an unexpected one without its message."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, MetadataError):
            told = problem(error)
        else:
            reason = responses.get(status_code, "Error")
            detail = (error.log_message or _EXPLAINED.get(status_code, "")) if isinstance(error, HTTPError) else ""
            told = document(status_code, reason.lower().replace(" ", "-"), reason, detail if status_code < 500 else "")
        status = int(str(told["status"]))
        self.set_status(status)
        if status == 405:
            self.set_header("Allow", ", ".join(methods(type(self))))
        self.retry_later(status)
        self.finish(json.dumps(told), set_content_type="application/problem+json")
