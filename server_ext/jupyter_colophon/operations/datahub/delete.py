"""Deletions: of an entity, of one of its aspects, of time-series values, and of references to an entity."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.datahub.mcp import parse_urn_at
from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, WriteCondition
from jupyter_colophon.core.model.relationships import remove_urns_at_path
from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.datahub.ingest import SentProposal, write_or_queue_proposals
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

DELETION: Final = body_schemas.declare_object_schema(
    "urn",
    urn=body_schemas.TEXT,
    aspectName=body_schemas.TEXT_OR_NULL,
    startTimeMillis=body_schemas.TIME,
    endTimeMillis=body_schemas.TIME,
)
REFERENCES: Final = body_schemas.declare_object_schema("urn", urn=body_schemas.TEXT, dryRun=body_schemas.FLAG_OR_NULL)
#: How many of the aspects that refer to an entity are listed.
_LISTED: Final = 100


def delete_entity_or_aspect(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete an entity, or an aspect of it; return how many aspects were deleted."""
    catalog, principal, body = services.get_or_open_catalog(), request.principal, request.body
    urn, name = parse_urn_at(body["urn"], "/urn"), body.get("aspectName")
    entity_type = catalog.registry.get_type(urn.type)
    if name is not None and catalog.registry.get_aspect(urn.type, name).timeseries:
        window = body.get("startTimeMillis"), body.get("endTimeMillis")
        values = catalog.write_path.delete_timeseries_range(urn, name, *window, principal)
        return _render_deletion_result(body["urn"], 0, values)
    if name not in (None, entity_type.key_aspect):
        return _render_deletion_result(body["urn"], delete_if_stored_and_count(services, request, urn, name), 0)
    values = catalog.datahub.timeseries.count_timeseries_values(urn, principal)
    rows = delete_if_stored_and_count(services, request, urn, None)
    return _render_deletion_result(body["urn"], rows, values if rows else 0)


def _render_deletion_result(urn: str, rows: int, timeseries_rows: int) -> Document:
    return {"value": {"urn": urn, "rows": rows, "timeseriesRows": timeseries_rows}}


def delete_if_stored_and_count(services: ProcessServices, request: OperationRequest, urn: Urn, name: str | None) -> int:
    """Delete an entity, or one of its aspects, if it is stored; return how many aspects it had."""
    catalog, principal = services.get_or_open_catalog(), request.principal
    stored = catalog.datahub.reader.read_aspects_of_existing_entities(
        [urn], None if name is None else {name}, principal
    )
    try:
        outcome = write_or_queue_proposals(services, request, [SentProposal(Proposal(urn, name, "delete"), "")])
    except NotFound:
        return 0
    if outcome.is_queued:
        # The deletion waits for review.
        return 0
    if urn.type == "namespace" and name is None:
        catalog.namespaces.remove_content_outside_catalog(urn.parts[0], principal)
    return len(stored.get(str(urn), {}))


def delete_references(services: ProcessServices, request: OperationRequest) -> Document:
    """Remove an entity's URN from all aspects that refer to it, or from none; with `dryRun`, only list the aspects."""
    catalog, principal = services.get_or_open_catalog(), request.principal
    urn = parse_urn_at(request.body["urn"], "/urn")
    references = catalog.datahub.relationships.list_visible_edges_to(urn, principal)
    if not request.body.get("dryRun"):
        catalog.write_path.require_may_delete(principal, urn, "references")
        aspects = dict.fromkeys((reference.urn, reference.aspect) for reference in references)
        sent = [
            item
            for source, name in aspects
            for item in _create_reference_removal_proposals(catalog, principal, urn, source, name)
        ]
        write_or_queue_proposals(services, request, sent)
    listed = [
        {"entity": reference.urn, "relationship": reference.kind, "aspect": reference.aspect}
        for reference in references[:_LISTED]
    ]
    return {"value": {"total": len(references), "relatedAspects": listed}}


def _create_reference_removal_proposals(
    catalog: "Catalog", principal: Principal, urn: Urn, source: str, name: str
) -> Iterator[SentProposal]:
    """Yield the proposal that removes a URN from an aspect; it deletes an aspect that would be invalid without the URN."""
    source_urn = Urn.parse(source)
    aspect = catalog.datahub.reader.read_aspect(source_urn, name, 0, principal)
    spec = catalog.registry.get_aspect(source_urn.type, name)
    value: Any = aspect.value
    for relationship in spec.relationships:
        targets = frozenset(text for text in relationship.list_related_urns(value) if _equals_urn(text, urn))
        value = remove_urns_at_path(value, relationship.path, targets) if targets else value
    condition = WriteCondition(version=aspect.version)
    if spec.schema.is_valid(value):
        yield SentProposal(Proposal(source_urn, name, "upsert", value, condition), "")
    else:
        yield SentProposal(Proposal(source_urn, name, "delete", None, condition), "")


def _equals_urn(text: str, urn: Urn) -> bool:
    try:
        return Urn.parse(text) == urn
    except InvalidName:
        return False
