"""The OpenAPI routes of entities: written, patched, read and deleted, many at once."""

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.datahub import mcp, patch_forms
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidName,
    NotEmpty,
    NotFound,
    PatchFailed,
    Problem,
    TooLarge,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Operation as Change
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX
from jupyter_colophon.operations.datahub import body_schemas, documents
from jupyter_colophon.operations.datahub.delete import delete_if_stored_and_count
from jupyter_colophon.operations.datahub.ingest import SentProposal, write_or_queue_proposals
from jupyter_colophon.operations.datahub.urns import parse_name_list, parse_path_urn
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import JSON, declare_operation
from jupyter_colophon.operations.parameter import declare_flag, declare_text
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_HEADERS: Final = body_schemas.ANY_OR_NULL | {"additionalProperties": body_schemas.TEXT}
_ASPECT: Final = body_schemas.declare_object_schema(
    "value",
    value=body_schemas.ANY,
    systemMetadata=body_schemas.SYSTEM_METADATA,
    headers=_HEADERS,
    auditStamp=body_schemas.ANY_OR_NULL,
)
_PATCH: Final = body_schemas.declare_object_schema(
    "value",
    value={"type": ["array", "object"]},
    systemMetadata=body_schemas.SYSTEM_METADATA,
    headers=_HEADERS,
)
_URN: Final = body_schemas.declare_object_schema("urn", urn=body_schemas.TEXT)
_WRITTEN: Final = body_schemas.declare_list_schema(_URN | {"additionalProperties": _ASPECT})
_PATCHED: Final = body_schemas.declare_list_schema(_URN | {"additionalProperties": _PATCH})
_READ: Final = body_schemas.declare_list_schema(
    _URN | {"additionalProperties": body_schemas.ANY_OR_NULL}, maxItems=1_000
)
ENTITY: Final = body_schemas.declare_object_schema("urn", urn=body_schemas.URN) | {
    "description": "An entity, and each aspect under its name."
}
ENTITIES: Final = body_schemas.declare_list_schema(ENTITY)
_ASYNC: Final = declare_flag("async", "Apply the proposals later: the status is 202.")
SYSTEM: Final = declare_flag("systemMetadata", "Include the system metadata and the audit stamp of each aspect.")
_ASPECTS: Final = declare_text("aspects", "Comma-separated names of the aspects to return; by default, all of them.")
_REFUSED: Final = [InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed]


@declare_operation(
    "writeEntities",
    "POST /openapi/v3/entity/{type}",
    decided_by="entities",
    parameters=[_ASYNC, IDEMPOTENCY_KEY],
    body={JSON: _WRITTEN},
    answers={200: ENTITIES, 202: ENTITIES},
    errors=_REFUSED,
)
def write_entities(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Write the values of aspects of entities, all or none of them; with `async`, later."""
    return _write_or_queue_changes(services, request, "upsert")


@declare_operation(
    "patchEntities",
    "PATCH /openapi/v3/entity/{type}",
    decided_by="entities",
    parameters=[_ASYNC, IDEMPOTENCY_KEY],
    body={JSON: _PATCHED},
    answers={200: ENTITIES, 202: ENTITIES},
    errors=_REFUSED,
)
def patch_entities(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Change aspects of entities by JSON Patches, or by DataHub's form of them."""
    return _write_or_queue_changes(services, request, "patch")


def _write_or_queue_changes(services: ProcessServices, request: OperationRequest, change: Change) -> OperationAnswer:
    catalog = services.get_or_open_catalog()
    catalog.registry.get_type(request.path["type"])
    later = request[_ASYNC]
    outcome = write_or_queue_proposals(
        services, request, list(_parse_proposals_of_body(catalog, request, change)), queue=later
    )
    return OperationAnswer(
        _render_sent_entities(request) if outcome.is_queued else _read_written_entities(catalog, request),
        HTTPStatus.ACCEPTED if outcome.is_queued else HTTPStatus.OK,
        headers=outcome.headers,
    )


def _parse_proposals_of_body(catalog: "Catalog", request: OperationRequest, change: Change) -> Iterator[SentProposal]:
    for index, entity in enumerate(request.body):
        urn = _parse_urn_of_body_entity(entity, request.path["type"], index)
        spelling = mcp.get_spelling_if_not_canonical(urn, entity["urn"])
        if len(entity) == 1:
            # Only its existence is written.
            create = Proposal(urn, None, "create", if_absent=True, spelling=spelling)
            yield SentProposal(create, f"/{index}", urn_pointer=f"/{index}/urn")
        for name, aspect in entity.items():
            if name != "urn":
                pointer = f"/{index}/{name}"
                proposal = replace(_build_proposal_of_aspect(urn, name, change, aspect, pointer), spelling=spelling)
                listed = isinstance(aspect["value"], list)
                proposal = mcp.convert_key_aspect_proposal_to_entity_proposal(proposal, catalog.registry)
                yield SentProposal(proposal, f"{pointer}/value", listed, f"/{index}/urn")


def _parse_urn_of_body_entity(entity: Document, entity_type: str, index: int) -> Urn:
    """Return the URN of an entity of the body. Raises InvalidInstance for one of another type."""
    urn = mcp.parse_urn_at(entity["urn"], f"/{index}/urn")
    if urn.type != entity_type:
        raise mcp.build_invalid_proposal_error(f"/{index}/urn", f"is not of the type {entity_type}")
    return urn


def _build_proposal_of_aspect(urn: Urn, name: str, change: Change, aspect: Document, pointer: str) -> Proposal:
    headers = mcp.normalize_header_names(aspect.get("headers"))
    return Proposal(
        urn,
        name,
        change,
        patch_forms.normalize_patch_to_object(aspect["value"]) if change == "patch" else aspect["value"],
        mcp.parse_condition_headers(headers, f"{pointer}/headers"),
        if_absent=mcp.is_create_if_absent(headers, f"{pointer}/headers"),
        system=mcp.parse_system_metadata(aspect.get("systemMetadata"), f"{pointer}/systemMetadata"),
    )


def _render_sent_entities(request: OperationRequest) -> list[dict[str, Any]]:
    """Return the entities of the body, which is the answer where they are written later."""
    return [
        {"urn": entity["urn"]} | {name: {"value": aspect["value"]} for name, aspect in entity.items() if name != "urn"}
        for entity in request.body
    ]


def _read_written_entities(catalog: "Catalog", request: OperationRequest) -> list[Document]:
    """Return the aspects of the body as they are now."""
    urns = [Urn.parse(entity["urn"]) for entity in request.body]
    stored = catalog.datahub.reader.read_aspects_of_existing_entities(urns, None, request.principal)
    return [
        documents.render_entity(
            entity["urn"],
            {name: aspect for name, aspect in stored.get(str(urn), {}).items() if name in entity},
            include_system_metadata=False,
        )
        for urn, entity in zip(urns, request.body, strict=True)
    ]


@declare_operation(
    "readEntities",
    "POST /openapi/v3/entity/{type}/batchGet",
    decided_by="entities",
    parameters=[SYSTEM],
    body={JSON: _READ},
    answers={200: ENTITIES},
    errors=[InvalidName, NotFound, TooLarge],
    permission="read",
)
def read_entities(services: ProcessServices, request: OperationRequest) -> list[Document]:
    """Return those of these entities that are stored, with the aspects that are named of each, or with all."""
    catalog = services.get_or_open_catalog()
    entities = list(_read_stored_entities(catalog, request))
    if not entities:
        catalog.registry.get_type(request.path["type"])
    return entities


def _read_stored_entities(catalog: "Catalog", request: OperationRequest) -> Iterator[Document]:
    """Yield the entities that are stored. Raises TooLarge with the pointer to the first that does not fit."""
    size = 0
    for at, expected in enumerate(request.body):
        entity = _read_stored_entity(catalog, request, at, expected)
        if entity is not None:
            size += measure_json_bytes(entity)
            if at and size > LIST_BYTES_MAX:
                reason = (
                    f"the answer would have more than {LIST_BYTES_MAX} bytes: read fewer entities or aspects at once"
                )
                raise TooLarge(reason, (Problem(f"/{at}", reason),))
            yield entity


def _read_stored_entity(
    catalog: "Catalog", request: OperationRequest, index: int, requested: Document
) -> Document | None:
    urn = _parse_urn_of_body_entity(requested, request.path["type"], index)
    names = {name for name in requested if name != "urn"} or None
    aspects = catalog.datahub.reader.read_aspects_of_existing_entities([urn], names, request.principal).get(str(urn))
    return (
        None
        if aspects is None
        else documents.render_entity(requested["urn"], aspects, include_system_metadata=request[SYSTEM])
    )


@declare_operation(
    "readOneEntity",
    "GET /openapi/v3/entity/{type}/{urn}",
    decided_by="entities",
    parameters=[_ASPECTS, SYSTEM],
    answers={200: ENTITY},
    errors=[InvalidName, NotFound],
)
def read_single_entity(services: ProcessServices, request: OperationRequest) -> Document:
    """Return one entity with its aspects, or with those that `aspects` names."""
    catalog, urn = services.get_or_open_catalog(), _read_path_urn(request)
    reader = catalog.datahub.reader
    aspects = reader.read_aspects_of_existing_entities(
        [urn], parse_name_list(request[_ASPECTS]), request.principal
    ).get(str(urn))
    if aspects is None:
        catalog.registry.get_type(urn.type)
        raise catalog.reader.create_not_found_or_renamed_error(urn)
    (original_spellings,) = reader.read_original_spellings([str(urn)])
    return documents.render_entity(original_spellings, aspects, include_system_metadata=request[SYSTEM])


@declare_operation(
    "deleteOneEntity",
    "DELETE /openapi/v3/entity/{type}/{urn}",
    decided_by="entities",
    parameters=[_ASPECTS, IDEMPOTENCY_KEY],
    answers={200: {"type": "null", "description": "The entity is deleted."}},
    errors=[InvalidName, NotFound, NotEmpty],
)
def delete_single_entity(services: ProcessServices, request: OperationRequest) -> None:
    """Delete the entity, or those of its aspects that `aspects` names."""
    urn, names = _read_path_urn(request), parse_name_list(request[_ASPECTS])
    services.get_or_open_catalog().registry.get_type(urn.type)
    for name in sorted(names) if names else [None]:
        delete_if_stored_and_count(services, request, urn, name)


def _read_path_urn(request: OperationRequest) -> Urn:
    """Return the URN in the path, which may have slashes. Raises InvalidName."""
    entity_type = request.path["type"]
    urn = parse_path_urn(request, f"/openapi/v3/entity/{entity_type}/")
    if urn.type != entity_type:
        raise InvalidName(f"{entity_type} URN", str(urn), "its type differs from the type in the path")
    return urn
