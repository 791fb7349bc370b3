"""Read requests to register an entity, sent when it is deployed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.entities.annotation import MetadataAnnotation

#: The property with the name of an application's artifact; its plugins are properties `plugin:<name>`.
ARTIFACT = "artifact"
#: The tags that CDAP gives datasets.
BATCH, EXPLORE = "batch", "explore"
_PARTS = ("plugin", "schedule")


@dataclass(frozen=True, slots=True)
class RegistrationRequest:
    """A request to register an entity. `facts` are SYSTEM properties, `labels` SYSTEM tags, `user_metadata` USER
    metadata.
    """

    facts: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    user_metadata: MetadataAnnotation = field(default_factory=MetadataAnnotation)
    #: The settings of the source, such as its format.
    settings: Mapping[str, str] = field(default_factory=dict)
    #: The text of a schema, Avro as JSON or any other; None if the request has no schema.
    schema: str | None = None
    #: Prefixes of facts that the request lists completely: other facts with the prefix are deleted.
    complete_prefixes: tuple[str, ...] = ()


def parse_dataset_registration(name: str, request: Mapping[str, Any], *, stream: bool = False) -> RegistrationRequest:
    """Read the `/v3` request to register a dataset, or a stream, of this name (docs/v3.md)."""
    settings = dict(request.get("properties", {}))
    schema = settings.pop("schema", request.get("schema"))
    # CDAP's clients search for datasets that a batch can read, and for those that can be queried, which needs a schema.
    kinds = () if stream else (BATCH,) if schema is None else (BATCH, EXPLORE)
    facts = _select_text_members(request, "description", "ttl") | (
        {"type": request["typeName"]} if "typeName" in request else {}
    )
    return RegistrationRequest(
        facts=facts,
        labels=_create_tags(name, *kinds),
        user_metadata=_parse_user_metadata(request),
        settings=settings,
        schema=schema if schema is None or isinstance(schema, str) else json.dumps(schema),
    )


def parse_application_registration(name: str, request: Mapping[str, Any]) -> RegistrationRequest:
    """Read the `/v3` request to register an application of this name, except its programs."""
    artifact = request.get("artifact", "")
    artifact_name = artifact if isinstance(artifact, str) else str(artifact.get("name", ""))
    facts = _select_text_members(request, "description") | ({ARTIFACT: artifact_name} if artifact_name else {})
    parts = {kind: request[f"{kind}s"] for kind in _PARTS if f"{kind}s" in request}
    facts |= {f"{kind}:{part}": value for kind, all_ in parts.items() for part, value in all_.items()}
    complete_prefixes = tuple(f"{kind}:" for kind in parts)
    return RegistrationRequest(
        facts=facts,
        labels=_create_tags(name, artifact_name),
        user_metadata=_parse_user_metadata(request),
        complete_prefixes=complete_prefixes,
    )


def _select_text_members(request: Mapping[str, Any], *keys: str) -> dict[str, str]:
    return {key: str(request[key]) for key in keys if key in request}


def _create_tags(*words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word and not word.startswith("urn:li:")))


def _parse_user_metadata(request: Mapping[str, Any]) -> MetadataAnnotation:
    metadata = request.get("metadata", {})
    return MetadataAnnotation(properties=metadata.get("properties", {}), tags=tuple(metadata.get("tags", ())))
