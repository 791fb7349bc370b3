"""The schemas of the native API's bodies, compiled at first use."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from jupyter_colophon.core.documents.json_schema import Schema

#: A document: the name of a file in `schemas/api`, or a JSON Schema.
Shape = str | Mapping[str, Any]


class ApiSchemas:
    """`schemas/api`, by name; they refer to one another and to nothing else."""

    def __init__(self) -> None:
        self._declared: dict[int, Schema] = {}

    @cached_property
    def _schemas(self) -> dict[str, Schema]:
        from jupyter_colophon.core.package_data import load_documents

        documents = load_documents("api")
        known = {document["$id"]: document for document in documents.values()}
        return {name: Schema(document, known) for name, document in documents.items()}

    def validate(self, shape: Shape, body: Any) -> None:
        """Raise InvalidInstance unless the body is of this shape: the name of one of these, or a schema of its own."""
        schema = self._schemas[shape] if isinstance(shape, str) else self._of(shape)
        schema.validate(body, "the body")

    def _of(self, shape: Mapping[str, Any]) -> Schema:
        # Shapes are declared once and stay; their schemas hold them, so that no number is used again.
        return self._declared.setdefault(id(shape), Schema(shape))


#: Those of this process: each is compiled once.
SCHEMAS: Final = ApiSchemas()
