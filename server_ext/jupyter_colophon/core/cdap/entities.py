"""Build the documents that CDAP's clients expect for entities: ids, keys and values, targets."""

from typing import Any, Final

from jupyter_colophon.core.cdap.names import make_v3_path
from jupyter_colophon.core.identity.names import IdentityRules, Urn, get_custom_key_pairs

Document = dict[str, Any]
#: The version that CDAP gives an application without one.
_NO_VERSION: Final = "-SNAPSHOT"
#: The singular forms in lineage keys of the program types in entity ids.
_SINGULAR: Final = {"flows": "flow", "workflows": "workflow", "services": "service", "workers": "worker"}
#: The kinds of entity whose short name is the last part of their path.
_WITH_PATHS: Final = ("namespace", "dataset", "dataFlow", "dataJob")


def build_entity_id(urn: Urn, namespace: str, identity: IdentityRules) -> Document | None:
    """Return the `entityId` of an entity; None for kinds of entity that CDAP does not have."""
    if urn.type == "namespace":
        return {"namespace": urn.parts[0], "entity": "NAMESPACE"}
    if urn.type == "dataset":
        kind = "stream" if identity.is_stream(urn) else "dataset"
        return {"namespace": namespace, kind: _get_last_part(urn, namespace, identity), "entity": kind.upper()}
    if urn.type == "dataFlow":
        return {
            "namespace": namespace,
            "application": _get_last_part(urn, namespace, identity),
            "version": _NO_VERSION,
            "entity": "APPLICATION",
        }
    if urn.type == "dataJob":
        *_, application, type_, program = make_v3_path(urn, identity, namespace).segments
        return {
            "namespace": namespace,
            "application": application,
            "version": _NO_VERSION,
            "type": _SINGULAR.get(type_, type_).capitalize(),
            "program": program,
            "entity": "PROGRAM",
        }
    return None


def build_metadata_entity(urn: Urn, namespace: str, identity: IdentityRules) -> Document:
    """Return `{"details": {…}, "type"}`: the entity as its keys and values."""
    if urn.type == "custom":
        return {"details": dict(get_custom_key_pairs(urn)), "type": urn.parts[0]}
    id_ = build_entity_id(urn, namespace, identity)
    if id_ is not None:
        details = {key: value for key, value in id_.items() if key != "entity"}
        return {"details": details, "type": str(id_["entity"]).lower()}
    if urn.type != "schemaField":
        return {"details": {"namespace": namespace, urn.type: identity.get_short_name(urn)}, "type": urn.type}
    holder = build_entity_id(urn.parse_part_as_urn(0), namespace, identity) or {}
    details = {key: value for key, value in holder.items() if key != "entity"}
    return {"details": details | {"field": urn.parts[1]}, "type": "field"}


def format_short_id(urn: Urn, namespace: str, identity: IdentityRules) -> str:
    """Return the short name among entities of the same kind: a program is `<application>.<type>.<program>`."""
    if urn.type == "dataJob":
        *_, application, type_, program = make_v3_path(urn, identity, namespace).segments
        return f"{application}.{type_}.{program}"
    return _get_last_part(urn, namespace, identity) if urn.type in _WITH_PATHS else identity.get_short_name(urn)


def get_target_type(urn: Urn, identity: IdentityRules) -> str:
    """Return the search target that an entity belongs to."""
    if urn.type == "dataset":
        return "stream" if identity.is_stream(urn) else "dataset"
    if urn.type == "custom":
        return urn.parts[0]
    return {"dataFlow": "app", "dataJob": "program", "schemaField": "field"}.get(urn.type, urn.type)


def build_target_id(urn: Urn, namespace: str, identity: IdentityRules) -> Document:
    """Return `{"type", "namespace", "id"}` for a notification; ids are unique within a type and a namespace."""
    return {
        "type": get_target_type(urn, identity),
        "namespace": namespace,
        "id": _format_target(urn, namespace, identity),
    }


def _format_target(urn: Urn, namespace: str, identity: IdentityRules) -> str:
    if urn.type == "custom":
        return ".".join(value for key, value in get_custom_key_pairs(urn) if key != "namespace")
    if urn.type == "schemaField":
        return f"{_format_target(urn.parse_part_as_urn(0), namespace, identity)}.{urn.parts[1]}"
    return format_short_id(urn, namespace, identity) if urn.type in _WITH_PATHS else identity.get_short_name(urn)


def _get_last_part(urn: Urn, namespace: str, identity: IdentityRules) -> str:
    return make_v3_path(urn, identity, namespace).segments[-1]
