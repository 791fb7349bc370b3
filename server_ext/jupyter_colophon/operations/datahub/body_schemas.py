"""The bodies and answers of DataHub's routes, as JSON Schemas: the parts of the API's document."""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]


def declare_object_schema(required: str = "", /, **members: Any) -> dict[str, Any]:
    """Return the schema of an object with these members; `required` are the names of those that must be present."""
    schema: dict[str, Any] = {"type": "object", "properties": members}
    return schema | ({"required": required.split()} if required else {})


def declare_list_schema(items: Schema, **limits: int) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": dict(items), **limits}


TEXT: Final = {"type": "string"}
#: Rest.li's clients send null for omitted members.
TEXT_OR_NULL: Final = {"type": ["string", "null"]}
NUMBER: Final = {"type": "integer"}
FLAG_OR_NULL: Final = {"type": ["boolean", "null"]}
ANY: Final = {"type": "object"}
ANY_OR_NULL: Final = {"type": ["object", "null"]}
TIME: Final = {"type": ["integer", "null"], "minimum": -(1 << 53), "maximum": 1 << 53}
#: A list has at most this many items, whatever number a request has.
COUNT_MAX: Final = 10_000
COUNT: Final = {
    "type": "integer",
    "minimum": 0,
    "description": f"Maximum number of results; more than {COUNT_MAX} is read as {COUNT_MAX}.",
}
OFFSET: Final = {"type": "integer", "minimum": 0, "maximum": 1_000_000_000}
ASYNC: Final = {"enum": ["true", "false", True, False, None], "description": "Whether the write is applied later."}
PROBLEM: Final = declare_object_schema("pointer message", pointer=TEXT, message=TEXT)
ERROR: Final = declare_object_schema(
    "message status", message=TEXT, status=NUMBER, errors=declare_list_schema(PROBLEM)
) | {"description": "The error in one line; `errors` has the JSON Pointers into the body."}
SUCCESS: Final = declare_object_schema("value", value=TEXT, warnings=declare_list_schema(PROBLEM)) | {
    "description": "The write is applied, or will be. `warnings` lists the fields that were dropped."
}
SYSTEM_METADATA: Final = {"type": ["object", "string", "null"]}
URN: Final = {"type": "string", "format": "colophon-urn"}


def parse_count_of_body(body: Mapping[str, Any], name: str, default: int) -> int:
    """Return the number of items that a body has under this name, within the bound."""
    return min(int(body.get(name, default)), COUNT_MAX)


def declare_action_result_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema of Rest.li's answer to an action."""
    return declare_object_schema("value", value=dict(schema))
