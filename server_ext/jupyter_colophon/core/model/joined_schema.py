"""Merge two schemas of an aspect: DataHub's, and that of our own APIs and kernels."""

from collections.abc import Mapping
from typing import Any, Final

_REFERENCE: Final = "#/$defs/"


def join_aspect_schemas(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return DataHub's schema, extended by our members; only members that both require are required. Our limits apply."""
    definitions = theirs["$defs"]
    about = {name: ours[name] for name in ("$id", "title", "description") if name in ours}
    return {"$schema": theirs["$schema"], **_merge_subschemas(ours, theirs, definitions), **about, "$defs": definitions}


def _merge_subschemas(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], definitions: Mapping[str, Any]
) -> dict[str, Any]:
    if "$ref" in theirs:
        theirs = definitions[theirs["$ref"].removeprefix(_REFERENCE)]
    limits = {name: member for name, member in ours.items() if name.startswith(("max", "min", "pattern"))}
    both = {name: member for name, member in theirs.items() if name not in ("$schema", "$id", "$defs")} | limits
    if "properties" in theirs:
        named = dict(theirs["properties"])
        for name, member in ours.get("properties", {}).items():
            named[name] = _merge_subschemas(member, named[name], definitions) if name in named else member
        both["properties"] = named
        both["required"] = [name for name in theirs.get("required", ()) if name in ours.get("required", ())]
    if "items" in theirs and "items" in ours:
        both["items"] = _merge_subschemas(ours["items"], theirs["items"], definitions)
    return both
