"""Read DataHub's model from the bundle `schemas/datahub/model.json`, which `generate.py` beside it writes."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.model.registry import (
    AspectSpec,
    DataHubEntityType,
    DataHubModel,
    Scope,
    split_camel_case,
)
from jupyter_colophon.core.model.relationships import Relationship

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = "#/$defs/"
#: The types of DataHub's search fields that hold words rather than URNs, times or numbers.
_TEXTS: Final = frozenset({"TEXT", "TEXT_PARTIAL", "KEYWORD", "WORD_GRAM"})
#: The aspects of scope USER, besides all whose name begins with `editable` (spec MODEL-5).
_USER_ASPECTS: Final = frozenset({"institutionalMemory", "documentation"})


def parse_datahub_model(bundle: Mapping[str, Any]) -> DataHubModel:
    """Return the model in a bundle."""
    definitions = bundle["$defs"]
    return DataHubModel(
        {entity["name"]: _build_entity_type(entity) for entity in bundle["entities"]},
        {name: _build_aspect(name, entry, definitions) for name, entry in bundle["aspects"].items()},
        {name: tuple(entry["key"]) for name, entry in bundle["aspects"].items() if "key" in entry},
        {name: entry["ref"] for name, entry in bundle["aspects"].items()},
    )


def get_default_scope(aspect: str) -> Scope:
    """Return the default scope of an aspect."""
    return "USER" if aspect.startswith("editable") or aspect in _USER_ASPECTS else "SYSTEM"


def _build_entity_type(entry: Mapping[str, Any]) -> DataHubEntityType:
    return DataHubEntityType(entry["keyAspect"], tuple(entry["aspects"]), entry["category"], entry["doc"])


def _build_aspect(name: str, entry: Mapping[str, Any], definitions: Mapping[str, Any]) -> AspectSpec:
    return AspectSpec(
        name=name,
        title=split_camel_case(name),
        scope=get_default_scope(name),
        key="key" in entry,
        schema=Schema(partial(_build_schema_with_definitions, name, entry["ref"], definitions)),
        timeseries=entry.get("timeseries", False),
        schema_version=entry.get("schemaVersion", 1),
        relationships=tuple(map(_build_relationship, entry.get("relationships", ()))),
        array_keys=entry.get("arrayKeys", {}),
        searchable_paths=tuple(
            field["path"] for field in entry.get("searched", ()) if field.get("type", "TEXT") in _TEXTS
        ),
    )


def _build_relationship(entry: Mapping[str, Any]) -> Relationship:
    return Relationship(
        tuple(entry["path"].split("/")[1:]),
        entry["name"],
        tuple(entry["entityTypes"]),
        entry.get("isLineage", False),
        entry.get("isUpstream", True),
    )


def _build_schema_with_definitions(name: str, ref: str, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an aspect with the definitions that it refers to."""
    root = definitions[ref]
    return {
        "$schema": _DIALECT,
        "$id": f"urn:jupyter-colophon:datahub:{name}",
        "title": split_camel_case(name),
        **root,
        "$defs": {
            definition: definitions[definition] for definition in sorted(_collect_definition_names(root, definitions))
        },
    }


def _collect_definition_names(root: Any, definitions: Mapping[str, Any]) -> set[str]:
    """Return the names of all definitions that a schema refers to, directly or through others."""
    names: set[str] = set()
    pending = [root]
    while pending:
        definition = pending.pop()
        parts: Iterable[Any] = (
            definition.values()
            if isinstance(definition, Mapping)
            else definition
            if isinstance(definition, list)
            else ()
        )
        pending.extend(parts)
        ref = definition.get("$ref") if isinstance(definition, Mapping) else None
        if isinstance(ref, str) and (name := ref.removeprefix(_REFERENCE)) not in names:
            names.add(name)
            pending.append(definitions[name])
    return names
