"""Read DataHub's model from the bundle `schemas/datahub/model.json`, which `generate.py` beside it writes."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.model.registry import AspectSpec, Model, Modelled, Scope, title_of
from jupyter_colophon.core.model.relationships import Relationship

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = "#/$defs/"
#: The types of DataHub's search fields that hold words rather than URNs, times or numbers.
_TEXTS: Final = frozenset({"TEXT", "TEXT_PARTIAL", "KEYWORD", "WORD_GRAM"})
#: The aspects of scope USER, besides all whose name begins with `editable` (spec MODEL-5).
_USER_ASPECTS: Final = frozenset({"institutionalMemory", "documentation"})


def read_model(bundle: Mapping[str, Any]) -> Model:
    """Return the model in a bundle."""
    definitions = bundle["$defs"]
    return Model(
        {one["name"]: _entity(one) for one in bundle["entities"]},
        {name: _aspect(name, entry, definitions) for name, entry in bundle["aspects"].items()},
        {name: tuple(entry["key"]) for name, entry in bundle["aspects"].items() if "key" in entry},
        {name: entry["ref"] for name, entry in bundle["aspects"].items()},
    )


def scope_of(aspect: str) -> Scope:
    """Return the default scope of an aspect."""
    return "USER" if aspect.startswith("editable") or aspect in _USER_ASPECTS else "SYSTEM"


def _entity(entry: Mapping[str, Any]) -> Modelled:
    return Modelled(entry["keyAspect"], tuple(entry["aspects"]), entry["category"], entry["doc"])


def _aspect(name: str, entry: Mapping[str, Any], definitions: Mapping[str, Any]) -> AspectSpec:
    return AspectSpec(
        name=name,
        title=title_of(name),
        scope=scope_of(name),
        key="key" in entry,
        schema=Schema(partial(_document, name, entry["ref"], definitions)),
        timeseries=entry.get("timeseries", False),
        schema_version=entry.get("schemaVersion", 1),
        relationships=tuple(map(_relationship, entry.get("relationships", ()))),
        array_keys=entry.get("arrayKeys", {}),
        searched=tuple(one["path"] for one in entry.get("searched", ()) if one.get("type", "TEXT") in _TEXTS),
    )


def _relationship(entry: Mapping[str, Any]) -> Relationship:
    return Relationship(
        tuple(entry["path"].split("/")[1:]),
        entry["name"],
        tuple(entry["entityTypes"]),
        entry.get("isLineage", False),
        entry.get("isUpstream", True),
    )


def _document(name: str, ref: str, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an aspect with the definitions that it refers to."""
    root = definitions[ref]
    return {
        "$schema": _DIALECT,
        "$id": f"urn:jupyter-colophon:datahub:{name}",
        "title": title_of(name),
        **root,
        "$defs": {one: definitions[one] for one in sorted(_required_definitions(root, definitions))},
    }


def _required_definitions(root: Any, definitions: Mapping[str, Any]) -> set[str]:
    """Return the names of all definitions that a schema refers to, directly or through others."""
    found: set[str] = set()
    left = [root]
    while left:
        one = left.pop()
        parts: Iterable[Any] = one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ()
        left.extend(parts)
        ref = one.get("$ref") if isinstance(one, Mapping) else None
        if isinstance(ref, str) and (name := ref.removeprefix(_REFERENCE)) not in found:
            found.add(name)
            left.append(definitions[name])
    return found
