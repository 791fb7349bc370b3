"""Relationships of entities, from either end, and those along which data flow."""

from collections.abc import Iterable
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.base import DataHubHandler
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.datahub.scroll import COUNT, CURSOR
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import Parameter, choice, count, flag, number, text
from jupyter_colophon.service.datahub.relationships import Edges

_URN: Final = text("urn", "The entity.", required=True, format="colophon-urn")
_DIRECTION: Final = choice("direction", "Whether it is named, or names.", "INCOMING", "OUTGOING", default="OUTGOING")
_FLOW: Final = choice("direction", "Towards `urns` from upstream, or from them downstream.", "UPSTREAM", "DOWNSTREAM")
_START: Final = number("start", "How many to pass by.", default=0, least=0, most=10_000)
_MOST: Final = count("count", "How many at most.", default=200, least=1, most=1_000)
#: These may be sent more than once.
_KINDS: Final = text("relationshipTypes", "Of these kinds alone, one each time that it is sent.")
_SOURCES: Final = text("sourceTypes", "From entities of these types alone.")
_TARGETS: Final = text("destinationTypes", "To entities of these types alone.")
_MEANINGLESS: Final[list[Parameter[Any]]] = [
    text("pitKeepAlive", "Makes no difference."),
    flag("includeSoftDelete", "Makes no difference."),
]
_FILTER: Final = {"type": ["object", "null"]}
_SCROLL: Final = shapes.record(sourceFilter=_FILTER, destinationFilter=_FILTER, edgeFilter=_FILTER)
_LINEAGE: Final = shapes.record(urns={"type": ["array", "null"], "items": shapes.TEXT, "maxItems": 1_000})
_RELATED: Final = shapes.record(
    "start count total entities",
    start=shapes.NUMBER,
    count=shapes.NUMBER,
    total=shapes.NUMBER,
    entities=shapes.several(shapes.record("urn relationshipType", urn=shapes.URN, relationshipType=shapes.TEXT)),
)
_RESULTS: Final = shapes.record("results", results=shapes.several(shapes.ANY), scrollId=shapes.TEXT_OR_NULL)


class RelatedHandler(DataHubHandler):
    """`GET /openapi/relationships/v1`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listRelated",
        takes=[_URN, _DIRECTION, _KINDS, _START, _MOST],
        answers={200: _RELATED},
        refuses=[NotFound, InvalidName],
    )
    async def get(self) -> None:
        """The entities that an entity names, or that name it."""
        urn, incoming = Urn.parse(self.asked(_URN)), self.asked(_DIRECTION) == "INCOMING"
        kinds, start, most = self.many(_KINDS), self.asked(_START), self.asked(_MOST)

        def read(asking: Asking) -> Answer:
            relater = asking.catalog.datahub.relater
            named, total = relater.of(urn, incoming, kinds, start, most, asking.principal)
            urns = asking.catalog.datahub.reader.spelled([one.urn if incoming else one.target for one in named])
            pairs = zip(urns, named, strict=True)
            told = [{"urn": text, "relationshipType": one.kind} for text, one in pairs]
            return Answer({"start": start, "count": len(told), "total": total, "entities": told})

        await self.reply(read, None)


class ScrollRelationshipsHandler(DataHubHandler):
    """`POST /openapi/v3/relationship/scroll`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "scrollRelationships",
        takes=[COUNT, CURSOR, _DIRECTION, _KINDS, _SOURCES, _TARGETS, *_MEANINGLESS],
        body={"application/json": _SCROLL},
        answers={200: _RESULTS},
        refuses=[InvalidName],
    )
    async def post(self) -> None:
        """A page of relationships between entities; filters name entities by their URNs."""
        limit, cursor, kinds = self.asked(COUNT), self.asked(CURSOR), self.many(_KINDS)
        sources, targets = self.many(_SOURCES), self.many(_TARGETS)
        self.asked(_DIRECTION)

        def read(asking: Asking) -> Answer:
            if asking.body.get("edgeFilter"):
                raise InvalidQuery("edges are told by their kinds and ends alone: edgeFilter is not served")
            from_, to = _urns(asking.body, "sourceFilter"), _urns(asking.body, "destinationFilter")
            edges = Edges(kinds, sources, targets, from_, to)
            found, more = asking.catalog.datahub.relater.scroll(edges, limit, cursor, asking.principal)
            spelled = _spelled(asking, found)
            told = [_edge(one.kind, spelled[one.urn], spelled[one.target]) for one in found]
            return Answer({"results": told, "scrollId": more})

        await self.reply(read, _SCROLL, asks=True)


class ScrollLineageHandler(DataHubHandler):
    """`POST /openapi/v3/lineage/scroll`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "scrollLineage",
        takes=[COUNT, CURSOR, _FLOW, _KINDS, *_MEANINGLESS],
        body={"application/json": _LINEAGE},
        answers={200: _RESULTS},
        refuses=[InvalidName],
    )
    async def post(self) -> None:
        """The relationships of entities along which data flow, as their aspects tell them."""
        limit, cursor, flow, kinds = self.asked(COUNT), self.asked(CURSOR), self.asked(_FLOW), self.many(_KINDS)

        def read(asking: Asking) -> Answer:
            urns = tuple(str(Urn.parse(one)) for one in asking.body.get("urns") or ())
            if not urns:
                raise InvalidQuery("names the entities", "urns")
            found, more = asking.catalog.datahub.relater.lineage(urns, kinds, flow, limit, cursor, asking.principal)
            spelled = _spelled(asking, [one for one, _, _ in found])
            told = [
                _edge(one.kind, spelled[one.urn], spelled[one.target])
                | {"upstream": spelled.get(upstream, upstream), "downstream": spelled.get(downstream, downstream)}
                for one, upstream, downstream in found
            ]
            return Answer({"results": told, "scrollId": more})

        await self.reply(read, _LINEAGE, asks=True)


def _spelled(asking: Asking, found: Iterable[Any]) -> dict[str, str]:
    """Return the ends of relationships as DataHub's clients sent them, by URN."""
    urns = list(dict.fromkeys(urn for one in found for urn in (one.urn, one.target)))
    return dict(zip(urns, asking.catalog.datahub.reader.spelled(urns), strict=True))


def _edge(kind: str, source: str, target: str) -> dict[str, Any]:
    ends = {
        name: {"urn": urn, "entityType": Urn.parse(urn).type}
        for name, urn in (("source", source), ("destination", target))
    }
    return {"relationshipType": kind, **ends}


def _urns(body: dict[str, Any], name: str) -> tuple[str, ...]:
    """The URNs that a filter names, which is all that it can."""
    found: list[str] = []
    for criterion in (one for some in criteria.read(body.get(name), f"/{name}") for one in some):
        if criterion.field != "urn" or criterion.condition not in ("EQUAL", "IN") or criterion.negated:
            raise InvalidQuery(f"{name} names entities: criteria of the field urn, with the condition EQUAL")
        found += [str(Urn.parse(one)) for one in criterion.values]
    return tuple(found)


ROUTES = [
    ("/openapi/relationships/v1", RelatedHandler),
    ("/openapi/v3/relationship/scroll", ScrollRelationshipsHandler),
    ("/openapi/v3/lineage/scroll", ScrollLineageHandler),
]
