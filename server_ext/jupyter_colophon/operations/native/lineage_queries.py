"""More lineage queries: continuation, paths between two nodes, impact of a change, and differences."""

import time as clock
from typing import Any, Final, cast

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import HistoryExpired, InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.answers import LineageDiffRequest, PathRequest
from jupyter_colophon.core.lineage.column_impact import ColumnImpactRequest
from jupyter_colophon.core.lineage.graph import (
    DEFAULT_RELATIONS,
    MAX_LEVELS,
    MAX_RELATIONS,
    Direction,
    LineageRequest,
    TimeWindow,
)
from jupyter_colophon.core.openlineage.run_events import build_run_events
from jupyter_colophon.core.time_format import DAY_MS, format_ms_as_iso_time, parse_time_span_to_ms, parse_time_to_ms
from jupyter_colophon.operations.native import lineage_documents
from jupyter_colophon.operations.native.lineage import DIRECTION, LEVELS, RELATIONS, parse_time_window
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import Parameter, declare_number, declare_text, declare_time
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import AS_OF, END, START, URN
from jupyter_colophon.service.entities.columns import is_column_urn
from jupyter_colophon.service.lineage import column_impact

_FROM: Final = declare_text(
    "from", "The URN of the node from which the data flows.", required=True, format="colophon-urn"
)
_TO: Final = declare_text("to", "The URN of the node to which the data flows.", required=True, format="colophon-urn")
_COLUMN: Final = declare_text(
    "urn", "The URN of the column: `urn:li:schemaField:(<dataset>,<path>)`.", required=True, format="colophon-urn"
)
_REACH: Final = declare_number("levels", "Maximum number of levels.", default=MAX_LEVELS, minimum=1, maximum=MAX_LEVELS)
_BEFORE: Final = declare_time("from", "The earlier time; by default, one day before the later time.")
_AFTER: Final = declare_time("to", "The later time; by default, now.")
_WINDOW: Final = Parameter(
    "window",
    "An edge exists at a time if a run accessed the data within this duration before it: a number with ms, s, m, h or d.",
    {"type": "string", "default": "7d"},
    lambda sent: parse_time_span_to_ms(sent, "window"),
    7 * DAY_MS,
)


@declare_operation(
    "continueLineage",
    "POST /lineage/next",
    decided_by="entities",
    body="lineage-next",
    answers="lineage",
    errors=[InvalidName, InvalidQuery, NotFound, HistoryExpired],
    permission="read",
)
def continue_lineage(services: ProcessServices, request: OperationRequest) -> Document:
    """Continue a lineage graph from the frontier of a previous answer."""
    lineage_request = _parse_continuation_request(request.body)
    lineage = services.get_or_open_catalog().lineage.read_lineage(lineage_request, request.principal)
    return lineage_documents.render_lineage_query(lineage_request) | lineage_documents.render_lineage(lineage)


@declare_operation(
    "readLineagePath",
    "GET /lineage/path",
    decided_by="entities",
    parameters=[_FROM, _TO, START, END, AS_OF],
    answers="lineage-path",
    errors=[InvalidName, NotFound, HistoryExpired],
)
def read_lineage_path(services: ProcessServices, request: OperationRequest) -> Document:
    """Find all shortest paths on which data flows from one node to another."""
    lineage_request = PathRequest(
        Urn.parse(request[_FROM]), Urn.parse(request[_TO]), parse_time_window(request), request[AS_OF]
    )
    paths = services.get_or_open_catalog().lineage.find_paths(lineage_request, request.principal)
    ends = {"from": str(lineage_request.source), "to": str(lineage_request.target)}
    return (
        ends
        | lineage_documents.render_requested_times(lineage_request.window, lineage_request.as_of)
        | lineage_documents.render_lineage_paths(paths)
    )


@declare_operation(
    "readLineageImpact",
    "GET /lineage/impact",
    decided_by="entities",
    parameters=[URN, _REACH, START, END, AS_OF],
    answers="lineage-impact",
    errors=[InvalidName, NotFound, HistoryExpired],
)
def read_lineage_impact(services: ProcessServices, request: OperationRequest) -> Document:
    """Count the downstream entities by type, owner and namespace."""
    lineage_request = LineageRequest(
        Urn.parse(request[URN]),
        "downstream",
        request[_REACH],
        parse_time_window(request),
        MAX_RELATIONS,
        as_of=request[AS_OF],
    )
    impact = services.get_or_open_catalog().lineage.count_impact(lineage_request, request.principal)
    start = {"urn": str(lineage_request.urn), "levels": lineage_request.levels}
    return (
        start
        | lineage_documents.render_requested_times(lineage_request.window, lineage_request.as_of)
        | lineage_documents.render_impact_counts(impact)
    )


@declare_operation(
    "readColumnImpact",
    "GET /lineage/column-impact",
    decided_by="entities",
    parameters=[_COLUMN, _REACH],
    answers="column-impact",
    errors=[InvalidName, InvalidQuery, NotFound],
)
def read_column_impact(services: ProcessServices, request: OperationRequest) -> Document:
    """List the columns that depend on a column, and what may use it because its columns are unknown."""
    column = Urn.parse(request[_COLUMN])
    if not is_column_urn(column):
        raise InvalidQuery("is not the URN of a column of a dataset", "urn")
    impact_request = ColumnImpactRequest(column.parse_part_as_urn(0), column.parts[1], request[_REACH])
    impact = column_impact.read_column_impact(services.get_or_open_catalog().lineage, impact_request, request.principal)
    return {"urn": str(column), "levels": impact_request.levels} | to_api_document(impact)


@declare_operation(
    "readLineageLabels",
    "POST /lineage/labels",
    decided_by="entities",
    body="lineage-nodes",
    answers="lineage-labels",
    errors=[InvalidName],
    permission="read",
)
def read_lineage_labels(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the tags and owners of nodes; unknown and unreadable nodes are omitted."""
    urns = [Urn.parse(urn) for urn in request.body["urns"]]
    return {"nodes": to_api_documents(services.get_or_open_catalog().lineage.read_node_labels(urns, request.principal))}


@declare_operation(
    "exportRunEvents",
    "POST /lineage/events",
    decided_by="entities",
    body="run-selection",
    answers="run-events",
    errors=[InvalidName],
    permission="read",
)
def export_run_events(services: ProcessServices, request: OperationRequest) -> Document:
    """Export runs as events of OpenLineage; unknown and unreadable runs are omitted."""
    urns = list(dict.fromkeys(str(Urn.parse(urn)) for urn in request.body["runs"]))
    reported = services.get_or_open_catalog().run_exporter.read_reported_runs(urns, request.principal)
    # The answer ends after its last run only if it is full.
    last = urns.index(reported[-1].run.urn) if reported else len(urns) - 1
    return {
        "events": [event for run in reported for event in build_run_events(run)],
        "remaining": urns[last + 1 :],
    }


@declare_operation(
    "readLineageDiff",
    "GET /lineage/diff",
    decided_by="entities",
    parameters=[URN, _BEFORE, _AFTER, _WINDOW, DIRECTION, LEVELS, RELATIONS],
    answers="lineage-diff",
    errors=[InvalidName, NotFound],
)
def read_lineage_diff(services: ProcessServices, request: OperationRequest) -> Document:
    """List the lineage edges that were added, removed and changed between two times."""
    after = request[_AFTER]
    after = clock.time_ns() // 1_000_000 if after is None else after
    before = request[_BEFORE]
    lineage_request = LineageDiffRequest(
        urn=Urn.parse(request[URN]),
        source=max(0, after - DAY_MS) if before is None else before,
        target=after,
        window=request[_WINDOW],
        direction=cast("Direction", request[DIRECTION]),
        levels=request[LEVELS],
        limit=request[RELATIONS],
    )
    if lineage_request.source > lineage_request.target:
        raise InvalidQuery("must not be after to", "from")
    difference = services.get_or_open_catalog().lineage.diff_lineage(lineage_request, request.principal)
    return {
        "urn": str(lineage_request.urn),
        "direction": lineage_request.direction,
        "levels": lineage_request.levels,
        "from": format_ms_as_iso_time(lineage_request.source),
        "to": format_ms_as_iso_time(lineage_request.target),
        "window": lineage_request.window,
        **lineage_documents.render_lineage_diff(difference),
    }


def _parse_continuation_request(body: dict[str, Any]) -> LineageRequest:
    now = clock.time_ns() // 1_000_000
    start, end, as_of = (
        parse_time_to_ms(body[name], now, name) if body.get(name) else None for name in ("start", "end", "asOf")
    )
    if start is not None and end is not None and start > end:
        raise InvalidQuery("must not be after end", "start")
    frontier = tuple(dict.fromkeys(Urn.parse(item) for item in body["frontier"]))
    return LineageRequest(
        urn=frontier[0],
        direction=body.get("direction", "both"),
        levels=body.get("levels", 1),
        window=TimeWindow(start, end),
        limit=body.get("limit", DEFAULT_RELATIONS),
        columns=body.get("columns", False),
        as_of=as_of,
        frontier=tuple(str(item) for item in frontier),
        visited=frozenset(str(Urn.parse(item)) for item in body.get("visited", ())),
    )
