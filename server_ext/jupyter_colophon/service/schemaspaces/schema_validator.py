"""Check a schema before it is installed."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from jupyter_colophon.core.documents.json_schema import SchemaDialect
from jupyter_colophon.core.documents.untrusted_schema import find_untrusted_schema_problems
from jupyter_colophon.core.errors import SchemaRejected
from jupyter_colophon.service.schemaspaces.parse_registrations import require_valid_schema

Kind = Literal["schemaspace", "aspect"]
_DIALECT_URIS: Final[dict[str, str]] = {
    "schemaspace": "http://json-schema.org/draft-07/schema#",
    "aspect": "https://json-schema.org/draft/2020-12/schema",
}


def require_valid_schema_and_get_dialect(kind: Kind, document: Mapping[str, Any]) -> str:
    """Return the JSON Schema dialect of a valid schema. Raises SchemaRejected with every problem."""
    if kind == "schemaspace":
        require_valid_schema(document)
    elif problems := find_untrusted_schema_problems(document, SchemaDialect.DRAFT_2020_12):
        raise SchemaRejected("the schema", problems)
    return _DIALECT_URIS[kind]
