"""Check responses against an API's own OpenAPI document."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jsonschema_rs
from jupyter_colophon.operations.datahub.api import DATAHUB as DATAHUB_API
from jupyter_colophon.operations.elyra.api import ELYRA as ELYRA_API
from jupyter_colophon.operations.native.api import NATIVE as NATIVE_API
from jupyter_colophon.operations.openapi import OpenApiGenerator, make_component_name
from jupyter_colophon.operations.openlineage.api import OPENLINEAGE as OPENLINEAGE_API
from jupyter_colophon.operations.v3.api import V3 as V3_API

DOCUMENT = OpenApiGenerator(NATIVE_API).build_document("0")
ELYRA_DOCUMENT = OpenApiGenerator(ELYRA_API).build_document("0")
_ID = "urn:jupyter-colophon:api:openapi"


@dataclass(frozen=True)
class OpenApiContract:
    """One API's document, and the error responses for unknown paths."""

    document: Mapping[str, Any]
    refused: str
    problem: Mapping[str, Any]
    #: The pattern of a path parameter that is not a single segment.
    patterns: Mapping[str, str] = field(default_factory=dict)

    def require_described_response(
        self, method: str, path: str, status: int, headers: Mapping[str, str], body: Any, answers: Any
    ) -> None:
        """Raise AssertionError unless the document describes this response of this path and method, with this schema of
        `schemas/api`.

        `path` is relative to our prefix, encoded.
        """
        operation = self._find_operation(method.lower(), path)
        if operation is None:
            assert status in (403, 404, 405), f"{method} {path} responds with {status}, which is not documented"
            operation = {"responses": {str(status): {"content": {self.refused: {"schema": self.problem}}}}}
        response = operation["responses"].get(str(status))
        assert response is not None, f"{method} {path} does not document {status}: {body}"
        for name, header in response.get("headers", {}).items():
            assert name in headers or not header.get("required"), f"{method} {path} answers {status} without {name}"
        if "content" not in response:
            assert body is None
            return
        kind = headers["Content-Type"]
        assert kind in response["content"], f"{method} {path} does not document {kind} with {status}"
        schema = response["content"][kind]["schema"]
        if answers is not None and status < 400:
            assert schema == {"$ref": f"#/components/schemas/{make_component_name(answers)}"}
        self._get_validator(json.dumps(schema)).validate(body)

    def _get_validator(self, schema: str) -> jsonschema_rs.Draft202012Validator:
        """Return the validator of a schema, given as text. Creating one takes longer than most requests."""
        if schema not in self._validators:
            found = json.loads(schema)
            resolved = {"$ref": f"{_ID}{found['$ref']}"} if "$ref" in found else found
            self._validators[schema] = jsonschema_rs.Draft202012Validator(
                resolved, registry=self._registry, validate_formats=True
            )
        return self._validators[schema]

    @cached_property
    def _validators(self) -> dict[str, jsonschema_rs.Draft202012Validator]:
        return {}

    @cached_property
    def _registry(self) -> Any:
        return jsonschema_rs.Registry([(_ID, {"$id": _ID, **self.document})])

    def _find_operation(self, method: str, path: str) -> Any:
        return next((operations.get(method) for pattern, operations in self._paths if pattern.fullmatch(path)), None)

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], Mapping[str, Any]]]:
        """The operations of each path by its pattern; a path without parameters goes before others that match it."""

        def compile_template(template: str) -> re.Pattern[str]:
            return re.compile(re.sub(r"\{([a-z]+)\}", lambda name: self.patterns.get(name[1], "[^/]+"), template))

        templates = sorted(self.document["paths"], key=lambda template: "{" in template)
        return [(compile_template(template), self.document["paths"][template]) for template in templates]


NATIVE = OpenApiContract(DOCUMENT, "application/problem+json", {"$ref": "#/components/schemas/Problem"})
_ERROR = ELYRA_DOCUMENT["paths"]["/schemaspace"]["get"]["responses"]["403"]["content"]["application/json"]["schema"]
ELYRA = OpenApiContract(ELYRA_DOCUMENT, "application/json", _ERROR)
OPENLINEAGE = OpenApiContract(OpenApiGenerator(OPENLINEAGE_API).build_document("0"), NATIVE.refused, NATIVE.problem)
DATAHUB = OpenApiContract(
    OpenApiGenerator(DATAHUB_API).build_document("0"), DATAHUB_API.error_content_type, DATAHUB_API.error_schema
)
V3 = OpenApiContract(
    OpenApiGenerator(V3_API).build_document("0"), V3_API.error_content_type, V3_API.error_schema, V3_API.patterns
)
check = NATIVE.require_described_response
