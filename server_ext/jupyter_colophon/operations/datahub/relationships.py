"""Relationships of entities, from either end, and those along which data flow."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.operations.datahub import shapes
from jupyter_colophon.operations.datahub.scroll import COUNT, CURSOR
from jupyter_colophon.operations.operation import JSON, operation
from jupyter_colophon.operations.parameter import Parameter, choice, count, flag, number, text, texts
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.service.datahub.relationships import Edges

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_URN: Final = text("urn", "The URN of the entity.", required=True, format="colophon-urn")
_DIRECTION: Final = choice(
    "direction",
    "`INCOMING`: entities that refer to it; `OUTGOING`: entities that it refers to.",
    "INCOMING",
    "OUTGOING",
    default="OUTGOING",
)
_FLOW: Final = choice("direction", "`UPSTREAM` or `DOWNSTREAM` of `urns`.", "UPSTREAM", "DOWNSTREAM")
_START: Final = number("start", "Number of results to skip.", default=0, least=0, most=10_000)
_COUNT: Final = count("count", "Maximum number of results.", default=200, least=1, most=1_000)
_KINDS: Final = texts("relationshipTypes", "Return only relationships of these types.")
_SOURCES: Final = texts("sourceTypes", "Return only relationships from entities of these types.")
_TARGETS: Final = texts("destinationTypes", "Return only relationships to entities of these types.")
_WITHOUT_EFFECT: Final[list[Parameter[Any]]] = [
    text("pitKeepAlive", "Accepted and ignored."),
    flag("includeSoftDelete", "Accepted and ignored."),
]
_SCROLL: Final = shapes.record(
    sourceFilter=shapes.ANY_OR_NULL, destinationFilter=shapes.ANY_OR_NULL, edgeFilter=shapes.ANY_OR_NULL
)
_LINEAGE: Final = shapes.record(urns={"type": ["array", "null"], "items": shapes.TEXT, "maxItems": 1_000})
_RELATED: Final = shapes.record(
    "start count total entities",
    start=shapes.NUMBER,
    count=shapes.NUMBER,
    total=shapes.NUMBER,
    entities=shapes.list_of(shapes.record("urn relationshipType", urn=shapes.URN, relationshipType=shapes.TEXT)),
)
_RESULTS: Final = shapes.record("results", results=shapes.list_of(shapes.ANY), scrollId=shapes.TEXT_OR_NULL)


@operation(
    "listRelated",
    "GET /openapi/relationships/v1",
    parameters=[_URN, _DIRECTION, _KINDS, _START, _COUNT],
    answers={200: _RELATED},
    errors=[NotFound, InvalidName],
)
def list_related(services: Services, request: Request) -> Document:
    """Return the entities that an entity refers to, or that refer to it."""
    datahub, urn, start = services.catalog().datahub, Urn.parse(request[_URN]), request[_START]
    incoming, kinds = request[_DIRECTION] == "INCOMING", _types(request, _KINDS)
    found, total = datahub.relater.edges_of(urn, incoming, kinds, start, request[_COUNT], request.principal)
    urns = datahub.reader.original_spellings([one.urn if incoming else one.target for one in found])
    entities = [
        {"urn": original_spellings, "relationshipType": one.kind}
        for original_spellings, one in zip(urns, found, strict=True)
    ]
    return {"start": start, "count": len(entities), "total": total, "entities": entities}


@operation(
    "scrollRelationships",
    "POST /openapi/v3/relationship/scroll",
    parameters=[COUNT, CURSOR, _DIRECTION, _KINDS, _SOURCES, _TARGETS, *_WITHOUT_EFFECT],
    body={JSON: _SCROLL},
    answers={200: _RESULTS},
    errors=[InvalidName],
    permission="read",
)
def scroll_relationships(services: Services, request: Request) -> Document:
    """Return a page of relationships between entities; filters select entities by their URNs."""
    catalog, body = services.catalog(), request.body
    if body.get("edgeFilter"):
        raise InvalidQuery("edges have only kinds and ends: edgeFilter is not supported")
    edges = Edges(
        _types(request, _KINDS),
        _types(request, _SOURCES),
        _types(request, _TARGETS),
        _filtered_urns(body, "sourceFilter"),
        _filtered_urns(body, "destinationFilter"),
    )
    found, cursor = catalog.datahub.relater.scroll(edges, request[COUNT], request[CURSOR], request.principal)
    original_spellings = _spellings(catalog, found)
    results = [_relationship(one.kind, original_spellings[one.urn], original_spellings[one.target]) for one in found]
    return {"results": results, "scrollId": cursor}


@operation(
    "scrollLineage",
    "POST /openapi/v3/lineage/scroll",
    parameters=[COUNT, CURSOR, _FLOW, _KINDS, *_WITHOUT_EFFECT],
    body={JSON: _LINEAGE},
    answers={200: _RESULTS},
    errors=[InvalidName],
    permission="read",
)
def scroll_lineage(services: Services, request: Request) -> Document:
    """Return a page of the relationships of entities along which data flow, as their aspects have them."""
    catalog = services.catalog()
    urns = tuple(str(Urn.parse(urn)) for urn in request.body.get("urns") or ())
    if not urns:
        raise InvalidQuery("names the entities", "urns")
    found, cursor = catalog.datahub.relater.lineage(
        urns, _types(request, _KINDS), request[_FLOW], request[COUNT], request[CURSOR], request.principal
    )
    original_spellings = _spellings(catalog, [one for one, _, _ in found])
    results = [
        _relationship(one.kind, original_spellings[one.urn], original_spellings[one.target])
        | {
            "upstream": original_spellings.get(upstream, upstream),
            "downstream": original_spellings.get(downstream, downstream),
        }
        for one, upstream, downstream in found
    ]
    return {"results": results, "scrollId": cursor}


def _types(request: Request, parameter: Parameter[tuple[str, ...]]) -> frozenset[str]:
    sent = request[parameter]
    return frozenset(sent)


def _spellings(catalog: "Catalog", relationships: Iterable[Any]) -> dict[str, str]:
    """Return the ends of relationships as DataHub's clients sent them, by URN."""
    urns = list(dict.fromkeys(urn for one in relationships for urn in (one.urn, one.target)))
    return dict(zip(urns, catalog.datahub.reader.original_spellings(urns), strict=True))


def _relationship(kind: str, source: str, target: str) -> Document:
    ends = {
        name: {"urn": urn, "entityType": Urn.parse(urn).type}
        for name, urn in (("source", source), ("destination", target))
    }
    return {"relationshipType": kind, **ends}


def _filtered_urns(body: Document, name: str) -> tuple[str, ...]:
    """Return the URNs that a filter selects, which is all that it can. Raises InvalidQuery."""
    urns: list[str] = []
    for criterion in (one for some in criteria.read(body.get(name), f"/{name}") for one in some):
        if criterion.field != "urn" or criterion.condition not in ("EQUAL", "IN") or criterion.negated:
            raise InvalidQuery(f"{name} names entities: criteria of the field urn, with the condition EQUAL")
        urns += [str(Urn.parse(value)) for value in criterion.values]
    return tuple(urns)
