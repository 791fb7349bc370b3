"""The document of an API (OpenAPI 3.1), made of its route table and what its handlers declare.

Nothing here is about a particular route: whoever wants to change what is told changes the declaration.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tornado.websocket import WebSocketHandler

from jupyter_colophon.core.errors import (
    AccessDenied,
    IdempotencyKeyReused,
    InvalidInstance,
    InvalidName,
    InvalidQuery,
    MalformedBody,
    MetadataError,
    StorageError,
    StoreFull,
    TooLarge,
)
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.operation import METHODS, Operation, Shape, declared
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.problems import TABLE

Document = dict[str, Any]
#: What any operation may refuse; what more one does that is sent a body, and one that writes.
_ALWAYS = (InvalidQuery, MalformedBody, AccessDenied, TooLarge, StorageError)
_WITH_BODY = (InvalidInstance,)
_WRITING = (StoreFull,)
_SWITCHED = 101
_NO_CONTENT = 204
_REF = "urn:jupyter-colophon:api:"
_SECURITY = {
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "`token …`: the server's token, or that of a kernel.",
    },
    "bearer": {"type": "http", "scheme": "bearer", "description": "The same tokens."},
}
_ETAG = {"description": 'Its version, as in `"3"`.', "schema": {"type": "string"}}
_RETRY_AFTER = {"description": "Seconds to wait.", "schema": {"type": "string", "pattern": "^[0-9]+$"}}


@dataclass(frozen=True, slots=True)
class Api:
    """One API: its routes and how it tells errors. `places` are the parameters in paths by their names there."""

    title: str
    summary: str
    templates: Sequence[tuple[str, type]]
    places: Mapping[str, Sequence[Parameter[Any]]]
    #: The content types of what is answered and of errors, and what an error is.
    answered: str
    refused: str
    problem: Shape
    #: The documents that are named.
    schemas: Mapping[str, Any] = field(default_factory=dict)

    def document(self, version: str) -> Document:
        """The document, but for the servers: who answers it knows where it is."""
        return {
            "openapi": "3.1.1",
            "info": {
                "title": self.title,
                "version": version,
                "summary": self.summary,
                "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
            },
            "security": [{"token": []}, {"bearer": []}],
            "paths": {template: dict(self._path(template, handler)) for template, handler in self.templates},
            "components": {
                "securitySchemes": _SECURITY,
                "schemas": {component(name): _rewritten(schema) for name, schema in self.schemas.items()},
            },
        }

    def _path(self, template: str, handler: type[ApiHandler]) -> Iterator[tuple[str, Document]]:
        if issubclass(handler, WebSocketHandler):
            told = declared(handler, "get")
            if told is not None:
                yield "x-websocket", self._socket(template, told)
            return
        for method in METHODS:
            told = declared(handler, method)
            if told is not None and issubclass(handler, ApiHandler):
                yield method, self._operation(template, method, told, handler)

    def _operation(self, template: str, method: str, told: Operation, handler: type[ApiHandler]) -> Document:
        made: Document = {
            "operationId": told.id,
            "summary": told.summary,
            "tags": [template.split("/")[1]],
            "parameters": [_parameter(one) for one in self._parameters(template, told)],
            "responses": self._answers(method, told) | self._problems(_refused(template, method, told), told, handler),
        }
        if told.body:
            made["requestBody"] = {
                "required": True,
                "content": {kind: {"schema": _schema(shape)} for kind, shape in told.body.items()},
            }
        return made

    def _socket(self, template: str, told: Operation) -> Document:
        """A WebSocket, for which OpenAPI has no words: an extension of ours."""
        return {
            "operationId": told.id,
            "summary": told.summary,
            "parameters": [_parameter(one) for one in self._parameters(template, told)],
            "message": {"schema": _schema(told.answers[_SWITCHED])},
        }

    def _parameters(self, template: str, told: Operation) -> list[Parameter[Any]]:
        names = re.findall(r"\{([a-z]+)\}", template)
        return [one for name in names for one in self.places[name]] + list(told.takes)

    def _answers(self, method: str, told: Operation) -> Document:
        made = {str(status): self._answer(status, shape, told.kind) for status, shape in told.answers.items()}
        for link in told.links:
            links = made[str(link.status)].setdefault("links", {})
            links[link.operation] = {"operationId": link.operation, "parameters": dict(link.parameters)}
        for answer in made.values():
            if told.etag:
                sure = method == "get" and told.etag is True
                answer["headers"] = {"ETag": _ETAG | ({"required": True} if sure else {})}
        if told.etag and method == "get":
            made["304"] = {
                "description": "It is still the version that If-None-Match names.",
                "headers": {"ETag": _ETAG},
            }
        return made

    def _answer(self, status: int, shape: Shape, kind: str) -> Document:
        told = f"{component(shape)}." if isinstance(shape, str) else str(shape.get("description", "Done."))
        if status == _NO_CONTENT:
            return {"description": told}
        return {"description": told, "content": {kind or self.answered: {"schema": _schema(shape)}}}

    def _problems(self, causes: Iterable[type[MetadataError]], told: Operation, handler: type[ApiHandler]) -> Document:
        titles: dict[int, list[str]] = {}
        for cause in dict.fromkeys(causes):
            titles.setdefault(handler.status_of(cause), []).append(TABLE[cause].title)
        return {
            str(status): self._problem(status, list(dict.fromkeys(titles[status])), told) for status in sorted(titles)
        }

    def _problem(self, status: int, titles: list[str], told: Operation) -> Document:
        content = {self.refused: {"schema": _schema(self.problem)}}
        if status in told.answers:
            content[self.answered] = {"schema": _schema(told.answers[status])}
        made: Document = {"description": "; ".join(titles) + ".", "content": content}
        return made | {"headers": {"Retry-After": _RETRY_AFTER}} if status == TABLE[StorageError].status else made


def component(name: str) -> str:
    """The name of a file of `schemas/api` as that of a component: `run-start` is `RunStart`."""
    return "".join(part.capitalize() for part in name.split("-"))


def _parameter(one: Parameter[Any]) -> Document:
    made = {"name": one.name, "in": one.place, "description": one.says, "schema": dict(one.schema)}
    return made | {"required": True} if one.required else made


def _refused(template: str, method: str, told: Operation) -> Iterator[type[MetadataError]]:
    yield from _ALWAYS
    if "{urn}" in template:
        yield InvalidName
    if told.body:
        yield from _WITH_BODY
    if method != "get":
        yield from _WRITING
    if IDEMPOTENCY_KEY in told.takes:
        yield IdempotencyKeyReused
    yield from told.refuses


def _schema(shape: Shape) -> Document:
    return {"$ref": f"#/components/schemas/{component(shape)}"} if isinstance(shape, str) else dict(shape)


def _rewritten(node: Any) -> Any:
    """A schema as a component: it has no name of its own, and refers to other components."""
    if isinstance(node, list):
        return [_rewritten(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _rewritten(value) for key, value in node.items() if key not in ("$id", "$schema")}
    reference = made.get("$ref")
    if isinstance(reference, str) and reference.startswith(_REF):
        made["$ref"] = _schema(reference.removeprefix(_REF).rpartition(":")[0])["$ref"]
    return made
