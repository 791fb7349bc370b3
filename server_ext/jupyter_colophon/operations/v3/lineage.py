"""Lineage of datasets and streams in a window of time: `GET …/lineage`, `POST …/lineage/next`."""

import time as clock
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast, get_args

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
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import count, text, texts, time
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.v3.lineage_documents import Shape
from jupyter_colophon.operations.v3.parameters import AS_OF, FORMAT, word
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS, entity_in_path
from jupyter_colophon.service.lineage.cdap_lineage import find_accesses

_LINEAGE: Final = {
    "type": "object",
    "properties": {
        "start": {"type": ["string", "integer"]},
        "end": {"type": ["string", "integer"]},
        "relations": {"type": "array", "items": {"type": "object"}},
        "programs": {"type": "object"},
        "data": {"type": "object"},
        "frontier": {"type": "array", "items": {"type": "string"}},
        "truncated": {"type": "boolean"},
    },
    "required": ["start", "end", "relations", "programs", "data", "frontier", "truncated"],
}
_ERRORS: Final = (NotFound, InvalidName, HistoryExpired)
_DEFAULT_LEVELS: Final = 10
START: Final = replace(time("start", "Start of the interval: runs that ended before it are ignored."), required=True)
END: Final = replace(time("end", "End of the interval: runs that began at or after it are ignored."), required=True)
_LEVELS: Final = text(
    "levels", "Number of levels, by default 10: one level is data, its programs, and their other data."
)
_MAX_LEVELS: Final = text("maxLevels", "The same as `levels`.")
_DIRECTION: Final = word(
    "direction", "`incoming` follows the data upstream, `outgoing` downstream.", "both", "incoming", "outgoing"
)
_COLLAPSE: Final = texts(
    "collapse", "Combine relations that differ only in `access`, `run` or `component`. May be sent more than once."
)
_ROLLUP: Final = word("rollup", "Replace the programs that a workflow ran by the workflow.", "workflow")
_LIMIT: Final = count("limit", "Maximum number of relations.", default=DEFAULT_RELATIONS, least=1, most=MAX_RELATIONS)
_DIRECTIONS: Final[Mapping[str, Direction]] = {
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


@operation(
    "v3ReadLineage",
    "GET /{data}/lineage",
    parameters=[
        *(*ENTITY_PARAMETERS, START, END, _LEVELS, _MAX_LEVELS, _DIRECTION, _COLLAPSE),
        *(_ROLLUP, _LIMIT, AS_OF, FORMAT),
    ],
    answers={200: _LINEAGE},
    errors=_ERRORS,
)
def read_lineage(services: Services, request: Request) -> Document:
    """Return the lineage of a dataset or a stream in a window of time."""
    urn, namespace = data_in_path(services, request, 1)
    question = LineageQuestion(
        urn=urn,
        direction=_DIRECTIONS[request[_DIRECTION]],
        levels=_levels(request[_LEVELS], request[_MAX_LEVELS]),
        window=window(request[START], request[END]),
        limit=request[_LIMIT],
        as_of=request[AS_OF],
    )
    collapse = {_part(one) for one in request[_COLLAPSE]}
    rollup, v5 = request[_ROLLUP] != "", request[FORMAT] != ""
    return _lineage(services, request, question, namespace, collapse, rollup=rollup, v5=v5)


@operation(
    "v3ReadNextLineage",
    "POST /{data}/lineage/next",
    parameters=ENTITY_PARAMETERS,
    body={"application/json": _NEXT},
    answers={200: _LINEAGE},
    errors=_ERRORS,
    permission="read",
)
def read_next_lineage(services: Services, request: Request) -> Document:
    """Return the lineage that continues at the frontier of an answer."""
    urn, namespace = data_in_path(services, request, 2)
    body, now, identity = request.body, clock.time_ns() // 1_000_000, services.identity

    def read_time(name: str) -> int | None:
        return parse_time(str(body[name]), now, name) if str(body.get(name, "")) else None

    def read_urns(name: str) -> list[str]:
        return [str(from_lineage_key(key, identity)) for key in body.get(name, ())]

    question = LineageQuestion(
        urn=urn,
        direction=_DIRECTIONS[body.get("direction", "both")],
        levels=_levels(str(body.get("levels", "")), str(body.get("maxLevels", ""))),
        window=window(read_time("start"), read_time("end")),
        limit=min(body.get("limit", DEFAULT_RELATIONS), MAX_RELATIONS),
        as_of=read_time("asOf"),
        frontier=tuple(dict.fromkeys(read_urns("frontier"))),
        visited=frozenset(read_urns("visited")),
    )
    collapse = body.get("collapse", [])
    parts = {_part(one) for one in ([collapse] if isinstance(collapse, str) else collapse)}
    rollup, v5 = "rollup" in body, "responseFormat" in body
    return _lineage(services, request, question, namespace, parts, rollup=rollup, v5=v5)


def data_in_path(services: Services, request: Request, trailing: int) -> tuple[Urn, str]:
    """Return the dataset or stream in the path, and the namespace there. Raises InvalidName."""
    urn, namespace = entity_in_path(services, request, trailing)
    if urn.type != "dataset":
        raise InvalidName("data", str(urn), "lineage is that of datasets and streams")
    return urn, namespace


def _lineage(
    services: Services,
    request: Request,
    question: LineageQuestion,
    namespace: str,
    collapse: set[Part],
    *,
    rollup: bool,
    v5: bool,
) -> Document:
    lineage, principal = services.catalog().lineage, request.principal
    lineage.require_in(question.urn, namespace, principal)
    found = find_accesses(lineage, question, principal, rollup=rollup)
    return Shape(services.identity, found.nodes, v5=v5).answer(found, question.window, collapse)


def window(start: int | None, end: int | None) -> Window:
    """Return the window of time; both borders must be sent. Raises InvalidQuery."""
    for name, time_ms in (("start", start), ("end", end)):
        if time_ms is None:
            raise InvalidQuery("is missing", name)
    if cast("int", start) > cast("int", end):
        raise InvalidQuery("is after end", "start")
    return Window(start, end)


def _levels(one: str, other: str) -> int:
    """Return the number of levels, which has two names; what is beyond our bound is on the frontier."""
    found = {_level(sent, name) for name, sent in (("levels", one), ("maxLevels", other)) if sent}
    if len(found) > 1:
        raise InvalidQuery("differs from levels", "maxLevels")
    return min(next(iter(found), _DEFAULT_LEVELS), MAX_LEVELS)


def _level(sent: str, name: str) -> int:
    if not (sent.isascii() and sent.isdigit() and len(sent) <= 18 and int(sent) >= 1):
        raise InvalidQuery("a number from 1 on", name)
    return int(sent)


def _part(sent: str) -> Part:
    if sent.casefold() not in get_args(Part):
        raise InvalidQuery(f"one of {', '.join(get_args(Part))}", "collapse")
    return cast("Part", sent.casefold())
