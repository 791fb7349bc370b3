"""Entities and metadata in the shapes that clients of CDAP know, by release."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.cdap.entities import entity_id as entity_id
from jupyter_colophon.core.cdap.entities import kind_of as kind_of
from jupyter_colophon.core.cdap.entities import metadata_entity as metadata_entity
from jupyter_colophon.core.cdap.entities import short_id as short_id
from jupyter_colophon.core.entities.metadata_scopes import Metadata, Scoped
from jupyter_colophon.core.identity.names import Identity, Urn

Document = dict[str, Any]


def whole(metadata: Metadata) -> Document:
    """Return `{"properties", "tags"}`."""
    return {"properties": dict(metadata.properties), "tags": list(metadata.tags)}


def records(urn: Urn, namespace: str, found: Scoped, scopes: tuple[str, ...], identity: Identity) -> list[Document]:
    """Return one record for each scope, also for an empty one (`responseFormat=v5`)."""
    entity = {
        "entityId": entity_id(urn, namespace, identity),
        "metadataEntity": metadata_entity(urn, namespace, identity),
    }
    return [entity | {"scope": scope} | whole(found.of(scope)) for scope in scopes]


def v6(found: Scoped, scopes: tuple[str, ...]) -> Document:
    """Return lists of `{"scope", "name"[, "value"]}`."""
    return {
        "tags": [{"scope": scope, "name": tag} for scope in scopes for tag in found.of(scope).tags],
        "properties": [
            {"scope": scope, "name": key, "value": value}
            for scope in scopes
            for key, value in found.of(scope).properties.items()
        ],
    }


def of_scopes(found: Scoped, scopes: tuple[str, ...]) -> Mapping[str, Document]:
    """Return both kinds by scope; an empty scope is absent (`records`)."""
    return {scope: whole(found.of(scope)) for scope in scopes if not found.of(scope).empty}
