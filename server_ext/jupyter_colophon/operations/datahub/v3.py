"""The OpenAPI routes of entities: written, patched, read and deleted, many at once."""

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.datahub import mcp, patch_forms
from jupyter_colophon.core.documents.json_values import measure
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
from jupyter_colophon.operations.datahub import documents, shapes
from jupyter_colophon.operations.datahub.delete import delete_stored
from jupyter_colophon.operations.datahub.ingest import SentProposal, propose
from jupyter_colophon.operations.datahub.urns import names_in, urn_behind
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import JSON, operation
from jupyter_colophon.operations.parameter import flag, text
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_HEADERS: Final = shapes.ANY_OR_NULL | {"additionalProperties": shapes.TEXT}
_ASPECT: Final = shapes.record(
    "value",
    value=shapes.ANY,
    systemMetadata=shapes.SYSTEM_METADATA,
    headers=_HEADERS,
    auditStamp=shapes.ANY_OR_NULL,
)
_PATCH: Final = shapes.record(
    "value",
    value={"type": ["array", "object"]},
    systemMetadata=shapes.SYSTEM_METADATA,
    headers=_HEADERS,
)
_URN: Final = shapes.record("urn", urn=shapes.TEXT)
_WRITTEN: Final = shapes.list_of(_URN | {"additionalProperties": _ASPECT})
_PATCHED: Final = shapes.list_of(_URN | {"additionalProperties": _PATCH})
_READ: Final = shapes.list_of(_URN | {"additionalProperties": shapes.ANY_OR_NULL}, maxItems=1_000)
ENTITY: Final = shapes.record("urn", urn=shapes.URN) | {"description": "An entity, and each aspect under its name."}
ENTITIES: Final = shapes.list_of(ENTITY)
_ASYNC: Final = flag("async", "Apply the proposals later: the status is 202.")
SYSTEM: Final = flag("systemMetadata", "Include the system metadata and the audit stamp of each aspect.")
_ASPECTS: Final = text("aspects", "Comma-separated names of the aspects to return; by default, all of them.")
_REFUSED: Final = [InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed]


@operation(
    "writeEntities",
    "POST /openapi/v3/entity/{type}",
    parameters=[_ASYNC, IDEMPOTENCY_KEY],
    body={JSON: _WRITTEN},
    answers={200: ENTITIES, 202: ENTITIES},
    errors=_REFUSED,
)
def write_entities(services: Services, request: Request) -> Answer:
    """Write the values of aspects of entities, all or none of them; with `async`, later."""
    return _write(services, request, "upsert")


@operation(
    "patchEntities",
    "PATCH /openapi/v3/entity/{type}",
    parameters=[_ASYNC, IDEMPOTENCY_KEY],
    body={JSON: _PATCHED},
    answers={200: ENTITIES, 202: ENTITIES},
    errors=_REFUSED,
)
def patch_entities(services: Services, request: Request) -> Answer:
    """Change aspects of entities by JSON Patches, or by DataHub's form of them."""
    return _write(services, request, "patch")


def _write(services: Services, request: Request, change: Change) -> Answer:
    catalog = services.catalog()
    catalog.registry.type(request.path["type"])
    later = request[_ASYNC]
    outcome = propose(services, request, list(_proposals(catalog, request, change)), later=later)
    return Answer(
        _sent_entities(request) if later else _written_entities(catalog, request),
        HTTPStatus.ACCEPTED if outcome.is_queued else HTTPStatus.OK,
        headers=outcome.headers,
    )


def _proposals(catalog: "Catalog", request: Request, change: Change) -> Iterator[SentProposal]:
    for at, entity in enumerate(request.body):
        urn = _sent_urn(entity, request.path["type"], at)
        spelling = mcp.spelling_of(urn, entity["urn"])
        if len(entity) == 1:
            # Only its existence is written.
            create = Proposal(urn, None, "create", if_absent=True, spelling=spelling)
            yield SentProposal(create, f"/{at}", urn_pointer=f"/{at}/urn")
        for name, aspect in entity.items():
            if name != "urn":
                pointer = f"/{at}/{name}"
                proposal = replace(_proposal(urn, name, change, aspect, pointer), spelling=spelling)
                listed = isinstance(aspect["value"], list)
                proposal = mcp.keyless(proposal, catalog.registry)
                yield SentProposal(proposal, f"{pointer}/value", listed, f"/{at}/urn")


def _sent_urn(entity: Document, entity_type: str, at: int) -> Urn:
    """Return the URN of an entity of the body. Raises InvalidInstance for one of another type."""
    urn = mcp.urn_at(entity["urn"], f"/{at}/urn")
    if urn.type != entity_type:
        raise mcp.refused(f"/{at}/urn", f"is not of the type {entity_type}")
    return urn


def _proposal(urn: Urn, name: str, change: Change, aspect: Document, pointer: str) -> Proposal:
    headers = mcp.lowered(aspect.get("headers"))
    return Proposal(
        urn,
        name,
        change,
        patch_forms.wrapped(aspect["value"]) if change == "patch" else aspect["value"],
        mcp.condition(headers, f"{pointer}/headers"),
        if_absent=mcp.if_absent(headers, f"{pointer}/headers"),
        system=mcp.system_metadata(aspect.get("systemMetadata"), f"{pointer}/systemMetadata"),
    )


def _sent_entities(request: Request) -> list[dict[str, Any]]:
    """Return the entities of the body, which is the answer where they are written later."""
    return [
        {"urn": entity["urn"]} | {name: {"value": aspect["value"]} for name, aspect in entity.items() if name != "urn"}
        for entity in request.body
    ]


def _written_entities(catalog: "Catalog", request: Request) -> list[Document]:
    """Return the aspects of the body as they are now."""
    urns = [Urn.parse(entity["urn"]) for entity in request.body]
    stored = catalog.datahub.reader.entities(urns, None, request.principal)
    return [
        documents.v3_entity(
            entity["urn"],
            {name: aspect for name, aspect in stored.get(str(urn), {}).items() if name in entity},
            with_system=False,
        )
        for urn, entity in zip(urns, request.body, strict=True)
    ]


@operation(
    "readEntities",
    "POST /openapi/v3/entity/{type}/batchGet",
    parameters=[SYSTEM],
    body={JSON: _READ},
    answers={200: ENTITIES},
    errors=[InvalidName, NotFound, TooLarge],
    permission="read",
)
def read_entities(services: Services, request: Request) -> list[Document]:
    """Return those of these entities that are stored, with the aspects that are named of each, or with all."""
    catalog = services.catalog()
    entities = list(_stored_entities(catalog, request))
    if not entities:
        catalog.registry.type(request.path["type"])
    return entities


def _stored_entities(catalog: "Catalog", request: Request) -> Iterator[Document]:
    """Yield the entities that are stored. Raises TooLarge with the pointer to the first that does not fit."""
    size = 0
    for at, wanted in enumerate(request.body):
        entity = _stored_entity(catalog, request, at, wanted)
        if entity is not None:
            size += measure(entity)
            if at and size > LIST_BYTES_MAX:
                reason = (
                    f"the answer would have more than {LIST_BYTES_MAX} bytes: read fewer entities or aspects at once"
                )
                raise TooLarge(reason, (Problem(f"/{at}", reason),))
            yield entity


def _stored_entity(catalog: "Catalog", request: Request, at: int, wanted: Document) -> Document | None:
    urn = _sent_urn(wanted, request.path["type"], at)
    names = {name for name in wanted if name != "urn"} or None
    aspects = catalog.datahub.reader.entities([urn], names, request.principal).get(str(urn))
    return None if aspects is None else documents.v3_entity(wanted["urn"], aspects, with_system=request[SYSTEM])


@operation(
    "readOneEntity",
    "GET /openapi/v3/entity/{type}/{urn}",
    parameters=[_ASPECTS, SYSTEM],
    answers={200: ENTITY},
    errors=[InvalidName, NotFound],
)
def read_one_entity(services: Services, request: Request) -> Document:
    """Return one entity with its aspects, or with those that `aspects` names."""
    catalog, urn = services.catalog(), _path_urn(request)
    reader = catalog.datahub.reader
    aspects = reader.entities([urn], names_in(request[_ASPECTS]), request.principal).get(str(urn))
    if aspects is None:
        catalog.registry.type(urn.type)
        raise catalog.reader.absent(urn)
    (original_spellings,) = reader.original_spellings([str(urn)])
    return documents.v3_entity(original_spellings, aspects, with_system=request[SYSTEM])


@operation(
    "deleteOneEntity",
    "DELETE /openapi/v3/entity/{type}/{urn}",
    parameters=[_ASPECTS, IDEMPOTENCY_KEY],
    answers={200: {"type": "null", "description": "It is deleted."}},
    errors=[InvalidName, NotFound, NotEmpty],
)
def delete_one_entity(services: Services, request: Request) -> None:
    """Delete the entity, or those of its aspects that `aspects` names."""
    urn, names = _path_urn(request), names_in(request[_ASPECTS])
    services.catalog().registry.type(urn.type)
    for name in sorted(names) if names else [None]:
        delete_stored(services, request, urn, name)


def _path_urn(request: Request) -> Urn:
    """Return the URN in the path, which may have slashes. Raises InvalidName."""
    entity_type = request.path["type"]
    urn = urn_behind(request, f"/openapi/v3/entity/{entity_type}/")
    if urn.type != entity_type:
        raise InvalidName(f"{entity_type} URN", str(urn), "its type is another one")
    return urn
