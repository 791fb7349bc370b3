"""All entities of some types, a page at a time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.operations.datahub import body_schemas, documents
from jupyter_colophon.operations.datahub.v3 import ENTITIES, SYSTEM
from jupyter_colophon.operations.operation import JSON, declare_operation
from jupyter_colophon.operations.parameter import declare_count, declare_flag, declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.datahub.search import ALL, ScrollRequest

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

COUNT: Final = declare_count("count", "Maximum number of results.", default=10, minimum=1, maximum=1_000)
CURSOR: Final = declare_text("scrollId", "The `scrollId` of the previous page.")
_QUERY: Final = declare_text("query", "Must be `*`; use `/entities?action=search` to search for text.")
_SORT: Final = declare_text("sort", "Must be `urn`.")
_REMOVED: Final = declare_flag("includeSoftDelete", "Include softly deleted entities.")
#: Other options of DataHub's: they hold here anyway, or make no difference.
_WITHOUT_EFFECT: Final = [
    declare_text(name, "Accepted and ignored.")
    for name in ("skipCache", "skipAggregation", "scrollIdPerEntity", "pitKeepAlive", "sortCriteria")
]
#: The aspects of this many entities are read together.
_READ_TOGETHER: Final = 20
_BODY: Final = body_schemas.declare_object_schema(
    entities={"type": ["array", "null"], "items": body_schemas.TEXT},
    aspects={"type": ["array", "null"], "items": body_schemas.TEXT},
    filter=body_schemas.ANY_OR_NULL,
    sortCriteria={"type": ["array", "null"]},
)


@declare_operation(
    "scrollEntities",
    "POST /openapi/v3/entity/scroll",
    decided_by="entities",
    parameters=[COUNT, CURSOR, _QUERY, _SORT, _REMOVED, SYSTEM, *_WITHOUT_EFFECT],
    body={JSON: _BODY},
    answers={
        200: body_schemas.declare_object_schema("entities", entities=ENTITIES, scrollId=body_schemas.TEXT_OR_NULL)
    },
    errors=[NotFound],
    permission="read",
)
def scroll_entities(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a page of entities, by URN, with the aspects that are named (an empty list: all; without the list: none)."""
    if request[_QUERY] not in ("", ALL) or request[_SORT] not in ("", "urn"):
        raise InvalidQuery("a scroll lists all entities by URN: `query` must be *, and `sort` must be urn")
    catalog, body = services.get_or_open_catalog(), request.body
    query = ScrollRequest(
        tuple(body.get("entities") or ()),
        criteria.parse_filter(body.get("filter"), "/filter"),
        request[COUNT],
        request[CURSOR],
        request[_REMOVED],
    )
    for entity_type in query.types:
        catalog.datahub.finder.require_known_type(entity_type, request.principal)
    page = catalog.datahub.finder.scroll_entities(query, request.principal)
    entities: list[Document] = []
    size, cursor = 0, page.cursor
    for start in range(0, len(page.urns), _READ_TOGETHER):
        if size > PAGE_BYTES_MAX:
            cursor = catalog.datahub.finder.encode_cursor_after(query, page.urns[start - 1])
            break
        read = _read_entities(catalog, request, page.urns[start : start + _READ_TOGETHER])
        size += measure_json_bytes(read)
        entities += read
    return {"entities": entities, "scrollId": cursor}


def _read_entities(catalog: "Catalog", request: OperationRequest, urns: Sequence[str]) -> list[Document]:
    reader, names = catalog.datahub.reader, request.body.get("aspects")
    parsed = [Urn.parse(urn) for urn in urns]
    stored = (
        {} if names is None else reader.read_aspects_of_existing_entities(parsed, set(names) or None, request.principal)
    )
    return [
        documents.render_entity(original_spellings, stored.get(urn, {}), include_system_metadata=request[SYSTEM])
        for urn, original_spellings in zip(urns, reader.read_original_spellings(urns), strict=True)
    ]
