"""What is sent to DataHub's routes and answered there, as JSON Schemas: what the door's document tells."""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]


def record(required: str = "", /, **members: Any) -> dict[str, Any]:
    """An object with these members; the words of `required` are there always."""
    told: dict[str, Any] = {"type": "object", "properties": members}
    return told | ({"required": required.split()} if required else {})


def several(of: Schema, **limits: int) -> dict[str, Any]:
    """A list."""
    return {"type": "array", "items": dict(of), **limits}


TEXT: Final = {"type": "string"}
#: Rest.li's clients send null for what they leave out.
TEXT_OR_NULL: Final = {"type": ["string", "null"]}
NUMBER: Final = {"type": "integer"}
FLAG: Final = {"type": "boolean"}
ANY: Final = {"type": "object"}
TIME: Final = {"type": ["integer", "null"], "minimum": -(1 << 53), "maximum": 1 << 53}
#: A list answers with so many items at most, whatever number is asked for.
COUNT_MAX: Final = 10_000
COUNT: Final = {"type": "integer", "minimum": 0, "description": f"How many at most; {COUNT_MAX} if more."}
PLACE: Final = {"type": "integer", "minimum": 0, "maximum": 1_000_000_000}
ASYNC: Final = {"enum": ["true", "false", True, False, None], "description": "Whether it is done later."}
PROBLEM: Final = record("pointer message", pointer=TEXT, message=TEXT)
ERROR: Final = record("message status", message=TEXT, status=NUMBER, errors=several(PROBLEM)) | {
    "description": "What is wrong, in a line; `errors` names the places in what was sent."
}
DONE: Final = record("value", value=TEXT, warnings=several(PROBLEM)) | {
    "description": "It is done, or will be. `warnings` names what was dropped."
}
URN: Final = {"type": "string", "format": "colophon-urn"}


def count(body: Mapping[str, Any], name: str, default: int) -> int:
    """Return the number of items that a body asks for, within the bound."""
    return min(int(body.get(name, default)), COUNT_MAX)


def value(of: Schema) -> dict[str, Any]:
    """Rest.li's answer to an action."""
    return record("value", value=dict(of))
