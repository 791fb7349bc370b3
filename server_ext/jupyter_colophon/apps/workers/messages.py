"""What frames carry: calls of handlers, their responses, and their errors. Nothing is pickled."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.apps.handler_call import ANSWERED, EncodedResponse, HandlerCall
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.workers.frames import ChannelClosed, Frame
from jupyter_colophon.core import errors
from jupyter_colophon.core.access import Principal

#: The errors that a worker may send; any other one is sent as the next of its base classes.
_ERRORS: Final[frozenset[type[errors.MetadataError]]] = frozenset({*ANSWERED, errors.SystemAppFailed})
_SCALARS: Final = (str, int, float, bool)


def encode_call(call: HandlerCall) -> Frame:
    """Return an authorized call: its route, parameters, body, caller and remaining time."""
    principal, request = call.context.principal, call.request
    header = {
        "type": "call",
        "method": call.route.method,
        "segments": call.route.segments,
        "path": dict(request.path),
        "query": {name: list(values) for name, values in request.query.items()},
        "contentType": request.content_type,
        "accept": request.accept,
        "principal": {
            "user": principal.user,
            "via": principal.via,
            "scopes": sorted(principal.scopes),
            "groups": sorted(principal.groups),
            "namespaces": None if principal.namespaces is None else sorted(principal.namespaces),
            "token": principal.token,
            "internal": principal.internal,
        },
        "seconds": call.context.get_remaining_seconds(),
    }
    return Frame(header, request.body)


def decode_request(frame: Frame) -> ServiceRequest:
    """Return the request of a call."""
    header = frame.header
    parameters = (header["method"], header["path"], header["query"])
    return ServiceRequest(*parameters, header["contentType"], frame.body, header["accept"])


def decode_principal(document: Mapping[str, Any]) -> Principal:
    """Return the caller of a call."""
    namespaces: Sequence[str] | None = document["namespaces"]
    return Principal(
        document["user"],
        document["via"],
        frozenset(document["scopes"]),
        frozenset(document["groups"]),
        document["internal"],
        None if namespaces is None else frozenset(namespaces),
        document["token"],
    )


def encode_response(response: EncodedResponse) -> Frame:
    """Return the response of a handler."""
    return Frame({"type": "response", "status": response.status, "media": response.media_type}, response.body)


def encode_error(error: errors.MetadataError) -> Frame:
    """Return an error that a call raises, with its data."""
    kind = next(kind for kind in type(error).__mro__ if kind in _ERRORS or kind is errors.MetadataError)
    values = {name: value for name, value in vars(error).items() if isinstance(value, _SCALARS)}
    problems = [[problem.pointer, problem.message] for problem in error.problems]
    return Frame(
        {"type": "error", "error": kind.__name__}, json.dumps({"values": values, "problems": problems}).encode()
    )


def decode_answer(frame: Frame) -> EncodedResponse:
    """Return the response of a handler. Raises the error that its call raised, and ChannelClosed for another frame."""
    if frame.header.get("type") == "response":
        return EncodedResponse(frame.header["status"], frame.body, frame.header["media"])
    kind = next((kind for kind in _ERRORS if kind.__name__ == frame.header.get("error")), None)
    if frame.header.get("type") != "error" or kind is None:
        raise ChannelClosed("an unknown answer")
    document = json.loads(frame.body)
    values = document["values"]
    error = kind.__new__(kind)
    problems = tuple(errors.Problem(*problem) for problem in document["problems"])
    errors.MetadataError.__init__(error, str(values["detail"]), problems)
    vars(error).update(values)
    raise error
