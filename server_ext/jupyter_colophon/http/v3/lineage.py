"""Lineage of datasets and streams in a window of time: `GET …/lineage`, `POST …/lineage/next`."""

import time as clock
from collections.abc import Mapping
from typing import Any, Final, cast, get_args

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.cdap.lineage_keys import from_lineage_key
from jupyter_colophon.core.cdap.relations import Part
from jupyter_colophon.core.errors import HistoryExpired, InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import (
    DEFAULT_RELATIONS,
    MAX_LEVELS,
    MAX_RELATIONS,
    Direction,
    LineageQuestion,
    Window,
)
from jupyter_colophon.core.time_format import parse_time
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.lineage_documents import Shape
from jupyter_colophon.http.v3.parameters import AS_OF, FORMAT, word
from jupyter_colophon.operations.parameter import count, text, time
from jupyter_colophon.service.lineage.cdap_lineage import Related, related

_LINEAGE: Final = {"type": "object"}
_DEFAULT_LEVELS: Final = 10
START: Final = time("start", "Runs that were not over before this time; must be sent.")
END: Final = time("end", "Runs that began before this time; must be sent.")
_LEVELS: Final = text("levels", "How far, from 1 on: data, programs and their other data are one level. Without it 10.")
_MAX_LEVELS: Final = text("maxLevels", "The same as `levels`.")
_DIRECTION: Final = word("direction", "What data came from, or went to.", "both", "incoming", "outgoing")
_COLLAPSE: Final = text("collapse", "Gather values of `access`, `run` or `component`; may be sent more than once.")
_ROLLUP: Final = word("rollup", "Tell what ran in a workflow as the workflow's.", "workflow")
_LIMIT: Final = count("limit", "How many relations at most.", default=DEFAULT_RELATIONS, least=1, most=MAX_RELATIONS)
DIRECTIONS: Final[Mapping[str, Direction]] = {
    "": "undirected",
    "both": "undirected",
    "incoming": "upstream",
    "outgoing": "downstream",
}
_KEYS: Final = {"type": "array", "items": {"type": "string", "maxLength": 8192}, "maxItems": 20_000}
_TIME: Final = {"type": ["string", "integer"], "maxLength": 200, "minimum": 0}
_NUMBER: Final = {"type": ["string", "integer"], "maxLength": 18}
_COLLAPSES: Final = {"type": "string", "enum": list(get_args(Part))}
_NEXT: Final = {
    "type": "object",
    "properties": {
        "start": _TIME,
        "end": _TIME,
        "maxLevels": _NUMBER,
        "levels": _NUMBER,
        "frontier": {**_KEYS, "minItems": 1},
        "visited": _KEYS,
        "direction": {"enum": ["both", "incoming", "outgoing"]},
        "collapse": {"anyOf": [_COLLAPSES, {"type": "array", "items": _COLLAPSES}]},
        "rollup": {"enum": ["workflow"]},
        "limit": {"type": "integer", "minimum": 1},
        "asOf": _TIME,
        "responseFormat": {"enum": ["v5"]},
    },
    "required": ["start", "end", "frontier"],
    "additionalProperties": False,
}


class _LineageHandler(V3Handler):
    """What both routes share."""

    def data(self, *behind: str) -> tuple[Urn, str]:
        """The dataset or stream in the path, and the namespace that the path says."""
        urn, says = self.place(self.segments("lineage", *behind))
        if urn.type != "dataset":
            raise InvalidName("data", str(urn), "lineage is that of datasets and streams")
        return urn, says

    async def tell(
        self, asked: LineageQuestion, place: tuple[Urn, str], collapse: set[Part], *, rollup: bool, v5: bool
    ) -> None:
        """Answer the relations."""
        principal, (urn, says), identity = self.principal, place, self.state.identity

        def work(catalog: Any) -> Related:
            catalog.lineage.require_in(urn, says, principal)
            return related(catalog.lineage, asked, principal, rollup=rollup)

        # Also what goes on from a frontier only reads, though it is sent as a POST.
        found = await self.hop(work, asks=True)
        self.answer(Shape(identity, found.nodes, v5=v5).answer(found, asked.window, collapse))


class LineageHandler(_LineageHandler):
    """`GET E/lineage`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "v3ReadLineage",
        takes=[START, END, _LEVELS, _MAX_LEVELS, _DIRECTION, _COLLAPSE, _ROLLUP, _LIMIT, AS_OF, FORMAT],
        answers={200: _LINEAGE},
        refuses=[NotFound, InvalidName, HistoryExpired],
    )
    async def get(self) -> None:
        """The lineage of a dataset or a stream in a window of time."""
        place = self.data()
        question = LineageQuestion(
            urn=place[0],
            direction=DIRECTIONS[self.asked(_DIRECTION)],
            levels=levels(self.asked(_LEVELS), self.asked(_MAX_LEVELS)),
            window=window(self.asked(START), self.asked(END)),
            limit=self.asked(_LIMIT),
            as_of=self.asked(AS_OF),
        )
        collapse = {_part(one) for one in self.many("collapse")}
        rollup, v5 = self.asked(_ROLLUP) != "", self.asked(FORMAT) != ""
        await self.tell(question, place, collapse, rollup=rollup, v5=v5)


class NextHandler(_LineageHandler):
    """`POST E/lineage/next`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "v3ReadNextLineage",
        body={"application/json": _NEXT},
        answers={200: _LINEAGE},
        refuses=[NotFound, InvalidName, HistoryExpired],
    )
    async def post(self) -> None:
        """The lineage from the frontier of an answer on."""
        place, body = self.data("next"), await self.body()
        now, identity = clock.time_ns() // 1_000_000, self.state.identity

        def told(name: str) -> int | None:
            return parse_time(str(body[name]), now, name) if str(body.get(name, "")) else None

        def named(name: str) -> list[str]:
            return [str(from_lineage_key(key, identity)) for key in body.get(name, ())]

        question = LineageQuestion(
            urn=place[0],
            direction=DIRECTIONS[body.get("direction", "both")],
            levels=levels(str(body.get("levels", "")), str(body.get("maxLevels", ""))),
            window=window(told("start"), told("end")),
            limit=min(body.get("limit", DEFAULT_RELATIONS), MAX_RELATIONS),
            as_of=told("asOf"),
            frontier=tuple(dict.fromkeys(named("frontier"))),
            visited=frozenset(named("visited")),
        )
        collapse = body.get("collapse", [])
        parts = {_part(one) for one in ([collapse] if isinstance(collapse, str) else collapse)}
        await self.tell(question, place, parts, rollup="rollup" in body, v5="responseFormat" in body)


def window(start: int | None, end: int | None) -> Window:
    """The window that was asked for: both borders have to be told."""
    for name, told in (("start", start), ("end", end)):
        if told is None:
            raise InvalidQuery("is missing", name)
    if cast("int", start) > cast("int", end):
        raise InvalidQuery("is after end", "start")
    return Window(start, end)


def levels(one: str, other: str) -> int:
    """How far: the same number under either name; what is beyond our bound is on the frontier."""
    found = {_level(told, name) for name, told in (("levels", one), ("maxLevels", other)) if told}
    if len(found) > 1:
        raise InvalidQuery("is not what levels says", "maxLevels")
    return min(next(iter(found), _DEFAULT_LEVELS), MAX_LEVELS)


def _level(told: str, name: str) -> int:
    if not (told.isascii() and told.isdigit() and len(told) <= 18 and int(told) >= 1):
        raise InvalidQuery("a number from 1 on", name)
    return int(told)


def _part(told: str) -> Part:
    if told.casefold() not in get_args(Part):
        raise InvalidQuery(f"one of {', '.join(get_args(Part))}", "collapse")
    return cast("Part", told.casefold())


#: The path of data: with `-` in its place, `?entity=` says which.
DATA: Final = "(?:-|namespaces/[^/]+/(?:datasets?|streams?)/[^/]+)"
ROUTES: list[tuple[str, type]] = [
    (f"{DATA}/lineage", LineageHandler),
    (f"{DATA}/lineage/next", NextHandler),
]
