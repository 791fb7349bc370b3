"""The start time of an execution in milliseconds. Spark reports only the duration to a listener, often much later.

Spark uses this machine's clock, so its times are comparable with `time.time()`. There are three sources, best first:

1. A command (every write is one) has a query execution of its own, which is optimised within it: the start of that phase
   is the start of the execution.
2. An action may run a DataFrame that was planned, or executed, in an earlier cell. Spark's store of executions (which its web
   UI shows, and which is kept with the UI disabled too) has the start of each. The first execution of a query has the
   query's id; later ones are recognised by their metrics, which are those of the first or a subset of them.
3. Otherwise (and before Spark 4.1, which assigns no ids to queries) the time of the report minus the duration.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError

MAX_RECENT = 64
"""Number of recent executions that are searched; far more than can end during one callback."""

MAX_REMEMBERED = 10_000
WAITS, WAIT_S = 20, 0.01
"""Another thread of Spark fills the store, so it may lag behind the callback."""

_PHASE = re.compile(r"(?:optimization|planning) -> PhaseSummary\((\d+),")
_METRIC = re.compile(r",(\d+),[^,()]+\)")


class QueryExecutions:
    """The executions of one query: the ids of its metrics, the last one reported, and the number reported but not found."""

    def __init__(self) -> None:
        self.metrics: frozenset[str] = frozenset()
        self.last = -1
        self.missed = 0


class ExecutionTimes:
    """Determine the start times of one Spark session's executions. Only for the listener's thread."""

    def __init__(self, session: Any) -> None:
        self._store = session.sharedState().statusStore()
        self._runs: OrderedDict[str, QueryExecutions] = OrderedDict()
        self._seen_executions: OrderedDict[int, None] = OrderedDict()
        last = next(self._list_recent_executions(), None)
        self._before = -1 if last is None else int(last.executionId())

    def determine_start_ms(self, execution: Any, is_command: bool, duration_ms: float | None, reported_ms: int) -> int:
        """Return the start (ms) of a query execution, given its duration and the time of the report."""
        number, query = execution.id(), _read_query_id(execution)
        started: int | None = None
        if is_command or (query is None and number not in self._seen_executions):
            started = _read_planning_start_ms(execution)
        elif query is not None:
            started = self._claim_execution_start(query)
        _store_and_drop_oldest(self._seen_executions, number, None)
        return min(reported_ms - int(duration_ms or 0) if started is None else started, reported_ms)

    def _claim_execution_start(self, query: str) -> int | None:
        """Return the start of the oldest unreported execution of a query: executions of a query end one after another."""
        runs = self._runs.get(query) or QueryExecutions()
        _store_and_drop_oldest(self._runs, query, runs)
        for _ in range(WAITS):
            candidates = self._find_unreported_executions(query, runs)
            if len(candidates) > runs.missed:
                row = candidates[runs.missed]
                runs.last, runs.missed = row.executionId(), 0
                return int(row.submissionTime())
            time.sleep(WAIT_S)
        runs.missed += 1
        return None

    def _find_unreported_executions(self, query: str, runs: QueryExecutions) -> list[Any]:
        """Return the executions of a query that were not reported before, oldest first."""
        candidates: list[Any] = []
        for row in self._list_recent_executions():
            is_first, is_reported = _read_query_id(row) == query, row.executionId() <= max(runs.last, self._before)
            if is_first:
                runs.metrics = _read_metric_ids(row)
            if not is_reported:
                candidates.append(row)
            if is_first or (is_reported and runs.metrics):
                break
        return [row for row in reversed(candidates) if _read_query_id(row) == query or _belongs_to_query(row, runs)]

    def _list_recent_executions(self) -> Iterator[Any]:
        """Yield the latest executions, newest first."""
        count = self._store.executionsCount()
        rows = self._store.executionsList(max(0, count - MAX_RECENT), MAX_RECENT)
        for position in reversed(range(rows.length())):
            yield rows.apply(position)


def _read_planning_start_ms(execution: Any) -> int | None:
    times = [int(start) for start in _PHASE.findall(execution.tracker().phases().toString())]
    return min(times) if times else None


def _read_metric_ids(row: Any) -> frozenset[str]:
    return frozenset(_METRIC.findall(row.metrics().toString()))


def _belongs_to_query(row: Any, runs: QueryExecutions) -> bool:
    """Return whether an execution belongs to the query with these metrics: adaptive execution omits skipped metrics."""
    return bool(runs.metrics) and _read_metric_ids(row) <= runs.metrics


def _read_query_id(java_object: Any) -> str | None:
    try:
        query_id = java_object.queryId()
    except Py4JError:  # Spark before 4.1 has no query ids.
        return None
    return None if query_id is None else str(query_id.toString())


def _store_and_drop_oldest(memory: OrderedDict[Any, Any], key: int | str, value: Any) -> None:
    memory[key] = value
    while len(memory) > MAX_REMEMBERED:
        memory.popitem(last=False)
