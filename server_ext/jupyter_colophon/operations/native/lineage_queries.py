"""What else is asked of lineage: how it goes on, the ways between two nodes, what a change would reach, what changed."""

import time as clock
from typing import Any, Final, cast

from jupyter_colophon.core.errors import HistoryExpired, InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.answers import DAY_MS, DiffQuestion, PathQuestion
from jupyter_colophon.core.lineage.graph import (
    DEFAULT_RELATIONS,
    MAX_LEVELS,
    MAX_RELATIONS,
    Direction,
    LineageQuestion,
    Window,
)
from jupyter_colophon.core.time_format import format_time, parse_span, parse_time
from jupyter_colophon.operations.native import lineage_documents
from jupyter_colophon.operations.native.lineage import DIRECTION, LEVELS, RELATIONS, window
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import Parameter, number, text, time
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import AS_OF, END, START, URN

_FROM: Final = text("from", "The URN of the node from which the data flows.", required=True, format="colophon-urn")
_TO: Final = text("to", "The URN of the node to which the data flows.", required=True, format="colophon-urn")
_REACH: Final = number("levels", "Maximum number of levels.", default=MAX_LEVELS, least=1, most=MAX_LEVELS)
_BEFORE: Final = time("from", "The earlier time; by default, one day before the later time.")
_AFTER: Final = time("to", "The later time; by default, now.")
_WINDOW: Final = Parameter(
    "window",
    "An edge exists at a time if a run accessed the data within this duration before it: a number with ms, s, m, h or d.",
    {"type": "string", "default": "7d"},
    lambda sent: parse_span(sent, "window"),
    7 * DAY_MS,
)


@operation(
    "continueLineage",
    "POST /lineage/next",
    body="lineage-next",
    answers="lineage",
    errors=[InvalidName, InvalidQuery, NotFound, HistoryExpired],
    permission="read",
)
def continue_lineage(services: Services, request: Request) -> Document:
    """Continue a lineage graph from the frontier of a previous answer."""
    question = _continuation(request.body)
    found = services.catalog().lineage.lineage(question, request.principal)
    return lineage_documents.asked(question) | lineage_documents.lineage(found)


@operation(
    "readLineagePath",
    "GET /lineage/path",
    parameters=[_FROM, _TO, START, END, AS_OF],
    answers="lineage-path",
    errors=[InvalidName, NotFound, HistoryExpired],
)
def read_lineage_path(services: Services, request: Request) -> Document:
    """Find all shortest paths on which data flows from one node to another."""
    question = PathQuestion(Urn.parse(request[_FROM]), Urn.parse(request[_TO]), window(request), request[AS_OF])
    found = services.catalog().lineage.paths(question, request.principal)
    ends = {"from": str(question.source), "to": str(question.target)}
    return ends | lineage_documents.times(question.window, question.as_of) | lineage_documents.paths(found)


@operation(
    "readLineageImpact",
    "GET /lineage/impact",
    parameters=[URN, _REACH, START, END, AS_OF],
    answers="lineage-impact",
    errors=[InvalidName, NotFound, HistoryExpired],
)
def read_lineage_impact(services: Services, request: Request) -> Document:
    """Count the downstream entities by type, owner and namespace."""
    question = LineageQuestion(
        Urn.parse(request[URN]),
        "downstream",
        request[_REACH],
        window(request),
        MAX_RELATIONS,
        as_of=request[AS_OF],
    )
    found = services.catalog().lineage.impact(question, request.principal)
    start = {"urn": str(question.urn), "levels": question.levels}
    return start | lineage_documents.times(question.window, question.as_of) | lineage_documents.impact(found)


@operation(
    "readLineageDiff",
    "GET /lineage/diff",
    parameters=[URN, _BEFORE, _AFTER, _WINDOW, DIRECTION, LEVELS, RELATIONS],
    answers="lineage-diff",
    errors=[InvalidName, NotFound],
)
def read_lineage_diff(services: Services, request: Request) -> Document:
    """List the lineage edges that were added and removed between two times."""
    after = request[_AFTER]
    after = clock.time_ns() // 1_000_000 if after is None else after
    before = request[_BEFORE]
    question = DiffQuestion(
        urn=Urn.parse(request[URN]),
        source=max(0, after - DAY_MS) if before is None else before,
        target=after,
        window=request[_WINDOW],
        direction=cast("Direction", request[DIRECTION]),
        levels=request[LEVELS],
        limit=request[RELATIONS],
    )
    if question.source > question.target:
        raise InvalidQuery("is after to", "from")
    found = services.catalog().lineage.diff(question, request.principal)
    return {
        "urn": str(question.urn),
        "direction": question.direction,
        "levels": question.levels,
        "from": format_time(question.source),
        "to": format_time(question.target),
        "window": question.window,
        **lineage_documents.diff(found),
    }


def _continuation(body: dict[str, Any]) -> LineageQuestion:
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
