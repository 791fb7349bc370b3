"""Properties and tags of an entity: `{entity}/metadata…`."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.entities.metadata_scopes import ScopedMetadata
from jupyter_colophon.core.errors import (
    ConditionFailed,
    HeldForReview,
    HistoryExpired,
    InvalidName,
    InvalidQuery,
    NotFound,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.operations.conditions import CONDITIONS, format_etag, parse_write_condition
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.operations.v3.parameters import AS_OF, FORMAT, SCOPE, SCOPES
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS, parse_entity_of_request

_PROPERTIES: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_TAGS: Final = {"type": "array", "items": {"type": "string"}}
_DONE: Final = {
    "type": "object",
    "properties": {"message": {"type": "string"}, "version": {"type": "integer"}},
    "required": ["message", "version"],
}
_ANY: Final = {"type": ["object", "array"]}
_READING: Final = (*ENTITY_PARAMETERS, SCOPE, FORMAT, AS_OF)
_declare_read = partial(
    declare_operation, decided_by="entities", errors=(NotFound, InvalidName, HistoryExpired), etag=True
)
_declare_write = partial(
    declare_operation,
    decided_by="entities",
    parameters=(*ENTITY_PARAMETERS, *CONDITIONS, IDEMPOTENCY_KEY),
    answers={200: _DONE},
    errors=(HeldForReview, NotFound, InvalidName, ConditionFailed),
    etag=True,
)


@_declare_read(
    "v3ReadMetadata",
    "GET /{entity}/metadata",
    parameters=_READING,
    answers={200: _ANY},
)
def read_metadata(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return the properties and tags of an entity."""
    urn, namespace, metadata = _read_metadata_of_path(services, request, 1)
    scopes, form = _parse_scopes(request), request[FORMAT]
    if form == "v6":
        return _build_answer_with_etag(formats.render_metadata_v6(metadata, scopes), metadata, scopes)
    if form == "v5" or len(scopes) > 1:
        return _build_answer_with_etag(
            formats.render_records_by_scope(urn, namespace, metadata, scopes, services.identity), metadata, scopes
        )
    return _build_answer_with_etag(
        formats.render_properties_and_tags(metadata.get_metadata_of_scope(scopes[0])), metadata, scopes
    )


@_declare_write("v3DeleteMetadata", "DELETE /{entity}/metadata")
def delete_metadata(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Remove the properties and tags that people wrote."""
    return _change_user_metadata_of_path(
        services, request, MetadataAnnotation(clear_properties=True, clear_tags=True), 1
    )


@_declare_read(
    "v3ReadProperties",
    "GET /{entity}/metadata/properties",
    parameters=_READING,
    answers={200: _ANY},
)
def read_properties(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return the properties of an entity."""
    _, _, metadata = _read_metadata_of_path(services, request, 2)
    scopes = _parse_scopes(request)
    if request[FORMAT] == "v6":
        return _build_answer_with_etag(formats.render_metadata_v6(metadata, scopes)["properties"], metadata, scopes)
    if len(scopes) > 1:
        raise InvalidQuery("scope=all requires responseFormat=v6, because a key may exist in both scopes", "scope")
    return _build_answer_with_etag(dict(metadata.get_metadata_of_scope(scopes[0]).properties), metadata, scopes)


@_declare_write(
    "v3AddProperties",
    "POST /{entity}/metadata/properties",
    body={"application/json": _PROPERTIES},
)
def add_properties(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Add and overwrite properties."""
    return _change_user_metadata_of_path(services, request, MetadataAnnotation(properties=request.body), 2)


@_declare_write("v3DeleteProperties", "DELETE /{entity}/metadata/properties")
def delete_properties(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Remove all properties that people wrote."""
    return _change_user_metadata_of_path(services, request, MetadataAnnotation(clear_properties=True), 2)


@_declare_read(
    "v3ReadSystemProperties",
    "GET /{entity}/metadata/properties/{key}",
    parameters=(*ENTITY_PARAMETERS, AS_OF),
    answers={200: _PROPERTIES},
)
def read_system_properties(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return the properties that the platform wrote; the key must be `system`."""
    key = request.path["key"]
    if key != "system":
        raise NotFound("path", key)
    _, _, metadata = _read_metadata_of_path(services, request, 3)
    return _build_answer_with_etag(dict(metadata.system.properties), metadata, ("SYSTEM",))


@_declare_write("v3DeleteProperty", "DELETE /{entity}/metadata/properties/{key}")
def delete_property(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Remove one property; removing an absent one succeeds."""
    return _change_user_metadata_of_path(
        services, request, MetadataAnnotation(without_properties=frozenset([request.path["key"]])), 3
    )


@_declare_read(
    "v3ReadTags",
    "GET /{entity}/metadata/tags",
    parameters=_READING,
    answers={200: {"type": "array"}},
)
def read_tags(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return the tags of an entity, sorted."""
    _, _, metadata = _read_metadata_of_path(services, request, 2)
    scopes = _parse_scopes(request)
    tags = sorted({tag for scope in scopes for tag in metadata.get_metadata_of_scope(scope).tags})
    return _build_answer_with_etag(
        formats.render_metadata_v6(metadata, scopes)["tags"] if request[FORMAT] == "v6" else tags, metadata, scopes
    )


@_declare_write(
    "v3AddTags",
    "POST /{entity}/metadata/tags",
    body={"application/json": _TAGS},
)
def add_tags(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Add tags."""
    return _change_user_metadata_of_path(services, request, MetadataAnnotation(tags=tuple(request.body)), 2)


@_declare_write("v3DeleteTags", "DELETE /{entity}/metadata/tags")
def delete_tags(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Remove all tags that people wrote."""
    return _change_user_metadata_of_path(services, request, MetadataAnnotation(clear_tags=True), 2)


@_declare_write("v3DeleteTag", "DELETE /{entity}/metadata/tags/{tag}")
def delete_tag(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Remove one tag; removing an absent one succeeds."""
    return _change_user_metadata_of_path(
        services, request, MetadataAnnotation(without_tags=frozenset([request.path["tag"]])), 3
    )


def _read_metadata_of_path(
    services: ProcessServices, request: OperationRequest, trailing: int
) -> tuple[Urn, str, ScopedMetadata]:
    """Return the entity in the path, its namespace and its metadata."""
    urn, namespace = parse_entity_of_request(services, request, trailing)
    metadata = services.get_or_open_catalog().metadata.read_scoped_metadata(
        urn, namespace, request.principal, request[AS_OF]
    )
    summary = metadata.summary
    return urn, services.identity.get_namespace(urn) if summary is None else summary.namespace, metadata


def _change_user_metadata_of_path(
    services: ProcessServices, request: OperationRequest, annotation: MetadataAnnotation, trailing: int
) -> OperationAnswer:
    """Change the metadata that people wrote of the entity in the path."""
    urn, namespace = parse_entity_of_request(services, request, trailing)
    if urn.type == "dataProcessInstance":
        raise NotFound("writable metadata of run", str(urn))
    proposal = Proposal(urn, "businessMetadata", "annotate", annotation, parse_write_condition(request), needs="entity")
    catalog, principal = services.get_or_open_catalog(), request.principal
    catalog.metadata.require_entity_in_namespace(urn, namespace, principal)
    (done,) = catalog.write_path.apply_proposals_atomically(
        [proposal], principal, idempotency_key=request.idempotency_key
    )
    message = "Metadata was updated." if done.has_changed else "There was nothing to change."
    return OperationAnswer({"message": message, "version": done.version}, etag=format_etag(done.version))


def _parse_scopes(request: OperationRequest) -> tuple[str, ...]:
    return SCOPES[request[SCOPE] or "user"]


def _build_answer_with_etag(document: Any, metadata: ScopedMetadata, scopes: Sequence[str]) -> OperationAnswer:
    """Answer with the ETag of the scopes shown: that of two scopes is good for reading alone (spec CDAP-4)."""
    versions = [metadata.get_metadata_of_scope(scope).version for scope in scopes]
    etag = format_etag(versions[0]) if len(versions) == 1 else f'"{versions[0]}-{versions[1]}"'
    return OperationAnswer(document, etag=etag)
