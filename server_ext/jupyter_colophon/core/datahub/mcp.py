"""Read a MetadataChangeProposal as a proposal.

Problems point into the document: at a member, or at a location in the aspect's value, which is JSON in a string.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, Final

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.documents.json_parsing import compact, parse
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.errors import InvalidInstance, InvalidName, InvalidQuery, MalformedBody, Problem
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.key_aspect import urn_of_key
from jupyter_colophon.core.model.proposal import Condition, Operation, Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.time_format import format_time, parse_instant

JSON: Final = "application/json"
JSON_PATCH: Final = "application/json-patch+json"
CHANGE_TYPES: Final[Mapping[str, Operation]] = {
    "UPSERT": "upsert",
    "CREATE": "create",
    "CREATE_ENTITY": "create-entity",
    "UPDATE": "update",
    "DELETE": "delete",
    "PATCH": "patch",
}
_GENERIC: Final = {
    "type": ["object", "null"],
    "properties": {"value": {"type": "string"}, "contentType": {"type": "string"}},
    "required": ["value", "contentType"],
    "additionalProperties": False,
}
_TEXT: Final = {"type": ["string", "null"]}
SHAPE: Final = {
    "type": "object",
    "description": "A MetadataChangeProposal.",
    "properties": {
        "auditHeader": {"type": ["object", "null"]},
        "entityType": {"type": "string"},
        "entityUrn": _TEXT,
        "entityKeyAspect": _GENERIC,
        "changeType": {"type": "string"},
        "aspectName": _TEXT,
        "aspect": _GENERIC,
        "systemMetadata": {"type": ["object", "string", "null"]},
        "headers": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
    },
    "required": ["entityType", "changeType"],
    "additionalProperties": False,
}
_SUBJECT: Final = "the proposal"
_ESCAPE: Final = re.compile(r"\\u([0-9a-f]{4})")


def unescaped(value: Any) -> Any:
    r"""Return a proposal with every literal `\u00fc` decoded, except in aspects, whose JSON has escapes of its own.

    DataHub's Python client escapes all other non-ASCII text of a single proposal like this (datahub#14251).
    """
    if isinstance(value, str):
        return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), value)
    if isinstance(value, list):
        return [unescaped(one) for one in value]
    if isinstance(value, dict):
        whole = ("aspect", "entityKeyAspect")
        return {unescaped(name): one if name in whole else unescaped(one) for name, one in value.items()}
    return value


def proposal(document: Any, registry: Registry, at: str = "") -> Proposal:
    """Return the proposal that a document stands for; `at` is the pointer to it in the request's body.

    Raises InvalidInstance with pointers, and NotFound for an unknown entity type.
    """
    with _within(at):
        _schema().validate(document, _SUBJECT)
    members = {name: one for name, one in document.items() if one is not None}
    operation = _operation(members["changeType"], f"{at}/changeType")
    urn, aspect = _entity_urn(members, registry, at), members.get("aspectName")
    if aspect is None and operation not in ("delete", "create", "create-entity"):
        raise refused(f"{at}/aspectName", f"{members['changeType']} requires an aspect name")
    without_value = aspect is None or operation == "delete"
    headers = lowered(members.get("headers"))
    return keyless(
        Proposal(
            urn,
            aspect,
            operation,
            None if without_value else _value(members, operation, at),
            condition(headers, f"{at}/headers"),
            if_absent=if_absent(headers, f"{at}/headers"),
            system=system_metadata(members.get("systemMetadata"), f"{at}/systemMetadata"),
            spelling=spelling_of(urn, members.get("entityUrn")),
        ),
        registry,
    )


def is_listed(document: Mapping[str, Any]) -> bool:
    """Return whether a proposal's value is a list: a JSON patch in its short form."""
    aspect = document.get("aspect")
    return aspect is not None and aspect["value"].lstrip().startswith("[")


def keyless(one: Proposal, registry: Registry) -> Proposal:
    """Turn a proposal for a key aspect into one for the entity (spec DH-4).

    Keys are derived from URNs and never written. Raises NotFound for an unknown entity type.
    """
    if one.aspect != registry.type(one.urn.type).key_aspect:
        return one
    if one.operation in ("delete", "create", "create-entity"):
        return replace(one, aspect=None, value=None)
    return replace(one, aspect=None, value=None, operation="create", if_absent=True)


def document(one: Proposal) -> dict[str, Any]:
    """Return a proposal as DataHub would have sent it; `proposal` reads it, except for our own `annotate`."""
    changes = {operation: name for name, operation in CHANGE_TYPES.items()}
    members: dict[str, Any] = {
        "entityType": one.urn.type,
        "entityUrn": str(one.urn),
        "changeType": changes.get(one.operation, "PATCH"),
    }
    if one.aspect is not None:
        members["aspectName"] = one.aspect
    if one.value is not None:
        value = one.value.document if isinstance(one.value, Annotation) else one.value
        members["aspect"] = generic(value, JSON_PATCH if one.operation == "patch" else JSON)
    if one.system is not None:
        members["systemMetadata"] = one.system.document
    headers = dict(_headers(one))
    return members | ({"headers": headers} if headers else {})


def generic(value: Any, content_type: str = JSON) -> dict[str, str]:
    """Return a value as DataHub's GenericAspect."""
    return {"value": compact(value), "contentType": content_type}


def condition(headers: Mapping[str, str], at: str) -> Condition:
    """Return the condition in a proposal's headers, whose names are in lower case. Raises InvalidInstance."""
    return Condition(
        version=headers.get("if-version-match"),
        modified_since=_instant(headers, "if-modified-since", at),
        unmodified_since=_instant(headers, "if-unmodified-since", at),
    )


def spelling_of(urn: Urn, sent: str | None) -> str:
    """Return the URN as it was sent, empty if it is in our own canonical form."""
    return sent if sent is not None and sent != str(urn) else ""


def lowered(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Return the headers of a proposal with names in lower case."""
    return {name.lower(): one for name, one in (headers or {}).items()}


def if_absent(headers: Mapping[str, str], at: str) -> bool:
    """Return whether an existing value is to be left unchanged. Raises InvalidInstance."""
    header = headers.get("if-none-match")
    if header not in (None, "*"):
        raise refused(f"{at}/If-None-Match", "must be *")
    return header == "*"


def refused(pointer: str, why: str) -> InvalidInstance:
    """Return the error for one invalid location."""
    return InvalidInstance(_SUBJECT, (Problem(pointer, why),))


def urn_at(text: str, pointer: str) -> Urn:
    """Parse the URN at a location. Raises InvalidInstance."""
    try:
        return Urn.parse(text)
    except InvalidName as error:
        raise refused(pointer, error.detail) from None


def system_metadata(sent: Any, at: str) -> SystemMetadata | None:
    """Parse a proposal's system metadata, which DataHub's command line sends as text. Raises InvalidInstance."""
    found = parsed(sent, at) if isinstance(sent, str) else sent
    return None if found is None else SystemMetadata.of(found, at)


@cache
def _schema() -> Schema:
    return Schema(SHAPE)


@contextmanager
def _within(at: str) -> Iterator[None]:
    """Prefix the pointers of problems with a location."""
    try:
        yield
    except InvalidInstance as error:
        error.problems = tuple(Problem(at + one.pointer, one.message) for one in error.problems)
        raise


def _operation(change_type: str, at: str) -> Operation:
    if change_type == "RESTATE":
        raise refused(at, "RESTATE is not supported: use `jupyter colophon reindex` to rebuild derived data")
    if change_type not in CHANGE_TYPES:
        raise refused(at, f"must be one of {', '.join(CHANGE_TYPES)}")
    return CHANGE_TYPES[change_type]


def _entity_urn(members: Mapping[str, Any], registry: Registry, at: str) -> Urn:
    entity_type = members["entityType"]
    if ("entityUrn" in members) == ("entityKeyAspect" in members):
        raise refused(f"{at}/entityUrn", "give either entityUrn or entityKeyAspect")
    if "entityUrn" in members:
        urn = urn_at(members["entityUrn"], f"{at}/entityUrn")
        if urn.type != entity_type:
            raise refused(f"{at}/entityType", "must be the type of the URN")
        return urn
    key = _parsed(members["entityKeyAspect"], (JSON,), f"{at}/entityKeyAspect")
    place = f"{at}/entityKeyAspect/value"
    try:
        with _within(place):
            return urn_of_key(registry.type(entity_type), key)
    except InvalidName as error:
        raise refused(place, error.detail) from None


def _value(members: Mapping[str, Any], operation: Operation, at: str) -> Any:
    if "aspect" not in members:
        raise refused(f"{at}/aspect", "is missing")
    if operation == "patch":
        return patch_forms.wrapped(_parsed(members["aspect"], (JSON_PATCH, JSON), f"{at}/aspect"))
    return _parsed(members["aspect"], (JSON,), f"{at}/aspect")


def _parsed(aspect: Mapping[str, str], content_types: tuple[str, ...], at: str) -> Any:
    if aspect["contentType"].partition(";")[0].strip().lower() not in content_types:
        raise refused(f"{at}/contentType", f"must be {' or '.join(content_types)}")
    return parsed(aspect["value"], f"{at}/value")


def parsed(text: str, at: str) -> Any:
    """Parse JSON in a string. Raises InvalidInstance, TooLarge."""
    try:
        return parse(text.encode(), "the value")
    except MalformedBody as error:
        raise refused(at, error.detail) from None


def _instant(headers: Mapping[str, str], name: str, at: str) -> int | None:
    header = headers.get(name)
    if header is None:
        return None
    try:
        return parse_instant(header)
    except InvalidQuery as error:
        raise refused(f"{at}/{name.title()}", error.reason) from None


def _headers(one: Proposal) -> Iterator[tuple[str, str]]:
    if one.if_absent:
        yield "If-None-Match", "*"
    if one.condition.version is not None:
        yield "If-Version-Match", str(one.condition.version)
    if one.condition.modified_since is not None:
        yield "If-Modified-Since", format_time(one.condition.modified_since)
    if one.condition.unmodified_since is not None:
        yield "If-Unmodified-Since", format_time(one.condition.unmodified_since)
