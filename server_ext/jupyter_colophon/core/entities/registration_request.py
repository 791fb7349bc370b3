"""What is asked to be known of an entity when it is deployed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.entities.annotation import Annotation

#: The property with the name of an application's artifact; what else it is made of is told as `plugin:<name>`.
ARTIFACT = "artifact"
#: The tags of datasets that CDAP has.
BATCH, EXPLORE = "batch", "explore"
_PARTS = ("plugin", "schedule")


@dataclass(frozen=True, slots=True)
class Deployed:
    """What is asked to be known of an entity. `facts` are SYSTEM properties; `labels` SYSTEM tags; `said` USER metadata."""

    facts: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    said: Annotation = field(default_factory=Annotation)
    #: What the source itself has set, such as its format.
    settings: Mapping[str, str] = field(default_factory=dict)
    #: The text of a schema, Avro as JSON or anything else; None where nothing is said of it.
    schema: str | None = None
    #: Beginnings of facts that are told all together: others with such a beginning go.
    whole: tuple[str, ...] = ()


def of_data(name: str, told: Mapping[str, Any], *, stream: bool = False) -> Deployed:
    """What `/v3` is told of a dataset, or a stream, of this name (docs/v3.md)."""
    settings = dict(told.get("properties", {}))
    schema = settings.pop("schema", told.get("schema"))
    # CDAP's clients look for what a batch can read, and for what can be queried, which takes a schema.
    kinds = () if stream else (BATCH,) if schema is None else (BATCH, EXPLORE)
    facts = _texts(told, "description", "ttl") | ({"type": told["typeName"]} if "typeName" in told else {})
    return Deployed(
        facts=facts,
        labels=_labels(name, *kinds),
        said=_said(told),
        settings=settings,
        schema=schema if schema is None or isinstance(schema, str) else json.dumps(schema),
    )


def of_application(name: str, told: Mapping[str, Any]) -> Deployed:
    """What `/v3` is told of an application of this name, but for its programs."""
    artifact = told.get("artifact", "")
    named = artifact if isinstance(artifact, str) else str(artifact.get("name", ""))
    facts = _texts(told, "description") | ({ARTIFACT: named} if named else {})
    parts = {kind: told[f"{kind}s"] for kind in _PARTS if f"{kind}s" in told}
    facts |= {f"{kind}:{part}": said for kind, all_ in parts.items() for part, said in all_.items()}
    whole = tuple(f"{kind}:" for kind in parts)
    return Deployed(facts=facts, labels=_labels(name, named), said=_said(told), whole=whole)


def _texts(told: Mapping[str, Any], *keys: str) -> dict[str, str]:
    return {key: str(told[key]) for key in keys if key in told}


def _labels(*words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word and not word.startswith("urn:li:")))


def _said(told: Mapping[str, Any]) -> Annotation:
    said = told.get("metadata", {})
    return Annotation(properties=said.get("properties", {}), tags=tuple(said.get("tags", ())))
