"""Relationships of entities, from either end, and those along which data flow."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.datahub.scroll import COUNT, CURSOR
from jupyter_colophon.operations.operation import JSON, declare_operation
from jupyter_colophon.operations.parameter import (
    Parameter,
    declare_choice,
    declare_count,
    declare_flag,
    declare_number,
    declare_text,
    declare_texts,
)
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.datahub.relationships import RelationshipFilter

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_URN: Final = declare_text("urn", "The URN of the entity.", required=True, format="colophon-urn")
_DIRECTION: Final = declare_choice(
    "direction",
    "`INCOMING`: entities that refer to it; `OUTGOING`: entities that it refers to.",
    "INCOMING",
    "OUTGOING",
    default="OUTGOING",
)
_FLOW: Final = declare_choice("direction", "`UPSTREAM` or `DOWNSTREAM` of `urns`.", "UPSTREAM", "DOWNSTREAM")
_START: Final = declare_number("start", "Number of results to skip.", default=0, minimum=0, maximum=10_000)
_COUNT: Final = declare_count("count", "Maximum number of results.", default=200, minimum=1, maximum=1_000)
_KINDS: Final = declare_texts("relationshipTypes", "Return only relationships of these types.")
_SOURCES: Final = declare_texts("sourceTypes", "Return only relationships from entities of these types.")
_TARGETS: Final = declare_texts("destinationTypes", "Return only relationships to entities of these types.")
_WITHOUT_EFFECT: Final[list[Parameter[Any]]] = [
    declare_text("pitKeepAlive", "Accepted and ignored."),
    declare_flag("includeSoftDelete", "Accepted and ignored."),
]
_SCROLL: Final = body_schemas.declare_object_schema(
    sourceFilter=body_schemas.ANY_OR_NULL,
    destinationFilter=body_schemas.ANY_OR_NULL,
    edgeFilter=body_schemas.ANY_OR_NULL,
)
_LINEAGE: Final = body_schemas.declare_object_schema(
    urns={"type": ["array", "null"], "items": body_schemas.TEXT, "maxItems": 1_000}
)
_RELATED: Final = body_schemas.declare_object_schema(
    "start count total entities",
    start=body_schemas.NUMBER,
    count=body_schemas.NUMBER,
    total=body_schemas.NUMBER,
    entities=body_schemas.declare_list_schema(
        body_schemas.declare_object_schema(
            "urn relationshipType", urn=body_schemas.URN, relationshipType=body_schemas.TEXT
        )
    ),
)
_RESULTS: Final = body_schemas.declare_object_schema(
    "results", results=body_schemas.declare_list_schema(body_schemas.ANY), scrollId=body_schemas.TEXT_OR_NULL
)


@declare_operation(
    "listRelated",
    "GET /openapi/relationships/v1",
    decided_by="entities",
    parameters=[_URN, _DIRECTION, _KINDS, _START, _COUNT],
    answers={200: _RELATED},
    errors=[NotFound, InvalidName],
)
def list_related(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the entities that an entity refers to, or that refer to it."""
    datahub, urn, start = services.get_or_open_catalog().datahub, Urn.parse(request[_URN]), request[_START]
    incoming, kinds = request[_DIRECTION] == "INCOMING", _parse_relationship_types(request, _KINDS)
    edges, total = datahub.relationships.list_visible_edges_page(
        urn, incoming, kinds, start, request[_COUNT], request.principal
    )
    urns = datahub.reader.read_original_spellings([item.urn if incoming else item.target for item in edges])
    entities = [
        {"urn": original_spellings, "relationshipType": edge.kind}
        for original_spellings, edge in zip(urns, edges, strict=True)
    ]
    return {"start": start, "count": len(entities), "total": total, "entities": entities}


@declare_operation(
    "scrollRelationships",
    "POST /openapi/v3/relationship/scroll",
    decided_by="entities",
    parameters=[COUNT, CURSOR, _DIRECTION, _KINDS, _SOURCES, _TARGETS, *_WITHOUT_EFFECT],
    body={JSON: _SCROLL},
    answers={200: _RESULTS},
    errors=[InvalidName],
    permission="read",
)
def scroll_relationships(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a page of relationships between entities; filters select entities by their URNs."""
    catalog, body = services.get_or_open_catalog(), request.body
    if body.get("edgeFilter"):
        raise InvalidQuery("edgeFilter is not supported: relationships have only a type and two ends")
    edges = RelationshipFilter(
        _parse_relationship_types(request, _KINDS),
        _parse_relationship_types(request, _SOURCES),
        _parse_relationship_types(request, _TARGETS),
        _parse_filtered_urns(body, "sourceFilter"),
        _parse_filtered_urns(body, "destinationFilter"),
    )
    relationships, cursor = catalog.datahub.relationships.scroll_relationships(
        edges, request[COUNT], request[CURSOR], request.principal
    )
    original_spellings = _read_spellings(catalog, relationships)
    results = [
        _render_relationship(item.kind, original_spellings[item.urn], original_spellings[item.target])
        for item in relationships
    ]
    return {"results": results, "scrollId": cursor}


@declare_operation(
    "scrollLineage",
    "POST /openapi/v3/lineage/scroll",
    decided_by="entities",
    parameters=[COUNT, CURSOR, _FLOW, _KINDS, *_WITHOUT_EFFECT],
    body={JSON: _LINEAGE},
    answers={200: _RESULTS},
    errors=[InvalidName],
    permission="read",
)
def scroll_lineage(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a page of the relationships of entities along which data flow, as their aspects have them."""
    catalog = services.get_or_open_catalog()
    urns = tuple(str(Urn.parse(urn)) for urn in request.body.get("urns") or ())
    if not urns:
        raise InvalidQuery("must name at least one entity", "urns")
    relationships, cursor = catalog.datahub.relationships.scroll_lineage(
        urns,
        _parse_relationship_types(request, _KINDS),
        request[_FLOW],
        request[COUNT],
        request[CURSOR],
        request.principal,
    )
    original_spellings = _read_spellings(catalog, [relationship for relationship, _, _ in relationships])
    results = [
        _render_relationship(
            relationship.kind, original_spellings[relationship.urn], original_spellings[relationship.target]
        )
        | {
            "upstream": original_spellings.get(upstream, upstream),
            "downstream": original_spellings.get(downstream, downstream),
        }
        for relationship, upstream, downstream in relationships
    ]
    return {"results": results, "scrollId": cursor}


def _parse_relationship_types(request: OperationRequest, parameter: Parameter[tuple[str, ...]]) -> frozenset[str]:
    sent = request[parameter]
    return frozenset(sent)


def _read_spellings(catalog: "Catalog", relationships: Iterable[Any]) -> dict[str, str]:
    """Return the ends of relationships as DataHub's clients sent them, by URN."""
    urns = list(dict.fromkeys(urn for relationship in relationships for urn in (relationship.urn, relationship.target)))
    return dict(zip(urns, catalog.datahub.reader.read_original_spellings(urns), strict=True))


def _render_relationship(kind: str, source: str, target: str) -> Document:
    ends = {
        name: {"urn": urn, "entityType": Urn.parse(urn).type}
        for name, urn in (("source", source), ("destination", target))
    }
    return {"relationshipType": kind, **ends}


def _parse_filtered_urns(body: Document, name: str) -> tuple[str, ...]:
    """Return the URNs that a filter selects, which is all that it can. Raises InvalidQuery."""
    urns: list[str] = []
    for criterion in (item for some in criteria.parse_filter(body.get(name), f"/{name}") for item in some):
        if criterion.field != "urn" or criterion.condition not in ("EQUAL", "IN") or criterion.negated:
            raise InvalidQuery(f"{name}: only criteria of the field `urn` with the condition EQUAL or IN are supported")
        urns += [str(Urn.parse(value)) for value in criterion.values]
    return tuple(urns)
