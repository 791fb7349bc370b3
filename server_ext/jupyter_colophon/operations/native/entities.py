"""Entities, their aspects and the aspects' history."""

from typing import Final

from jupyter_colophon.core.documents.codec import to_document, to_documents
from jupyter_colophon.core.entities.entity import Listing
from jupyter_colophon.core.entities.metadata_scopes import Scoped
from jupyter_colophon.core.errors import (
    ConditionFailed,
    NotEmpty,
    NotFound,
    PatchFailed,
    RenameConflict,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Operation as Change
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.operations.conditions import CONDITIONS, condition, etag_of, require_none
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import Link, operation
from jupyter_colophon.operations.parameter import text, time
from jupyter_colophon.operations.patch_bodies import JSON_PATCH, JSON_PATCH_SHAPE, MERGE_PATCH
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT, NAMESPACE, PREFIX, REMOVED, TYPE

_VALUE: Final = {
    "type": "object",
    "description": "The value of the aspect; `/registry/{type}` has its schema.",
    "examples": [{"properties": {"owner": "ops"}, "tags": ["faa"]}],
}
#: `items` applies to a list only, and `properties` and `required` to an object only.
_LIST_OR_FORM: Final = {
    "type": ["array", "object"],
    "description": "A JSON Patch (RFC 6902), or one in DataHub's form: elements of arrays are named by their keys.",
    "items": JSON_PATCH_SHAPE["items"],
    "properties": {
        "patch": JSON_PATCH_SHAPE,
        "arrayPrimaryKeys": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "forceGenericPatch": {"type": "boolean"},
    },
    "required": ["patch"],
    "additionalProperties": False,
}
_MERGED: Final = {"type": "object", "description": "A merge patch (RFC 7396)."}
#: `application/json` is any of them: an object with `patch` and nothing that a DataHub's form has not is one.
_EITHER: Final = {"type": ["array", "object"], "items": JSON_PATCH_SHAPE["items"]}
_ASPECTS: Final = text("aspects", "Comma-separated names of the aspects to return; by default, all of them.")
_FROM: Final = time("start", "Return only values from this time on.")
_TO: Final = time("end", "Return only values up to this time.")
_VERSION_READ: Final = text(
    "If-None-Match", "An ETag of the client's copy: the status is 304 if it is still the current one.", place="header"
)
_NEXT = (
    Link("readAspect", {"path.urn": "$response.body#/urn", "path.aspect": "$response.body#/aspect"}),
    Link("listVersions", {"path.urn": "$response.body#/urn", "path.aspect": "$response.body#/aspect"}),
    Link("readEntity", {"path.urn": "$response.body#/urn"}),
)


@operation(
    "listEntities",
    "GET /entities",
    parameters=[NAMESPACE, TYPE, PREFIX, REMOVED, LIMIT, CURSOR],
    answers="entities",
    links=[Link("readEntity", {"path.urn": "$response.body#/entities/0/urn"})],
)
def list_entities(services: Services, request: Request) -> Document:
    """List entities by namespace, type and name. A page may have fewer than `limit` entities and still a cursor."""
    listing = Listing(
        namespace=request[NAMESPACE],
        type=request[TYPE],
        prefix=request[PREFIX],
        limit=request[LIMIT],
        cursor=request[CURSOR],
        removed=request[REMOVED],
    )
    found, cursor = services.catalog().reader.entities(listing, request.principal)
    return {"entities": to_documents(found), "cursor": cursor}


@operation("readEntity", "GET /entities/{urn}", parameters=[_ASPECTS], answers="entity", errors=[NotFound])
def read_entity(services: Services, request: Request) -> Document:
    """Read an entity with its aspects, or only those in `aspects`."""
    catalog, named = services.catalog(), request[_ASPECTS]
    found = catalog.reader.entity(request.urn, frozenset(named.split(",")) if named else None, request.principal)
    return documents.entity(found, catalog.metadata.shown(found, request.principal))


@operation(
    "deleteEntity",
    "DELETE /entities/{urn}",
    parameters=[IDEMPOTENCY_KEY],
    answers="write-result",
    errors=[NotFound, NotEmpty],
)
def delete_entity(services: Services, request: Request) -> Document:
    """Delete an entity; its history and lineage are kept."""
    require_none(request)
    catalog, urn = services.catalog(), request.urn
    (written,) = catalog.write_path.propose([Proposal(urn, None, "delete")], request.principal, once=request.once)
    if urn.type == "namespace":
        catalog.namespaces.remove_files(urn.parts[0], request.principal)
    return documents.written(written)


@operation(
    "renameEntity",
    "POST /entities/{urn}/rename",
    parameters=[IDEMPOTENCY_KEY],
    body="entity-rename",
    answers="write-result",
    errors=[NotFound, RenameConflict],
    links=[Link("readEntity", {"path.urn": "$response.body#/urn"})],
)
def rename_entity(services: Services, request: Request) -> Document:
    """Rename a dataset with its history, lineage and fields, and update all references to it."""
    require_none(request)
    new, run = Urn.parse(request.body["to"]), request.body.get("run")
    write_path = services.catalog().write_path
    return documents.written(write_path.rename(request.urn, new, request.principal, run, request.once))


@operation("readEntityMetadata", "GET /entities/{urn}/metadata", answers="entity-metadata", errors=[NotFound])
def read_entity_metadata(services: Services, request: Request) -> Document:
    """Read the properties and tags of an entity in both scopes; a field or a custom entity exists if its parent does."""
    found = services.catalog().metadata.read_scoped(request.urn, "", request.principal)
    return {"urn": str(request.urn), **_scopes(found)}


@operation("listFields", "GET /entities/{urn}/fields", answers="fields", errors=[NotFound])
def list_fields(services: Services, request: Request) -> Document:
    """List the fields of a dataset that have metadata, whether or not they are in its schema."""
    return {"urn": str(request.urn), "fields": services.catalog().metadata.fields(request.urn, request.principal)}


@operation(
    "listFieldsMetadata",
    "GET /entities/{urn}/fields/metadata",
    parameters=[LIMIT, CURSOR],
    answers="fields-metadata",
    errors=[NotFound],
)
def list_fields_metadata(services: Services, request: Request) -> Document:
    """List the metadata of the fields of a dataset in both scopes. A page may have fewer than `limit` fields."""
    metadata = services.catalog().metadata
    found, more = metadata.read_columns(request.urn, request[LIMIT], request[CURSOR], request.principal)
    fields = [
        {
            "name": one.name,
            "urn": one.urn,
            **_scopes(one.scoped),
            "descriptors": [documents.descriptor(each) for each in one.shown],
        }
        for one in found
    ]
    return {"urn": str(request.urn), "fields": fields, "cursor": more}


def _scopes(found: Scoped) -> Document:
    return {"USER": to_document(found.user), "SYSTEM": to_document(found.system)}


@operation(
    "readAspect",
    "GET /entities/{urn}/aspects/{aspect}",
    parameters=[_VERSION_READ],
    answers="aspect",
    errors=[NotFound],
    etag=True,
)
def read_aspect(services: Services, request: Request) -> Answer:
    """Read the current version of an aspect; its version is the ETag."""
    found = services.catalog().reader.aspect(request.urn, request.path["aspect"], request.principal)
    return Answer(to_document(found), etag=etag_of(found.version))


@operation(
    "writeAspect",
    "PUT /entities/{urn}/aspects/{aspect}",
    parameters=[*CONDITIONS, IDEMPOTENCY_KEY],
    body={"application/json": _VALUE},
    answers="write-result",
    errors=[NotFound, ConditionFailed],
    etag=True,
    links=_NEXT,
)
def write_aspect(services: Services, request: Request) -> Answer:
    """Create or replace an aspect."""
    return _propose(services, request, "upsert")


@operation(
    "patchAspect",
    "PATCH /entities/{urn}/aspects/{aspect}",
    parameters=[*CONDITIONS, IDEMPOTENCY_KEY],
    body={JSON_PATCH: _LIST_OR_FORM, MERGE_PATCH: _MERGED, "application/json": _EITHER},
    answers="write-result",
    errors=[NotFound, ConditionFailed, PatchFailed],
    etag=True,
    links=_NEXT,
)
def patch_aspect(services: Services, request: Request) -> Answer:
    """Update an aspect by a JSON Patch (a list, or an object in DataHub's form) or a merge patch (an object)."""
    return _propose(services, request, "patch")


@operation(
    "deleteAspect",
    "DELETE /entities/{urn}/aspects/{aspect}",
    parameters=[*CONDITIONS, IDEMPOTENCY_KEY],
    answers="write-result",
    errors=[NotFound, ConditionFailed],
    etag=True,
    links=_NEXT,
)
def delete_aspect(services: Services, request: Request) -> Answer:
    """Delete an aspect."""
    return _propose(services, request, "delete")


def _propose(services: Services, request: Request, change: Change) -> Answer:
    proposal = Proposal(request.urn, request.path["aspect"], change, request.body, condition(request))
    (done,) = services.catalog().write_path.propose([proposal], request.principal, once=request.once)
    return Answer(documents.written(done), etag=etag_of(done.version) if done.version > 0 else None)


@operation(
    "listVersions",
    "GET /entities/{urn}/aspects/{aspect}/versions",
    parameters=[LIMIT, CURSOR],
    answers="versions",
    errors=[NotFound],
)
def list_versions(services: Services, request: Request) -> Document:
    """List the versions of an aspect, newest first."""
    found, more = services.catalog().reader.versions(
        request.urn, request.path["aspect"], request[LIMIT], request[CURSOR], request.principal
    )
    return {"versions": [documents.version(one) for one in found], "cursor": more}


@operation(
    "listTimeseriesValues",
    "GET /entities/{urn}/aspects/{aspect}/values",
    parameters=[LIMIT, _FROM, _TO],
    answers="timeseries-values",
    errors=[NotFound],
)
def list_timeseries_values(services: Services, request: Request) -> Document:
    """List the values of a time-series aspect, such as `datasetProfile`, newest first."""
    found = services.catalog().datahub.timeseries.values(
        request.urn,
        request.path["aspect"],
        request.principal,
        limit=request[LIMIT],
        start=request[_FROM],
        end=request[_TO],
    )
    return {"values": [documents.timed_value(one) for one in found.values], "truncated": found.truncated}
