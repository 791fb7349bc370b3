"""The session of a shell: its connection to the server, its recorder, its captures, and its messages."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.data_capture import DataCapture
from jupyter_colophon.capture.declarations import declare_flow
from jupyter_colophon.capture.observation import DataRef, DatasetKind
from jupyter_colophon.capture.origins import Dataset
from jupyter_colophon.client.api.current_connection import (
    ShowProgress,
    current,
    describe_program,
    show_terminal_progress,
)
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.programs.outbox_sender import get_or_create_outbox_sender
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import NO_NOTEBOOK, make_variable_urn
from jupyter_colophon.kernel.cells import CellExecution, read_time_ms
from jupyter_colophon.kernel.messages import NoticeQueue
from jupyter_colophon.kernel.provenance import Provenance
from jupyter_colophon.kernel.recorder import Recorder
from jupyter_colophon.kernel.recording_status import RecordingState, RecordingStatus
from jupyter_colophon.kernel.shutdown import call_on_shutdown
from jupyter_colophon.kernel.spark_sessions import SparkCaptures
from jupyter_colophon.kernel.sync_status import Pending

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jupyter_colophon.capture.observation import Observation
    from jupyter_colophon.client.transport import ServerAddress
    from jupyter_colophon.kernel.settings import KernelSettings

#: How long a `%metadata` command waits until the reports of earlier cells reached the server.
SYNC_TIMEOUT_S = 2.0

#: The part of it that is spent on waiting for Spark's events.
SPARK_TIMEOUT_S = 1.0

#: How long a kernel that shuts down waits for its last reports.
SHUTDOWN_TIMEOUT_S = 2.0

#: How long it waits before that for what libraries did, which is lost if it does not become a report.
LIBRARIES_TIMEOUT_S = 10.0

_UNKNOWN_NOTEBOOK = (
    f"Colophon does not know which notebook this kernel runs, and records its cells as those of {NO_NOTEBOOK!r}."
    " Set COLOPHON_NOTEBOOK to its path, or execute the notebook with `jupyter colophon run -- …`."
)


class KernelSession:
    """The session of one shell. Without a server (`catalog` and `recorder` are None) cells run unchanged."""

    def __init__(self, settings: "KernelSettings", shell: "InteractiveShell") -> None:
        self.settings = settings
        self.notices = NoticeQueue()
        self.captures = SparkCaptures(self._forward_observation)
        self.libraries = DataCapture(
            self._forward_library_observation,
            get_execution=self._get_execution,
            get_time_ms=read_time_ms,
            name_variable=self._name_variable,
            on_error=self._add_capture_error,
            disabled=settings.uncaptured,
            has_profiles=settings.profiles_writes,
        )
        self.provenance = Provenance(self, shell)
        self.status = RecordingStatus(self._describe_recording)
        self.catalog: Operations | None = None
        self._server: ServerAddress | None = None
        self.recorder: Recorder | None = None
        self._shell = shell
        self._unregister_shutdown: Callable[[], None] | None = None

    def start(self) -> None:
        """Track the cells of the shell, and connect if the environment names a server. Sends nothing yet."""
        if self.settings.server is not None:
            self.connect(self.settings.server)
            # Send what programs emitted while no server was available.
            get_or_create_outbox_sender(self.settings.server).send_orphaned()
        current.on_connect, current.sync, current.show_progress = (
            self.connect,
            self._flush_before_query,
            self._show_progress,
        )
        current.describe_source = self._describe_source
        self.provenance.register_handlers()
        if self.settings.capture:
            self.libraries.start()
            if "spark" not in self.settings.uncaptured:
                self.captures.start_capturing()
        else:
            self.captures.disable_capture()
        self._unregister_shutdown = call_on_shutdown(self._shell, self._end_session)
        self.status.register_target(self._shell)

    def stop(self) -> None:
        """Undo `start`: send the last reports, and release shell and server."""
        if self._unregister_shutdown is not None:
            self._unregister_shutdown()
        self.libraries.stop()
        self._replace_catalog_and_recorder(None, None)
        self.captures.detach_listeners()
        self.provenance.unregister_handlers()
        self.status.unregister_target(self._shell)
        current.on_connect, current.sync, current.show_progress = (
            None,
            current.send_program_changes_and_wait,
            show_terminal_progress,
        )
        current.describe_source = describe_program
        current.use_server(None)

    def connect(self, server: "ServerAddress") -> None:
        """Use this server from now on; pending reports go to the previous one."""
        # A separate connection, so that a command never waits for a report.
        settings = self.settings
        recorder = Recorder(
            Operations(Transport(server)),
            settings.notebook,
            settings.kernel,
            self.notices,
            settings.namespace,
            server=server.url,
            with_source=settings.record_cell_source,
            warns_of_confidential=settings.warns_of_confidential,
            profiles_writes=settings.profiles_writes,
            parameters=settings.parameters,
            stops_on_error=settings.stops_on_error,
            command_run=settings.command_run,
            on_outage_changed=self.status.send_if_changed,
        )
        self._server = server
        self._replace_catalog_and_recorder(Operations(Transport(server)), recorder)
        recorder.send_orphaned()
        current.use_server(server)

    def flush_pending(self, timeout_s: float = SYNC_TIMEOUT_S, spark_timeout_s: float = SPARK_TIMEOUT_S) -> Pending:
        """Send everything that cells and their programs did so far; return what is still pending.

        Waits at most `spark_timeout_s` for Spark's events (counted as one report if they are late), `timeout_s` in total.
        """
        deadline = time.monotonic() + timeout_s
        unreported = 0 if self.captures.wait_for_events(int(spark_timeout_s * 1000)) else 1
        unreported += 0 if self.libraries.wait_until_reported(max(deadline - time.monotonic(), 0.1)) else 1
        if self.recorder is None or self.catalog is None:
            return Pending(unreported)
        reports = unreported + self.recorder.flush(max(deadline - time.monotonic(), 0.1))
        sender = get_or_create_outbox_sender(self._server)
        emitted = sender.flush(max(deadline - time.monotonic(), 0.1))
        return Pending(reports, emitted, not sender.wait_until_applied(self.catalog, deadline))

    def declare_accesses(self, read: list[Dataset], written: list[Dataset]) -> None:
        """Record that the running cell read and wrote data, all of the one into all of the other."""
        self.libraries.add_flows(declare_flow(self.libraries.context, self.provenance.current, read, written))

    def get_user_variables(self) -> Mapping[str, Any]:
        """Return the variables of the notebook."""
        variables: Mapping[str, Any] = self._shell.user_ns
        return variables

    def print_messages(self) -> None:
        """Print the pending messages on standard error, one line each, and report the status to frontends."""
        for line in self.notices.take_lines():
            sys.stderr.write(line + "\n")
        self.status.send_if_changed()

    def _describe_recording(self) -> dict[str, Any]:
        """Return whether this kernel records, why not, and how many reports have not reached the server."""
        if self.captures.is_off:
            return {"state": "off", "reason": "", "waiting": 0}
        if self.recorder is None or self._server is None:
            return {"state": "disconnected", "reason": "", "waiting": 0}
        reason = self.recorder.outage_reason
        state: RecordingState = "away" if reason else "on"
        return {"state": state, "reason": reason, "waiting": self.recorder.pending_count if reason else 0}

    def _describe_source(self) -> dict[str, str]:
        """Return the cell that runs, with its run if it accessed data."""
        source, execution = {"kind": "cell", "name": self.settings.notebook}, self.provenance.current
        if execution is not None and self.recorder is not None and self.recorder.has_accesses(execution):
            source["run"] = f"urn:li:dataProcessInstance:{execution.run_id}"
        return source

    def _flush_before_query(self) -> None:
        """Send pending reports before a function of `metadata` queries the server, and print what is still pending."""
        if text := str(self.flush_pending()):
            sys.stderr.write(text + "\n")

    @contextmanager
    def _show_progress(self) -> Iterator[ShowProgress]:
        """Run one of our own operations: exclude its reads from the cell's lineage and show a temporary progress line."""
        with ProgressLine(sys.stdout, watched=True) as line, self.captures.exclude_reads():
            yield lambda what: line.show(what, 0)

    def _forward_observation(self, observation: "Observation") -> None:
        if self.recorder is not None:
            self._report_unknown_notebook()
            self.recorder.add_observation(observation)

    def _forward_library_observation(self, observation: "Observation", execution: object | None) -> None:
        if self.recorder is not None:
            self._report_unknown_notebook()
            self.recorder.add_observation(observation, execution if isinstance(execution, CellExecution) else None)

    def _report_unknown_notebook(self) -> None:
        """Print once that cells are recorded, but not as those of a notebook; a terminal has none."""
        if self.settings.is_notebook_unknown and getattr(self._shell, "kernel", None) is not None:
            self.notices.add_line_once("unknown notebook", _UNKNOWN_NOTEBOOK)

    def _get_execution(self) -> CellExecution | None:
        """Return the cell that runs on the calling thread; of a thread that a cell started, the cell that runs now."""
        execution = self.provenance.current
        if execution is None and self.recorder is not None:
            execution = self.recorder.find_running_cell()
        return execution

    def _name_variable(self, execution: object | None, name: str, number: int) -> DataRef | None:
        """Return the reference of a variable as a cell left it; None for a value that was computed outside of cells."""
        if not isinstance(execution, CellExecution):
            return None
        settings = self.settings
        with suppress(InvalidName):
            urn = make_variable_urn(settings.namespace, settings.notebook, execution.cell.id, name or f"value {number}")
            return DataRef(str(urn), DatasetKind.VARIABLE)
        return None

    def _add_capture_error(self, library: str, error: Exception) -> None:
        line = f"Colophon could not record what {library} did ({type(error).__name__}); the notebook continues."
        self.notices.add_line_once(f"capture {library}", line)

    def _replace_catalog_and_recorder(self, catalog: Operations | None, recorder: Recorder | None) -> None:
        """Replace catalog and recorder. What happened so far goes to the old recorder, events during its close to the new one."""
        deadline = time.monotonic() + SHUTDOWN_TIMEOUT_S
        if self.recorder is not None:
            self.captures.wait_for_events()
            self.libraries.wait_until_reported(LIBRARIES_TIMEOUT_S)
        catalog_before, recorder_before = self.catalog, self.recorder
        self.catalog, self.recorder = catalog, recorder
        if recorder_before is not None:
            recorder_before.flush_and_end_run(max(deadline - time.monotonic(), 0.1))
        if catalog_before is not None:
            catalog_before.close()

    def _end_session(self) -> None:
        # No error here may keep a kernel from shutting down.
        with suppress(Exception):
            running = self._get_execution()
            if running is not None:
                self.libraries.report_opened_files(running)
            self._replace_catalog_and_recorder(None, None)
