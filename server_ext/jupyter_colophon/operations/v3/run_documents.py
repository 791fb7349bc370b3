"""Runs and accesses as clients of CDAP write and read them."""

import time as clock
from collections.abc import Iterable, Mapping
from typing import Any, Final

from jupyter_colophon.core.cdap.names import parse_v3_path
from jupyter_colophon.core.entities.metadata_scopes import ScopedMetadata
from jupyter_colophon.core.errors import InvalidInstance, InvalidName, InvalidQuery, Problem
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import PROGRAM_TYPES, IdentityRules, Urn
from jupyter_colophon.core.lineage.run import (
    Access,
    AccessMode,
    EntitySnapshot,
    Run,
    RunEntity,
    RunStatus,
    RunUpsert,
    ScopeSnapshot,
)
from jupyter_colophon.core.time_format import parse_time_to_ms
from jupyter_colophon.operations.v3 import formats

Document = dict[str, Any]
#: The words for a status.
STATUSES: Final[dict[str, RunStatus]] = {
    "running": "running",
    "succeeded": "succeeded",
    "completed": "succeeded",
    "failed": "failed",
    "killed": "killed",
}
_MODES: Final[dict[str, AccessMode]] = {"read": "read", "write": "write", "both": "both", "unknown": "unknown"}
#: The words of the private history; the member is absent where the access is unknown (spec CDAP-14).
_IN_AND_OUT: Final[dict[str, AccessMode]] = {"in": "read", "out": "write", "unknown": "unknown"}
_TIME: Final = {"type": ["string", "integer"]}
_TEXTS: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_NAME: Final = {"type": "string"}

RUN: Final = {
    "type": "object",
    "properties": {
        "status": _NAME,
        "start": _TIME,
        "end": _TIME,
        "parent": _NAME,
        "arguments": _TEXTS,
        "facts": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
    },
    "additionalProperties": False,
}
ACCESS: Final = {
    "type": "object",
    "properties": {
        "data": {
            "type": "object",
            "properties": {"type": _NAME, "namespace": _NAME, "name": _NAME},
            "required": ["type", "name"],
            "additionalProperties": False,
        },
        "access": _NAME,
        "component": {"type": "string", "maxLength": 512},
        "start": _TIME,
        "stop": _TIME,
        "at": _TIME,
    },
    "required": ["data"],
    "additionalProperties": False,
}
HISTORY: Final = {
    "type": "object",
    "properties": {
        "programRun": {
            "type": "object",
            "properties": {"namespace": _NAME, "app": _NAME, "programType": _NAME, "name": _NAME, "runId": _NAME},
            "required": ["namespace", "app", "programType", "name", "runId"],
            "additionalProperties": False,
        },
        "data": {
            "type": "object",
            "properties": {"namespace": _NAME, "type": _NAME, "name": _NAME},
            "required": ["namespace", "type", "name"],
            "additionalProperties": False,
        },
        "accessType": _NAME,
        "metadata": {
            "type": "object",
            "properties": {"user": _TEXTS, "system": _TEXTS},
            "additionalProperties": False,
        },
    },
    "required": ["programRun", "data"],
    "additionalProperties": False,
}
#: What `run` returns.
RUN_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "runId": _NAME,
        "urn": _NAME,
        "status": _NAME,
        "start": {"type": ["integer", "null"]},
        "end": {"type": ["integer", "null"]},
        "parent": {"type": ["string", "null"]},
        "arguments": {"type": "object"},
        "facts": {"type": "object"},
        "actor": _NAME,
        "via": {"type": ["string", "null"]},
    },
    "required": ["runId", "urn", "status", "start", "end", "parent", "arguments", "facts", "actor", "via"],
}


def render_run(value: Run) -> Document:
    """Return a run as a document; times are ms since 1970."""
    return {
        "runId": value.run_id,
        "urn": value.urn,
        "status": value.status,
        "start": value.start,
        "end": value.end,
        "parent": value.parent,
        "arguments": dict(value.arguments),
        "facts": dict(value.facts),
        "actor": value.actor,
        "via": value.via,
    }


def parse_run_report(program: Urn, namespace: str, run_id: str, document: Mapping[str, Any]) -> RunUpsert:
    """Parse the body of a PUT of a run."""
    return RunUpsert(
        program=program,
        namespace=namespace,
        run_id=_parse_run_id(run_id),
        status=_parse_enumerated_word(document["status"], STATUSES, "/status") if "status" in document else None,
        start=_parse_time_member(document, "start"),
        end=_parse_time_member(document, "end"),
        parent=document.get("parent"),
        facts=document.get("facts", {}),
        arguments=document.get("arguments", {}),
    )


def parse_access_report(
    program: Urn, namespace: str, run_id: str, document: Mapping[str, Any], identity: IdentityRules
) -> RunUpsert:
    """Parse the body of a POST of an access; its data are in the program's namespace by default."""
    access = Access(
        data=_parse_data_urn(document["data"], namespace, identity),
        mode=_parse_enumerated_word(document.get("access", "unknown"), _MODES, "/access"),
        component=document.get("component", ""),
        time=_parse_time_member(document, "at"),
        namespace=document["data"].get("namespace", namespace),
    )
    return RunUpsert(
        program=program,
        namespace=namespace,
        run_id=_parse_run_id(run_id),
        start=_parse_time_member(document, "start"),
        end=_parse_time_member(document, "stop"),
        accesses=(access,),
    )


def parse_history_report(document: Mapping[str, Any], identity: IdentityRules) -> RunUpsert:
    """Parse the body of the private history: one access of a run."""
    named = document["programRun"]
    kind = named["programType"].casefold()
    type_ = next((item for item in PROGRAM_TYPES if kind in (item, item.removesuffix("s"))), kind)
    path = ("namespaces", named["namespace"], "apps", named["app"], type_, named["name"])
    access = Access(
        data=_parse_data_urn(document["data"], named["namespace"], identity),
        mode=_parse_enumerated_word(document.get("accessType", "unknown"), _IN_AND_OUT, "/accessType"),
        snapshot=_parse_entity_snapshot(document["metadata"]) if "metadata" in document else None,
        namespace=document["data"]["namespace"],
    )
    return RunUpsert(
        program=parse_v3_path(path, identity),
        namespace=named["namespace"],
        run_id=_parse_run_id(named["runId"]),
        accesses=(access,),
    )


def render_access_records(accesses: Iterable[RunEntity], identity: IdentityRules) -> list[Document]:
    """Return the accesses of a run: a record for each entity, access and scope."""
    return [
        {
            "entityId": formats.build_entity_id(Urn.parse(item.urn), item.namespace, identity),
            "role": item.role,
            "access": item.mode,
            "component": item.component,
            "firstAccess": item.first,
            "lastAccess": item.last,
            "scope": scope,
            "properties": dict(metadata.properties),
            "tags": list(metadata.tags),
        }
        for item in accesses
        for scope, metadata in (("USER", item.snapshot.user), ("SYSTEM", item.snapshot.system))
        if metadata is not None
    ]


def render_run_metadata(metadata: ScopedMetadata, scopes: tuple[str, ...], form: str) -> Any:
    """Return a run's metadata of one scope, of both as a list, or as `v6` has them."""
    if form == "v6":
        return formats.render_metadata_v6(metadata, scopes)
    if len(scopes) == 1:
        return formats.render_properties_and_tags(metadata.get_metadata_of_scope(scopes[0]))
    return [
        {"scope": scope} | formats.render_properties_and_tags(metadata.get_metadata_of_scope(scope)) for scope in scopes
    ]


def render_run_properties(metadata: ScopedMetadata, scopes: tuple[str, ...], form: str) -> Any:
    """Return the properties of one scope, or as `v6` has them. Raises InvalidQuery."""
    if form == "v6":
        return formats.render_metadata_v6(metadata, scopes)["properties"]
    if len(scopes) > 1:
        raise InvalidQuery("scope=all requires responseFormat=v6, because a key may exist in both scopes", "scope")
    return dict(metadata.get_metadata_of_scope(scopes[0]).properties)


def render_run_tags(metadata: ScopedMetadata, scopes: tuple[str, ...], form: str) -> Any:
    """Return the tags of some scopes, sorted."""
    if form == "v6":
        return formats.render_metadata_v6(metadata, scopes)["tags"]
    return sorted({tag for scope in scopes for tag in metadata.get_metadata_of_scope(scope).tags})


def _parse_data_urn(document: Mapping[str, str], namespace: str, identity: IdentityRules) -> Urn:
    kind = document["type"].casefold()
    if kind not in ("dataset", "stream"):
        raise _create_member_error("/data/type", "one of dataset, stream")
    try:
        return parse_v3_path(
            ("namespaces", document.get("namespace", namespace), f"{kind}s", document["name"]), identity
        )
    except InvalidName as error:
        raise _create_member_error("/data/name", error.detail) from None


def _parse_entity_snapshot(document: Mapping[str, Mapping[str, str]]) -> EntitySnapshot:
    return EntitySnapshot(
        ScopeSnapshot(document.get("user", {})), ScopeSnapshot(document["system"]) if "system" in document else None
    )


def _parse_run_id(text: str) -> str:
    if not names.is_valid_run_id(text):
        raise InvalidName("run id", text, "it is made of at most 128 ASCII letters, digits and _ . : -")
    return text


def _parse_enumerated_word(document: str, value_by_word: Mapping[str, Any], pointer: str) -> Any:
    value = value_by_word.get(document.casefold())
    if value is None:
        raise _create_member_error(pointer, f"one of {', '.join(value_by_word)}")
    return value


def _parse_time_member(document: Mapping[str, Any], member: str) -> int | None:
    if member not in document:
        return None
    try:
        return parse_time_to_ms(str(document[member]), clock.time_ns() // 1_000_000)
    except InvalidQuery as error:
        raise _create_member_error(f"/{member}", error.reason) from None


def _create_member_error(pointer: str, reason: str) -> InvalidInstance:
    return InvalidInstance("the body", (Problem(pointer, reason),))
