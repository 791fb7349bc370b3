"""Which cell runs: IPython's events become executions of the recorder."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol

from jupyter_colophon.kernel.cells import Cell, Execution, now_ms
from jupyter_colophon.kernel.failures import Failure

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell

    from jupyter_colophon.kernel.messages import Notices
    from jupyter_colophon.kernel.recorder import Recorder
    from jupyter_colophon.kernel.spark_sessions import Captures

P = ParamSpec("P")

#: The first report of a session may hold a cell up that long, so that it can say at once that the server is away.
FIRST_REPORT_S = 0.3


def _harmless(
    handler: Callable[Concatenate["Provenance", P], None],
) -> Callable[Concatenate["Provenance", P], None]:
    """A handler whose faults reach the notices and never the user's cell."""

    @wraps(handler)
    def guarded(self: "Provenance", /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            handler(self, *args, **kwargs)
        except Exception as fault:  # noqa: BLE001  nothing of ours may break a notebook (spec CAPTURE-2)
            line = f"Colophon could not follow this cell ({type(fault).__name__}); the notebook runs on."
            self.companion.notices.say_once(f"fault {type(fault).__name__}", line)

    return guarded


@dataclass(frozen=True, slots=True)
class _RunningCell:
    """The cell that loads the extension: IPython announced it before anybody listened."""

    raw_cell: str


def _is_same(entered: "ExecutionInfo | _RunningCell", info: "ExecutionInfo") -> bool:
    return entered.raw_cell == info.raw_cell if isinstance(entered, _RunningCell) else entered is info


class _Nesting(threading.local):
    """The cells that a thread is in, outermost first: a cell may run others through `run_cell`."""

    def __init__(self) -> None:
        self.infos: list[ExecutionInfo | _RunningCell] = []
        self.execution: Execution | None = None

    def leave(self, info: "ExecutionInfo") -> bool:
        """Whether this ends the outermost cell. IPython ends cells that never began, empty ones: those are no end."""
        while any(_is_same(entered, info) for entered in self.infos):
            if _is_same(self.infos.pop(), info):
                return not self.infos
        return False


class Companion(Protocol):
    """What provenance needs of the session of its shell (`kernel/session.py`)."""

    recorder: "Recorder | None"
    captures: "Captures"
    notices: "Notices"

    def say(self) -> None:
        """Print the pending messages."""


class Provenance:
    """Opens and closes executions; `current` is the one of the calling thread."""

    def __init__(self, companion: Companion, shell: "InteractiveShell") -> None:
        self.companion = companion
        self._shell = shell
        self._nesting = _Nesting()
        self._reported = False

    @property
    def current(self) -> Execution | None:
        """The execution of the outermost cell that this thread is in."""
        return self._nesting.execution

    def attach(self) -> None:
        """Listens to the shell; the cell that runs already, if one does, counts from now on."""
        self._enter_running_cell()
        self._shell.events.register("pre_run_cell", self.before_cell)
        self._shell.events.register("post_run_cell", self.after_cell)

    def detach(self) -> None:
        """Listens no more."""
        self._shell.events.unregister("pre_run_cell", self.before_cell)
        self._shell.events.unregister("post_run_cell", self.after_cell)

    @_harmless
    def before_cell(self, info: "ExecutionInfo") -> None:
        """`pre_run_cell`: a cell of the notebook, or a piece of code that one runs in its turn."""
        nesting = self._nesting
        if nesting.infos and info.cell_id is None and not info.store_history:
            nesting.infos.append(info)
            return
        if nesting.execution is not None:
            # Its end never came: an interrupt hit IPython itself.
            self._end(nesting.execution, succeeded=False, failure=Failure.of(KeyboardInterrupt()))
        nesting.infos = [info]
        nesting.execution = self._begin(info.cell_id, info.raw_cell or "")

    @_harmless
    def after_cell(self, result: "ExecutionResult | None") -> None:
        """`post_run_cell`: waits until Spark has told what it did (500 ms at most), then ends the execution."""
        nesting = self._nesting
        info = result.info if result is not None else None
        if result is None or info is None or not nesting.leave(info):
            return
        execution, nesting.execution = nesting.execution, None
        if execution is not None:
            error = result.error_before_exec or result.error_in_exec
            self._end(execution, succeeded=result.success, failure=Failure.of(error))
        self.companion.say()

    @_harmless
    def _enter_running_cell(self) -> None:
        request = self._request()
        code = request.get("content", {}).get("code")
        # What is loaded when the kernel starts is loaded by no cell.
        if request.get("header", {}).get("msg_type") == "execute_request" and isinstance(code, str):
            self._nesting.infos = [_RunningCell(code)]
            self._nesting.execution = self._begin(None, code)

    def _begin(self, cell_id: str | None, source: str) -> Execution | None:
        recorder = self.companion.recorder
        if recorder is None:
            return None
        # The display hook knows the number in every version of IPython; the shell counts up before or after the cell.
        return recorder.begin(Cell(cell_id or self._requested_id() or "", source, self._shell.displayhook.prompt_count))

    def _end(self, execution: Execution, *, succeeded: bool, failure: Failure) -> None:
        recorder = self.companion.recorder
        if recorder is None:
            return
        end_ms = now_ms()
        try:
            self.companion.captures.drain()
        finally:
            recorder.end(execution, succeeded=succeeded, end_ms=end_ms, failure=failure)
        if not self._reported and recorder.touched(execution):
            self._reported = True
            recorder.flush(FIRST_REPORT_S)

    def _requested_id(self) -> str | None:
        """The `cellId` of the request that a front end sent, for shells that do not hand it on."""
        found = self._request().get("metadata", {}).get("cellId")
        return found if isinstance(found, str) else None

    def _request(self) -> dict[str, Any]:
        """Return the message to which the shell responds; of a shell without messages an empty one."""
        kernel = getattr(self._shell, "kernel", None)
        ask = getattr(self._shell if kernel is None else kernel, "get_parent", None)
        return (ask() or {}) if ask is not None else {}
