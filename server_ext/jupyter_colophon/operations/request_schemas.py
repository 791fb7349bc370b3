"""The schemas of the native API's bodies, compiled at first use."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from jupyter_colophon.core.documents.json_schema import Schema

#: A document: the name of a file in `schemas/api`, or a JSON Schema.
SchemaOrName = str | Mapping[str, Any]


class ApiSchemas:
    """The schemas of `schemas/api` by name; they refer only to one another."""

    def __init__(self) -> None:
        self._declared: dict[int, Schema] = {}

    @cached_property
    def _schemas(self) -> dict[str, Schema]:
        from jupyter_colophon.core.package_data import load_schema_documents

        documents = load_schema_documents("api")
        documents_by_id = {document["$id"]: document for document in documents.values()}
        return {name: Schema(document, documents_by_id) for name, document in documents.items()}

    def require_valid_body(self, shape: SchemaOrName, body: Any) -> None:
        """Raise InvalidInstance unless the body is of this shape: the name of one of these, or a schema of its own."""
        schema = self._schemas[shape] if isinstance(shape, str) else self._compile_inline_schema(shape)
        schema.require_valid(body, "the body")

    def _compile_inline_schema(self, schema: Mapping[str, Any]) -> Schema:
        # Shapes are declared once and never released, so their ids are unique.
        return self._declared.setdefault(id(schema), Schema(schema))


#: The schemas of this process; each is compiled once.
SCHEMAS: Final = ApiSchemas()
