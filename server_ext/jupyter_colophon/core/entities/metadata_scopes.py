"""Fold all aspects of an entity into two scopes of properties and tags."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.entities.entity import Aspect, EntitySummary
from jupyter_colophon.core.model.proposal import ABSENT
from jupyter_colophon.core.model.vocabulary import Descriptor

#: The aspect that people write, which is read without descriptors.
USER_ASPECT: Final = "businessMetadata"
#: The member of schemaMetadata with the text of the original schema (`PUT …/datasets/{d}`).
SCHEMA_TEXT: Final = "text"
#: Descriptors that are not properties: fields are the property `schema`, and names are not metadata in v3.
_NOT_FOLDED: Final = frozenset({"field", "name"})


@dataclass(frozen=True, slots=True)
class Metadata:
    """Properties and tags of one scope; tags are sorted. `version` is -1 if nothing was ever written."""

    properties: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    version: int = ABSENT

    @property
    def is_empty(self) -> bool:
        """Return whether there are neither properties nor tags."""
        return not self.properties and not self.tags


@dataclass(frozen=True, slots=True)
class ScopedMetadata:
    """The metadata of an entity by scope. Entities that exist implicitly may have no summary."""

    summary: EntitySummary | None
    user: Metadata
    system: Metadata

    def get_metadata_of_scope(self, scope: str) -> Metadata:
        """Return the metadata of `USER` or `SYSTEM`."""
        return self.user if scope == "USER" else self.system


def build_scoped_metadata(
    summary: EntitySummary | None, aspects: Mapping[str, Aspect], descriptors: Iterable[Descriptor] = ()
) -> ScopedMetadata:
    """Return both scopes of an entity with these aspects and their descriptors."""
    by_scope: dict[str, list[Descriptor]] = {"USER": [], "SYSTEM": []}
    for descriptor in descriptors:
        by_scope[descriptor.scope].append(descriptor)
    user = build_user_metadata(aspects, by_scope["USER"])
    return ScopedMetadata(summary, user, _build_system_metadata(summary, aspects, by_scope["SYSTEM"]))


def build_user_metadata(aspects: Mapping[str, Aspect], descriptors: Iterable[Descriptor]) -> Metadata:
    """Return the USER metadata: `businessMetadata` wins over the descriptors of other aspects."""
    own = _parse_written_metadata(aspects.get(USER_ASPECT))
    people = convert_descriptors_to_metadata(item for item in descriptors if item.aspect != USER_ASPECT)
    return Metadata({**people.properties, **own.properties}, _sort_distinct_tags(people.tags, own.tags), own.version)


def convert_descriptors_to_metadata(descriptors: Iterable[Descriptor]) -> Metadata:
    """Return descriptors as properties and tags; several values of a key are joined by commas."""
    properties: dict[str, dict[str, None]] = {}
    tags = set()
    for descriptor in descriptors:
        if descriptor.kind == "tag":
            tags.add(descriptor.text)
        elif descriptor.kind not in _NOT_FOLDED:
            properties.setdefault(descriptor.key, {})[descriptor.text] = None
    return Metadata({key: ", ".join(texts) for key, texts in properties.items()}, tuple(sorted(tags)))


def convert_aspect_to_metadata(
    aspect: str, value: Mapping[str, Any] | None, descriptors: Iterable[Descriptor]
) -> Metadata:
    """Return what an aspect with this value (None: no aspect) and these descriptors adds to its scope."""
    if value is None:
        return Metadata()
    fold = _FOLDS.get(aspect)
    if fold is not None:
        return fold(value)
    return convert_descriptors_to_metadata(descriptor for descriptor in descriptors if not descriptor.column)


def _parse_written_metadata(aspect: Aspect | None) -> Metadata:
    if aspect is None:
        return Metadata()
    return replace(_convert_own_metadata(aspect.value), version=aspect.version)


def _sort_distinct_tags(*several: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({tag for tags in several for tag in tags}))


def _build_system_metadata(
    summary: EntitySummary | None, aspects: Mapping[str, Aspect], descriptors: Iterable[Descriptor]
) -> Metadata:
    """Return the SYSTEM metadata: `technicalMetadata` wins over `datasetProperties`, that over other aspects, and these
    over the entity's own times.
    """
    descriptors = tuple(descriptors)
    others = convert_descriptors_to_metadata(
        descriptor for descriptor in descriptors if descriptor.column or descriptor.aspect not in _FOLDS
    )
    properties = _build_time_properties(summary) | dict(others.properties)
    for name in ("schemaMetadata", "datasetProperties"):
        if name in aspects:
            properties |= dict(_FOLDS[name](aspects[name].value).properties)
    own = _parse_written_metadata(aspects.get("technicalMetadata"))
    tags = convert_descriptors_to_metadata(descriptor for descriptor in descriptors if descriptor.kind == "tag").tags
    return Metadata(
        properties | dict(own.properties),
        _sort_distinct_tags(tags, own.tags),
        max((aspect.version for aspect in aspects.values()), default=ABSENT),
    )


def _build_time_properties(summary: EntitySummary | None) -> dict[str, str]:
    if summary is None:
        return {}
    return {
        "creation-time": str(summary.created.time),
        "created-by": summary.created.actor,
        "last-update-time": str(summary.updated.time),
        "last-updated-by": summary.updated.actor,
    }


def _convert_own_metadata(value: Mapping[str, Any]) -> Metadata:
    return Metadata(value["properties"], tuple(sorted(value["tags"])))


def _convert_schema(value: Mapping[str, Any]) -> Metadata:
    text = value.get("platformSchema", {}).get(SCHEMA_TEXT)
    if isinstance(text, str):
        return Metadata({"schema": text})
    columns = [{"name": field["fieldPath"], "type": field["nativeDataType"]} for field in value["fields"]]
    return Metadata({"schema": json.dumps(columns, ensure_ascii=False)})


def _convert_dataset_properties(value: Mapping[str, Any]) -> Metadata:
    properties = {key: text for key, text in value.get("customProperties", {}).items() if isinstance(text, str)}
    return Metadata(properties | ({"description": value["description"]} if value.get("description") else {}))


#: The aspects that contain properties and tags in a format of their own; all others fold by their descriptors.
_FOLDS: Final[dict[str, Callable[[Mapping[str, Any]], Metadata]]] = {
    USER_ASPECT: _convert_own_metadata,
    "technicalMetadata": _convert_own_metadata,
    "datasetProperties": _convert_dataset_properties,
    "schemaMetadata": _convert_schema,
}
