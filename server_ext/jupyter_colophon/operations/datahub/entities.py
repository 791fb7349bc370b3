"""Rest.li's entities: snapshots, deletions, lists, search, and references to an entity."""

from typing import Final

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, InvalidName, NotEmpty, NotFound, PatchFailed
from jupyter_colophon.operations.datahub import body_schemas, delete, restli_proposals
from jupyter_colophon.operations.datahub.actions import RestliAction, declare_restli_actions
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_PAGE: Final = {"start": body_schemas.OFFSET, "count": body_schemas.COUNT}
_LIST: Final = body_schemas.declare_object_schema("entity", entity=body_schemas.TEXT, **_PAGE)
_SEARCH: Final = body_schemas.declare_object_schema(
    "entity", entity=body_schemas.TEXT, input=body_schemas.TEXT_OR_NULL, filter=body_schemas.ANY_OR_NULL, **_PAGE
)
_COUNT: Final = 10


def list_urns_of_type(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a page of the entities of a type."""
    body, datahub = request.body, services.get_or_open_catalog().datahub
    start, count = body.get("start", 0), body_schemas.parse_count_of_body(body, "count", _COUNT)
    page = datahub.finder.list_urns_of_type(body["entity"], start, count, request.principal)
    entities = datahub.reader.read_original_spellings(page.urns)
    return {"value": {"start": start, "count": len(page.urns), "total": page.total, "entities": entities}}


def search_entities_of_type(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a page of the entities of a type that match words and a filter."""
    body, datahub = request.body, services.get_or_open_catalog().datahub
    start, count = body.get("start", 0), body_schemas.parse_count_of_body(body, "count", _COUNT)
    filter_ = criteria.parse_filter(body.get("filter"), "/filter")
    words = body.get("input") or "*"
    page = datahub.finder.search_entities(words, body["entity"], filter_, start, count, request.principal)
    value = {
        "from": start,
        "pageSize": count,
        "numEntities": page.total,
        "entities": [{"entity": urn} for urn in datahub.reader.read_original_spellings(page.urns)],
        "metadata": {"aggregations": []},
    }
    return {"value": value}


ACT_ON_ENTITIES: Final = declare_restli_actions(
    "actOnEntities",
    "/entities",
    "Write a snapshot (`ingest`), delete, list or search entities, or remove references to an entity",
    {
        "ingest": RestliAction(restli_proposals.ingest_snapshot, restli_proposals.SNAPSHOT, writes=True),
        "delete": RestliAction(delete.delete_entity_or_aspect, delete.DELETION, writes=True),
        "listUrns": RestliAction(list_urns_of_type, _LIST),
        "search": RestliAction(search_entities_of_type, _SEARCH),
        "deleteReferences": RestliAction(delete.delete_references, delete.REFERENCES, writes=True),
    },
    parameters=[IDEMPOTENCY_KEY],
    answer={"anyOf": [body_schemas.SUCCESS, body_schemas.declare_action_result_schema(body_schemas.ANY)]},
    errors=[InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
)
