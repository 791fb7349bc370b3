"""What the store holds of aspects as DataHub's clients read it."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.system_metadata import told

Document = dict[str, Any]
_ACTOR = "urn:li:corpuser:"


def actor(user: str) -> str:
    """A user as an entity of DataHub's."""
    return user if user.startswith("urn:li:") else f"{_ACTOR}{user or 'unknown'}"


def stamp(held: Aspect) -> Document:
    """When it was written, and by whom."""
    return {"time": held.time, "actor": actor(held.actor)}


def system(held: Aspect) -> Document:
    """Its system metadata; the version is the aspect's own."""
    return told(held.system, held.version, held.time) if held.version else {}


def aspect_by_class(held: Aspect, registry: Registry) -> Document:
    """One aspect under the name of its class."""
    return {
        "version": held.version,
        "aspect": {registry.class_of(held.name): held.value},
        "systemMetadata": system(held),
    }


def entity(urn: str, kind: str, aspects: Mapping[str, Aspect]) -> Document:
    """An entity with its aspects, each with what is known of it."""
    return {"urn": urn, "entityName": kind, "aspects": {name: _enveloped(one) for name, one in aspects.items()}}


def _enveloped(held: Aspect) -> Document:
    return {
        "name": held.name,
        "type": "VERSIONED",
        # DataHub keeps the present version of everything under this number.
        "version": 0,
        "value": held.value,
        "created": stamp(held),
        "systemMetadata": system(held),
    }


def v3_entity(urn: str, aspects: Mapping[str, Aspect], *, with_system: bool) -> Document:
    """An entity as the OpenAPI routes tell it."""
    return {"urn": urn} | {name: _v3_aspect(one, with_system) for name, one in aspects.items()}


def _v3_aspect(held: Aspect, with_system: bool) -> Document:
    if not with_system:
        return {"value": held.value}
    return {
        "value": held.value,
        "systemMetadata": system(held),
        "auditStamp": stamp(held),
    }
