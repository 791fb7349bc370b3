"""The record of a kernel: which execution of which cell touched what, told to the server in the background."""

import threading
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, cell_program, notebook_program
from jupyter_colophon.kernel.cells import Cell, Execution, Timeline, now_ms
from jupyter_colophon.kernel.documents import Ending, cell_facts
from jupyter_colophon.kernel.failures import Failure
from jupyter_colophon.kernel.outgoing_reports import Account, Ledger
from jupyter_colophon.kernel.sender import Sender
from jupyter_colophon.spark.plans.observation import STREAM

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.kernel.messages import Notices
    from jupyter_colophon.spark.plans.observation import DataRef, Observation


@dataclass(eq=False, slots=True)
class _Entry:
    """What is kept of one execution: its account, and what it wrote when."""

    account: Account
    writes: "list[tuple[int, DataRef]]" = field(default_factory=list)
    #: A stream failed that it began.
    failed: bool = False

    def ending(self, execution: Execution) -> Ending:
        if execution.failure.was_interrupted:
            return "killed"
        return "succeeded" if execution.succeeded and not self.failed else "failed"


class Recorder:
    """Credits observations to cells by the time at which they began. Thread-safe.

    What begins between two cells (a thread of the user's, a stream) is credited to the notebook itself.
    """

    def __init__(
        self,
        catalog: "Operations",
        notebook: str,
        kernel: str,
        notices: "Notices",
        namespace: str = DEFAULT_NAMESPACE,
        *,
        with_source: bool = False,
    ) -> None:
        """`with_source`: the source of cells is part of the record, without credentials."""
        self._notebook, self._kernel, self._namespace = notebook, kernel, namespace
        self._with_source = with_source
        self._timeline = Timeline()
        self._ledger = Ledger()
        self._sender = Sender(catalog, self._ledger, notices)
        self._lock = threading.Lock()
        self._entries: WeakKeyDictionary[Execution, _Entry] = WeakKeyDictionary()
        self._session = Account(
            program=str(notebook_program(namespace, notebook)),
            run_id=str(uuid.uuid4()),
            start_ms=now_ms(),
            parent=None,
            facts={"notebook": notebook, "kernel": kernel},
        )

    def begin(self, cell: Cell) -> Execution:
        """A cell begins to run."""
        return self._timeline.open(cell)

    def end(self, execution: Execution, *, succeeded: bool, end_ms: int, failure: Failure | None = None) -> None:
        """End a cell at `end_ms`; what Spark reports until this call still counts as its own.

        A cell that touched no data has a run only where it failed in Spark: then it meant to.
        """
        failure = failure or Failure()
        self._timeline.close(execution, succeeded=succeeded, failure=failure)
        with self._lock:
            entry = self._entries.get(execution)
        if entry is None and failure.is_of_spark:
            entry = self._entry(execution)
            entry.account.is_failure = True
        if entry is not None:
            self._end(entry, execution, end_ms)
            self._sender.start()

    def _end(self, entry: _Entry, execution: Execution, end_ms: int) -> None:
        entry.account.error = execution.failure.error
        self._ledger.end(entry.account, end_ms, entry.ending(execution))

    def observe(self, observation: "Observation") -> None:
        """Takes what Spark saw. Called on Spark's callback thread: it only files it.

        What touched nothing is no news of data; that something was not seen is, that a statement failed before it wrote,
        and that a stream failed, for which nobody may wait.
        """
        has_failed = observation.failed and observation.function == STREAM
        touched = observation.reads or observation.writes or observation.intended
        if not (touched or observation.unseen or has_failed):
            return
        execution = self._timeline.at(observation.started_ms)
        if execution is None:
            self._ledger.add(self._session, observation)
        else:
            entry = self._entry(execution)
            entry.failed |= has_failed
            entry.writes.extend((observation.started_ms, ref) for ref in observation.writes)
            self._ledger.add(entry.account, observation)
            if execution.end_ms is not None:
                # Late: where it is the first, the end of the cell has found no account to close.
                self._end(entry, execution, execution.end_ms)
        self._sender.start()

    def touched(self, execution: Execution) -> bool:
        """Whether an execution touched any data that we know of."""
        with self._lock:
            return execution in self._entries

    def written_by(self, execution: Execution, since_ms: int) -> list[str]:
        """URNs of what an execution wrote in actions begun since then, in the order of the first write."""
        with self._lock:
            entry = self._entries.get(execution)
        writes = entry.writes if entry else []
        return list(dict.fromkeys(ref.urn for started_ms, ref in writes if started_ms >= since_ms))

    def flush(self, timeout_s: float) -> int:
        """Sends what waits, for at most that long; answers how much still waits."""
        if not self._ledger.pending():
            return 0
        failures = self._sender.failures
        self._sender.retry()
        self._ledger.wait_until_told(timeout_s, lambda: self._sender.failures > failures)
        return self._ledger.pending()

    @property
    def refused(self) -> int:
        """How many reports the server would not take."""
        return self._sender.refused

    def close(self, timeout_s: float) -> None:
        """Sends what waits and ends the notebook's run, each for at most half of that long; a cell that runs is killed."""
        self.flush(timeout_s / 2)
        with self._lock:
            open_ones = [entry for execution, entry in self._entries.items() if execution.end_ms is None]
        for entry in open_ones:
            self._ledger.end(entry.account, now_ms(), "killed")
        self._ledger.end(self._session, now_ms(), "succeeded")
        self.flush(timeout_s / 2)
        self._sender.stop(0.2)

    def _entry(self, execution: Execution) -> _Entry:
        with self._lock:
            entry = self._entries.get(execution)
            if entry is None:
                entry = _Entry(
                    Account(
                        program=str(cell_program(self._namespace, self._notebook, execution.cell.id)),
                        run_id=execution.run_id,
                        start_ms=execution.start_ms,
                        parent=self._session,
                        facts=cell_facts(execution, self._notebook, self._kernel, with_source=self._with_source),
                    )
                )
                self._entries[execution] = entry
            return entry
