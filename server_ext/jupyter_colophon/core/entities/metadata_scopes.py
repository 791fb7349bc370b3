"""An entity's metadata as two scopes of properties and tags: how other aspects fold into them."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.entities.entity import Aspect, EntitySummary
from jupyter_colophon.core.model.proposal import ABSENT
from jupyter_colophon.core.model.vocabulary import Descriptor

#: Where schemaMetadata keeps the text of the schema that somebody gave (`PUT …/datasets/{d}`).
SCHEMA_TEXT: Final = "text"
#: What is not a property: fields are the property `schema`, and names are not metadata to v3.
_NOT_FOLDED: Final = frozenset({"field", "name"})


@dataclass(frozen=True, slots=True)
class Metadata:
    """Properties and tags of one scope; tags are sorted. `version` is -1 where nothing was ever said."""

    properties: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    version: int = ABSENT

    @property
    def empty(self) -> bool:
        """Whether there is neither a property nor a tag."""
        return not self.properties and not self.tags


@dataclass(frozen=True, slots=True)
class Scoped:
    """What is said of an entity, by scope. An entity that need not be made known may have no summary."""

    summary: EntitySummary | None
    user: Metadata
    system: Metadata

    def of(self, scope: str) -> Metadata:
        """The metadata of `USER` or `SYSTEM`."""
        return self.user if scope == "USER" else self.system


def scoped(
    summary: EntitySummary | None, aspects: Mapping[str, Aspect], descriptors: Iterable[Descriptor] = ()
) -> Scoped:
    """Return both scopes of an entity with these aspects, which say these descriptors."""
    by_scope: dict[str, list[Descriptor]] = {"USER": [], "SYSTEM": []}
    for one in descriptors:
        by_scope[one.scope].append(one)
    own = _written(aspects.get("businessMetadata"))
    people = fold_descriptors(one for one in by_scope["USER"] if one.aspect != "businessMetadata")
    user = Metadata({**people.properties, **own.properties}, _sorted(people.tags, own.tags), own.version)
    return Scoped(summary, user, _system(summary, aspects, by_scope["SYSTEM"]))


def fold_descriptors(descriptors: Iterable[Descriptor]) -> Metadata:
    """Return descriptors as properties and tags; several values of a key are one text, with commas between."""
    properties: dict[str, dict[str, None]] = {}
    tags = set()
    for one in descriptors:
        if one.kind == "tag":
            tags.add(one.text)
        elif one.kind not in _NOT_FOLDED:
            properties.setdefault(one.key, {})[one.text] = None
    return Metadata({key: ", ".join(texts) for key, texts in properties.items()}, tuple(sorted(tags)))


def folded(aspect: str, value: Mapping[str, Any] | None, descriptors: Iterable[Descriptor]) -> Metadata:
    """Return what an aspect with this value (None: without one), which says these descriptors, adds to its scope."""
    if value is None:
        return Metadata()
    fold = _FOLDS.get(aspect)
    if fold is not None:
        return fold(value)
    return fold_descriptors(one for one in descriptors if not one.column)


def _written(aspect: Aspect | None) -> Metadata:
    if aspect is None:
        return Metadata()
    return replace(_own(aspect.value), version=aspect.version)


def _sorted(*several: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({tag for tags in several for tag in tags}))


def _system(
    summary: EntitySummary | None, aspects: Mapping[str, Aspect], descriptors: Iterable[Descriptor]
) -> Metadata:
    """`technicalMetadata` wins over `datasetProperties`, that over other aspects, these over what the catalog itself knows."""
    descriptors = tuple(descriptors)
    others = fold_descriptors(one for one in descriptors if one.column or one.aspect not in _FOLDS)
    said = _stamps(summary) | dict(others.properties)
    for name in ("schemaMetadata", "datasetProperties"):
        if name in aspects:
            said |= dict(_FOLDS[name](aspects[name].value).properties)
    own = _written(aspects.get("technicalMetadata"))
    tags = fold_descriptors(one for one in descriptors if one.kind == "tag").tags
    return Metadata(
        said | dict(own.properties),
        _sorted(tags, own.tags),
        max((one.version for one in aspects.values()), default=ABSENT),
    )


def _stamps(summary: EntitySummary | None) -> dict[str, str]:
    if summary is None:
        return {}
    return {
        "creation-time": str(summary.created.time),
        "created-by": summary.created.actor,
        "last-update-time": str(summary.updated.time),
        "last-updated-by": summary.updated.actor,
    }


def _own(value: Mapping[str, Any]) -> Metadata:
    return Metadata(value["properties"], tuple(sorted(value["tags"])))


def _schema(value: Mapping[str, Any]) -> Metadata:
    given = value.get("platformSchema", {}).get(SCHEMA_TEXT)
    if isinstance(given, str):
        return Metadata({"schema": given})
    columns = [{"name": one["fieldPath"], "type": one["nativeDataType"]} for one in value["fields"]]
    return Metadata({"schema": json.dumps(columns, ensure_ascii=False)})


def _described(value: Mapping[str, Any]) -> Metadata:
    said = {key: text for key, text in value.get("customProperties", {}).items() if isinstance(text, str)}
    return Metadata(said | ({"description": value["description"]} if value.get("description") else {}))


#: The aspects that are properties and tags in a form of their own; all others fold by their descriptors.
_FOLDS: Final[dict[str, Callable[[Mapping[str, Any]], Metadata]]] = {
    "businessMetadata": _own,
    "technicalMetadata": _own,
    "datasetProperties": _described,
    "schemaMetadata": _schema,
}
