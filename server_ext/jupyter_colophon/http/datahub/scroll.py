"""All entities of some types, a page at a time."""

from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.errors import Absent, IllegalQuery
from jupyter_colophon.core.names import Urn
from jupyter_colophon.http.datahub import documents, shapes
from jupyter_colophon.http.datahub.asking import Answer, Asking
from jupyter_colophon.http.datahub.base import DataHubHandler
from jupyter_colophon.http.datahub.v3 import LISTED, SYSTEM
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.parameter import flag, number, text
from jupyter_colophon.service.datahub.finding import ALL, ScrollQuestion

COUNT: Final = number("count", "How many at most.", default=10, least=1, most=1_000)
CURSOR: Final = text("scrollId", "Where to read on: the `scrollId` of the answer before.")
_QUERY: Final = text("query", "`*`; words are for `/entities?action=search`.")
_SORT: Final = text("sort", "`urn`.")
_REMOVED: Final = flag("includeSoftDelete", "Whether hidden ones are told as well.")
#: What its other options say is so here anyway, or makes no difference.
_MEANINGLESS: Final = [
    text(name, "Makes no difference.")
    for name in ("skipCache", "skipAggregation", "scrollIdPerEntity", "pitKeepAlive", "sortCriteria")
]
_BODY: Final = shapes.record(
    entities={"type": ["array", "null"], "items": shapes.TEXT},
    aspects={"type": ["array", "null"], "items": shapes.TEXT},
    filter={"type": ["object", "null"]},
    sortCriteria={"type": ["array", "null"]},
)


class ScrollHandler(DataHubHandler):
    """`POST /openapi/v3/entity/scroll`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "scrollEntities",
        takes=[COUNT, CURSOR, _QUERY, _SORT, _REMOVED, SYSTEM, *_MEANINGLESS],
        body={"application/json": _BODY},
        answers={200: shapes.record("entities", entities=LISTED, scrollId=shapes.TEXT_OR_NULL)},
        refuses=[Absent],
    )
    async def post(self) -> None:
        """A page of entities, by URN, with the aspects that are named (an empty list: with all; without it: with none)."""
        if self.asked(_QUERY) not in ("", ALL) or self.asked(_SORT) not in ("", "urn"):
            raise IllegalQuery("a scroll goes through everything by URN: `query` is *, `sort` is urn")
        limit, cursor, removed = self.asked(COUNT), self.asked(CURSOR), self.asked(_REMOVED)
        with_system = self.asked(SYSTEM)

        def read(asking: Asking) -> Answer:
            body, found = asking.body, asking.catalog.datahub
            question = ScrollQuestion(
                tuple(body.get("entities") or ()), criteria.read(body.get("filter"), "/filter"), limit, cursor, removed
            )
            for kind in question.types:
                asking.catalog.registry.type(kind)
            page = found.finder.scroll(question, asking.principal)
            named = body.get("aspects")
            urns = [Urn.parse(urn) for urn in page.urns]
            said = {} if named is None else found.reader.entities(urns, set(named) or None, asking.principal)
            told = [documents.v3_entity(urn, said.get(urn, {}), with_system=with_system) for urn in page.urns]
            return Answer({"entities": told, "scrollId": page.cursor})

        await self.reply(read, _BODY)


ROUTES = [("/openapi/v3/entity/scroll", ScrollHandler)]
