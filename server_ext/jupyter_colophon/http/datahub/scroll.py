"""All entities of some types, a page at a time."""

from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.http.datahub import documents, shapes
from jupyter_colophon.http.datahub.base import DataHubHandler
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.datahub.v3 import LISTED, SYSTEM
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import count, flag, text
from jupyter_colophon.service.datahub.search import ALL, ScrollQuestion

COUNT: Final = count("count", "How many at most.", default=10, least=1, most=1_000)
CURSOR: Final = text("scrollId", "Where to read on: the `scrollId` of the answer before.")
_QUERY: Final = text("query", "`*`; words are for `/entities?action=search`.")
_SORT: Final = text("sort", "`urn`.")
_REMOVED: Final = flag("includeSoftDelete", "Whether hidden ones are told as well.")
#: What its other options say is so here anyway, or makes no difference.
_MEANINGLESS: Final = [
    text(name, "Makes no difference.")
    for name in ("skipCache", "skipAggregation", "scrollIdPerEntity", "pitKeepAlive", "sortCriteria")
]
#: The aspects of so many entities are read together.
_AT_ONCE: Final = 20
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
        refuses=[NotFound],
    )
    async def post(self) -> None:
        """A page of entities, by URN, with the aspects that are named (an empty list: with all; without it: with none)."""
        if self.asked(_QUERY) not in ("", ALL) or self.asked(_SORT) not in ("", "urn"):
            raise InvalidQuery("a scroll goes through everything by URN: `query` is *, `sort` is urn")
        limit, cursor, removed = self.asked(COUNT), self.asked(CURSOR), self.asked(_REMOVED)
        with_system = self.asked(SYSTEM)

        def read(asking: Asking) -> Answer:
            body, found = asking.body, asking.catalog.datahub
            question = ScrollQuestion(
                tuple(body.get("entities") or ()), criteria.read(body.get("filter"), "/filter"), limit, cursor, removed
            )
            for kind in question.types:
                found.finder.require_type(kind, asking.principal)
            page = found.finder.scroll(question, asking.principal)
            named = body.get("aspects")
            told: list[dict[str, Any]] = []
            size, after = 0, page.cursor
            for at in range(0, len(page.urns), _AT_ONCE):
                if size > PAGE_BYTES_MAX:
                    after = found.finder.cursor_after(question, page.urns[at - 1])
                    break
                urns = page.urns[at : at + _AT_ONCE]
                parsed = [Urn.parse(urn) for urn in urns]
                said = {} if named is None else found.reader.entities(parsed, set(named) or None, asking.principal)
                spelled = zip(urns, found.reader.spelled(urns), strict=True)
                some = [documents.v3_entity(text, said.get(urn, {}), with_system=with_system) for urn, text in spelled]
                size += measure(some)
                told += some
            return Answer({"entities": told, "scrollId": after})

        await self.reply(read, _BODY, asks=True)


ROUTES = [("/openapi/v3/entity/scroll", ScrollHandler)]
