"""Find the first or the last runs of an interval over all namespaces, without reading the others.

Of namespaces whose runs are summarized, only hours with runs that match are read.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Final

from jupyter_colophon.apps.reports.definition import DAY_MS, HOUR_MS
from jupyter_colophon.apps.reports.periods import cover_interval
from jupyter_colophon.apps.reports.visible_runs import Order, Run, VisibleRuns, build_range_of_runs

#: How many runs of a namespace are read in a transaction.
_PAGE: Final = 200


def find_runs_in_order(runs: VisibleRuns, start_ms: int, end_ms: int, order: Order, limit: int) -> list[Run]:
    """Return the first runs by their start, or with `desc` the last ones, the last first."""
    unsummarized = [
        _iterate_runs_of(runs, name, start_ms, end_ms, order) for name in runs.list_namespaces(is_summarized=False)
    ]
    return list(islice(_merge([*unsummarized, _iterate_summarized(runs, start_ms, end_ms, order)], order), limit))


def _iterate_summarized(runs: VisibleRuns, start_ms: int, end_ms: int, order: Order) -> Iterator[Run]:
    for first, last in _split_interval(start_ms, end_ms, order):
        hours = _find_hours_with_runs(runs, first, last)
        for hour in sorted(hours, reverse=order == "desc"):
            begin, end = max(hour, first), min(hour + HOUR_MS, last)
            yield from _merge([_iterate_runs_of(runs, name, begin, end, order) for name in hours[hour]], order)


def _find_hours_with_runs(runs: VisibleRuns, start_ms: int, end_ms: int) -> dict[int, set[str]]:
    """Return the namespaces of runs by the hours in which they start."""
    whole_hours = start_ms // HOUR_MS * HOUR_MS, -(-end_ms // HOUR_MS) * HOUR_MS
    hours: dict[int, set[str]] = defaultdict(set)
    for summary in runs.iterate_summaries(cover_interval(*whole_hours, (DAY_MS, HOUR_MS))):
        for hour in summary.list_part_starts():
            hours[hour].add(summary.labels["context"])
    return hours


def _split_interval(start_ms: int, end_ms: int, order: Order) -> Iterator[tuple[int, int]]:
    """Yield parts of an interval in this order, each about twice as long as the former, from a day on."""
    days = 1
    while start_ms < end_ms:
        if order == "asc":
            border = min(end_ms, (start_ms // DAY_MS + days) * DAY_MS)
            yield start_ms, border
            start_ms = border
        else:
            border = max(start_ms, ((end_ms - 1) // DAY_MS + 1 - days) * DAY_MS)
            yield border, end_ms
            end_ms = border
        days *= 2


def _iterate_runs_of(runs: VisibleRuns, namespace: str, start_ms: int, end_ms: int, order: Order) -> Iterator[Run]:
    return runs.iterate_runs([build_range_of_runs(namespace, start_ms, end_ms)], order, _PAGE)


def _merge(iterators: list[Iterator[Run]], order: Order) -> Iterator[Run]:
    return heapq.merge(*iterators, key=lambda run: (run["start_ms"], run["run"]), reverse=order == "desc")
