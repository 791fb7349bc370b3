"""An entity's metadata as two scopes of properties and tags: how other aspects fold into them (architecture.md, Data model)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.entity import Aspect, EntitySummary
from jupyter_colophon.core.proposal import ABSENT

#: Where schemaMetadata keeps the text of the schema that somebody gave (`PUT …/datasets/{d}`).
SCHEMA_TEXT: Final = "text"
#: The other aspects whose values are SYSTEM metadata.
FOLDED: Final = ("datasetProperties", "schemaMetadata")


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


def scoped(summary: EntitySummary | None, aspects: Mapping[str, Aspect]) -> Scoped:
    """Both scopes of an entity with these aspects."""
    return Scoped(summary, _written(aspects.get("businessMetadata")), _system(summary, aspects))


def folded(aspect: str, value: Mapping[str, Any] | None) -> Metadata | None:
    """What an aspect with this value (None: without one) adds to its scope; None for an aspect that adds nothing."""
    fold = _FOLDS.get(aspect)
    return None if fold is None else fold(value) if value is not None else Metadata()


def _written(aspect: Aspect | None) -> Metadata:
    if aspect is None:
        return Metadata()
    return replace(_own(aspect.value), version=aspect.version)


def _system(summary: EntitySummary | None, aspects: Mapping[str, Aspect]) -> Metadata:
    """`technicalMetadata` wins over `datasetProperties`, that over the schema, that over what the catalog itself knows."""
    said = _stamps(summary)
    for name in ("schemaMetadata", "datasetProperties"):
        if name in aspects:
            said |= dict(_FOLDS[name](aspects[name].value).properties)
    own = _written(aspects.get("technicalMetadata"))
    return Metadata(
        said | dict(own.properties), own.tags, max((one.version for one in aspects.values()), default=ABSENT)
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


#: The aspects that are seen as properties and tags.
_FOLDS: Final[dict[str, Callable[[Mapping[str, Any]], Metadata]]] = {
    "businessMetadata": _own,
    "technicalMetadata": _own,
    "datasetProperties": _described,
    "schemaMetadata": _schema,
}
