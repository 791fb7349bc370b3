"""Capture of what the libraries of a process read and write: adapters, the queue of their flows, and a thread that reports them."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from jupyter_colophon.capture.adapters import Adapter, Adapters
from jupyter_colophon.capture.calls import CallContext, DeferredFlows, Flow
from jupyter_colophon.capture.chains import ASSIGN, ChainBuilder, NameVariable, Sink
from jupyter_colophon.capture.file_calls import FileRead
from jupyter_colophon.capture.observation import OPEN
from jupyter_colophon.capture.opened_files import OpenedFiles
from jupyter_colophon.capture.origins import Origin
from jupyter_colophon.capture.working_folders import FOLDERS

#: Number of flows that wait; above it, the oldest are dropped, and their functions reported as errors.
MAX_WAITING = 50_000
#: How long flows wait before they are reported, unless their cell ends: a cell that makes many calls is not slowed down.
DELAY_S = 1.0
#: While a cell runs, flows are reported for this CPU time, then not for that time: both threads need the interpreter.
_WORK_S, _PAUSE_S = 0.005, 0.5
#: While more flows wait, there is no pause: a kernel that ends waits for their report, but only some seconds.
_MAX_DELAYED = 5_000


_active: "DataCapture | None" = None


def get_active_capture() -> "DataCapture | None":
    """Return the capture that was started in this process, None if there is none."""
    return _active


class DataCapture:
    """Captures libraries in this process from `start` to `stop`."""

    def __init__(
        self,
        sink: Sink,
        *,
        get_execution: Callable[[], object | None],
        get_time_ms: Callable[[], int],
        name_variable: NameVariable,
        on_error: Callable[[str, Exception], None],
        disabled: Collection[str] = (),
        reports_at_once: bool = False,
        has_profiles: bool = False,
    ) -> None:
        """Create a capture that passes observations to `sink`, from a thread of its own.

        `get_execution` returns the cell of a call that no cell is known to have started (`executions.py`); `on_error` gets the library and an error of its
        adapter; `disabled` are libraries that are not captured. `reports_at_once`: what a call did is reported before it returns,
        for a process that may be killed at any time. `has_profiles`: observations have profiles of frames that were written.
        """
        self.context = CallContext(get_execution, get_time_ms, has_profiles=has_profiles)
        self._chains = ChainBuilder(name_variable, sink)
        self._on_error = on_error
        self._adapters = Adapters(self._create_adapter, disabled)
        self._opened = None if OPEN in disabled or reports_at_once else OpenedFiles(self.context, disabled)
        #: Flows, and variables that are reported again.
        self._waiting: deque[Flow | DeferredFlows | _SetVariable] = deque()
        #: The reads that waited or were reported since a report was last begun.
        self._waiting_reads: set[tuple[object, ...]] = set()
        self._has_work, self._is_urgent, self._idle = threading.Event(), threading.Event(), threading.Condition()
        #: Whether the thread was woken and has not begun: to ask the event costs several times as much.
        self._is_woken = False
        self._is_stopping, self._reports_at_once = False, reports_at_once
        self._reporting = threading.RLock()
        self._thread: threading.Thread | None = None

    @property
    def installed_names(self) -> list[str]:
        """Return the names of the libraries that are captured."""
        return self._adapters.installed_names

    def start(self) -> None:
        """Capture the libraries that are imported, and others when they are."""
        global _active
        _active = self
        FOLDERS.start()
        self._adapters.install_shipped()
        if self._opened is not None:
            self._opened.start()
        self._thread = threading.Thread(target=self._report_flows, name="colophon-capture", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Restore the libraries, and report what waits."""
        global _active
        _active = None if _active is self else _active
        self._adapters.restore_libraries()
        if self._opened is not None:
            self._opened.stop()
        self._is_stopping = True
        self._wake_thread()
        if self._thread is not None:
            self._thread.join(timeout=2)

    def continue_after_fork(self) -> None:
        """Capture in a forked child, which has the values of its parent but not its thread: calls are reported at once."""
        self._waiting.clear()
        self._waiting_reads.clear()
        if self._opened is not None:
            self._opened.stop()
        self._reporting, self._idle = threading.RLock(), threading.Condition()
        self._reports_at_once = True

    def end_cell(self, read_source: Callable[[], str], variables: Mapping[str, object], execution: object) -> None:
        """Name the values that a cell computed by the variables that hold them, and infer the origins of others.

        `read_source` returns the cell's code in plain Python; it is called only if there are values to follow.
        """
        context = self.context
        if context.names.has_origins:
            context.names.record_origins_at_end(read_source(), variables, execution, context.get_time_ms())
            known: dict[str, Origin] = {}
            for name, value in tuple(variables.items()):
                origin = context.names.find_origin(name, value)
                if origin is not None and not name.startswith("_"):
                    known[name] = origin
                    if origin.execution is execution and not origin.name:
                        origin.name = name
                        if self._chains.has_reported(name):
                            self._waiting.append(_SetVariable(origin))
            context.names.remember_variables(known)
        self.report_opened_files(execution)
        if self._waiting:
            self._wake_thread()

    def report_opened_files(self, execution: object) -> None:
        """Report the files that a cell or a program opened, when it ends."""
        flows = None if self._opened is None else self._opened.take_flows(execution)
        if flows is not None:
            self.add_flows([flows])

    def wait_until_reported(self, timeout_s: float) -> bool:
        """Wait until all flows were passed to the sink; return whether they were."""
        self._wake_thread()
        with self._idle:
            return self._idle.wait_for(lambda: not self._waiting, timeout_s)

    def _create_adapter(self, name: str) -> Adapter:
        return Adapter(name, self.context, self.add_flows, self._on_error)

    def add_flows(self, flows: Sequence[Flow | DeferredFlows]) -> None:
        """Report these flows soon."""
        waiting = self._waiting
        for flow in flows:
            # To test for `Flow` costs less than for the abstract class.
            if not isinstance(flow, Flow) or flow.target is not None or not self._is_repeated_read(flow):
                waiting.append(flow)
        while len(waiting) > MAX_WAITING:
            self._on_error(_get_function(waiting.popleft()), queue.Full())
        if self._reports_at_once:
            with self._reporting:
                self._report_waiting()
        elif not self._is_woken:
            self._is_woken = True
            self._has_work.set()

    def _is_repeated_read(self, flow: Flow) -> bool:
        """Return whether the same read of the same cell waits or was just reported: a loop may read a file a thousand times."""
        if flow.execution is None or flow.missing:
            return False
        key = (flow.execution, flow.function, flow.sources, flow.error)
        if key in self._waiting_reads:
            return True
        self._waiting_reads.add(key)
        return False

    def _wake_thread(self) -> None:
        self._is_urgent.set()
        self._has_work.set()

    def _report_flows(self) -> None:
        self._adapters.install_entry_points()
        while not self._is_stopping:
            self._has_work.wait()
            is_urgent = self._is_urgent.wait(DELAY_S)
            self._has_work.clear()
            self._is_woken = False
            if is_urgent:
                # Only what was seen: flows that become urgent from now on end the first pause.
                self._is_urgent.clear()
            self._report_waiting(is_paced=not is_urgent)
        self._report_waiting()

    def _report_waiting(self, *, is_paced: bool = False) -> None:
        self._waiting_reads.clear()
        began = time.thread_time()
        while self._waiting:
            if is_paced and len(self._waiting) < _MAX_DELAYED and time.thread_time() - began > _WORK_S:
                is_paced = not self._is_urgent.wait(_PAUSE_S)
                began = time.thread_time()
            item = self._waiting[0]
            try:
                if isinstance(item, _SetVariable):
                    self._chains.add_value(item.origin)
                elif isinstance(item, FileRead):
                    self._report_each(flow for flow in item.list_flows() if not self._is_repeated_read(flow))
                else:
                    self._report_each((item,) if isinstance(item, Flow) else item.list_flows())
            except Exception as error:  # noqa: BLE001  one flow that cannot be reported must not end the thread
                self._on_error(_get_function(item), error)
            # It stays in the queue until it is reported, so that who waits for an empty queue waits for it too.
            if self._waiting[0] is item:
                self._waiting.popleft()
        with self._idle:
            self._idle.notify_all()

    def _report_each(self, flows: Iterable[Flow]) -> None:
        for flow in flows:
            self._chains.add_flow(flow)
            if self._opened is not None and flow.function != OPEN:
                self._opened.add_reported(flow)


@dataclass(frozen=True, slots=True)
class _SetVariable:
    """A variable that a cell set again, whose value has this origin."""

    origin: Origin


def _get_function(item: Flow | DeferredFlows | _SetVariable) -> str:
    return ASSIGN if isinstance(item, _SetVariable) else item.function
