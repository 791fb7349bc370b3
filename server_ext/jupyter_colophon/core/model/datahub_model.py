"""DataHub's model, read of the bundle `schemas/datahub/model.json` that `generate.py` beside it makes."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.model.registry import AspectSpec, Model, Modelled, Scope, title_of
from jupyter_colophon.core.model.relationships import Relationship

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = "#/$defs/"
#: The kinds of fields of DataHub's search that hold words, rather than URNs, times or numbers.
_TEXTS: Final = frozenset({"TEXT", "TEXT_PARTIAL", "KEYWORD", "WORD_GRAM"})
#: What people write besides all whose name begins with `editable` (spec MODEL-5).
_OF_PEOPLE: Final = frozenset({"institutionalMemory", "documentation"})


def model_of(bundle: Mapping[str, Any]) -> Model:
    """The model that a bundle tells."""
    definitions = bundle["$defs"]
    return Model(
        {one["name"]: _entity(one) for one in bundle["entities"]},
        {name: _aspect(name, told, definitions) for name, told in bundle["aspects"].items()},
        {name: tuple(told["key"]) for name, told in bundle["aspects"].items() if "key" in told},
        {name: told["ref"] for name, told in bundle["aspects"].items()},
    )


def scope_of(aspect: str) -> Scope:
    """Whose an aspect is, unless the overlay says otherwise."""
    return "USER" if aspect.startswith("editable") or aspect in _OF_PEOPLE else "SYSTEM"


def _entity(told: Mapping[str, Any]) -> Modelled:
    return Modelled(told["keyAspect"], tuple(told["aspects"]), told["category"], told["doc"])


def _aspect(name: str, told: Mapping[str, Any], definitions: Mapping[str, Any]) -> AspectSpec:
    return AspectSpec(
        name=name,
        title=title_of(name),
        scope=scope_of(name),
        key="key" in told,
        schema=Schema(partial(_document, name, told["ref"], definitions)),
        timeseries=told.get("timeseries", False),
        schema_version=told.get("schemaVersion", 1),
        relationships=tuple(map(_relationship, told.get("relationships", ()))),
        array_keys=told.get("arrayKeys", {}),
        searched=tuple(one["path"] for one in told.get("searched", ()) if one.get("type", "TEXT") in _TEXTS),
    )


def _relationship(told: Mapping[str, Any]) -> Relationship:
    return Relationship(
        tuple(told["path"].split("/")[1:]),
        told["name"],
        tuple(told["entityTypes"]),
        told.get("isLineage", False),
        told.get("isUpstream", True),
    )


def _document(name: str, ref: str, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of an aspect, with the definitions that it needs."""
    root = definitions[ref]
    return {
        "$schema": _DIALECT,
        "$id": f"urn:jupyter-colophon:datahub:{name}",
        "title": title_of(name),
        **root,
        "$defs": {one: definitions[one] for one in sorted(_needed(root, definitions))},
    }


def _needed(root: Any, definitions: Mapping[str, Any]) -> set[str]:
    """The names of all definitions that a schema refers to, also through others."""
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
