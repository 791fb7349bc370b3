"""What crosses the wire of the Elyra state, as JSON Schemas."""

from typing import Any, Final

Shape = dict[str, Any]
_TEXT: Final[Shape] = {"type": "string"}
_PROBLEM: Final[Shape] = {
    "type": "object",
    "properties": {"pointer": _TEXT, "message": _TEXT},
    "required": ["pointer", "message"],
}

ERROR: Final[Shape] = {
    "type": "object",
    "description": "What is wrong. `errors` are all the places of an instance that are.",
    "properties": {
        "reason": _TEXT,
        "message": _TEXT,
        "timestamp": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"},
        "errors": {"type": "array", "items": _PROBLEM},
    },
    "required": ["reason", "message", "timestamp"],
    "additionalProperties": False,
}
INSTANCE: Final[Shape] = {
    "type": "object",
    "description": "An instance. Other members are its class's; `reason` comes with `include_invalid` alone.",
    "properties": {
        "name": _TEXT,
        "display_name": {},
        "metadata": {"type": "object"},
        "schema_name": {},
        "reason": {**_TEXT, "description": "Why it is not valid."},
    },
    "required": ["name", "display_name", "metadata", "schema_name"],
}
INSTANCES: Final[Shape] = {
    "type": "object",
    "description": "The instances, under the schemaspace's name or id as it was asked for.",
    "additionalProperties": {"type": "array", "items": INSTANCE},
    "minProperties": 1,
    "maxProperties": 1,
}
SCHEMA: Final[Shape] = {"type": "object", "description": "A schema.", "required": ["name", "properties"]}
SCHEMAS: Final[Shape] = {
    "type": "object",
    "description": "The schemas, under the schemaspace's name or id as it was asked for.",
    "additionalProperties": {"type": "array", "items": SCHEMA},
    "minProperties": 1,
    "maxProperties": 1,
}
SPACES: Final[Shape] = {
    "type": "object",
    "description": "The names of the schemaspaces.",
    "properties": {"schemaspaces": {"type": "array", "items": _TEXT}},
    "required": ["schemaspaces"],
    "additionalProperties": False,
}
SPACE: Final[Shape] = {
    "type": "object",
    "description": "A schemaspace.",
    "properties": {"name": _TEXT, "id": _TEXT, "display_name": _TEXT, "description": _TEXT},
    "required": ["name", "id", "display_name", "description"],
    "additionalProperties": False,
}
#: What a body has to be is said by the messages that Elyra's clients know, so no schema refuses one but for its type.
NEW: Final[Shape] = {
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
WHOLE: Final[Shape] = NEW | {"description": "The instance as it is to be; what is left out is lost."}
PARTS: Final[Shape] = {"type": "object", "description": "A merge patch (RFC 7396) of the instance."}
NOTHING: Final[Shape] = {"description": "It is gone."}
