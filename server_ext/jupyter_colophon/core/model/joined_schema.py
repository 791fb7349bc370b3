"""Merge two schemas of an aspect: DataHub's, and that of our own APIs and kernels."""

from collections.abc import Mapping
from typing import Any, Final

_REFERENCE: Final = "#/$defs/"


def join_aspect_schemas(own_schema: Mapping[str, Any], datahub_schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return DataHub's schema, extended by our members; only members that both require are required. Our limits apply."""
    definitions = datahub_schema["$defs"]
    about = {name: own_schema[name] for name in ("$id", "title", "description") if name in own_schema}
    return {
        "$schema": datahub_schema["$schema"],
        **_merge_subschemas(own_schema, datahub_schema, definitions),
        **about,
        "$defs": definitions,
    }


def _merge_subschemas(
    own_schema: Mapping[str, Any], datahub_schema: Mapping[str, Any], definitions: Mapping[str, Any]
) -> dict[str, Any]:
    if "$ref" in datahub_schema:
        datahub_schema = definitions[datahub_schema["$ref"].removeprefix(_REFERENCE)]
    limits = {name: member for name, member in own_schema.items() if name.startswith(("max", "min", "pattern"))}
    both = {name: member for name, member in datahub_schema.items() if name not in ("$schema", "$id", "$defs")} | limits
    if "properties" in datahub_schema:
        named = dict(datahub_schema["properties"])
        for name, member in own_schema.get("properties", {}).items():
            named[name] = _merge_subschemas(member, named[name], definitions) if name in named else member
        both["properties"] = named
        both["required"] = [
            name for name in datahub_schema.get("required", ()) if name in own_schema.get("required", ())
        ]
    if "items" in datahub_schema and "items" in own_schema:
        both["items"] = _merge_subschemas(own_schema["items"], datahub_schema["items"], definitions)
    return both
