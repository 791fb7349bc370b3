"""Entities as documents that clients of CDAP know: ids, keys and values, targets."""

from typing import Any, Final

from jupyter_colophon.core.cdap.names import v3_path
from jupyter_colophon.core.identity.names import Identity, Urn, pairs_of

Document = dict[str, Any]
#: CDAP's version of an application that has none.
_NO_VERSION: Final = "-SNAPSHOT"
#: The singular words of lineage keys and of program types in entity ids.
_SINGULAR: Final = {"flows": "flow", "workflows": "workflow", "services": "service", "workers": "worker"}
#: The kinds of entity whose short name is the end of their path.
_WITH_PATHS: Final = ("namespace", "dataset", "dataFlow", "dataJob")


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
    id_ = entity_id(urn, namespace, identity)
    if id_ is not None:
        details = {key: value for key, value in id_.items() if key != "entity"}
        return {"details": details, "type": str(id_["entity"]).lower()}
    if urn.type != "schemaField":
        return {"details": {"namespace": namespace, urn.type: identity.short_name(urn)}, "type": urn.type}
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


def target_id(urn: Urn, namespace: str, identity: Identity) -> Document:
    """Return `{"type", "namespace", "id"}` for a notification; ids are unique within a type and a namespace."""
    return {"type": kind_of(urn, identity), "namespace": namespace, "id": _target(urn, namespace, identity)}


def _target(urn: Urn, namespace: str, identity: Identity) -> str:
    if urn.type == "custom":
        return ".".join(value for key, value in pairs_of(urn) if key != "namespace")
    if urn.type == "schemaField":
        return f"{_target(urn.nested(0), namespace, identity)}.{urn.parts[1]}"
    return short_id(urn, namespace, identity) if urn.type in _WITH_PATHS else identity.short_name(urn)


def _last(urn: Urn, namespace: str, identity: Identity) -> str:
    return v3_path(urn, identity, namespace).segments[-1]
