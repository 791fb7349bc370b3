"""Properties and tags of an entity: `{entity}/metadata…`."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.entities.metadata_scopes import ScopedMetadata
from jupyter_colophon.core.errors import ConditionFailed, HistoryExpired, InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.operations.conditions import CONDITIONS, format_etag, read_condition
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Answer, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.operations.v3.parameters import AS_OF, FORMAT, SCOPE, SCOPES
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS, read_entity

_PROPERTIES: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_TAGS: Final = {"type": "array", "items": {"type": "string"}}
_DONE: Final = {
    "type": "object",
    "properties": {"message": {"type": "string"}, "version": {"type": "integer"}},
    "required": ["message", "version"],
}
_ANY: Final = {"type": ["object", "array"]}
_READING: Final = (*ENTITY_PARAMETERS, SCOPE, FORMAT, AS_OF)
_declare_read = partial(declare_operation, errors=(NotFound, InvalidName, HistoryExpired), etag=True)
_declare_write = partial(
    declare_operation,
    parameters=(*ENTITY_PARAMETERS, *CONDITIONS, IDEMPOTENCY_KEY),
    answers={200: _DONE},
    errors=(NotFound, InvalidName, ConditionFailed),
    etag=True,
)


@_declare_read(
    "v3ReadMetadata",
    "GET /{entity}/metadata",
    parameters=_READING,
    answers={200: _ANY},
)
def read_metadata(services: Services, request: Request) -> Answer:
    """Return the properties and tags of an entity."""
    urn, namespace, metadata = _read(services, request, 1)
    scopes, form = _parse_scopes(request), request[FORMAT]
    if form == "v6":
        return _answer(formats.render_v6(metadata, scopes), metadata, scopes)
    if form == "v5" or len(scopes) > 1:
        return _answer(formats.render_records(urn, namespace, metadata, scopes, services.identity), metadata, scopes)
    return _answer(formats.render_metadata(metadata.get_scope(scopes[0])), metadata, scopes)


@_declare_write("v3DeleteMetadata", "DELETE /{entity}/metadata")
def delete_metadata(services: Services, request: Request) -> Answer:
    """Remove the properties and tags that people wrote."""
    return _annotate(services, request, Annotation(clear_properties=True, clear_tags=True), 1)


@_declare_read(
    "v3ReadProperties",
    "GET /{entity}/metadata/properties",
    parameters=_READING,
    answers={200: _ANY},
)
def read_properties(services: Services, request: Request) -> Answer:
    """Return the properties of an entity."""
    _, _, metadata = _read(services, request, 2)
    scopes = _parse_scopes(request)
    if request[FORMAT] == "v6":
        return _answer(formats.render_v6(metadata, scopes)["properties"], metadata, scopes)
    if len(scopes) > 1:
        raise InvalidQuery("a key may exist in both scopes: all requires responseFormat=v6", "scope")
    return _answer(dict(metadata.get_scope(scopes[0]).properties), metadata, scopes)


@_declare_write(
    "v3AddProperties",
    "POST /{entity}/metadata/properties",
    body={"application/json": _PROPERTIES},
)
def add_properties(services: Services, request: Request) -> Answer:
    """Add and overwrite properties."""
    return _annotate(services, request, Annotation(properties=request.body), 2)


@_declare_write("v3DeleteProperties", "DELETE /{entity}/metadata/properties")
def delete_properties(services: Services, request: Request) -> Answer:
    """Remove all properties that people wrote."""
    return _annotate(services, request, Annotation(clear_properties=True), 2)


@_declare_read(
    "v3ReadSystemProperties",
    "GET /{entity}/metadata/properties/{key}",
    parameters=(*ENTITY_PARAMETERS, AS_OF),
    answers={200: _PROPERTIES},
)
def read_system_properties(services: Services, request: Request) -> Answer:
    """Return the properties that the platform wrote; the key must be `system`."""
    key = request.path["key"]
    if key != "system":
        raise NotFound("path", key)
    _, _, metadata = _read(services, request, 3)
    return _answer(dict(metadata.system.properties), metadata, ("SYSTEM",))


@_declare_write("v3DeleteProperty", "DELETE /{entity}/metadata/properties/{key}")
def delete_property(services: Services, request: Request) -> Answer:
    """Remove one property; removing an absent one succeeds."""
    return _annotate(services, request, Annotation(without_properties=frozenset([request.path["key"]])), 3)


@_declare_read(
    "v3ReadTags",
    "GET /{entity}/metadata/tags",
    parameters=_READING,
    answers={200: {"type": "array"}},
)
def read_tags(services: Services, request: Request) -> Answer:
    """Return the tags of an entity, sorted."""
    _, _, metadata = _read(services, request, 2)
    scopes = _parse_scopes(request)
    tags = sorted({tag for scope in scopes for tag in metadata.get_scope(scope).tags})
    return _answer(formats.render_v6(metadata, scopes)["tags"] if request[FORMAT] == "v6" else tags, metadata, scopes)


@_declare_write(
    "v3AddTags",
    "POST /{entity}/metadata/tags",
    body={"application/json": _TAGS},
)
def add_tags(services: Services, request: Request) -> Answer:
    """Add tags."""
    return _annotate(services, request, Annotation(tags=tuple(request.body)), 2)


@_declare_write("v3DeleteTags", "DELETE /{entity}/metadata/tags")
def delete_tags(services: Services, request: Request) -> Answer:
    """Remove all tags that people wrote."""
    return _annotate(services, request, Annotation(clear_tags=True), 2)


@_declare_write("v3DeleteTag", "DELETE /{entity}/metadata/tags/{tag}")
def delete_tag(services: Services, request: Request) -> Answer:
    """Remove one tag; removing an absent one succeeds."""
    return _annotate(services, request, Annotation(without_tags=frozenset([request.path["tag"]])), 3)


def _read(services: Services, request: Request, trailing: int) -> tuple[Urn, str, ScopedMetadata]:
    """Return the entity in the path, its namespace and its metadata."""
    urn, namespace = read_entity(services, request, trailing)
    metadata = services.get_catalog().metadata.read_scoped(urn, namespace, request.principal, request[AS_OF])
    summary = metadata.summary
    return urn, services.identity.get_namespace(urn) if summary is None else summary.namespace, metadata


def _annotate(services: Services, request: Request, annotation: Annotation, trailing: int) -> Answer:
    """Change the metadata that people wrote of the entity in the path."""
    urn, namespace = read_entity(services, request, trailing)
    if urn.type == "dataProcessInstance":
        raise NotFound("metadata that can be written of run", str(urn))
    proposal = Proposal(urn, "businessMetadata", "annotate", annotation, read_condition(request), needs="entity")
    catalog, principal = services.get_catalog(), request.principal
    catalog.metadata.require(urn, namespace, principal)
    (done,) = catalog.write_path.propose([proposal], principal, once=request.once)
    message = "Metadata was updated." if done.changed else "There was nothing to change."
    return Answer({"message": message, "version": done.version}, etag=format_etag(done.version))


def _parse_scopes(request: Request) -> tuple[str, ...]:
    return SCOPES[request[SCOPE] or "user"]


def _answer(document: Any, metadata: ScopedMetadata, scopes: Sequence[str]) -> Answer:
    """Answer with the ETag of the scopes shown: that of two scopes is good for reading alone (spec CDAP-4)."""
    versions = [metadata.get_scope(scope).version for scope in scopes]
    etag = format_etag(versions[0]) if len(versions) == 1 else f'"{versions[0]}-{versions[1]}"'
    return Answer(document, etag=etag)
