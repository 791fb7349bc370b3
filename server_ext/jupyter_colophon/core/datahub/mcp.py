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
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_json
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.errors import InvalidInstance, InvalidName, InvalidQuery, MalformedBody, Problem
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.key_aspect import make_urn_from_key
from jupyter_colophon.core.model.proposal import Operation, Proposal, WriteCondition
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.time_format import format_ms_as_iso_time, parse_iso_time_to_ms

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


def decode_unicode_escapes_outside_aspects(value: Any) -> Any:
    r"""Return a proposal with every literal `\u00fc` decoded, except in aspects, whose JSON has escapes of its own.

    DataHub's Python client escapes all other non-ASCII text of a single proposal like this (datahub#14251).
    """
    if isinstance(value, str):
        return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), value)
    if isinstance(value, list):
        return [decode_unicode_escapes_outside_aspects(item) for item in value]
    if isinstance(value, dict):
        escaped_members = ("aspect", "entityKeyAspect")
        return {
            decode_unicode_escapes_outside_aspects(name): item
            if name in escaped_members
            else decode_unicode_escapes_outside_aspects(item)
            for name, item in value.items()
        }
    return value


def read_proposal(document: Any, registry: Registry, pointer: str = "") -> Proposal:
    """Return the proposal that a document stands for; `pointer` is the one to it in the request's body.

    Value and condition refer to the union that DataHub's clients read. Raises InvalidInstance with pointers, and
    NotFound for an unknown entity type.
    """
    with _prefix_pointers(pointer):
        _load_proposal_schema().require_valid(document, _SUBJECT)
    return read_valid_proposal(document, registry, pointer)


def read_valid_proposal(document: Mapping[str, Any], registry: Registry, pointer: str = "") -> Proposal:
    """Return the proposal that a document stands for which `SHAPE` accepts, as `read_proposal` does."""
    members = {name: member for name, member in document.items() if member is not None}
    operation = _parse_change_type(members["changeType"], f"{pointer}/changeType")
    urn, aspect = _read_or_derive_entity_urn(members, registry, pointer), members.get("aspectName")
    if aspect is None and operation not in ("delete", "create", "create-entity"):
        raise build_invalid_proposal_error(f"{pointer}/aspectName", f"{members['changeType']} requires an aspect name")
    without_value = aspect is None or operation == "delete"
    headers = normalize_header_names(members.get("headers"))
    return convert_key_aspect_proposal_to_entity_proposal(
        Proposal(
            urn,
            aspect,
            operation,
            None if without_value else _read_proposed_value(members, operation, pointer),
            parse_condition_headers(headers, f"{pointer}/headers"),
            if_absent=is_create_if_absent(headers, f"{pointer}/headers"),
            system=parse_system_metadata(members.get("systemMetadata"), f"{pointer}/systemMetadata"),
            united=True,
            spelling=get_spelling_if_not_canonical(urn, members.get("entityUrn")),
        ),
        registry,
    )


def is_json_patch_list(document: Mapping[str, Any]) -> bool:
    """Return whether a proposal's value is a list: a JSON patch in its short form."""
    aspect = document.get("aspect")
    return aspect is not None and aspect["value"].lstrip().startswith("[")


def convert_key_aspect_proposal_to_entity_proposal(proposal: Proposal, registry: Registry) -> Proposal:
    """Turn a proposal for a key aspect into one for the entity (spec DH-4).

    Keys are derived from URNs and never written. Raises NotFound for an unknown entity type.
    """
    if proposal.aspect != registry.get_type(proposal.urn.type).key_aspect:
        return proposal
    if proposal.operation in ("delete", "create", "create-entity"):
        return replace(proposal, aspect=None, value=None)
    return replace(proposal, aspect=None, value=None, operation="create", if_absent=True)


def build_proposal_document(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal as DataHub would have sent it; `proposal` reads it, except for our own `annotate`."""
    changes = {operation: name for name, operation in CHANGE_TYPES.items()}
    members: dict[str, Any] = {
        "entityType": proposal.urn.type,
        "entityUrn": str(proposal.urn),
        "changeType": changes.get(proposal.operation, "PATCH"),
    }
    if proposal.aspect is not None:
        members["aspectName"] = proposal.aspect
    if proposal.value is not None:
        value = proposal.value.document if isinstance(proposal.value, MetadataAnnotation) else proposal.value
        members["aspect"] = build_generic_aspect(value, JSON_PATCH if proposal.operation == "patch" else JSON)
    if proposal.system is not None:
        members["systemMetadata"] = proposal.system.document
    headers = dict(_list_condition_headers(proposal))
    return members | ({"headers": headers} if headers else {})


def build_generic_aspect(value: Any, content_type: str = JSON) -> dict[str, str]:
    """Return a value as DataHub's GenericAspect."""
    return {"value": encode_canonical_json(value), "contentType": content_type}


def parse_condition_headers(headers: Mapping[str, str], pointer: str) -> WriteCondition:
    """Return the condition in a proposal's headers, whose names are in lower case. Raises InvalidInstance."""
    return WriteCondition(
        version=headers.get("if-version-match"),
        modified_since=_parse_time_header(headers, "if-modified-since", pointer),
        unmodified_since=_parse_time_header(headers, "if-unmodified-since", pointer),
    )


def get_spelling_if_not_canonical(urn: Urn, sent_urn: str | None) -> str:
    """Return the URN as it was sent, empty if it is in our own canonical form."""
    return sent_urn if sent_urn is not None and sent_urn != str(urn) else ""


def normalize_header_names(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Return the headers of a proposal with names in lower case."""
    return {name.lower(): header for name, header in (headers or {}).items()}


def is_create_if_absent(headers: Mapping[str, str], pointer: str) -> bool:
    """Return whether an existing value is to be left unchanged. Raises InvalidInstance."""
    header = headers.get("if-none-match")
    if header not in (None, "*"):
        raise build_invalid_proposal_error(f"{pointer}/If-None-Match", "must be *")
    return header == "*"


def build_invalid_proposal_error(pointer: str, reason: str) -> InvalidInstance:
    """Return the error for one invalid location."""
    return InvalidInstance(_SUBJECT, (Problem(pointer, reason),))


def parse_urn_at(text: str, pointer: str) -> Urn:
    """Parse the URN at a location. Raises InvalidInstance."""
    try:
        return Urn.parse(text)
    except InvalidName as error:
        raise build_invalid_proposal_error(pointer, error.detail) from None


def parse_system_metadata(value: Any, pointer: str) -> SystemMetadata | None:
    """Parse a proposal's system metadata, which DataHub's command line sends as text. Raises InvalidInstance."""
    document = parse_embedded_json(value, pointer) if isinstance(value, str) else value
    return None if document is None else SystemMetadata.from_document(document, pointer)


@cache
def _load_proposal_schema() -> Schema:
    return Schema(SHAPE)


@contextmanager
def _prefix_pointers(pointer: str) -> Iterator[None]:
    """Prefix the pointers of problems with a location."""
    try:
        yield
    except InvalidInstance as error:
        error.problems = tuple(Problem(pointer + problem.pointer, problem.message) for problem in error.problems)
        raise


def _parse_change_type(change_type: str, pointer: str) -> Operation:
    if change_type == "RESTATE":
        raise build_invalid_proposal_error(
            pointer, "RESTATE is not supported: use `jupyter colophon reindex` to rebuild derived data"
        )
    if change_type not in CHANGE_TYPES:
        raise build_invalid_proposal_error(pointer, f"must be one of {', '.join(CHANGE_TYPES)}")
    return CHANGE_TYPES[change_type]


def _read_or_derive_entity_urn(members: Mapping[str, Any], registry: Registry, pointer: str) -> Urn:
    entity_type = members["entityType"]
    if ("entityUrn" in members) == ("entityKeyAspect" in members):
        raise build_invalid_proposal_error(f"{pointer}/entityUrn", "give either entityUrn or entityKeyAspect")
    if "entityUrn" in members:
        urn = parse_urn_at(members["entityUrn"], f"{pointer}/entityUrn")
        if urn.type != entity_type:
            raise build_invalid_proposal_error(f"{pointer}/entityType", "must be the type of the URN")
        return urn
    key = _parse_generic_aspect(members["entityKeyAspect"], (JSON,), f"{pointer}/entityKeyAspect")
    place = f"{pointer}/entityKeyAspect/value"
    try:
        with _prefix_pointers(place):
            return make_urn_from_key(registry.get_type(entity_type), key)
    except InvalidName as error:
        raise build_invalid_proposal_error(place, error.detail) from None


def _read_proposed_value(members: Mapping[str, Any], operation: Operation, pointer: str) -> Any:
    if "aspect" not in members:
        raise build_invalid_proposal_error(f"{pointer}/aspect", "is missing")
    if operation == "patch":
        return patch_forms.normalize_patch_to_object(
            _parse_generic_aspect(members["aspect"], (JSON_PATCH, JSON), f"{pointer}/aspect")
        )
    return _parse_generic_aspect(members["aspect"], (JSON,), f"{pointer}/aspect")


def _parse_generic_aspect(aspect: Mapping[str, str], content_types: tuple[str, ...], pointer: str) -> Any:
    if aspect["contentType"].partition(";")[0].strip().lower() not in content_types:
        raise build_invalid_proposal_error(f"{pointer}/contentType", f"must be {' or '.join(content_types)}")
    return parse_embedded_json(aspect["value"], f"{pointer}/value")


def parse_embedded_json(text: str, pointer: str) -> Any:
    """Parse JSON in a string. Raises InvalidInstance, TooLarge."""
    try:
        return parse_json(text.encode(), "the value")
    except MalformedBody as error:
        raise build_invalid_proposal_error(pointer, error.detail) from None


def _parse_time_header(headers: Mapping[str, str], name: str, pointer: str) -> int | None:
    header = headers.get(name)
    if header is None:
        return None
    try:
        return parse_iso_time_to_ms(header)
    except InvalidQuery as error:
        raise build_invalid_proposal_error(f"{pointer}/{name.title()}", error.reason) from None


def _list_condition_headers(proposal: Proposal) -> Iterator[tuple[str, str]]:
    if proposal.if_absent:
        yield "If-None-Match", "*"
    if proposal.condition.version is not None:
        yield "If-Version-Match", str(proposal.condition.version)
    if proposal.condition.modified_since is not None:
        yield "If-Modified-Since", format_ms_as_iso_time(proposal.condition.modified_since)
    if proposal.condition.unmodified_since is not None:
        yield "If-Unmodified-Since", format_ms_as_iso_time(proposal.condition.unmodified_since)
