"""Merge two schemas of an aspect: DataHub's, and that of our own APIs and kernels."""

from collections.abc import Mapping
from typing import Any, Final

_REFERENCE: Final = "#/$defs/"


def joined(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Their schema, which takes what ours names as well, and needs only what both need. Limits are ours."""
    definitions = theirs["$defs"]
    about = {name: ours[name] for name in ("$id", "title", "description") if name in ours}
    return {"$schema": theirs["$schema"], **_both(ours, theirs, definitions), **about, "$defs": definitions}


def _both(ours: Mapping[str, Any], theirs: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in theirs:
        theirs = definitions[theirs["$ref"].removeprefix(_REFERENCE)]
    limits = {name: one for name, one in ours.items() if name.startswith(("max", "min", "pattern"))}
    both = {name: one for name, one in theirs.items() if name not in ("$schema", "$id", "$defs")} | limits
    if "properties" in theirs:
        named = dict(theirs["properties"])
        for name, one in ours.get("properties", {}).items():
            named[name] = _both(one, named[name], definitions) if name in named else one
        both["properties"] = named
        both["required"] = [name for name in theirs.get("required", ()) if name in ours.get("required", ())]
    if "items" in theirs and "items" in ours:
        both["items"] = _both(ours["items"], theirs["items"], definitions)
    return both
