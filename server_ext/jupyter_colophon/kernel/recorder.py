"""Record which execution of which cell accessed which data, and report it to the server in the background."""

import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from jupyter_colophon.capture.observation import STREAM
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, make_cell_program_urn, make_notebook_program_urn
from jupyter_colophon.kernel.cells import Cell, CellExecution, Timeline, read_time_ms
from jupyter_colophon.kernel.confidential_warnings import ConfidentialWarnings
from jupyter_colophon.kernel.documents import Ending, build_cell_facts
from jupyter_colophon.kernel.failures import CellFailure
from jupyter_colophon.kernel.outgoing_reports import RunReport
from jupyter_colophon.kernel.sender import ReportSender
from jupyter_colophon.kernel.write_profiles import WriteProfiles

if TYPE_CHECKING:
    from jupyter_colophon.capture.observation import Observation, StreamProgress
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.kernel.messages import NoticeQueue


#: The report of a stream, and the cell that started it; streams are remembered by Spark's id of their run.
_RunningStream: TypeAlias = tuple[RunReport, CellExecution | None]

#: Longer names of streams are truncated.
NAME_LENGTH = 200


@dataclass(eq=False, slots=True)
class _ExecutionReport:
    """The report of one execution, and the URNs that it wrote, with the time of the last write."""

    report: RunReport
    writes: dict[str, int] = field(default_factory=dict)
    #: Whether a stream that it started failed.
    failed: bool = False

    def choose_ending(self, execution: CellExecution) -> Ending:
        if execution.failure.was_interrupted:
            return "killed"
        return "succeeded" if execution.succeeded and not self.failed else "failed"


class Recorder:
    """Assigns observations to cells by their start time. Thread-safe.

    Observations that start between two cells (from a user thread or a stream) are assigned to the notebook itself.
    """

    def __init__(
        self,
        catalog: "Operations",
        notebook: str,
        kernel: str,
        notices: "NoticeQueue",
        namespace: str = DEFAULT_NAMESPACE,
        *,
        server: str = "",
        with_source: bool = False,
        parameters: Mapping[str, str] | None = None,
        stops_on_error: bool = False,
        command_run: str = "",
        warns_of_confidential: bool = False,
        profiles_writes: bool = False,
        on_outage_changed: Callable[[], None] | None = None,
    ) -> None:
        """Create a recorder; `with_source` records the source of cells, without credentials.

        The notebook's run has the arguments `parameters`, the parent `command_run`, and fails with its last cell if `stops_on_error`.
        `server` is the URL of the only server that gets reports which outlive this process; empty: any server.
        `warns_of_confidential`: cells that write confidential columns to unmarked data get a notice.
        `profiles_writes`: the profiles of observations are sent.
        `on_outage_changed` is called when the server becomes unavailable or available again, from another thread.
        """
        self._notebook, self._kernel, self._namespace = notebook, kernel, namespace
        self._with_source, self._stops_on_error, self._has_last_failed = with_source, stops_on_error, False
        self._timeline = Timeline()
        self._warnings = ConfidentialWarnings(catalog, notices) if warns_of_confidential else None
        self._profiles = WriteProfiles(catalog) if profiles_writes else None
        self._sender = ReportSender(catalog, notices, server, on_outage_changed, self._warnings, self._profiles)
        self._queue, self._lock = self._sender.queue, threading.Lock()
        self._entries: WeakKeyDictionary[CellExecution, _ExecutionReport] = WeakKeyDictionary()
        self._streams: dict[str, _RunningStream] = {}
        self._session = RunReport(
            program=str(make_notebook_program_urn(namespace, notebook)),
            run_id=str(uuid.uuid4()),
            start_ms=read_time_ms(),
            parent=None,
            facts={"notebook": notebook, "kernel": kernel},
            arguments=dict(parameters or {}),
            parent_id=command_run,
        )

    def begin_cell(self, cell: Cell) -> CellExecution:
        """Start the execution of a cell and return it."""
        return self._timeline.start_execution(cell)

    def end_cell(
        self, execution: CellExecution, *, succeeded: bool, end_ms: int, failure: CellFailure | None = None
    ) -> None:
        """End a cell at `end_ms`; what Spark reports until this call is still assigned to it.

        A cell that accessed no data has a run only if it failed in Spark.
        """
        failure = failure or CellFailure()
        self._has_last_failed = not succeeded
        self._timeline.end_execution(execution, succeeded=succeeded, failure=failure)
        with self._lock:
            entry = self._entries.get(execution)
        if entry is None and failure.is_spark_error:
            entry = self._get_or_create_entry(execution)
            entry.report.is_failure = True
        if entry is not None:
            self._queue_ending(entry, execution, end_ms)
            # What a finished cell did survives a kill of the kernel.
            self._queue.store_due_reports()
            self._sender.start()

    def _queue_ending(self, entry: _ExecutionReport, execution: CellExecution, end_ms: int) -> None:
        entry.report.error = execution.failure.error
        self._queue.record_ending(entry.report, end_ms, entry.choose_ending(execution))

    def find_running_cell(self) -> CellExecution | None:
        """Return the cell that runs now, the latest if there are several; None between cells."""
        return self._timeline.find_execution_at(read_time_ms())

    def add_observation(self, observation: "Observation", execution: CellExecution | None = None) -> None:
        """Add an observation to the report of its cell, found by time unless given. Called on other threads, so it only enqueues.

        An observation without any access is ignored, unless it has missing lineage, dropped or created tables, a failed statement, or a stream.
        """
        if observation.stream is not None:
            self._add_stream_observation(observation, observation.stream)
            return
        has_failed = observation.failed and observation.function == STREAM
        has_accesses = observation.reads or observation.writes or observation.intended
        if not (has_accesses or observation.missing or observation.dropped or observation.created or has_failed):
            return
        for follower in (self._warnings, self._profiles):
            if follower is not None:
                follower.add_observation(observation)
        execution = execution or self._timeline.find_execution_at(observation.started_ms)
        if execution is None:
            self._queue.add_observation(self._session, observation)
        else:
            entry = self._get_or_create_entry(execution)
            entry.failed |= has_failed
            entry.writes.update((ref.urn, observation.started_ms) for ref in observation.writes)
            self._queue.add_observation(entry.report, observation)
            if execution.end_ms is not None:
                # A late observation: if it is the first, the end of the cell found no report to close.
                self._queue_ending(entry, execution, execution.end_ms)
        self._sender.start()

    def _add_stream_observation(self, observation: "Observation", stream: "StreamProgress") -> None:
        """Add an observation to the run of a stream, a child of the run of the cell that started it."""
        report, execution = self._get_or_create_stream(stream)
        if self._warnings is not None:
            self._warnings.add_observation(observation)
        if execution is not None:
            writes = ((ref.urn, observation.started_ms) for ref in observation.writes)
            self._get_or_create_entry(execution).writes.update(writes)
        self._queue.add_observation(report, observation)
        if stream.has_ended:
            self._queue.record_ending(report, observation.finished_ms, "failed" if observation.failed else "succeeded")
            with self._lock:
                self._streams.pop(stream.run_id, None)
        if observation.failed:
            # The cell may have ended long ago.
            self.add_observation(replace(observation, stream=None), execution)
        self._sender.start()

    def _get_or_create_stream(self, stream: "StreamProgress") -> _RunningStream:
        with self._lock:
            known = self._streams.get(stream.run_id)
        if known is not None:
            return known
        execution = self._timeline.find_execution_at(stream.began_ms)
        parent = self._session if execution is None else self._get_or_create_entry(execution).report
        report = RunReport(
            program=parent.program,
            run_id=stream.run_id,
            start_ms=max(stream.began_ms, parent.start_ms),
            parent=parent,
            facts={**parent.facts, "stream": (stream.name or stream.run_id)[:NAME_LENGTH]},
        )
        # The server gets the run of the cell as well, although the cell may access no data.
        report.mark_as_reported()
        with self._lock:
            self._streams[stream.run_id] = report, execution
        return report, execution

    def has_accesses(self, execution: CellExecution) -> bool:
        """Return whether an execution accessed any captured data."""
        with self._lock:
            return execution in self._entries

    def list_written_urns(self, execution: CellExecution, since_ms: int) -> list[str]:
        """Return the URNs that an execution wrote in actions started since then, in the order of the first write."""
        with self._lock:
            entry = self._entries.get(execution)
        return [urn for urn, last_ms in entry.writes.copy().items() if last_ms >= since_ms] if entry else []

    def flush(self, timeout_s: float) -> int:
        """Send pending reports, for at most `timeout_s`; return how many are still pending."""
        if not self._queue.count_pending():
            return 0
        failures = self._sender.failure_count
        self._sender.retry_now()
        self._queue.wait_until_delivered(timeout_s, lambda: self._sender.failure_count > failures)
        return self._queue.count_pending()

    def send_orphaned(self) -> None:
        """Send what earlier kernels could not send, in the background."""
        self._sender.send_orphaned()

    @property
    def outage_reason(self) -> str:
        """Return why the server is unavailable, "" if it is available."""
        return self._sender.outage_reason

    @property
    def pending_count(self) -> int:
        """Return how many observations and endings have not reached the server."""
        return self._queue.count_pending()

    @property
    def refused_count(self) -> int:
        """Return the number of reports that the server refused."""
        return self._sender.refused_count

    def flush_and_end_run(self, timeout_s: float) -> None:
        """Send pending reports and end the notebook's run, each within half of `timeout_s`; a running cell counts as killed."""
        self.flush(timeout_s / 2)
        with self._lock:
            open_ones = [entry for execution, entry in self._entries.items() if execution.end_ms is None]
            streams = [report for report, _ in self._streams.values()]
        for report in [*streams, *(entry.report for entry in open_ones)]:
            self._queue.record_ending(report, read_time_ms(), "killed")
        # The notebook's run is reported if one of a cell is.
        self._queue.store_due_reports()
        has_failed = self._stops_on_error and self._has_last_failed
        self._queue.record_ending(self._session, read_time_ms(), "failed" if has_failed else "succeeded")
        self.flush(timeout_s / 2)
        self._sender.stop_and_join(0.2)

    def _get_or_create_entry(self, execution: CellExecution) -> _ExecutionReport:
        with self._lock:
            entry = self._entries.get(execution)
            if entry is None:
                entry = _ExecutionReport(
                    RunReport(
                        program=str(make_cell_program_urn(self._namespace, self._notebook, execution.cell.id)),
                        run_id=execution.run_id,
                        start_ms=execution.start_ms,
                        parent=self._session,
                        facts=build_cell_facts(execution, self._notebook, self._kernel, with_source=self._with_source),
                    )
                )
                self._entries[execution] = entry
            return entry
