"""The queue of reports that the server has not received yet, by run."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jupyter_colophon.kernel.documents import Ending, build_run_end, build_run_start

if TYPE_CHECKING:
    from jupyter_colophon.spark.plans.observation import Observation

#: Maximum number of observations in the queue while the server is unavailable; the oldest are dropped first.
LARGEST_BACKLOG = 5_000


@dataclass(eq=False, slots=True)
class RunReport:
    """The report of one run: its facts, the pending part, and the part that the server has."""

    program: str
    run_id: str
    start_ms: int
    parent: "RunReport | None"
    facts: dict[str, Any]
    observations: "list[Observation]" = field(default_factory=list)
    ending: dict[str, Any] | None = None
    #: The missing lineage that was reported to the server.
    not_seen: list[str] = field(default_factory=list)
    #: The class of the exception that ended the cell; empty if it succeeded.
    error: str = ""
    #: The run is reported although it accessed no data.
    is_failure: bool = False
    #: Reported URNs of data that its failed statements would have written.
    intended: list[str] = field(default_factory=list)
    #: The renames that were reported to the server.
    renamed: list[str] = field(default_factory=list)
    #: The run's URN, once the server has it.
    urn: str | None = None

    @property
    def start_document(self) -> dict[str, Any]:
        """Return the `RunStart` of this run."""
        parent = self.parent.run_id if self.parent else None
        return build_run_start(self.program, self.run_id, self.start_ms, parent, self.facts)

    @property
    def is_due(self) -> bool:
        """Return whether there is something to send. A run that accessed no data is reported only if it failed in Spark."""
        has_run = self.urn is not None or self.is_failure
        return bool(self.observations) or (self.ending is not None and has_run)


@dataclass(slots=True)
class ReportBatch:
    """The part of a report that is being sent; observations are removed once the server has them."""

    report: RunReport
    observations: "tuple[Observation, ...]"
    ending: dict[str, Any] | None


class ReportQueue:
    """The unsent reports of a kernel. Thread-safe: Spark's callbacks add, the kernel's thread ends runs, the sender takes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._reports: list[RunReport] = []
        self._in_flight: ReportBatch | None = None
        self._dropped = 0

    def add_observation(self, report: RunReport, observation: "Observation") -> None:
        """Add an observation to the report of a run; above the limit of the queue, drop the oldest observation."""
        with self._changed:
            report.observations.append(observation)
            self._enqueue(report)
            self._drop_oldest()
            self._changed.notify_all()

    def record_ending(self, report: RunReport, end_ms: int, ending: Ending) -> None:
        """Record how a run ended."""
        with self._changed:
            # The wall clock may have been put back meanwhile, and nothing ends before it began.
            report.ending = build_run_end(max(end_ms, report.start_ms), ending, report.error)
            # Without any access the ending waits in the report: a late observation sends it as well.
            if report.is_due:
                self._enqueue(report)
            self._changed.notify_all()

    def take_batch(self) -> ReportBatch | None:
        """Take the next batch to send, or None; the caller then calls `acknowledge_batch` or `put_back_batch`."""
        with self._changed:
            for report in self._reports:
                if report.is_due:
                    self._in_flight = ReportBatch(report, tuple(report.observations), report.ending)
                    report.observations.clear()
                    report.ending = None
                    return self._in_flight
            return None

    def acknowledge_batch(self, batch: ReportBatch) -> None:
        """Remove a batch that the server accepted or rejected for good."""
        with self._changed:
            self._in_flight = None
            if batch.report.is_due:
                self._enqueue(batch.report)
            else:
                self._reports = [report for report in self._reports if report is not batch.report]
            self._changed.notify_all()

    def put_back_batch(self, batch: ReportBatch) -> None:
        """Put a batch back that the server did not receive; it is sent again first."""
        with self._changed:
            self._in_flight = None
            batch.report.observations[:0] = batch.observations
            batch.report.ending = batch.report.ending or batch.ending
            self._enqueue(batch.report)
            self._drop_oldest()
            self._changed.notify_all()

    def count_pending(self) -> int:
        """Return the number of observations and endings that the server has not received."""
        with self._changed:
            return self._count_pending()

    def take_dropped_count(self) -> int:
        """Return the number of observations that were dropped since the last call."""
        with self._changed:
            count, self._dropped = self._dropped, 0
            return count

    def wait_until_delivered(self, timeout_s: float, or_else: Callable[[], bool]) -> bool:
        """Wait until the queue is empty, for at most `timeout_s` or until `or_else` holds; return whether it is empty."""
        with self._changed:
            self._changed.wait_for(lambda: not self._count_pending() or or_else(), timeout_s)
            return not self._count_pending()

    def _enqueue(self, report: RunReport) -> None:
        if report not in self._reports:
            self._reports.append(report)

    def _count_pending(self) -> int:
        waiting = sum(
            len(report.observations) + (report.ending is not None) for report in self._reports if report.is_due
        )
        in_flight = self._in_flight
        return waiting + (len(in_flight.observations) + (in_flight.ending is not None) if in_flight else 0)

    def _drop_oldest(self) -> None:
        excess = sum(len(report.observations) for report in self._reports) - LARGEST_BACKLOG
        for report in self._reports:
            if excess <= 0:
                return
            dropped = min(excess, len(report.observations))
            del report.observations[:dropped]
            self._dropped += dropped
            excess -= dropped
