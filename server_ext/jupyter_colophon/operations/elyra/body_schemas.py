"""The JSON Schemas of the Elyra API's bodies and answers."""

from typing import Any, Final

SchemaOrName = dict[str, Any]
_TEXT: Final[SchemaOrName] = {"type": "string"}
_PROBLEM: Final[SchemaOrName] = {
    "type": "object",
    "properties": {"pointer": _TEXT, "message": _TEXT},
    "required": ["pointer", "message"],
}

ERROR: Final[SchemaOrName] = {
    "type": "object",
    "description": "An error. `errors` lists every problem of an instance.",
    "properties": {
        "reason": _TEXT,
        "message": _TEXT,
        "timestamp": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"},
        "errors": {"type": "array", "items": _PROBLEM},
    },
    "required": ["reason", "message", "timestamp"],
    "additionalProperties": False,
}
INSTANCE: Final[SchemaOrName] = {
    "type": "object",
    "description": "An instance. Its metadata class may add members; `reason` is only there with `include_invalid`.",
    "properties": {
        "name": _TEXT,
        "display_name": {},
        "metadata": {"type": "object"},
        "schema_name": {},
        "reason": {**_TEXT, "description": "Why the instance is invalid."},
    },
    "required": ["name", "display_name", "metadata", "schema_name"],
}
INSTANCES: Final[SchemaOrName] = {
    "type": "object",
    "description": "The instances, under the schemaspace's name or id as it was requested.",
    "additionalProperties": {"type": "array", "items": INSTANCE},
    "minProperties": 1,
    "maxProperties": 1,
}
SCHEMA: Final[SchemaOrName] = {"type": "object", "description": "A schema.", "required": ["name", "properties"]}
SCHEMAS: Final[SchemaOrName] = {
    "type": "object",
    "description": "The schemas, under the schemaspace's name or id as it was requested.",
    "additionalProperties": {"type": "array", "items": SCHEMA},
    "minProperties": 1,
    "maxProperties": 1,
}
SPACES: Final[SchemaOrName] = {
    "type": "object",
    "description": "The names of the schemaspaces.",
    "properties": {"schemaspaces": {"type": "array", "items": _TEXT}},
    "required": ["schemaspaces"],
    "additionalProperties": False,
}
SPACE: Final[SchemaOrName] = {
    "type": "object",
    "description": "A schemaspace.",
    "properties": {"name": _TEXT, "id": _TEXT, "display_name": _TEXT, "description": _TEXT},
    "required": ["name", "id", "display_name", "description"],
    "additionalProperties": False,
}
#: Only the type of a body is checked by schema: for the rest, Elyra's clients expect Elyra's messages.
NEW: Final[SchemaOrName] = {
    "type": "object",
    "description": "An instance: `schema_name`, `metadata`, and one of `name` and `display_name`.",
    "examples": [
        {
            "display_name": "Hello",
            "schema_name": "code-snippet",
            "metadata": {"language": "Python", "code": ["print('hello')"]},
        }
    ],
}
WHOLE: Final[SchemaOrName] = NEW | {"description": "The new instance; members that are left out are removed."}
PARTS: Final[SchemaOrName] = {"type": "object", "description": "A merge patch (RFC 7396) of the instance."}
NOTHING: Final[SchemaOrName] = {"description": "The instance is deleted."}
