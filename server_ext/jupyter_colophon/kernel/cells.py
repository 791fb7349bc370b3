"""Executed cells, and the timeline that finds the cell that ran at a given time."""

import hashlib
import re
import threading
import time
import uuid
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_colophon.kernel.failures import CellFailure

#: The default where the cause is unknown.
_UNKNOWN = CellFailure()

#: Cell ids that nbformat 4.5 allows.
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

#: Number of executions in the timeline; observations of older cells go to the notebook.
REMEMBERED = 2_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it was when it ran: `source_hash` is `sha256:` and the hex digest of the source in UTF-8.

    An id that is invalid in nbformat 4.5 is replaced by one derived from the hash.
    """

    id: str
    source: str
    execution_count: int
    source_hash: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.source.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "source_hash", f"sha256:{digest}")
        # A shell without cell ids (a terminal, a console) gets the same id for the same source.
        if not _ID.fullmatch(self.id):
            object.__setattr__(self, "id", f"source-{digest[:12]}")


@dataclass(eq=False, slots=True, weakref_slot=True)
class CellExecution:
    """One execution of a cell; times are milliseconds since 1970. It is open until `end_ms` is set."""

    cell: Cell
    start_ms: int
    end_ms: int | None = None
    succeeded: bool = True
    #: The failure, if it did not succeed.
    failure: CellFailure = field(default_factory=CellFailure)
    #: The name of the step, set by `%%metadata --name`.
    step: str = ""
    run_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def was_running_at(self, moment_ms: int) -> bool:
        """Return whether the cell was running at that time."""
        return self.start_ms <= moment_ms and (self.end_ms is None or moment_ms <= self.end_ms)

    def __lt__(self, other: "CellExecution") -> bool:
        return self.start_ms < other.start_ms


def read_time_ms() -> int:
    """Return the time in milliseconds since 1970, the clock of Spark's events."""
    return time.time_ns() // 1_000_000


class Timeline:
    """The executions of a kernel in the order of their start. Thread-safe: subshells run cells side by side."""

    def __init__(self, clock: Callable[[], int] = read_time_ms) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._executions: list[CellExecution] = []

    def start_execution(self, cell: Cell) -> CellExecution:
        """Start an execution now and return it."""
        with self._lock:
            execution = CellExecution(cell, self._clock())
            insort(self._executions, execution)
            del self._executions[:-REMEMBERED]
            return execution

    def end_execution(self, execution: CellExecution, *, succeeded: bool, failure: CellFailure = _UNKNOWN) -> None:
        """End an execution now, with its failure if it did not succeed."""
        with self._lock:
            execution.succeeded, execution.failure = succeeded, failure
            execution.end_ms = self._clock()

    def find_execution_at(self, moment_ms: int) -> CellExecution | None:
        """Return the execution that ran at that time, the latest if there are several; None between cells."""
        with self._lock:
            for execution in reversed(self._executions):
                if execution.was_running_at(moment_ms):
                    return execution
            return None
