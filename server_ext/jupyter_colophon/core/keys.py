"""The key aspect of an entity: its URN, taken apart (datahub.md C, key aspect)."""

from typing import Any

from jupyter_colophon.core.names import Urn, pairs_of

_PARTS: dict[str, tuple[str, ...]] = {
    "dataset": ("platform", "name", "origin"),
    "dataFlow": ("orchestrator", "flowId", "cluster"),
    "dataJob": ("flow", "jobId"),
    "instance": ("space", "name"),
    "namespace": ("name",),
    "schemaField": ("parent", "fieldPath"),
}


def key_aspect(urn: Urn) -> dict[str, Any]:
    """The members of the key aspect of an entity of a registered type."""
    if urn.type == "custom":
        return {"type": urn.parts[0], "keys": dict(pairs_of(urn))}
    return dict(zip(_PARTS[urn.type], urn.parts, strict=True))


def has_key(urn: Urn) -> bool:
    """Whether the URN has as many parts as its type's key aspect."""
    return urn.type == "custom" or len(_PARTS.get(urn.type, ())) == len(urn.parts)
