"""Lineage of datasets and streams in a window of time: `GET …/lineage`, `POST …/lineage/next`."""

import time as clock
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast, get_args

from jupyter_colophon.core.cdap.lineage_keys import parse_lineage_key
from jupyter_colophon.core.cdap.relations import Part
from jupyter_colophon.core.errors import HistoryExpired, InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import (
    DEFAULT_RELATIONS,
    MAX_LEVELS,
    MAX_RELATIONS,
    Direction,
    LineageRequest,
    TimeWindow,
)
from jupyter_colophon.core.time_format import parse_time_to_ms
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_count, declare_text, declare_texts, declare_time
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3.lineage_documents import LineageRenderer
from jupyter_colophon.operations.v3.parameters import AS_OF, FORMAT, declare_choice_in_any_case
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS, parse_entity_of_request
from jupyter_colophon.service.lineage.cdap_lineage import find_accesses_around_data

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
START: Final = replace(
    declare_time("start", "Start of the interval: runs that ended before it are ignored."), required=True
)
END: Final = replace(
    declare_time("end", "End of the interval: runs that began at or after it are ignored."), required=True
)
_LEVELS: Final = declare_text(
    "levels", "Number of levels, by default 10: one level is data, its programs, and their other data."
)
_MAX_LEVELS: Final = declare_text("maxLevels", "The same as `levels`.")
_DIRECTION: Final = declare_choice_in_any_case(
    "direction", "`incoming` follows the data upstream, `outgoing` downstream.", "both", "incoming", "outgoing"
)
_COLLAPSE: Final = declare_texts(
    "collapse", "Combine relations that differ only in `access`, `run` or `component`. May be sent more than once."
)
_ROLLUP: Final = declare_choice_in_any_case(
    "rollup", "Replace the programs that a workflow ran by the workflow.", "workflow"
)
_LIMIT: Final = declare_count(
    "limit", "Maximum number of relations.", default=DEFAULT_RELATIONS, minimum=1, maximum=MAX_RELATIONS
)
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


@declare_operation(
    "v3ReadLineage",
    "GET /{data}/lineage",
    decided_by="entities",
    parameters=[
        *(*ENTITY_PARAMETERS, START, END, _LEVELS, _MAX_LEVELS, _DIRECTION, _COLLAPSE),
        *(_ROLLUP, _LIMIT, AS_OF, FORMAT),
    ],
    answers={200: _LINEAGE},
    errors=_ERRORS,
)
def read_lineage(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the lineage of a dataset or a stream in a window of time."""
    urn, namespace = parse_data_urn_of_path(services, request, 1)
    lineage_request = LineageRequest(
        urn=urn,
        direction=_DIRECTIONS[request[_DIRECTION]],
        levels=_parse_levels(request[_LEVELS], request[_MAX_LEVELS]),
        window=require_time_window(request[START], request[END]),
        limit=request[_LIMIT],
        as_of=request[AS_OF],
    )
    collapse = {_parse_collapsed_part(item) for item in request[_COLLAPSE]}
    rollup, v5 = request[_ROLLUP] != "", request[FORMAT] != ""
    return _find_and_render_lineage(services, request, lineage_request, namespace, collapse, rollup=rollup, v5=v5)


@declare_operation(
    "v3ReadNextLineage",
    "POST /{data}/lineage/next",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    body={"application/json": _NEXT},
    answers={200: _LINEAGE},
    errors=_ERRORS,
    permission="read",
)
def read_next_lineage(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the lineage that continues at the frontier of an answer."""
    urn, namespace = parse_data_urn_of_path(services, request, 2)
    body, now, identity = request.body, clock.time_ns() // 1_000_000, services.identity

    def read_time(name: str) -> int | None:
        return parse_time_to_ms(str(body[name]), now, name) if str(body.get(name, "")) else None

    def read_urns(name: str) -> list[str]:
        return [str(parse_lineage_key(key, identity)) for key in body.get(name, ())]

    lineage_request = LineageRequest(
        urn=urn,
        direction=_DIRECTIONS[body.get("direction", "both")],
        levels=_parse_levels(str(body.get("levels", "")), str(body.get("maxLevels", ""))),
        window=require_time_window(read_time("start"), read_time("end")),
        limit=min(body.get("limit", DEFAULT_RELATIONS), MAX_RELATIONS),
        as_of=read_time("asOf"),
        frontier=tuple(dict.fromkeys(read_urns("frontier"))),
        visited=frozenset(read_urns("visited")),
    )
    collapse = body.get("collapse", [])
    parts = {_parse_collapsed_part(item) for item in ([collapse] if isinstance(collapse, str) else collapse)}
    rollup, v5 = "rollup" in body, "responseFormat" in body
    return _find_and_render_lineage(services, request, lineage_request, namespace, parts, rollup=rollup, v5=v5)


def parse_data_urn_of_path(services: ProcessServices, request: OperationRequest, trailing: int) -> tuple[Urn, str]:
    """Return the dataset or stream in the path, and the namespace there. Raises InvalidName."""
    urn, namespace = parse_entity_of_request(services, request, trailing)
    if urn.type != "dataset":
        raise InvalidName("data", str(urn), "only datasets and streams have lineage")
    return urn, namespace


def _find_and_render_lineage(
    services: ProcessServices,
    request: OperationRequest,
    lineage_request: LineageRequest,
    namespace: str,
    collapse: set[Part],
    *,
    rollup: bool,
    v5: bool,
) -> Document:
    lineage, principal = services.get_or_open_catalog().lineage, request.principal
    lineage.require_entity_in_namespace(lineage_request.urn, namespace, principal)
    access_lineage = find_accesses_around_data(lineage, lineage_request, principal, rollup=rollup)
    return LineageRenderer(services.identity, access_lineage.nodes, v5=v5).render_document(
        access_lineage, lineage_request.window, collapse
    )


def require_time_window(start: int | None, end: int | None) -> TimeWindow:
    """Return the window of time; both limits are required. Raises InvalidQuery."""
    for name, time_ms in (("start", start), ("end", end)):
        if time_ms is None:
            raise InvalidQuery(f"parameter {name!r} is required")
    if cast("int", start) > cast("int", end):
        raise InvalidQuery("must not be after end", "start")
    return TimeWindow(start, end)


def _parse_levels(levels: str, max_levels: str) -> int:
    """Return the number of levels, which has two names; a larger number is read as the maximum."""
    numbers = {
        _parse_level_number(sent, name) for name, sent in (("levels", levels), ("maxLevels", max_levels)) if sent
    }
    if len(numbers) > 1:
        raise InvalidQuery("must equal levels if both are given", "maxLevels")
    return min(next(iter(numbers), _DEFAULT_LEVELS), MAX_LEVELS)


def _parse_level_number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= 1):
        raise InvalidQuery("must be a number of at least 1", name)
    return int(text)


def _parse_collapsed_part(text: str) -> Part:
    if text.casefold() not in get_args(Part):
        raise InvalidQuery(f"must be one of {', '.join(get_args(Part))}", "collapse")
    return cast("Part", text.casefold())
