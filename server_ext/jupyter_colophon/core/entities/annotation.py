"""Properties and tags as people change them: some are set, some go, the others stay."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

#: The aspects that are made of properties and tags, by scope (spec MODEL-7).
ASPECT_OF_SCOPE = {"USER": "businessMetadata", "SYSTEM": "technicalMetadata"}


@runtime_checkable
class Change(Protocol):
    """What the value of an `annotate` can be."""

    def applied(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The properties and tags after the change."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A change of an aspect of properties and tags. What is cleared goes first."""

    properties: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    without_properties: frozenset[str] = frozenset()
    without_tags: frozenset[str] = frozenset()
    clear_properties: bool = False
    clear_tags: bool = False

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Annotation":
        """The change that a document says (schemas/api/annotation.json)."""
        return cls(
            properties=document.get("properties", {}),
            tags=tuple(document.get("tags", ())),
            without_properties=frozenset(document.get("withoutProperties", ())),
            without_tags=frozenset(document.get("withoutTags", ())),
            clear_properties=document.get("clearProperties", False),
            clear_tags=document.get("clearTags", False),
        )

    @property
    def document(self) -> dict[str, Any]:
        """The document that says it; what it leaves alone is not in it."""
        members = {
            "properties": dict(self.properties),
            "tags": list(self.tags),
            "withoutProperties": sorted(self.without_properties),
            "withoutTags": sorted(self.without_tags),
            "clearProperties": self.clear_properties,
            "clearTags": self.clear_tags,
        }
        return {name: value for name, value in members.items() if value}

    def applied(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The value after the change. Tags keep their order, new ones come last."""
        properties = {} if self.clear_properties else dict(value["properties"])
        for key in self.without_properties:
            properties.pop(key, None)
        tags = [] if self.clear_tags else [tag for tag in value["tags"] if tag not in self.without_tags]
        return {
            "properties": properties | dict(self.properties),
            "tags": list(dict.fromkeys([*tags, *self.tags])),
        }


@dataclass(frozen=True, slots=True)
class Replacement:
    """Replace all properties and tags of a scope by those that a source reports on rereading (spec WRITE-18).

    Old properties and tags named in `keep` stay where the new ones lack them, those in `preserve` whatever the new
    ones say. Where there was nothing, there is nothing to keep.
    """

    properties: Mapping[str, str]
    tags: tuple[str, ...] = ()
    keep_properties: frozenset[str] = frozenset()
    preserve_properties: frozenset[str] = frozenset()
    keep_tags: frozenset[str] = frozenset()

    def applied(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The value after the change."""
        properties = dict(self.properties)
        for key, old in value["properties"].items():
            if key in self.preserve_properties or (key in self.keep_properties and key not in properties):
                properties[key] = old
        kept = [tag for tag in value["tags"] if tag in self.keep_tags]
        return {"properties": properties, "tags": list(dict.fromkeys([*kept, *self.tags]))}
