"""Whether a schema could be used, before anybody installs it."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from jupyter_colophon.core.documents.json_schema import Dialect
from jupyter_colophon.core.documents.untrusted_schema import refusals
from jupyter_colophon.core.errors import SchemaRejected
from jupyter_colophon.service.schemaspaces.parse_registrations import require_schema

Kind = Literal["schemaspace", "aspect"]
_NAMES: Final[dict[str, str]] = {
    "schemaspace": "http://json-schema.org/draft-07/schema#",
    "aspect": "https://json-schema.org/draft/2020-12/schema",
}


def checked(kind: Kind, document: Mapping[str, Any]) -> str:
    """The dialect by which the schema would be read. Raises SchemaRejected with every reason against it."""
    if kind == "schemaspace":
        require_schema(document)
    elif problems := refusals(document, Dialect.DRAFT_2020_12):
        raise SchemaRejected("the schema", problems)
    return _NAMES[kind]
