"""Entities, their aspects and the aspects' history."""

from typing import Final

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.entities.metadata_scopes import ScopedMetadata
from jupyter_colophon.core.errors import (
    ConditionFailed,
    HeldForReview,
    InvalidName,
    NotEmpty,
    NotFound,
    PatchFailed,
    RenameConflict,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Operation as Change
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.operations.conditions import CONDITIONS, format_etag, parse_write_condition, require_no_condition
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import declare_text, declare_time
from jupyter_colophon.operations.patch_bodies import JSON_PATCH, JSON_PATCH_SCHEMA, MERGE_PATCH
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
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
    "items": JSON_PATCH_SCHEMA["items"],
    "properties": {
        "patch": JSON_PATCH_SCHEMA,
        "arrayPrimaryKeys": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "forceGenericPatch": {"type": "boolean"},
    },
    "required": ["patch"],
    "additionalProperties": False,
}
_MERGED: Final = {"type": "object", "description": "A merge patch (RFC 7396)."}
#: `application/json` is any of them: an object with `patch` and nothing that a DataHub's form has not is one.
_EITHER: Final = {"type": ["array", "object"], "items": JSON_PATCH_SCHEMA["items"]}
_ASPECTS: Final = declare_text("aspects", "Comma-separated names of the aspects to return; by default, all of them.")
_FROM: Final = declare_time("start", "Return only values from this time on.")
_TO: Final = declare_time("end", "Return only values up to this time.")
_VERSION_READ: Final = declare_text(
    "If-None-Match", "An ETag of the client's copy: the status is 304 if it is still the current one.", place="header"
)
_NEXT = (
    OperationLink("readAspect", {"path.urn": "$response.body#/urn", "path.aspect": "$response.body#/aspect"}),
    OperationLink("listVersions", {"path.urn": "$response.body#/urn", "path.aspect": "$response.body#/aspect"}),
    OperationLink("readEntity", {"path.urn": "$response.body#/urn"}),
)


@declare_operation(
    "listEntities",
    "GET /entities",
    decided_by="entities",
    parameters=[NAMESPACE, TYPE, PREFIX, REMOVED, LIMIT, CURSOR],
    answers="entities",
    links=[OperationLink("readEntity", {"path.urn": "$response.body#/entities/0/urn"})],
)
def list_entities(services: ProcessServices, request: OperationRequest) -> Document:
    """List entities by namespace, type and name. A page may have fewer than `limit` entities and still a cursor."""
    listing = EntityListing(
        namespace=request[NAMESPACE],
        type=request[TYPE],
        prefix=request[PREFIX],
        limit=request[LIMIT],
        cursor=request[CURSOR],
        removed=request[REMOVED],
    )
    entities, cursor = services.get_or_open_catalog().reader.list_visible_entities(listing, request.principal)
    return {"entities": to_api_documents(entities), "cursor": cursor}


@declare_operation(
    "readDisplayNames",
    "POST /entities/display-names",
    decided_by="entities",
    body="entity-urns",
    answers="display-names",
    errors=[InvalidName],
    permission="read",
)
def read_display_names(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the names by which people know entities; entities without one and unreadable ones are omitted."""
    urns = [Urn.parse(urn) for urn in request.body["urns"]]
    return {"displayNames": services.get_or_open_catalog().display_names.read_display_names(urns, request.principal)}


@declare_operation(
    "readEntity",
    "GET /entities/{urn}",
    decided_by="entities",
    parameters=[_ASPECTS],
    answers="entity",
    errors=[NotFound],
)
def read_entity(services: ProcessServices, request: OperationRequest) -> Document:
    """Read an entity with its aspects, or only those in `aspects`."""
    catalog, named = services.get_or_open_catalog(), request[_ASPECTS]
    entity = catalog.reader.read_entity(request.urn, frozenset(named.split(",")) if named else None, request.principal)
    return documents.render_entity(entity, catalog.metadata.list_resolved_descriptors(entity, request.principal))


@declare_operation(
    "deleteEntity",
    "DELETE /entities/{urn}",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    answers="write-result",
    errors=[HeldForReview, NotFound, NotEmpty],
)
def delete_entity(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete an entity; its history and lineage are kept."""
    require_no_condition(request)
    catalog, urn = services.get_or_open_catalog(), request.urn
    (written,) = catalog.write_path.apply_proposals_atomically(
        [Proposal(urn, None, "delete")], request.principal, idempotency_key=request.idempotency_key
    )
    if urn.type == "namespace":
        catalog.namespaces.remove_content_outside_catalog(urn.parts[0], request.principal)
    return documents.render_write_result(written)


@declare_operation(
    "renameEntity",
    "POST /entities/{urn}/rename",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="entity-rename",
    answers="write-result",
    errors=[NotFound, RenameConflict],
    links=[OperationLink("readEntity", {"path.urn": "$response.body#/urn"})],
)
def rename_entity(services: ProcessServices, request: OperationRequest) -> Document:
    """Rename a dataset with its fields, or a notebook with its cells: history, lineage and all references follow."""
    require_no_condition(request)
    urn, new, key = request.urn, Urn.parse(request.body["to"]), request.idempotency_key
    write_path = services.get_or_open_catalog().write_path
    if urn.type == "dataJob":
        return documents.render_write_result(write_path.rename_notebook(urn, new, request.principal, key))
    run = request.body.get("run")
    return documents.render_write_result(write_path.rename_dataset(urn, new, request.principal, run, key))


@declare_operation(
    "readEntityMetadata",
    "GET /entities/{urn}/metadata",
    decided_by="entities",
    answers="entity-metadata",
    errors=[NotFound],
)
def read_entity_metadata(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the properties and tags of an entity in both scopes; a field or a custom entity exists if its parent does."""
    metadata = services.get_or_open_catalog().metadata.read_scoped_metadata(request.urn, "", request.principal)
    return {"urn": str(request.urn), **_render_scoped_metadata(metadata)}


@declare_operation(
    "listFields", "GET /entities/{urn}/fields", decided_by="entities", answers="fields", errors=[NotFound]
)
def list_fields(services: ProcessServices, request: OperationRequest) -> Document:
    """List the fields of a dataset that have metadata, whether or not they are in its schema."""
    return {
        "urn": str(request.urn),
        "fields": services.get_or_open_catalog().metadata.list_columns_with_metadata(request.urn, request.principal),
    }


@declare_operation(
    "listFieldsMetadata",
    "GET /entities/{urn}/fields/metadata",
    decided_by="entities",
    parameters=[LIMIT, CURSOR],
    answers="fields-metadata",
    errors=[NotFound],
)
def list_fields_metadata(services: ProcessServices, request: OperationRequest) -> Document:
    """List the metadata of the fields of a dataset in both scopes. A page may have fewer than `limit` fields."""
    metadata = services.get_or_open_catalog().metadata
    columns, more = metadata.read_column_metadata_page(request.urn, request[LIMIT], request[CURSOR], request.principal)
    fields = [
        {
            "name": item.name,
            "urn": item.urn,
            **_render_scoped_metadata(item.scoped),
            "descriptors": [documents.render_descriptor(each) for each in item.shown],
        }
        for item in columns
    ]
    return {"urn": str(request.urn), "fields": fields, "cursor": more}


def _render_scoped_metadata(metadata: ScopedMetadata) -> Document:
    return {"USER": to_api_document(metadata.user), "SYSTEM": to_api_document(metadata.system)}


@declare_operation(
    "readAspect",
    "GET /entities/{urn}/aspects/{aspect}",
    decided_by="entities",
    parameters=[_VERSION_READ],
    answers="aspect",
    errors=[NotFound],
    etag=True,
)
def read_aspect(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Read the current version of an aspect; its version is the ETag."""
    aspect = services.get_or_open_catalog().reader.read_current_aspect(
        request.urn, request.path["aspect"], request.principal
    )
    return OperationAnswer(to_api_document(aspect), etag=format_etag(aspect.version))


@declare_operation(
    "writeAspect",
    "PUT /entities/{urn}/aspects/{aspect}",
    decided_by="entities",
    parameters=[*CONDITIONS, IDEMPOTENCY_KEY],
    body={"application/json": _VALUE},
    answers="write-result",
    errors=[HeldForReview, NotFound, ConditionFailed],
    etag=True,
    links=_NEXT,
)
def write_aspect(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Create or replace an aspect."""
    return _apply_aspect_change(services, request, "upsert")


@declare_operation(
    "patchAspect",
    "PATCH /entities/{urn}/aspects/{aspect}",
    decided_by="entities",
    parameters=[*CONDITIONS, IDEMPOTENCY_KEY],
    body={JSON_PATCH: _LIST_OR_FORM, MERGE_PATCH: _MERGED, "application/json": _EITHER},
    answers="write-result",
    errors=[HeldForReview, NotFound, ConditionFailed, PatchFailed],
    etag=True,
    links=_NEXT,
)
def patch_aspect(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Update an aspect by a JSON Patch (a list, or an object in DataHub's form) or a merge patch (an object)."""
    return _apply_aspect_change(services, request, "patch")


@declare_operation(
    "deleteAspect",
    "DELETE /entities/{urn}/aspects/{aspect}",
    decided_by="entities",
    parameters=[*CONDITIONS, IDEMPOTENCY_KEY],
    answers="write-result",
    errors=[HeldForReview, NotFound, ConditionFailed],
    etag=True,
    links=_NEXT,
)
def delete_aspect(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Delete an aspect."""
    return _apply_aspect_change(services, request, "delete")


def _apply_aspect_change(services: ProcessServices, request: OperationRequest, change: Change) -> OperationAnswer:
    proposal = Proposal(request.urn, request.path["aspect"], change, request.body, parse_write_condition(request))
    (done,) = services.get_or_open_catalog().write_path.apply_proposals_atomically(
        [proposal], request.principal, idempotency_key=request.idempotency_key
    )
    return OperationAnswer(
        documents.render_write_result(done), etag=format_etag(done.version) if done.version > 0 else None
    )


@declare_operation(
    "listVersions",
    "GET /entities/{urn}/aspects/{aspect}/versions",
    decided_by="entities",
    parameters=[LIMIT, CURSOR],
    answers="versions",
    errors=[NotFound],
)
def list_aspect_versions(services: ProcessServices, request: OperationRequest) -> Document:
    """List the versions of an aspect, newest first."""
    versions, more = services.get_or_open_catalog().reader.list_aspect_versions(
        request.urn, request.path["aspect"], request[LIMIT], request[CURSOR], request.principal
    )
    return {"versions": [documents.render_version(item) for item in versions], "cursor": more}


@declare_operation(
    "listTimeseriesValues",
    "GET /entities/{urn}/aspects/{aspect}/values",
    decided_by="entities",
    parameters=[LIMIT, _FROM, _TO],
    answers="timeseries-values",
    errors=[NotFound],
)
def list_timeseries_values(services: ProcessServices, request: OperationRequest) -> Document:
    """List the values of a time-series aspect, such as `datasetProfile`, newest first."""
    timed_values = services.get_or_open_catalog().datahub.timeseries.read_newest_values(
        request.urn,
        request.path["aspect"],
        request.principal,
        limit=request[LIMIT],
        start=request[_FROM],
        end=request[_TO],
    )
    return {
        "values": [documents.render_timeseries_value(value) for value in timed_values.values],
        "truncated": timed_values.truncated,
    }
