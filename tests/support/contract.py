"""Holds answers against an API's own document: what is sent has to be what is told."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jsonschema_rs
from jupyter_colophon.operations.datahub.api import DATAHUB as DATAHUB_API
from jupyter_colophon.operations.elyra.api import ELYRA as ELYRA_API
from jupyter_colophon.operations.native.api import NATIVE as NATIVE_API
from jupyter_colophon.operations.openapi import OpenApi, component
from jupyter_colophon.operations.openlineage.api import OPENLINEAGE as OPENLINEAGE_API
from jupyter_colophon.operations.v3.api import V3 as V3_API

DOCUMENT = OpenApi(NATIVE_API).document("0")
ELYRA_DOCUMENT = OpenApi(ELYRA_API).document("0")
_ID = "urn:jupyter-colophon:api:openapi"


@dataclass(frozen=True)
class Contract:
    """One API's document, and how it tells an error of what it does not know."""

    document: Mapping[str, Any]
    refused: str
    problem: Mapping[str, Any]
    #: What a parameter of a path matches where that is not one segment.
    patterns: Mapping[str, str] = field(default_factory=dict)

    def check(self, method: str, path: str, status: int, headers: Mapping[str, str], body: Any, answers: Any) -> None:
        """Fail unless the document says that this path answers this method so, and with that document of `schemas/api`.

        `path` is below our prefix, encoded.
        """
        operation = self._operation(method.lower(), path)
        if operation is None:
            assert status in (403, 404, 405), f"{method} {path} is answered {status} and told nowhere"
            operation = {"responses": {str(status): {"content": {self.refused: {"schema": self.problem}}}}}
        told = operation["responses"].get(str(status))
        assert told is not None, f"{method} {path} does not tell of {status}: {body}"
        for name, header in told.get("headers", {}).items():
            assert name in headers or not header.get("required"), f"{method} {path} answers {status} without {name}"
        if "content" not in told:
            assert body is None
            return
        kind = headers["Content-Type"]
        assert kind in told["content"], f"{method} {path} does not tell of {kind} with {status}"
        schema = told["content"][kind]["schema"]
        if answers is not None and status < 400:
            assert schema == {"$ref": f"#/components/schemas/{component(answers)}"}
        found = {"$ref": f"{_ID}{schema['$ref']}"} if "$ref" in schema else schema
        jsonschema_rs.Draft202012Validator(found, registry=self._registry, validate_formats=True).validate(body)

    @cached_property
    def _registry(self) -> Any:
        return jsonschema_rs.Registry([(_ID, {"$id": _ID, **self.document})])

    def _operation(self, method: str, path: str) -> Any:
        named = [template for template in self.document["paths"] if "{" not in template]
        for template in (*named, *(one for one in self.document["paths"] if one not in named)):
            pattern = re.sub(r"\{([a-z]+)\}", lambda name: self.patterns.get(name[1], "[^/]+"), template)
            if re.fullmatch(pattern, path):
                return self.document["paths"][template].get(method)
        return None


NATIVE = Contract(DOCUMENT, "application/problem+json", {"$ref": "#/components/schemas/Problem"})
_ERROR = ELYRA_DOCUMENT["paths"]["/schemaspace"]["get"]["responses"]["403"]["content"]["application/json"]["schema"]
ELYRA = Contract(ELYRA_DOCUMENT, "application/json", _ERROR)
OPENLINEAGE = Contract(OpenApi(OPENLINEAGE_API).document("0"), NATIVE.refused, NATIVE.problem)
DATAHUB = Contract(OpenApi(DATAHUB_API).document("0"), DATAHUB_API.error_content_type, DATAHUB_API.error_schema)
V3 = Contract(OpenApi(V3_API).document("0"), V3_API.error_content_type, V3_API.error_schema, V3_API.patterns)
check = NATIVE.check
