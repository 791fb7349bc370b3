"""Entities and metadata in the shapes that clients of CDAP know, by release."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.cdap.entities import build_entity_id as build_entity_id
from jupyter_colophon.core.cdap.entities import build_metadata_entity as build_metadata_entity
from jupyter_colophon.core.cdap.entities import format_short_id as format_short_id
from jupyter_colophon.core.cdap.entities import get_target_type as get_target_type
from jupyter_colophon.core.entities.metadata_scopes import Metadata, ScopedMetadata
from jupyter_colophon.core.identity.names import IdentityRules, Urn

Document = dict[str, Any]


def render_properties_and_tags(metadata: Metadata) -> Document:
    """Return `{"properties", "tags"}`."""
    return {"properties": dict(metadata.properties), "tags": list(metadata.tags)}


def render_records_by_scope(
    urn: Urn, namespace: str, metadata: ScopedMetadata, scopes: tuple[str, ...], identity: IdentityRules
) -> list[Document]:
    """Return one record for each scope, also for an empty one (`responseFormat=v5`)."""
    entity = {
        "entityId": build_entity_id(urn, namespace, identity),
        "metadataEntity": build_metadata_entity(urn, namespace, identity),
    }
    return [
        entity | {"scope": scope} | render_properties_and_tags(metadata.get_metadata_of_scope(scope))
        for scope in scopes
    ]


def render_metadata_v6(metadata: ScopedMetadata, scopes: tuple[str, ...]) -> Document:
    """Return lists of `{"scope", "name"[, "value"]}`."""
    return {
        "tags": [
            {"scope": scope, "name": tag} for scope in scopes for tag in metadata.get_metadata_of_scope(scope).tags
        ],
        "properties": [
            {"scope": scope, "name": key, "value": value}
            for scope in scopes
            for key, value in metadata.get_metadata_of_scope(scope).properties.items()
        ],
    }


def render_by_scope(metadata: ScopedMetadata, scopes: tuple[str, ...]) -> Mapping[str, Document]:
    """Return both kinds by scope; an empty scope is absent (`records`)."""
    return {
        scope: render_properties_and_tags(metadata.get_metadata_of_scope(scope))
        for scope in scopes
        if not metadata.get_metadata_of_scope(scope).is_empty
    }
