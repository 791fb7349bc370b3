"""An entity's metadata as two scopes of properties and tags: how other aspects fold into them (architecture.md, Data model)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.core.entity import Aspect, EntitySummary
from jupyter_colophon.core.proposal import ABSENT

#: Where schemaMetadata keeps the text of the schema that somebody gave (`PUT …/datasets/{d}`).
SCHEMA_TEXT: Final = "text"


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


def _written(aspect: Aspect | None) -> Metadata:
    if aspect is None:
        return Metadata()
    return Metadata(aspect.value["properties"], tuple(sorted(aspect.value["tags"])), aspect.version)


def _system(summary: EntitySummary | None, aspects: Mapping[str, Aspect]) -> Metadata:
    """`technicalMetadata` wins over `datasetProperties`, that over the schema, that over what the catalog itself knows."""
    own = _written(aspects.get("technicalMetadata"))
    said = _stamps(summary) | _schema(aspects.get("schemaMetadata")) | _described(aspects.get("datasetProperties"))
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


def _schema(aspect: Aspect | None) -> dict[str, str]:
    if aspect is None:
        return {}
    given = aspect.value.get("platformSchema", {}).get(SCHEMA_TEXT)
    if isinstance(given, str):
        return {"schema": given}
    columns = [{"name": one["fieldPath"], "type": one["nativeDataType"]} for one in aspect.value["fields"]]
    return {"schema": json.dumps(columns, ensure_ascii=False)}


def _described(aspect: Aspect | None) -> dict[str, str]:
    if aspect is None:
        return {}
    value: Mapping[str, Any] = aspect.value
    said = {key: text for key, text in value.get("customProperties", {}).items() if isinstance(text, str)}
    return said | ({"description": value["description"]} if value.get("description") else {})
