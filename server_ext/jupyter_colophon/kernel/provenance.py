"""Track the running cell: turn IPython's events into executions of the recorder."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol

from jupyter_colophon.capture.executions import current_execution
from jupyter_colophon.kernel.cells import Cell, CellExecution, read_time_ms
from jupyter_colophon.kernel.failures import CellFailure

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell

    from jupyter_colophon.capture.data_capture import DataCapture
    from jupyter_colophon.kernel.messages import NoticeQueue
    from jupyter_colophon.kernel.recorder import Recorder
    from jupyter_colophon.kernel.spark_sessions import SparkCaptures

P = ParamSpec("P")

#: How long the first report of a session may delay a cell, so that an unavailable server is reported at once.
FIRST_REPORT_S = 0.3


def _turn_errors_into_notices(
    handler: Callable[Concatenate["Provenance", P], None],
) -> Callable[Concatenate["Provenance", P], None]:
    """Wrap a handler so that its errors become notices and never reach the user's cell."""

    @wraps(handler)
    def call_handler(self: "Provenance", /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            handler(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001  an internal error must not break a notebook (spec CAPTURE-2)
            line = f"Colophon could not track this cell ({type(error).__name__}); the notebook continues."
            self.context.notices.add_line_once(f"error {type(error).__name__}", line)

    return call_handler


@dataclass(frozen=True, slots=True)
class _RunningCell:
    """The cell that loads the extension: IPython sent its event before the handlers were registered."""

    raw_cell: str


def _is_same_cell(entered: "ExecutionInfo | _RunningCell", info: "ExecutionInfo") -> bool:
    return entered.raw_cell == info.raw_cell if isinstance(entered, _RunningCell) else entered is info


class _CellStack(threading.local):
    """The cells that a thread is in, outermost first: a cell may run others through `run_cell`."""

    def __init__(self) -> None:
        self.infos: list[ExecutionInfo | _RunningCell] = []
        self.execution: CellExecution | None = None

    def leave_cell_and_is_outermost(self, info: "ExecutionInfo") -> bool:
        """Return whether this ends the outermost cell. IPython also ends empty cells, which never began: ignore those."""
        while any(_is_same_cell(entered, info) for entered in self.infos):
            if _is_same_cell(self.infos.pop(), info):
                return not self.infos
        return False


class ProvenanceContext(Protocol):
    """The part of the session (`kernel/session.py`) that `Provenance` needs."""

    recorder: "Recorder | None"
    captures: "SparkCaptures"
    libraries: "DataCapture"
    notices: "NoticeQueue"

    def print_messages(self) -> None:
        """Print the pending messages."""


class Provenance:
    """Starts and ends executions; `current` is the one of the calling thread."""

    def __init__(self, context: ProvenanceContext, shell: "InteractiveShell") -> None:
        self.context = context
        self._shell = shell
        self._nesting = _CellStack()
        self._reported = False

    @property
    def current(self) -> CellExecution | None:
        """Return the execution of the outermost cell of this thread."""
        return self._nesting.execution

    def register_handlers(self) -> None:
        """Register the handlers; a cell that is already running counts from now on."""
        self._enter_running_cell()
        self._shell.events.register("pre_run_cell", self.enter_cell)
        self._shell.events.register("post_run_cell", self.leave_cell)

    def unregister_handlers(self) -> None:
        """Unregister the handlers."""
        self._shell.events.unregister("pre_run_cell", self.enter_cell)
        self._shell.events.unregister("post_run_cell", self.leave_cell)

    @_turn_errors_into_notices
    def enter_cell(self, info: "ExecutionInfo") -> None:
        """Handle `pre_run_cell`: a cell of the notebook, or nested code that a cell runs."""
        nesting = self._nesting
        if nesting.infos and info.cell_id is None and not info.store_history:
            nesting.infos.append(info)
            return
        if nesting.execution is not None:
            # Its end event is missing: an interrupt hit IPython itself.
            self._end_execution(
                nesting.execution, succeeded=False, failure=CellFailure.from_exception(KeyboardInterrupt())
            )
        nesting.infos = [info]
        nesting.execution = self._begin_execution(info.cell_id, info.raw_cell or "")
        current_execution.set(nesting.execution)

    @_turn_errors_into_notices
    def leave_cell(self, result: "ExecutionResult | None") -> None:
        """Handle `post_run_cell`: wait for Spark's events (500 ms at most), then end the execution."""
        nesting = self._nesting
        info = result.info if result is not None else None
        if result is None or info is None or not nesting.leave_cell_and_is_outermost(info):
            return
        execution, nesting.execution = nesting.execution, None
        current_execution.set(None)
        if execution is not None:
            error = result.error_before_exec or result.error_in_exec
            self._end_execution(execution, succeeded=result.success, failure=CellFailure.from_exception(error))
        self.context.print_messages()

    @_turn_errors_into_notices
    def _enter_running_cell(self) -> None:
        request = self._read_request()
        code = request.get("content", {}).get("code")
        # An extension that is loaded at kernel start has no cell.
        if request.get("header", {}).get("msg_type") == "execute_request" and isinstance(code, str):
            self._nesting.infos = [_RunningCell(code)]
            self._nesting.execution = self._begin_execution(None, code)

    def _begin_execution(self, cell_id: str | None, source: str) -> CellExecution | None:
        recorder = self.context.recorder
        if recorder is None:
            return None
        # The display hook has the number in every version of IPython; the shell increments it before or after the cell.
        return recorder.begin_cell(
            Cell(cell_id or self._read_requested_cell_id() or "", source, self._shell.displayhook.prompt_count)
        )

    def _end_execution(self, execution: CellExecution, *, succeeded: bool, failure: CellFailure) -> None:
        recorder = self.context.recorder
        if recorder is None:
            return
        end_ms = read_time_ms()
        try:
            self.context.libraries.end_cell(
                lambda: self._shell.transform_cell(execution.cell.source),  # type: ignore[no-untyped-call]
                self._shell.user_ns,
                execution,
            )
            self.context.captures.wait_for_events()
        finally:
            recorder.end_cell(execution, succeeded=succeeded, end_ms=end_ms, failure=failure)
        if not self._reported and recorder.has_accesses(execution):
            self._reported = True
            recorder.flush(FIRST_REPORT_S)

    def _read_requested_cell_id(self) -> str | None:
        """Return the `cellId` of the front end's request, for shells that do not pass it to events."""
        cell_id = self._read_request().get("metadata", {}).get("cellId")
        return cell_id if isinstance(cell_id, str) else None

    def _read_request(self) -> dict[str, Any]:
        """Return the request message of the running cell; empty for a shell without messages."""
        kernel = getattr(self._shell, "kernel", None)
        get_parent = getattr(self._shell if kernel is None else kernel, "get_parent", None)
        return (get_parent() or {}) if get_parent is not None else {}
