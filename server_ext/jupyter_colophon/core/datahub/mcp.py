"""A MetadataChangeProposal as the proposal that it means.

Errors lead into the document: to a member, or to a place in the aspect's value, which is JSON in a string.
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
    r"""A proposal with literal `\u00fc` as what it stands for, but for the aspects: their JSON has escapes of its own.

    DataHub's Python client writes so whatever else is not ASCII in a single proposal (datahub#14251).
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
    """The proposal that a document means; `at` is the pointer to it in what was sent.

    Raises InvalidInstance with pointers, and NotFound for an unknown type of entity.
    """
    with _within(at):
        _schema().validate(document, _SUBJECT)
    told = {name: one for name, one in document.items() if one is not None}
    operation = _operation(told["changeType"], f"{at}/changeType")
    urn, aspect = _entity(told, registry, at), told.get("aspectName")
    if aspect is None and operation not in ("delete", "create", "create-entity"):
        raise refused(f"{at}/aspectName", f"{told['changeType']} names an aspect")
    whole = aspect is None or operation == "delete"
    headers = lowered(told.get("headers"))
    return keyless(
        Proposal(
            urn,
            aspect,
            operation,
            None if whole else _value(told, operation, at),
            condition(headers, f"{at}/headers"),
            if_absent=if_absent(headers, f"{at}/headers"),
            system=system_metadata(told.get("systemMetadata"), f"{at}/systemMetadata"),
            spelling=spelling_of(urn, told.get("entityUrn")),
        ),
        registry,
    )


def is_listed(document: Mapping[str, Any]) -> bool:
    """Whether a proposal's value is a list: a patch of operations alone."""
    aspect = document.get("aspect")
    return aspect is not None and aspect["value"].lstrip().startswith("[")


def keyless(one: Proposal, registry: Registry) -> Proposal:
    """A proposal of a key as one of the entity: keys are made of URNs, and nobody writes them (spec DH-4).

    Raises NotFound for an unknown type of entity.
    """
    if one.aspect != registry.type(one.urn.type).key_aspect:
        return one
    if one.operation in ("delete", "create", "create-entity"):
        return replace(one, aspect=None, value=None)
    return replace(one, aspect=None, value=None, operation="create", if_absent=True)


def document(one: Proposal) -> dict[str, Any]:
    """A proposal as DataHub would have sent it; `proposal` reads it again, but for our own `annotate`."""
    changes = {operation: name for name, operation in CHANGE_TYPES.items()}
    told: dict[str, Any] = {
        "entityType": one.urn.type,
        "entityUrn": str(one.urn),
        "changeType": changes.get(one.operation, "PATCH"),
    }
    if one.aspect is not None:
        told["aspectName"] = one.aspect
    if one.value is not None:
        value = one.value.document if isinstance(one.value, Annotation) else one.value
        told["aspect"] = generic(value, JSON_PATCH if one.operation == "patch" else JSON)
    if one.system is not None:
        told["systemMetadata"] = one.system.document
    headers = dict(_headers(one))
    return told | ({"headers": headers} if headers else {})


def generic(value: Any, content_type: str = JSON) -> dict[str, str]:
    """A value as DataHub's GenericAspect."""
    return {"value": compact(value), "contentType": content_type}


def condition(headers: Mapping[str, str], at: str) -> Condition:
    """What the headers of a proposal, in lower case, want to be true. Raises InvalidInstance."""
    return Condition(
        version=headers.get("if-version-match"),
        modified_since=_instant(headers, "if-modified-since", at),
        unmodified_since=_instant(headers, "if-unmodified-since", at),
    )


def spelling_of(urn: Urn, sent: str | None) -> str:
    """Return the URN as it was sent, empty where that is our own text of it."""
    return sent if sent is not None and sent != str(urn) else ""


def lowered(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The headers of a proposal, their names in lower case."""
    return {name.lower(): one for name, one in (headers or {}).items()}


def if_absent(headers: Mapping[str, str], at: str) -> bool:
    """Whether what is there already is to be left as it is. Raises InvalidInstance."""
    told = headers.get("if-none-match")
    if told not in (None, "*"):
        raise refused(f"{at}/If-None-Match", "is *")
    return told == "*"


def refused(pointer: str, why: str) -> InvalidInstance:
    """The error for one wrong place."""
    return InvalidInstance(_SUBJECT, (Problem(pointer, why),))


def urn_at(text: str, pointer: str) -> Urn:
    """The URN that stands at a place. Raises InvalidInstance."""
    try:
        return Urn.parse(text)
    except InvalidName as error:
        raise refused(pointer, error.detail) from None


def system_metadata(told: Any, at: str) -> SystemMetadata | None:
    """What a proposal says of itself; DataHub's command line sends it as text. Raises InvalidInstance."""
    found = parsed(told, at) if isinstance(told, str) else told
    return None if found is None else SystemMetadata.of(found, at)


@cache
def _schema() -> Schema:
    return Schema(SHAPE)


@contextmanager
def _within(at: str) -> Iterator[None]:
    """Make the pointers of problems begin at a place."""
    try:
        yield
    except InvalidInstance as error:
        error.problems = tuple(Problem(at + one.pointer, one.message) for one in error.problems)
        raise


def _operation(change_type: str, at: str) -> Operation:
    if change_type == "RESTATE":
        raise refused(at, "RESTATE is not taken: `jupyter colophon reindex` makes anew what is derived")
    if change_type not in CHANGE_TYPES:
        raise refused(at, f"is one of {', '.join(CHANGE_TYPES)}")
    return CHANGE_TYPES[change_type]


def _entity(told: Mapping[str, Any], registry: Registry, at: str) -> Urn:
    kind = told["entityType"]
    if ("entityUrn" in told) == ("entityKeyAspect" in told):
        raise refused(f"{at}/entityUrn", "either entityUrn or entityKeyAspect says which entity is meant")
    if "entityUrn" in told:
        urn = urn_at(told["entityUrn"], f"{at}/entityUrn")
        if urn.type != kind:
            raise refused(f"{at}/entityType", "is not the type that the URN has")
        return urn
    key = _parsed(told["entityKeyAspect"], (JSON,), f"{at}/entityKeyAspect")
    place = f"{at}/entityKeyAspect/value"
    try:
        with _within(place):
            return urn_of_key(registry.type(kind), key)
    except InvalidName as error:
        raise refused(place, error.detail) from None


def _value(told: Mapping[str, Any], operation: Operation, at: str) -> Any:
    if "aspect" not in told:
        raise refused(f"{at}/aspect", "is missing")
    if operation == "patch":
        return patch_forms.wrapped(_parsed(told["aspect"], (JSON_PATCH, JSON), f"{at}/aspect"))
    return _parsed(told["aspect"], (JSON,), f"{at}/aspect")


def _parsed(aspect: Mapping[str, str], content_types: tuple[str, ...], at: str) -> Any:
    if aspect["contentType"].partition(";")[0].strip().lower() not in content_types:
        raise refused(f"{at}/contentType", f"is {' or '.join(content_types)}")
    return parsed(aspect["value"], f"{at}/value")


def parsed(text: str, at: str) -> Any:
    """JSON in a string. Raises InvalidInstance, TooLarge."""
    try:
        return parse(text.encode(), "the value")
    except MalformedBody as error:
        raise refused(at, error.detail) from None


def _instant(headers: Mapping[str, str], name: str, at: str) -> int | None:
    told = headers.get(name)
    if told is None:
        return None
    try:
        return parse_instant(told)
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
