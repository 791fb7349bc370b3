"""Reports that are not stored: a definition, and its result."""

import json
import time
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, Principal, ServiceContext, ServiceRequest, ServiceResponse
from jupyter_colophon.apps.reports.aggregation import Aggregation
from jupyter_colophon.apps.reports.csv_text import build_csv
from jupyter_colophon.apps.reports.definition import ReportDefinition
from jupyter_colophon.apps.reports.ordered_runs import find_runs_in_order
from jupyter_colophon.apps.reports.periods import choose_lengths, cover_interval
from jupyter_colophon.apps.reports.visible_runs import Order, VisibleRuns
from jupyter_colophon.apps.shipped.bodies import get_query_text

#: How many single runs are listed.
_RUNS: Final = 100
_BOTH_ORDERS: Final[tuple[Order, Order]] = ("asc", "desc")


def query_report(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the result of a definition in the body, as far as the caller may read the runs. Raises BadRequest."""
    definition = ReportDefinition.from_document(request.parse_json_body())
    aggregation = build_aggregation(context, context.principal, definition)
    return respond_in_format(request, aggregation.build_result())


def query_runs(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the newest runs that match a definition in the body. Raises BadRequest."""
    definition = ReportDefinition.from_document(request.parse_json_body())
    runs = VisibleRuns.open(context, context.principal, definition)
    newest = find_runs_in_order(runs, *definition.get_interval_ms(read_time_ms()), "desc", _RUNS)
    return {"runs": [_describe_run(run) for run in newest]}


def build_aggregation(context: ServiceContext, principal: Principal, definition: ReportDefinition) -> Aggregation:
    """Count the runs of a definition that a principal may read. Raises BadRequest."""
    interval = definition.get_interval_ms(read_time_ms())
    aggregation = Aggregation(definition, *interval)
    runs = VisibleRuns.open(context, principal, definition)
    spans = list(cover_interval(*interval, choose_lengths(definition.document["groupBy"], aggregation.bar_ms)))
    for summary in runs.iterate_summaries(spans):
        aggregation.add_summary(summary)
    for run in runs.iterate_runs_beside_summaries(spans):
        aggregation.add_run(run)
    _find_starts(runs, aggregation)
    return aggregation


def _find_starts(runs: VisibleRuns, aggregation: Aggregation) -> None:
    """Find the first and the last start, in the first and the last bar of the timeline that has runs."""
    starts: list[int] = []
    for (start_ms, end_ms), order in zip(aggregation.find_outer_bars(), _BOTH_ORDERS, strict=False):
        # Without a run that still matches, the bar is what is known.
        found = find_runs_in_order(runs, start_ms, end_ms, order, 1)
        starts.append(found[0]["start_ms"] if found else start_ms)
    aggregation.starts = starts


def respond_in_format(request: ServiceRequest, result: Mapping[str, Any]) -> Any:
    """Return a result as JSON, or as CSV with `?format=csv` or if the header `Accept` prefers it. Raises BadRequest."""
    preferred = "csv" if request.choose_media_type("application/json", "text/csv") == "text/csv" else "json"
    form = get_query_text(request, "format", preferred)
    if form not in ("json", "csv"):
        raise BadRequest("the query parameter format must be json or csv")
    return ServiceResponse(build_csv(result), 200, "text/csv") if form == "csv" else result


def read_time_ms() -> int:
    """Return the present time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _describe_run(run: Mapping[str, Any]) -> dict[str, Any]:
    stop = run["stop_ms"]
    return {
        "run": run["run"],
        "runId": run["run_id"],
        "program": run["program"],
        "programName": run["program_name"],
        "type": run["type"],
        "namespace": run["context"],
        "user": run["actor"],
        "status": run["status"],
        "startMs": run["start_ms"],
        "stopMs": stop,
        "durationMs": None if stop is None else max(0, stop - run["start_ms"]),
        "arguments": json.loads(run["arguments"]),
    }
