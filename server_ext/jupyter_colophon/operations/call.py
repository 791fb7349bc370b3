"""The call of an operation: what was sent becomes a request, and the function's result an answer."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.read_budget import limit_reads
from jupyter_colophon.operations.api import Api
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.request import Answer, Request, Result
from jupyter_colophon.operations.request_schemas import SCHEMAS
from jupyter_colophon.operations.services import Services


@dataclass(frozen=True, slots=True)
class Call:
    """A request for an operation as it was sent. The path's parameters are decoded."""

    principal: Principal
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: By name in lower case, or in any case.
    headers: Mapping[str, str] = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)
    #: Returns the bytes of the body. Raises MalformedBody, TooLarge.
    body: Callable[[], bytes] = bytes
    raw_path: str = ""
    base_url: str = "/"
    display_name: str = ""
    #: Computes what distinguishes this request from another.
    fingerprint: Callable[[], str] = str


def perform(api: Api, operation: Operation, services: Services, call: Call) -> Result:
    """Check a call, and return what the operation answers. What only reads has a deadline.

    Raises what the operation declares, and InvalidQuery, MalformedBody, InvalidInstance, AccessDenied, TooLarge and
    StorageError.
    """
    with limit_reads(services.settings.read_timeout_seconds) if operation.is_read else nullcontext():
        result = operation.function(services, _request(api, operation, services, call))
    return result if isinstance(result, Result) else Answer(result, next(iter(operation.answers)))


def _request(api: Api, operation: Operation, services: Services, call: Call) -> Request:
    if operation.access is not None:
        operation.access(services, call.principal)
    content_type = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Request(
        principal=call.principal,
        parameters={one: _read(one, call) for one in operation.parameters},
        path=_path(call),
        body=_body(api, operation, call, content_type) if operation.body else None,
        content_type=content_type,
        headers=call.headers,
        raw_path=call.raw_path,
        read_body=call.body,
        base_url=call.base_url,
        display_name=call.display_name,
        fingerprint=call.fingerprint,
    )


def _read(parameter: Parameter[Any], call: Call) -> Any:
    """Return the value of a parameter. Raises InvalidQuery."""
    if parameter.place == "header":
        header = call.headers.get(parameter.name.lower())
        sent: Sequence[str] = () if header is None else (header,)
    else:
        sent = call.query.get(parameter.name, ())
    if not sent:
        if parameter.required:
            raise InvalidQuery("is missing", parameter.name)
        return parameter.default
    if parameter.repeated:
        return tuple(parameter.read(one) for one in sent)
    if len(sent) > 1:
        raise InvalidQuery("is sent more than once", parameter.name)
    return parameter.read(sent[0])


def _path(call: Call) -> Mapping[str, str]:
    """Return the parameters of the path; `-` for a URN stands for `?urn=`. Raises InvalidQuery."""
    if call.path.get("urn") != "-":
        return call.path
    sent = call.query.get("urn", ("",))
    if len(sent) > 1:
        raise InvalidQuery("is sent more than once", "urn")
    return {**call.path, "urn": sent[0]}


def _body(api: Api, operation: Operation, call: Call, content_type: str) -> Any:
    """Return the body, checked against the operation's schema. Raises MalformedBody, TooLarge, InvalidInstance."""
    raw = call.body()
    if operation.raw_body:
        return raw
    if not (raw or operation.body_required):
        return None
    shape = operation.body_shape(content_type)
    value = parse(raw)
    if api.drops_nulls and isinstance(shape, Mapping):
        _drop_nulls(shape, value)
    SCHEMAS.validate(shape, value)
    return value


def _drop_nulls(schema: Mapping[str, Any], value: Any) -> None:
    """Remove the members that are null from an object, at each depth that the schema names members of."""
    if isinstance(value, list):
        for item in value if isinstance(schema.get("items"), Mapping) else ():
            _drop_nulls(schema["items"], item)
        return
    if not isinstance(value, dict):
        return
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        if name in value and value[name] is None and name not in required and "null" not in inner.get("type", ()):
            del value[name]
        elif name in value:
            _drop_nulls(inner, value[name])
