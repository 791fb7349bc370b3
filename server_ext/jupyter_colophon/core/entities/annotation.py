"""Edits of the properties and tags of a scope."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

#: The aspects that consist of properties and tags, by scope (spec MODEL-7).
ASPECT_OF_SCOPE = {"USER": "businessMetadata", "SYSTEM": "technicalMetadata"}


@runtime_checkable
class MetadataEdit(Protocol):
    """A value of an `annotate` proposal."""

    def apply_to_metadata(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties and tags after the change."""


@dataclass(frozen=True, slots=True)
class MetadataAnnotation:
    """A change of properties and tags: some are set, some removed, all others unchanged. Clearing is done first."""

    properties: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    without_properties: frozenset[str] = frozenset()
    without_tags: frozenset[str] = frozenset()
    clear_properties: bool = False
    clear_tags: bool = False

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "MetadataAnnotation":
        """Create from a document (schemas/api/annotation.json)."""
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
        """Return the document of the change, without members that change nothing."""
        members = {
            "properties": dict(self.properties),
            "tags": list(self.tags),
            "withoutProperties": sorted(self.without_properties),
            "withoutTags": sorted(self.without_tags),
            "clearProperties": self.clear_properties,
            "clearTags": self.clear_tags,
        }
        return {name: value for name, value in members.items() if value}

    def apply_to_metadata(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value after the change. Tags keep their order, and new ones are last."""
        properties = {} if self.clear_properties else dict(value["properties"])
        for key in self.without_properties:
            properties.pop(key, None)
        tags = [] if self.clear_tags else [tag for tag in value["tags"] if tag not in self.without_tags]
        return {
            "properties": properties | dict(self.properties),
            "tags": list(dict.fromkeys([*tags, *self.tags])),
        }


@dataclass(frozen=True, slots=True)
class MetadataReplacement:
    """Replace all properties and tags of a scope by those that a source reports when it is read again (spec WRITE-18).

    Old properties and tags named in `keep` stay if the new ones lack them, those in `preserve` always. A first report
    has nothing to keep.
    """

    properties: Mapping[str, str]
    tags: tuple[str, ...] = ()
    keep_properties: frozenset[str] = frozenset()
    preserve_properties: frozenset[str] = frozenset()
    keep_tags: frozenset[str] = frozenset()

    def apply_to_metadata(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value after the change."""
        properties = dict(self.properties)
        for key, old in value["properties"].items():
            if key in self.preserve_properties or (key in self.keep_properties and key not in properties):
                properties[key] = old
        kept_tags = [tag for tag in value["tags"] if tag in self.keep_tags]
        return {"properties": properties, "tags": list(dict.fromkeys([*kept_tags, *self.tags]))}
