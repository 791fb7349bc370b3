"""The media types of patches, and the schema of a JSON Patch."""

from typing import Any, Final

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
JSON_PATCH_SCHEMA: Final[dict[str, Any]] = {
    "type": "array",
    "description": "A JSON Patch (RFC 6902).",
    "items": {
        "type": "object",
        "properties": {
            "op": {"enum": ["add", "remove", "replace", "move", "copy", "test"]},
            "path": {"type": "string"},
            "from": {"type": "string"},
            "value": {},
        },
        "required": ["op", "path"],
    },
}
