"""Generate the OpenAPI 3.1 document of an API from its operations.

Nothing here is specific to an operation: to change the document, change the operation's declaration.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from typing import Any

from jupyter_colophon.core.errors import (
    AccessDenied,
    IdempotencyKeyReused,
    InvalidInstance,
    InvalidName,
    InvalidQuery,
    InvalidServiceToken,
    MalformedBody,
    MetadataError,
    StorageError,
    StoreFull,
    TooLarge,
    TooManyRequests,
)
from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import Operation, declare_operation
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.problems import TABLE
from jupyter_colophon.operations.request import OperationRequest
from jupyter_colophon.operations.request_schemas import SchemaOrName
from jupyter_colophon.operations.services import ProcessServices

Document = dict[str, Any]
#: The errors of every operation; of one with a body; of one that writes.
_ALWAYS = (InvalidQuery, MalformedBody, InvalidServiceToken, AccessDenied, TooLarge, TooManyRequests, StorageError)
#: The statuses that have the header Retry-After.
_RETRIED = frozenset({TABLE[StorageError].status, TABLE[TooManyRequests].status})
_WITH_BODY = (InvalidInstance,)
_WRITING = (StoreFull,)
_REF = "urn:jupyter-colophon:api:"
_SECURITY = {
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "`token …`: the server's token, a service token, or that of a kernel.",
    },
    "bearer": {"type": "http", "scheme": "bearer", "description": "The same tokens as in the scheme `token`."},
}
_OPENAPI = {"type": "object", "required": ["openapi", "info", "paths"]}
_ETAG = {"description": 'The version of the document, as in `"3"`.', "schema": {"type": "string"}}
_RETRY_AFTER = {
    "description": "Seconds to wait before repeating the request.",
    "schema": {"type": "string", "pattern": "^[0-9]+$"},
}


@dataclass(frozen=True, slots=True)
class OpenApiGenerator:
    """Generates the document of one API."""

    api: ApiDefinition

    def build_document(self, version: str) -> Document:
        """Return the document without `servers`, which the operation that serves it adds."""
        paths: dict[str, Document] = {}
        for operation in self.api.operations:
            method, description = self._describe_operation(operation)
            paths.setdefault(operation.path, {})[method] = description
        return {
            "openapi": "3.1.1",
            "info": {
                "title": self.api.title,
                "version": version,
                "summary": self.api.summary,
                "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
            },
            "security": [{"token": []}, {"bearer": []}],
            "paths": paths,
            "components": {
                "securitySchemes": _SECURITY,
                "schemas": {
                    make_component_name(name): _rewrite_references_to_components(schema)
                    for name, schema in self.api.schemas().items()
                },
            },
        }

    def _describe_operation(self, operation: Operation) -> tuple[str, Document]:
        if HTTPStatus.SWITCHING_PROTOCOLS in operation.answers:
            return "x-websocket", self._describe_websocket(operation)
        described: Document = {
            "operationId": operation.id,
            "summary": operation.summary,
            "tags": [operation.path.split("/")[1]],
            "parameters": [_describe_parameter(parameter) for parameter in self._list_operation_parameters(operation)],
            "responses": self._describe_all_answers(operation),
        }
        if operation.body:
            described["requestBody"] = {
                "required": operation.body_required,
                "content": {
                    kind: {"schema": _create_schema_reference(schema)} for kind, schema in operation.body.items()
                },
            }
        return operation.method.lower(), described

    def _describe_websocket(self, operation: Operation) -> Document:
        """Return the description of a WebSocket, for which OpenAPI needs an extension."""
        return {
            "operationId": operation.id,
            "summary": operation.summary,
            "parameters": [_describe_parameter(parameter) for parameter in self._list_operation_parameters(operation)],
            "message": {"schema": _create_schema_reference(operation.answers[HTTPStatus.SWITCHING_PROTOCOLS])},
        }

    def _list_operation_parameters(self, operation: Operation) -> list[Parameter[Any]]:
        names = re.findall(r"\{([a-z]+)\}", operation.path)
        return [place for name in names for place in self.api.path_parameters[name]] + list(operation.parameters)

    def _describe_all_answers(self, operation: Operation) -> Document:
        answers = self._describe_successes(operation)
        for status, error in self._describe_errors(operation).items():
            answers[status] = answers.get(status, {}) | error
        return answers

    def _describe_successes(self, operation: Operation) -> Document:
        answers = {
            str(int(status)): self._describe_answer(status, schema, operation)
            for status, schema in operation.answers.items()
        }
        for link in operation.links:
            links = answers[str(int(link.status))].setdefault("links", {})
            links[link.operation] = {"operationId": link.operation, "parameters": dict(link.parameters)}
        is_get = operation.method == "GET"
        if operation.etag:
            required = {"required": True} if is_get and operation.etag is True else {}
            for answer in answers.values():
                answer["headers"] = {"ETag": _ETAG | required}
        if operation.etag and is_get:
            answers["304"] = {
                "description": "The current version is the one that If-None-Match names.",
                "headers": {"ETag": _ETAG},
            }
        return answers

    def _describe_answer(self, status: int, schema: SchemaOrName, operation: Operation) -> Document:
        description = (
            f"{make_component_name(schema)}." if isinstance(schema, str) else str(schema.get("description", "Done."))
        )
        if status == HTTPStatus.NO_CONTENT:
            return {"description": description}
        content_type = operation.content_type or self.api.content_type
        return {"description": description, "content": {content_type: {"schema": _create_schema_reference(schema)}}}

    def _describe_errors(self, operation: Operation) -> Document:
        titles: dict[int, list[str]] = {}
        for cause in dict.fromkeys(_list_error_classes(operation)):
            titles.setdefault(self.api.find_status_of_error(operation, cause), []).append(TABLE[cause].title)
        return {
            str(status): self._describe_error(status, list(dict.fromkeys(titles[status])), operation)
            for status in sorted(titles)
        }

    def _describe_error(self, status: int, titles: list[str], operation: Operation) -> Document:
        content = {self.api.error_content_type: {"schema": _create_schema_reference(self.api.error_schema)}}
        if status in operation.answers:
            content[self.api.content_type] = {"schema": _create_schema_reference(operation.answers[status])}
        described: Document = {"description": "; ".join(titles) + ".", "content": content}
        return described | {"headers": {"Retry-After": _RETRY_AFTER}} if status in _RETRIED else described


def add_document_operation(
    api: ApiDefinition, name: str, path: str = "/openapi.json", content_type: str = ""
) -> ApiDefinition:
    """Return the API with the additional operation `name`, which returns its document as JSON."""

    @cache
    def build_document(version: str) -> Document:
        return OpenApiGenerator(complete).build_document(version)

    @declare_operation(
        name,
        f"GET {path}",
        decided_by="public",
        answers={200: _OPENAPI},
        etag=api.hashes_answers,
        content_type=content_type,
    )
    def read_document(services: ProcessServices, request: OperationRequest) -> Document | bytes:
        """Read the OpenAPI 3.1 document of this API."""
        url = f"{request.base_url.rstrip('/')}{api.prefix}"
        complete_document = build_document(services.version) | {"servers": [{"url": url}]}
        # JSON is UTF-8 by default; text of other types may be decoded in another charset, which ASCII survives.
        return json.dumps(complete_document, indent=1).encode() if content_type else complete_document

    complete = replace(api, operations=(*api.operations, read_document))
    return complete


def make_component_name(name: str) -> str:
    """Return the name of a file of `schemas/api` as that of a component: `run-start` is `RunStart`."""
    return "".join(part.capitalize() for part in name.split("-"))


def _describe_parameter(parameter: Parameter[Any]) -> Document:
    described = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
        "schema": dict(parameter.schema),
    }
    return described | {"required": True} if parameter.required else described


def _list_error_classes(operation: Operation) -> Iterator[type[MetadataError]]:
    yield from _ALWAYS
    if "{urn}" in operation.path:
        yield InvalidName
    if operation.body:
        yield from _WITH_BODY
    if operation.method != "GET":
        yield from _WRITING
    if IDEMPOTENCY_KEY in operation.parameters:
        yield IdempotencyKeyReused
    yield from operation.errors


def _create_schema_reference(schema: SchemaOrName) -> Document:
    return {"$ref": f"#/components/schemas/{make_component_name(schema)}"} if isinstance(schema, str) else dict(schema)


def _rewrite_references_to_components(node: Any) -> Any:
    """Return a schema as a component: it has no name of its own, and refers to other components."""
    if isinstance(node, list):
        return [_rewrite_references_to_components(item) for item in node]
    if not isinstance(node, dict):
        return node
    rewritten = {
        key: _rewrite_references_to_components(value) for key, value in node.items() if key not in ("$id", "$schema")
    }
    reference = rewritten.get("$ref")
    if isinstance(reference, str) and reference.startswith(_REF):
        rewritten["$ref"] = _create_schema_reference(reference.removeprefix(_REF).rpartition(":")[0])["$ref"]
    return rewritten
