"""Entities and metadata in the shapes that clients of CDAP know, by release (catalog.md 2 and 3.4)."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.names import Identity, Urn, pairs_of
from jupyter_colophon.core.scoped import Metadata, Scoped
from jupyter_colophon.core.v3_names import v3_path

Document = dict[str, Any]
#: CDAP's version of an application that has none.
_NO_VERSION: Final = "-SNAPSHOT"
#: The singular words of lineage keys and of program types in entity ids.
_SINGULAR: Final = {"flows": "flow", "workflows": "workflow", "services": "service", "workers": "worker"}


def whole(metadata: Metadata) -> Document:
    """`{"properties", "tags"}`."""
    return {"properties": dict(metadata.properties), "tags": list(metadata.tags)}


def records(urn: Urn, namespace: str, found: Scoped, scopes: tuple[str, ...], identity: Identity) -> list[Document]:
    """One record a scope, also an empty one (`responseFormat=v5`)."""
    told = {
        "entityId": entity_id(urn, namespace, identity),
        "metadataEntity": metadata_entity(urn, namespace, identity),
    }
    return [told | {"scope": scope} | whole(found.of(scope)) for scope in scopes]


def v6(found: Scoped, scopes: tuple[str, ...]) -> Document:
    """Lists of `{"scope", "name"[, "value"]}`."""
    return {
        "tags": [{"scope": scope, "name": tag} for scope in scopes for tag in found.of(scope).tags],
        "properties": [
            {"scope": scope, "name": key, "value": value}
            for scope in scopes
            for key, value in found.of(scope).properties.items()
        ],
    }


def entity_id(urn: Urn, namespace: str, identity: Identity) -> Document | None:
    """`entityId`; None for kinds of entity that it never had."""
    if urn.type == "namespace":
        return {"namespace": urn.parts[0], "entity": "NAMESPACE"}
    if urn.type == "dataset":
        kind = "stream" if identity.is_stream(urn) else "dataset"
        return {"namespace": namespace, kind: _last(urn, namespace, identity), "entity": kind.upper()}
    if urn.type == "dataFlow":
        return {
            "namespace": namespace,
            "application": _last(urn, namespace, identity),
            "version": _NO_VERSION,
            "entity": "APPLICATION",
        }
    if urn.type == "dataJob":
        *_, application, type_, program = v3_path(urn, identity, namespace).segments
        return {
            "namespace": namespace,
            "application": application,
            "version": _NO_VERSION,
            "type": _SINGULAR.get(type_, type_).capitalize(),
            "program": program,
            "entity": "PROGRAM",
        }
    return None


def metadata_entity(urn: Urn, namespace: str, identity: Identity) -> Document:
    """`{"details": {…}, "type"}`: the entity as its keys and values."""
    if urn.type == "custom":
        return {"details": dict(pairs_of(urn)), "type": urn.parts[0]}
    told = entity_id(urn, namespace, identity)
    if told is not None:
        details = {key: value for key, value in told.items() if key != "entity"}
        return {"details": details, "type": str(told["entity"]).lower()}
    holder = entity_id(urn.nested(0), namespace, identity) or {}
    details = {key: value for key, value in holder.items() if key != "entity"}
    return {"details": details | {"field": urn.parts[1]}, "type": "field"}


def short_id(urn: Urn, namespace: str, identity: Identity) -> str:
    """What `names` calls an entity among others of its kind: a program is `<application>.<type>.<program>`."""
    if urn.type == "dataJob":
        *_, application, type_, program = v3_path(urn, identity, namespace).segments
        return f"{application}.{type_}.{program}"
    return _last(urn, namespace, identity)


def kind_of(urn: Urn, identity: Identity) -> str:
    """The word of a search target for an entity."""
    if urn.type == "dataset":
        return "stream" if identity.is_stream(urn) else "dataset"
    if urn.type == "custom":
        return urn.parts[0]
    return {"dataFlow": "app", "dataJob": "program", "schemaField": "field"}.get(urn.type, urn.type)


def of_scopes(found: Scoped, scopes: tuple[str, ...]) -> Mapping[str, Document]:
    """Both kinds by scope; a scope with nothing is left out (`records`)."""
    return {scope: whole(found.of(scope)) for scope in scopes if not found.of(scope).empty}


def _last(urn: Urn, namespace: str, identity: Identity) -> str:
    return v3_path(urn, identity, namespace).segments[-1]
