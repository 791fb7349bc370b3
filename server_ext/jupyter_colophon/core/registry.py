"""The entity registry: which entity types exist, and which aspects each has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jupyter_colophon.core.errors import Absent
from jupyter_colophon.core.schema import Schema

Scope = Literal["USER", "SYSTEM"]


@dataclass(frozen=True, slots=True)
class AspectSpec:
    """One aspect: its schema, whose it is, and the value that a patch of an absent one starts from.

    `door` names the only door through which it is changed; empty for the usual ones.
    """

    name: str
    title: str
    scope: Scope
    key: bool
    schema: Schema
    empty: Mapping[str, Any] = field(default_factory=dict)
    uihints: Mapping[str, Any] = field(default_factory=dict)
    door: str = ""


@dataclass(frozen=True, slots=True)
class EntityType:
    """One kind of thing that metadata is about."""

    type: str
    title: str
    key_aspect: str
    aspects: tuple[AspectSpec, ...]

    @property
    def door(self) -> str:
        """The only door through which such an entity comes and goes: that of one of its aspects."""
        return next((spec.door for spec in self.aspects if spec.door), "")


class Registry:
    """Entity types by name. Made from `schemas/registry.json` and `schemas/aspects/*.json`."""

    def __init__(self, types: Mapping[str, EntityType]) -> None:
        self._types = dict(types)
        self._aspects = {(kind.type, spec.name): spec for kind in types.values() for spec in kind.aspects}

    @classmethod
    def from_documents(cls, registry: Mapping[str, Any], aspects: Mapping[str, Mapping[str, Any]]) -> "Registry":
        """The registry of these documents; an aspect's own member `colophon` says its scope and hints."""
        specs = {name: _aspect_spec(name, document) for name, document in aspects.items()}
        return cls(
            {
                entry["type"]: EntityType(
                    entry["type"], entry["title"], entry["keyAspect"], tuple(specs[name] for name in entry["aspects"])
                )
                for entry in registry["entities"]
            }
        )

    @property
    def types(self) -> tuple[EntityType, ...]:
        """All entity types, in the registry's order."""
        return tuple(self._types.values())

    def type(self, name: str) -> EntityType:
        """An entity type; raises Absent."""
        if name not in self._types:
            raise Absent("entity type", name)
        return self._types[name]

    def aspect(self, entity_type: str, name: str) -> AspectSpec:
        """An aspect of an entity type; raises Absent."""
        self.type(entity_type)
        if (entity_type, name) not in self._aspects:
            raise Absent(f"aspect of a {entity_type}", name)
        return self._aspects[entity_type, name]


def _aspect_spec(name: str, document: Mapping[str, Any]) -> AspectSpec:
    about = document.get("colophon", {})
    return AspectSpec(
        name=name,
        title=document.get("title", name),
        scope=about.get("scope", "SYSTEM"),
        key=about.get("key", False),
        schema=Schema(document),
        empty=about.get("empty", {}),
        uihints=about.get("uihints", {}),
        door=about.get("door", ""),
    )
