"""What else is asked of lineage: how it goes on, the ways between two nodes, what a change would reach, what changed."""

import time as clock
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import HistoryExpired, InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.answers import DAY_MS, DiffQuestion, PathQuestion
from jupyter_colophon.core.lineage.graph import DEFAULT_RELATIONS, MAX_LEVELS, MAX_RELATIONS, LineageQuestion, Window
from jupyter_colophon.core.time_format import format_time, parse_span, parse_time
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import lineage_documents
from jupyter_colophon.http.native.lineage import DIRECTION, LEVELS, RELATIONS, window
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import Parameter, number, text, time
from jupyter_colophon.operations.shared_parameters import AS_OF, END, START, URN

_FROM: Final = text("from", "Where the data comes from.", required=True, format="colophon-urn")
_TO: Final = text("to", "Where it goes.", required=True, format="colophon-urn")
_REACH: Final = number("levels", "How far.", default=MAX_LEVELS, least=1, most=MAX_LEVELS)
_BEFORE: Final = time("from", "The first time; without it a day before the second.")
_AFTER: Final = time("to", "The second time; without it now.")
_SPAN: Final = Parameter(
    "span",
    "How long before a time a run may have touched data for the edge to be there: a number with ms, s, m, h or d.",
    {"type": "string", "default": "7d"},
    lambda told: parse_span(told, "span"),
    7 * DAY_MS,
)


class NextHandler(ApiHandler):
    """`POST /lineage/next`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "continueLineage",
        body="lineage-next",
        answers="lineage",
        refuses=[InvalidName, InvalidQuery, NotFound, HistoryExpired],
    )
    async def post(self) -> None:
        """The graph from the frontier of an answer on."""
        question, principal = _going_on(await self.body()), self.principal
        found = await self.hop(lambda catalog: catalog.lineage.lineage(question, principal), asks=True)
        self.answer(lineage_documents.asked(question) | lineage_documents.lineage(found))


class PathHandler(ApiHandler):
    """`GET /lineage/path`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readLineagePath",
        takes=[_FROM, _TO, START, END, AS_OF],
        answers="lineage-path",
        refuses=[InvalidName, NotFound, HistoryExpired],
    )
    async def get(self) -> None:
        """All shortest ways on which data flows from one node to another."""
        question = PathQuestion(
            Urn.parse(self.asked(_FROM)), Urn.parse(self.asked(_TO)), window(self), self.asked(AS_OF)
        )
        principal = self.principal
        found = await self.hop(lambda catalog: catalog.lineage.paths(question, principal))
        asked = {"from": str(question.source), "to": str(question.target)}
        self.answer(asked | lineage_documents.times(question.window, question.as_of) | lineage_documents.paths(found))


class ImpactHandler(ApiHandler):
    """`GET /lineage/impact`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readLineageImpact",
        takes=[URN, _REACH, START, END, AS_OF],
        answers="lineage-impact",
        refuses=[InvalidName, NotFound, HistoryExpired],
    )
    async def get(self) -> None:
        """How much is downstream, by type, owner and namespace."""
        question = LineageQuestion(
            Urn.parse(self.asked(URN)),
            "downstream",
            self.asked(_REACH),
            window(self),
            MAX_RELATIONS,
            as_of=self.asked(AS_OF),
        )
        principal = self.principal
        found = await self.hop(lambda catalog: catalog.lineage.impact(question, principal))
        asked = {"urn": str(question.urn), "levels": question.levels}
        self.answer(asked | lineage_documents.times(question.window, question.as_of) | lineage_documents.impact(found))


class DiffHandler(ApiHandler):
    """`GET /lineage/diff`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readLineageDiff",
        takes=[URN, _BEFORE, _AFTER, _SPAN, DIRECTION, LEVELS, RELATIONS],
        answers="lineage-diff",
        refuses=[InvalidName, NotFound],
    )
    async def get(self) -> None:
        """The edges that came and went between two times."""
        after = self.asked(_AFTER)
        after = clock.time_ns() // 1_000_000 if after is None else after
        before = self.asked(_BEFORE)
        question = DiffQuestion(
            urn=Urn.parse(self.asked(URN)),
            source=max(0, after - DAY_MS) if before is None else before,
            target=after,
            span=self.asked(_SPAN),
            direction=self.asked(DIRECTION),  # type: ignore[arg-type]  # the parameter takes no other word
            levels=self.asked(LEVELS),
            limit=self.asked(RELATIONS),
        )
        if question.source > question.target:
            raise InvalidQuery("is after to", "from")
        principal = self.principal
        found = await self.hop(lambda catalog: catalog.lineage.diff(question, principal))
        self.answer(
            {
                "urn": str(question.urn),
                "direction": question.direction,
                "levels": question.levels,
                "from": format_time(question.source),
                "to": format_time(question.target),
                "span": question.span,
                **lineage_documents.diff(found),
            }
        )


def _going_on(body: dict[str, Any]) -> LineageQuestion:
    now = clock.time_ns() // 1_000_000
    start, end, as_of = (
        parse_time(body[name], now, name) if body.get(name) else None for name in ("start", "end", "asOf")
    )
    if start is not None and end is not None and start > end:
        raise InvalidQuery("is after end", "start")
    frontier = tuple(dict.fromkeys(Urn.parse(one) for one in body["frontier"]))
    return LineageQuestion(
        urn=frontier[0],
        direction=body.get("direction", "both"),
        levels=body.get("levels", 1),
        window=Window(start, end),
        limit=body.get("limit", DEFAULT_RELATIONS),
        columns=body.get("columns", False),
        as_of=as_of,
        frontier=tuple(str(one) for one in frontier),
        visited=frozenset(str(Urn.parse(one)) for one in body.get("visited", ())),
    )


ROUTES = [
    ("/lineage/next", NextHandler),
    ("/lineage/path", PathHandler),
    ("/lineage/impact", ImpactHandler),
    ("/lineage/diff", DiffHandler),
]
