"""Call an operation: parse and check the received request, run the function, and return its answer."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import InvalidQuery, quote_and_truncate_text
from jupyter_colophon.core.read_budget import limit_reads_of_thread
from jupyter_colophon.core.similar_names import format_did_you_mean
from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest, Result
from jupyter_colophon.operations.request_schemas import SCHEMAS
from jupyter_colophon.operations.services import ProcessServices

#: Credentials that Jupyter reads from the query.
_OF_JUPYTER: Final = frozenset({"token", "_xsrf"})


@dataclass(frozen=True, slots=True)
class ReceivedCall:
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


def check_and_run_operation(
    api: ApiDefinition, operation: Operation, services: ProcessServices, call: ReceivedCall
) -> Result:
    """Check a call, run the operation, and return its answer. Reads have a deadline.

    Raises the errors that the operation declares, and InvalidQuery, MalformedBody, InvalidInstance, AccessDenied, TooLarge and
    StorageError.
    """
    with limit_reads_of_thread(services.settings.read_timeout_seconds) if operation.is_read_only else nullcontext():
        result = operation.function(services, _build_request(api, operation, services, call))
    return result if isinstance(result, Result) else OperationAnswer(result, next(iter(operation.answers)))


def _build_request(
    api: ApiDefinition, operation: Operation, services: ProcessServices, call: ReceivedCall
) -> OperationRequest:
    if operation.access is not None:
        operation.access(services, call.principal)
    if api.refuses_unknown_parameters:
        _refuse_unknown_parameters(api, operation, call)
    content_type = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    return OperationRequest(
        principal=call.principal,
        parameters={parameter: _parse_parameter(parameter, call) for parameter in operation.parameters},
        path=_parse_path_parameters(call),
        body=_parse_and_validate_body(api, operation, call, content_type) if operation.body else None,
        query={name: values for name, values in call.query.items() if name not in _OF_JUPYTER},
        content_type=content_type,
        headers=call.headers,
        raw_path=call.raw_path,
        read_body=call.body,
        base_url=call.base_url,
        display_name=call.display_name,
        fingerprint=call.fingerprint,
    )


def _refuse_unknown_parameters(api: ApiDefinition, operation: Operation, call: ReceivedCall) -> None:
    """Raise InvalidQuery for a query parameter that the operation does not declare (spec SEC-23)."""
    if not call.query:
        return
    declared = _list_query_parameters(api, operation)
    for name, values in call.query.items():
        if name in declared or name in _OF_JUPYTER or _is_cache_buster(name, values):
            continue
        suggestion = format_did_you_mean(name, declared) or "."
        known_parameters = (
            f"Known parameters: {', '.join(declared)}." if declared else "This operation has no query parameters."
        )
        raise InvalidQuery(f"unknown parameter {quote_and_truncate_text(name)}{suggestion} {known_parameters}")


@cache
def _list_query_parameters(api: ApiDefinition, operation: Operation) -> tuple[str, ...]:
    in_path = [item for place, some in api.path_parameters.items() if f"{{{place}}}" in operation.path for item in some]
    return tuple(dict.fromkeys(item.name for item in (*operation.parameters, *in_path) if item.place == "query"))


def _is_cache_buster(name: str, values: Sequence[str]) -> bool:
    """Return whether this is the time that JupyterLab's ServerConnection appends to each URL: `?1700000000000`."""
    return name.isascii() and name.isdigit() and not any(values)


def _parse_parameter(parameter: Parameter[Any], call: ReceivedCall) -> Any:
    """Return the value of a parameter. Raises InvalidQuery."""
    if parameter.place == "header":
        header = call.headers.get(parameter.name.lower())
        sent: Sequence[str] = () if header is None else (header,)
    else:
        sent = call.query.get(parameter.name, ())
    if not sent:
        if parameter.required:
            raise InvalidQuery(f"parameter {parameter.name!r} is required")
        return parameter.default
    if parameter.repeated:
        return tuple(parameter.read(item) for item in sent)
    if len(sent) > 1:
        raise InvalidQuery(f"parameter {parameter.name!r} is given more than once")
    return parameter.read(sent[0])


def _parse_path_parameters(call: ReceivedCall) -> Mapping[str, str]:
    """Return the parameters of the path; `-` in place of a URN refers to `?urn=`. Raises InvalidQuery."""
    if call.path.get("urn") != "-":
        return call.path
    sent = call.query.get("urn", ("",))
    if len(sent) > 1:
        raise InvalidQuery("parameter 'urn' is given more than once")
    return {**call.path, "urn": sent[0]}


def _parse_and_validate_body(api: ApiDefinition, operation: Operation, call: ReceivedCall, content_type: str) -> Any:
    """Return the body, checked against the operation's schema. Raises MalformedBody, TooLarge, InvalidInstance."""
    raw = call.body()
    if operation.raw_body:
        return raw
    if not (raw or operation.body_required):
        return None
    schema = operation.choose_body_schema(content_type)
    value = parse_json(raw)
    if api.drops_nulls and isinstance(schema, Mapping):
        _drop_null_members(schema, value)
    SCHEMAS.require_valid_body(schema, value)
    return value


def _drop_null_members(schema: Mapping[str, Any], value: Any) -> None:
    """Remove the members that are null from an object, at each depth that the schema names members of."""
    if isinstance(value, list):
        for item in value if isinstance(schema.get("items"), Mapping) else ():
            _drop_null_members(schema["items"], item)
        return
    if not isinstance(value, dict):
        return
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        if name in value and value[name] is None and name not in required and "null" not in inner.get("type", ()):
            del value[name]
        elif name in value:
            _drop_null_members(inner, value[name])
