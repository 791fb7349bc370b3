"""Writing into streams: `POST …/streams/{stream}[/async|/batch]`."""

from collections.abc import Callable
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import decode_utf8, parse_json
from jupyter_colophon.core.entities.stream_event import BinaryBody
from jupyter_colophon.core.errors import InvalidName, MalformedBody, NotFound, TooLarge
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS, parse_entity_of_request

_WRITTEN: Final = {
    "type": "object",
    "properties": {"message": {"type": "string"}, "events": {"type": "integer"}, "stored": {"type": "boolean"}},
    "required": ["message", "events", "stored"],
}
_EVENT: Final = {"application/json": {}, "text/*": {"type": "string"}, "*/*": {}}
_EVENTS: Final = {
    "application/json": {"type": "array"},
    "application/x-ndjson": {},
    "text/*": {"type": "string"},
    "*/*": {},
}
_SOURCE: Final = declare_text(
    "source", "The external source of the events; it is recorded in lineage once per UTC day.", maxLength=512
)
_PARAMETERS: Final = (*ENTITY_PARAMETERS, _SOURCE)
#: How many events a batch has at most.
_BATCH_MAX: Final = 100_000


@declare_operation(
    "v3WriteEvent",
    "POST /namespaces/{namespace}/{collection}/{dataset}",
    decided_by="entities",
    parameters=_PARAMETERS,
    body=_EVENT,
    raw_body=True,
    answers={200: _WRITTEN},
    errors=[NotFound, InvalidName],
)
def write_event(services: ProcessServices, request: OperationRequest) -> Document:
    """Write an event into a stream; a dataset has no events."""
    return _append_events_of_body(services, request, _parse_event, 0)


@declare_operation(
    "v3WriteEventLater",
    "POST /namespaces/{namespace}/{streams}/{stream}/async",
    decided_by="entities",
    parameters=_PARAMETERS,
    body=_EVENT,
    raw_body=True,
    answers={202: _WRITTEN},
    errors=[NotFound, InvalidName],
)
def write_event_async(services: ProcessServices, request: OperationRequest) -> Document:
    """Write an event into a stream; it is as durable as without `/async`."""
    return _append_events_of_body(services, request, _parse_event, 1)


@declare_operation(
    "v3WriteEvents",
    "POST /namespaces/{namespace}/{streams}/{stream}/batch",
    decided_by="entities",
    parameters=_PARAMETERS,
    body=_EVENTS,
    raw_body=True,
    answers={200: _WRITTEN},
    errors=[NotFound, InvalidName],
)
def write_events(services: ProcessServices, request: OperationRequest) -> Document:
    """Write many events into a stream, all or none."""
    return _append_events_of_body(services, request, _parse_events, 1)


def _append_events_of_body(
    services: ProcessServices, request: OperationRequest, parse_body: Callable[[bytes, str], list[Any]], trailing: int
) -> Document:
    """Add the events in the body to the stream in the path."""
    stream, _ = parse_entity_of_request(services, request, trailing)
    if not services.identity.is_stream(stream):
        raise NotFound("stream", str(stream))
    body, content_type = request.body, request.content_type
    write_result = services.get_or_open_catalog().streams.append_events_and_record_run(
        stream, lambda: parse_body(body, content_type), request[_SOURCE], request.principal
    )
    return {"message": "The events were accepted.", "events": write_result.events, "stored": write_result.stored}


def _parse_event(raw: bytes, content_type: str) -> list[Any]:
    """Return the event in a body of this content type. Raises MalformedBody for text or JSON that is malformed."""
    if content_type.startswith("text/"):
        return [decode_utf8(raw)]
    return [parse_json(raw) if _is_json_content_type(content_type) else _parse_json_text_or_bytes(raw)]


def _parse_events(raw: bytes, content_type: str) -> list[Any]:
    """Return the events in a body: the items of an array, or one a line."""
    if content_type.startswith("text/"):
        events: Any = _split_lines(raw)
    elif content_type == "application/x-ndjson":
        events = [parse_json(line, f"line {at}") for at, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
    elif _is_json_content_type(content_type):
        events = parse_json(raw)
    else:
        events = _parse_events_of_undeclared_type(raw)
    if not isinstance(events, list):
        raise MalformedBody("the body must be an array of events")
    if len(events) > _BATCH_MAX:
        raise TooLarge(f"a batch has at most {_BATCH_MAX} events")
    return events


def _is_json_content_type(content_type: str) -> bool:
    return content_type == "application/json" or content_type.endswith("+json")


def _parse_json_text_or_bytes(raw: bytes) -> Any:
    """Return a body that may be anything: JSON where it is JSON, else text, else bytes; an empty one is an empty text.

    `curl -d` names its bodies forms, whatever they hold.
    """
    try:
        return parse_json(raw)
    except MalformedBody:
        pass
    try:
        return decode_utf8(raw)
    except MalformedBody:
        return BinaryBody(raw)


def _parse_events_of_undeclared_type(raw: bytes) -> Any:
    """Return the events of a body that may be anything. Raises MalformedBody for bytes: they have no lines."""
    try:
        return parse_json(raw)
    except MalformedBody:
        return [_parse_json_text_or_bytes(line.encode()) for line in _split_lines(raw)]


def _split_lines(raw: bytes) -> list[str]:
    return [line for line in decode_utf8(raw).replace("\r\n", "\n").split("\n") if line]
