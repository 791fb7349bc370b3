"""Check a schema before it is installed."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from jupyter_colophon.core.documents.json_schema import SchemaDialect
from jupyter_colophon.core.documents.untrusted_schema import find_problems
from jupyter_colophon.core.errors import SchemaRejected
from jupyter_colophon.service.schemaspaces.parse_registrations import require_schema

Kind = Literal["schemaspace", "aspect"]
_DIALECT_URIS: Final[dict[str, str]] = {
    "schemaspace": "http://json-schema.org/draft-07/schema#",
    "aspect": "https://json-schema.org/draft/2020-12/schema",
}


def check_schema(kind: Kind, document: Mapping[str, Any]) -> str:
    """Return the JSON Schema dialect of a valid schema. Raises SchemaRejected with every problem."""
    if kind == "schemaspace":
        require_schema(document)
    elif problems := find_problems(document, SchemaDialect.DRAFT_2020_12):
        raise SchemaRejected("the schema", problems)
    return _DIALECT_URIS[kind]
