"""Stored aspects as documents that DataHub's clients read."""

from collections.abc import Mapping

from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.model import system_metadata
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.operations.request import Document

_USER = "urn:li:corpuser:"


def build_actor_urn(user: str) -> str:
    """Return a user as an entity of DataHub's."""
    return user if user.startswith("urn:li:") else f"{_USER}{user or 'unknown'}"


def render_audit_stamp(aspect: Aspect) -> Document:
    """Return when an aspect was written, and by whom."""
    return {"time": aspect.time, "actor": build_actor_urn(aspect.actor)}


def render_system_metadata(aspect: Aspect) -> Document:
    """Return the system metadata of an aspect; the version in it is the aspect's own."""
    return system_metadata.build_datahub_document(aspect.system, aspect.version, aspect.time) if aspect.version else {}


def render_aspect_by_class(aspect: Aspect, registry: Registry) -> Document:
    """Return one aspect under the name of its class."""
    return {
        "version": aspect.version,
        "aspect": {registry.get_class_name(aspect.name): aspect.value},
        "systemMetadata": render_system_metadata(aspect),
    }


def render_enveloped_entity(urn: str, entity_type: str, aspects: Mapping[str, Aspect]) -> Document:
    """Return an entity with its aspects, each in an envelope."""
    enveloped = {name: _render_enveloped_aspect(aspect) for name, aspect in aspects.items()}
    return {"urn": urn, "entityName": entity_type, "aspects": enveloped}


def _render_enveloped_aspect(aspect: Aspect) -> Document:
    return {
        "name": aspect.name,
        "type": "VERSIONED",
        # DataHub keeps the present version of everything under this number.
        "version": 0,
        "value": aspect.value,
        "created": render_audit_stamp(aspect),
        "systemMetadata": render_system_metadata(aspect),
    }


def render_entity(urn: str, aspects: Mapping[str, Aspect], *, include_system_metadata: bool) -> Document:
    """Return an entity in the form of the OpenAPI routes."""
    return {"urn": urn} | {name: _render_aspect(aspect, include_system_metadata) for name, aspect in aspects.items()}


def _render_aspect(aspect: Aspect, include_system_metadata: bool) -> Document:
    if not include_system_metadata:
        return {"value": aspect.value}
    return {
        "value": aspect.value,
        "systemMetadata": render_system_metadata(aspect),
        "auditStamp": render_audit_stamp(aspect),
    }
