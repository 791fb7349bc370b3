"""The queue of reports that the server has not received yet, by run."""

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from jupyter_colophon.kernel.documents import Ending, build_run_end, build_run_start
from jupyter_colophon.kernel.renames import split_at_renames

if TYPE_CHECKING:
    from jupyter_colophon.capture.observation import Observation

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
    #: The arguments of the run.
    arguments: dict[str, str] = field(default_factory=dict)
    #: The id of a parent that another process reports.
    parent_id: str = ""
    #: The run's URN, once the server has it.
    urn: str | None = None
    #: Whether a batch of this run or of a child of it has been formed: the server has the run, or will have it.
    is_reported: bool = False

    @property
    def start_document(self) -> dict[str, Any]:
        """Return the `RunStart` of this run."""
        parent = self.parent.run_id if self.parent else self.parent_id or None
        return build_run_start(self.program, self.run_id, self.start_ms, parent, self.facts, self.arguments)

    @property
    def is_due(self) -> bool:
        """Return whether there is something to send. A run that accessed no data is reported only if it failed in Spark."""
        has_run = self.is_reported or self.is_failure
        return bool(self.observations) or (self.ending is not None and has_run)

    def mark_as_reported(self) -> None:
        """Record that a batch of this run has been formed, with which the server gets its parent too."""
        self.is_reported = True
        if self.parent is not None:
            self.parent.mark_as_reported()


@dataclass(eq=False, slots=True)
class ReportBatch:
    """A part of a report, which is sent as a whole. Of its observations, only the first may be a rename."""

    report: RunReport
    observations: "Sequence[Observation]"
    ending: dict[str, Any] | None
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __len__(self) -> int:
        """Return the number of its observations and endings."""
        return len(self.observations) + (self.ending is not None)


class BatchStore(Protocol):
    """Where batches are stored until the server has received them."""

    def append_batch(self, batch: ReportBatch) -> None:
        """Store a batch. Never raises."""

    def remove_batch(self, batch: ReportBatch) -> None:
        """Remove a batch that was delivered or dropped."""


class ReportQueue:
    """The unsent reports of a kernel. Thread-safe: Spark's callbacks add, the kernel's thread ends runs, the sender takes."""

    def __init__(self, store: BatchStore) -> None:
        self._changed = threading.Condition()
        #: The reports of which something is not in a batch yet.
        self._reports: list[RunReport] = []
        self._batches: list[ReportBatch] = []
        self._store = store
        self._dropped = 0

    def add_observation(self, report: RunReport, observation: "Observation") -> None:
        """Add an observation to the report of a run."""
        with self._changed:
            report.observations.append(observation)
            self._enqueue(report)
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

    def store_due_reports(self) -> None:
        """Put everything that is due into batches, and store them; above the limit, drop the oldest observations."""
        with self._changed:
            for report in self._reports:
                for batch in _take_batches(report):
                    self._batches.append(batch)
                    self._store.append_batch(batch)
            self._reports.clear()
            self._drop_oldest()

    def get_next_batch(self) -> ReportBatch | None:
        """Return the oldest batch, or None; it stays in the queue until `acknowledge_batch`."""
        with self._changed:
            return next(iter(self._batches), None)

    def acknowledge_batch(self, batch: ReportBatch) -> None:
        """Remove a batch that the server accepted or rejected for good."""
        with self._changed:
            self._batches.remove(batch)
            self._store.remove_batch(batch)
            self._changed.notify_all()

    def notify_of_failure(self) -> None:
        """Wake those who wait for the delivery: it failed."""
        with self._changed:
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
        collected = sum(len(report.observations) + (report.ending is not None) for report in self._reports)
        return collected + sum(map(len, self._batches))

    def _drop_oldest(self) -> None:
        """Drop the oldest observations above the limit, but not the first batch, which may be under way; endings stay."""
        excess = sum(len(batch.observations) for batch in self._batches) - LARGEST_BACKLOG
        # Each batch that is dropped makes room for a new one, so this rarely looks at many.
        while excess > 0 and (batch := self._find_oldest_with_observations()) is not None:
            excess -= len(batch.observations)
            self._dropped += len(batch.observations)
            self._store.remove_batch(batch)
            batch.observations = ()
            if batch.ending is None:
                self._batches.remove(batch)
            else:
                self._store.append_batch(batch)

    def _find_oldest_with_observations(self) -> ReportBatch | None:
        return next((batch for batch in islice(self._batches, 1, None) if batch.observations), None)


def _take_batches(report: RunReport) -> Iterator[ReportBatch]:
    """Take what is due of a report as batches; the last one has the ending."""
    observations, ending = tuple(report.observations), report.ending
    report.observations.clear()
    report.ending = None
    report.mark_as_reported()
    *earlier, last = split_at_renames(observations) or [()]
    for group in earlier:
        yield ReportBatch(report, group, None)
    yield ReportBatch(report, last, ending)
