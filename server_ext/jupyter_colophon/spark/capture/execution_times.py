"""When an execution began, to the millisecond, though Spark tells a listener only how long it took and often much later.

Spark's clock is this machine's, so its times compare with `time.time()`. Three sources, best first:

1. A command (every write is one) has a query execution of its own, which is optimised within it: the start of that phase
   is the start of the execution.
2. An action may run a DataFrame that was planned, or has run, in an earlier cell. Spark's store of executions (what its web
   UI shows, kept with the UI off too) has the time of each. The first one of a query carries the query's id; later ones
   are known by their metrics, which are those of the first or some of them.
3. Else (and before Spark 4.1, which names no queries) the time at which we were told, less the duration.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError

LOOK_BACK = 64
"""How many of the last executions are looked at; far more than can end before one callback is through."""

REMEMBERED = 10_000
WAITS, WAIT_S = 20, 0.01
"""The store is filled by another thread of Spark's than the one that calls us, so it may lag."""

_PHASE = re.compile(r"(?:optimization|planning) -> PhaseSummary\((\d+),")
_METRIC = re.compile(r",(\d+),[^,()]+\)")


class Runs:
    """The executions of one query: the ids of its metrics, the last one that was told, and how many were told without being found."""

    def __init__(self) -> None:
        self.metrics: frozenset[str] = frozenset()
        self.last = -1
        self.missed = 0


class Clock:
    """Tells the start times of one Spark session's executions. Used by the listener's thread alone."""

    def __init__(self, session: Any) -> None:
        self._store = session.sharedState().statusStore()
        self._runs: OrderedDict[str, Runs] = OrderedDict()
        self._known: OrderedDict[int, None] = OrderedDict()
        last = next(self._rows(), None)
        self._before = -1 if last is None else int(last.executionId())

    def started_ms(self, execution: Any, is_command: bool, duration_ms: float | None, told_ms: int) -> int:
        """Give the start of a query execution that took so long and of which we were told then."""
        number, query = execution.id(), _query_id(execution)
        started: int | None = None
        if is_command or (query is None and number not in self._known):
            started = _planned(execution)
        elif query is not None:
            started = self._stored(query)
        _remember(self._known, number, None)
        return min(told_ms - int(duration_ms or 0) if started is None else started, told_ms)

    def _stored(self, query: str) -> int | None:
        """Give the start of the oldest execution of a query that was not told before: they end one after the other."""
        runs = self._runs.get(query) or Runs()
        _remember(self._runs, query, runs)
        for _ in range(WAITS):
            found = self._unclaimed(query, runs)
            if len(found) > runs.missed:
                row = found[runs.missed]
                runs.last, runs.missed = row.executionId(), 0
                return int(row.submissionTime())
            time.sleep(WAIT_S)
        runs.missed += 1
        return None

    def _unclaimed(self, query: str, runs: Runs) -> list[Any]:
        """Give the executions of a query that were not told before, the oldest first."""
        found: list[Any] = []
        for row in self._rows():
            is_first, is_told = _query_id(row) == query, row.executionId() <= max(runs.last, self._before)
            if is_first:
                runs.metrics = _metrics(row)
            if not is_told:
                found.append(row)
            if is_first or (is_told and runs.metrics):
                break
        return [row for row in reversed(found) if _query_id(row) == query or _is_within(row, runs)]

    def _rows(self) -> Iterator[Any]:
        """Give the last executions, the newest first."""
        count = self._store.executionsCount()
        rows = self._store.executionsList(max(0, count - LOOK_BACK), LOOK_BACK)
        for position in reversed(range(rows.length())):
            yield rows.apply(position)


def _planned(execution: Any) -> int | None:
    times = [int(found) for found in _PHASE.findall(execution.tracker().phases().toString())]
    return min(times) if times else None


def _metrics(row: Any) -> frozenset[str]:
    return frozenset(_METRIC.findall(row.metrics().toString()))


def _is_within(row: Any, runs: Runs) -> bool:
    """Whether an execution is of the query that has these metrics: adaptive execution leaves out what it skipped the first time."""
    return bool(runs.metrics) and _metrics(row) <= runs.metrics


def _query_id(holder: Any) -> str | None:
    try:
        found = holder.queryId()
    except Py4JError:  # Spark before 4.1 gives queries no id.
        return None
    return None if found is None else str(found.toString())


def _remember(memory: OrderedDict[Any, Any], key: int | str, value: Any) -> None:
    memory[key] = value
    while len(memory) > REMEMBERED:
        memory.popitem(last=False)
