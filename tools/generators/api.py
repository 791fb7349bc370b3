"""An OpenAPI document as typed operations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

Document = dict[str, Any]
Schema = Mapping[str, Any]

JSON = "application/json"
LINES = "application/x-ndjson"
_REFERENCE = "#/components/schemas/"
_METHODS = ("get", "put", "post", "patch", "delete", "head")
_WEBSOCKET = "x-websocket"


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation. `place` is `path`, `query` or `header`."""

    name: str
    place: str
    required: bool
    description: str
    schema: Schema


@dataclass(frozen=True)
class Operation:
    """An operation of an API. `answers` and `bodies` are schemas by content type, answers of success only."""

    id: str
    method: str
    path: str
    tag: str
    summary: str
    parameters: tuple[Parameter, ...]
    bodies: Mapping[str, Schema]
    body_required: bool
    answers: Mapping[str, tuple[Schema, ...]]
    #: Descriptions of all answers by status, and the status of errors among them.
    statuses: Mapping[str, str]
    is_socket: bool = False

    @cached_property
    def content_type(self) -> str:
        """The content type of a body, if none is chosen; empty if the operation has no body."""
        return next(iter(self.bodies), "")

    @cached_property
    def is_lines(self) -> bool:
        """Whether the answer is a stream of lines."""
        return LINES in self.answers or any(kind.startswith("text/plain") for kind in self.answers)

    @cached_property
    def is_json(self) -> bool:
        """Whether the answer is a JSON document."""
        return JSON in self.answers


def parse_operations(document: Document) -> list[Operation]:
    """Return the operations of a document in the order of its paths."""
    return [
        _parse_operation(path, method, description, document)
        for path, methods in document["paths"].items()
        for method, description in methods.items()
        if method in (*_METHODS, _WEBSOCKET)
    ]


def get_schema_name(schema: Schema) -> str:
    """Return the name of the component that a schema refers to; empty if it is an inline schema."""
    reference = str(schema.get("$ref", ""))
    return reference.removeprefix(_REFERENCE) if reference.startswith(_REFERENCE) else ""


def _parse_operation(path: str, method: str, description: Document, document: Document) -> Operation:
    is_socket = method == _WEBSOCKET
    return Operation(
        id=description["operationId"],
        method="GET" if is_socket else method.upper(),
        path=path,
        tag=next(iter(description.get("tags", ())), path.split("/")[1]),
        summary=description["summary"],
        parameters=tuple(_parse_parameters(description.get("parameters", ()), document)),
        body_required=bool(description.get("requestBody", {}).get("required")),
        bodies={
            kind: content["schema"] for kind, content in description.get("requestBody", {}).get("content", {}).items()
        },
        answers={JSON: (description["message"]["schema"],)} if is_socket else _parse_answers(description["responses"]),
        statuses={}
        if is_socket
        else {status: answer["description"] for status, answer in description["responses"].items()},
        is_socket=is_socket,
    )


def _parse_parameters(declared: Any, document: Document) -> Iterator[Parameter]:
    in_path: set[str] = set()
    for item in declared:
        parameter = _resolve_reference(item, document)
        in_path |= {parameter["name"]} if parameter["in"] == "path" else set()
        # A URN in a path may also be sent as a query parameter, which clients do not need.
        if parameter["in"] == "query" and parameter["name"] in in_path:
            continue
        yield Parameter(
            name=parameter["name"],
            place=parameter["in"],
            required=bool(parameter.get("required")),
            description=parameter.get("description", ""),
            schema=parameter["schema"],
        )


def _resolve_reference(node: Document, document: Document) -> Document:
    reference = node.get("$ref")
    if reference is None:
        return node
    result: Any = document
    for part in reference.removeprefix("#/").split("/"):
        result = result[part]
    return dict(result)


#: The content type of errors.
_PROBLEM: Final = "application/problem+json"


def _parse_answers(responses: Document) -> dict[str, tuple[Schema, ...]]:
    result: dict[str, tuple[Schema, ...]] = {}
    for status, response in responses.items():
        if re.match("2|3", status):
            for kind, content in response.get("content", {}).items():
                if kind == _PROBLEM:
                    # Clients raise it, also where its status is 202.
                    continue
                schema = content.get("schema", {})
                result[kind] = result.get(kind, ()) + (() if schema in result.get(kind, ()) else (schema,))
    return result
