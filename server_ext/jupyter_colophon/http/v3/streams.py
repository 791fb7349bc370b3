"""Writing into streams: `POST …/streams/{s}[/async|/batch]`."""

from collections.abc import Callable
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.documents.json_parsing import decoded, parse
from jupyter_colophon.core.entities.stream_event import Binary, Taken
from jupyter_colophon.core.errors import MalformedBody, NotFound, TooLarge
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.operations.parameter import text

_DONE: Final = {"type": "object"}
ANYTHING: Final = {"application/json": {}, "text/*": {"type": "string"}, "*/*": {}}
_MANY: Final = {
    "application/json": {"type": "array"},
    "application/x-ndjson": {},
    "text/*": {"type": "string"},
    "*/*": {},
}
SOURCE: Final = text("source", "Who outside writes: lineage tells it, once a UTC day.", maxLength=512)
#: How many events a batch has at most.
_BATCH_MAX: Final = 100_000


async def take(handler: V3Handler, read: Callable[[bytes, str], list[Any]], *behind: str, status: int = 200) -> None:
    """Add what the body holds to the stream in the path, off the event loop."""
    stream, _ = handler.place(handler.segments(*behind))
    if not handler.state.identity.is_stream(stream):
        raise NotFound("stream", str(stream))
    source, principal, raw = handler.asked(SOURCE), handler.principal, handler.sent()
    kind = handler.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    def work(catalog: Any) -> Taken:
        taken: Taken = catalog.streams.write(stream, lambda: read(raw, kind), source, principal)
        return taken

    taken = await handler.hop(work)
    handler.answer({"message": "The events were taken.", "events": taken.events, "stored": taken.stored}, status=status)


class AsyncHandler(V3Handler):
    """`POST /namespaces/{ns}/streams/{s}/async`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3WriteEventLater", takes=[SOURCE], body=ANYTHING, answers={202: _DONE})
    async def post(self) -> None:
        """Write an event into a stream; what is answered is as lasting as without `/async`."""
        await take(self, one_event, "async", status=202)


class BatchHandler(V3Handler):
    """`POST /namespaces/{ns}/streams/{s}/batch`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3WriteEvents", takes=[SOURCE], body=_MANY, answers={200: _DONE})
    async def post(self) -> None:
        """Write many events into a stream, all or none."""
        await take(self, _many, "batch")


def one_event(raw: bytes, kind: str) -> list[Any]:
    """Return the event in a body of this content type. Raises MalformedBody for text or JSON that is not what it says."""
    if kind.startswith("text/"):
        return [decoded(raw)]
    return [parse(raw) if _is_json(kind) else _parse_any(raw)]


def _many(raw: bytes, kind: str) -> list[Any]:
    """Return the events in a body: the items of an array, or one a line."""
    if kind.startswith("text/"):
        found: Any = _lines(raw)
    elif kind == "application/x-ndjson":
        found = [parse(line, f"line {at}") for at, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
    elif _is_json(kind):
        found = parse(raw)
    else:
        found = _parse_undeclared(raw)
    if not isinstance(found, list):
        raise MalformedBody("the body is no array of events")
    if len(found) > _BATCH_MAX:
        raise TooLarge(f"a batch has at most {_BATCH_MAX} events")
    return found


def _is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")


def _parse_any(raw: bytes) -> Any:
    """Return a body that may be anything: JSON where it is JSON, else text, else bytes; an empty one is an empty text.

    `curl -d` names its bodies forms, whatever they hold.
    """
    try:
        return parse(raw)
    except MalformedBody:
        pass
    try:
        return decoded(raw)
    except MalformedBody:
        return Binary(raw)


def _parse_undeclared(raw: bytes) -> Any:
    """Return the events of a body that may be anything. Raises MalformedBody for bytes: they have no lines."""
    try:
        return parse(raw)
    except MalformedBody:
        return [_parse_any(line.encode()) for line in _lines(raw)]


def _lines(raw: bytes) -> list[str]:
    return [line for line in decoded(raw).replace("\r\n", "\n").split("\n") if line]


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("namespaces/[^/]+/streams?/[^/]+/async", AsyncHandler),
    ("namespaces/[^/]+/streams?/[^/]+/batch", BatchHandler),
]
