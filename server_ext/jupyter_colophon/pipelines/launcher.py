"""Previews and runs of pipelines, and checks of data, that users start in a server: a bounded number of processes, each visible to its user."""

import json
import subprocess
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, Literal

from jupyter_colophon.composition import read_time_ms
from jupyter_colophon.core.errors import MetadataError, NotFound, StoreUnavailable, TooManyExecutions
from jupyter_colophon.core.identity.names import Urn, make_run_urn
from jupyter_colophon.core.lineage.run import RunStatus
from jupyter_colophon.pipelines.pipeline_process import (
    PipelineProcess,
    TokenIssuer,
    create_private_file,
    get_pipelines_folder,
    launch_process,
)
from jupyter_colophon.system.private_folders import create_private_folder

Kind = Literal["preview", "run", "check"]
#: How long a preview may take, in seconds.
PREVIEW_TIMEOUT_S: Final = 300.0
#: Maximum number of bytes of a preview's result.
PREVIEW_BYTES_MAX: Final = 4_000_000
#: Maximum number of finished executions that are kept: the newest ones.
_FINISHED_MAX: Final = 20
#: Maximum number of bytes at the end of a log that are returned.
_LOG_BYTES: Final = 40_000


@dataclass(slots=True)
class PipelineExecution:
    """A preview or a run of a pipeline, or a check of a dataset, in a process of its own."""

    id: str
    kind: Kind
    user: str
    #: The name of the pipeline, or the URN of the dataset.
    subject: str
    #: The URN of the run; empty for a preview.
    run: str
    started: int
    process: PipelineProcess
    #: The folder of a preview's files; None for a run.
    folder: Path | None = None
    status: RunStatus = "running"
    ended: int = 0
    #: Why it failed; empty otherwise.
    problem: str = ""
    #: The stages of a preview, after its end.
    stages: Sequence[Mapping[str, Any]] = ()
    is_stopped: bool = False

    def read_log_end(self) -> str:
        """Return the end of its log."""
        return self.process.read_log_end(_LOG_BYTES)

    def stop(self) -> None:
        """Terminate its process, unless it has ended."""
        self.is_stopped = True
        self.process.stop_process()


@dataclass(slots=True)
class PipelineLauncher:
    """The executions of one server. At most `at_once` are active."""

    #: Returns the final status of a run whose process has ended, and records it if the run could not; None if the run
    #: never started.
    record_final_status: Callable[[str, RunStatus], RunStatus | None]
    issue_token: TokenIssuer
    at_once: int
    _executions: dict[str, PipelineExecution] = field(default_factory=dict)
    _threads: dict[str, threading.Thread] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_closed: bool = False

    def start_run(self, pipeline: str, program: Urn, arguments: Mapping[str, str], user: str) -> PipelineExecution:
        """Run a stored pipeline. Raises TooManyExecutions, StoreUnavailable."""
        run_id = str(uuid.uuid4())
        words = ["pipeline", "run", pipeline, f"--run-id={run_id}", *_format_arguments(arguments)]

        def launch() -> PipelineExecution:
            process = launch_process(words, run_id, user, self.issue_token)
            run = str(make_run_urn(program, run_id))
            return PipelineExecution(run_id, "run", user, pipeline, run, read_time_ms(), process)

        return self._start(launch)

    def start_check(self, dataset: Urn, program: Urn, user: str) -> PipelineExecution:
        """Check a dataset; return the active check of this user if there is one. Raises TooManyExecutions, StoreUnavailable."""
        run_id = str(uuid.uuid4())

        def launch() -> PipelineExecution:
            process = launch_process(
                ["check-quality", str(dataset), f"--run-id={run_id}"], run_id, user, self.issue_token
            )
            run = str(make_run_urn(program, run_id))
            return PipelineExecution(run_id, "check", user, str(dataset), run, read_time_ms(), process)

        return self._find_active_check(str(dataset), user) or self._start(launch)

    def start_preview(
        self,
        pipeline: str,
        document: Mapping[str, Any],
        arguments: Mapping[str, str],
        user: str,
        *,
        stage: str,
        rows: int,
    ) -> PipelineExecution:
        """Preview a document up to a stage, or completely if it is empty. Raises TooManyExecutions, StoreUnavailable."""
        preview_id = str(uuid.uuid4())
        folder = get_pipelines_folder() / "previews" / preview_id
        words = ["pipeline", "preview", str(_get_document_path(folder)), "--json", f"--rows={rows}"]
        words += [f"--stage={stage}"] if stage else []

        def launch() -> PipelineExecution:
            create_private_folder(folder, get_pipelines_folder().parent)
            with create_private_file(_get_document_path(folder)) as file:
                file.write(json.dumps({**document, "name": pipeline}).encode())
            process = launch_process(
                [*words, *_format_arguments(arguments)], preview_id, user, self.issue_token, _get_result_path(folder)
            )
            return PipelineExecution(preview_id, "preview", user, pipeline, "", read_time_ms(), process, folder)

        return self._start(launch)

    def get_execution(self, execution_id: str, user: str) -> PipelineExecution:
        """Return an execution that this user started. Raises NotFound."""
        execution = self._executions.get(execution_id)
        if execution is None or execution.user != user:
            raise NotFound("execution", execution_id)
        return execution

    def close(self) -> None:
        """Start no more processes, and stop active ones; runs are recorded as killed."""
        with self._lock:
            self._is_closed = True
            active = self._list_active()
        for execution in active:
            execution.stop()
        for thread in list(self._threads.values()):
            thread.join()

    def _start(self, launch: Callable[[], PipelineExecution]) -> PipelineExecution:
        with self._lock:
            if self._is_closed:
                raise StoreUnavailable("the server is stopping: try again when it has restarted")
            if len(self._list_active()) >= self.at_once:
                raise TooManyExecutions(self.at_once)
            try:
                execution = launch()
            except OSError as error:
                raise StoreUnavailable(f"no process could be started: {error.strerror}") from error
            self._forget_oldest()
            self._executions[execution.id] = execution
            thread = threading.Thread(
                target=self._wait_for_end, args=(execution,), name="colophon-pipeline", daemon=True
            )
            self._threads[execution.id] = thread
            thread.start()
            return execution

    def _find_active_check(self, dataset: str, user: str) -> PipelineExecution | None:
        with self._lock:
            active = self._list_active()
        requested = ("check", dataset, user)
        return next((item for item in active if (item.kind, item.subject, item.user) == requested), None)

    def _list_active(self) -> list[PipelineExecution]:
        return [execution for execution in self._executions.values() if not execution.ended]

    def _forget_oldest(self) -> None:
        finished = [execution.id for execution in self._executions.values() if execution.ended]
        for execution_id in finished[: max(0, len(finished) + 1 - _FINISHED_MAX)]:
            del self._executions[execution_id]

    def _wait_for_end(self, execution: PipelineExecution) -> None:
        """Wait until an execution has ended, and set its result."""
        process = execution.process
        try:
            process.process.wait(PREVIEW_TIMEOUT_S if execution.kind == "preview" else None)
        except subprocess.TimeoutExpired:
            execution.problem = f"the preview was stopped because it took longer than {PREVIEW_TIMEOUT_S:g} s"
            process.stop_process()
        process.wait_or_kill()
        folder = execution.folder
        execution.status = self._finish_run(execution) if folder is None else _finish_preview(execution, folder)
        execution.ended = read_time_ms()
        self._threads.pop(execution.id, None)

    def _finish_run(self, execution: PipelineExecution) -> RunStatus:
        process = execution.process
        execution.problem = process.reason if process.status == "failed" else ""
        status: RunStatus = "killed" if execution.is_stopped and process.status == "failed" else process.status
        # A killed process cannot record the end of its run.
        try:
            return self.record_final_status(execution.run, status) or status
        except MetadataError:
            return status


def _finish_preview(execution: PipelineExecution, folder: Path) -> RunStatus:
    """Read the result of a preview, remove its files, and return its status."""
    try:
        execution.stages = _read_preview_result(_get_result_path(folder))
    except ValueError as error:
        execution.problem = execution.problem or execution.process.reason or str(error)
    finally:
        rmtree(folder, ignore_errors=True)
    if execution.is_stopped:
        return "killed"
    return "failed" if execution.problem else "succeeded"


def _get_document_path(folder: Path) -> Path:
    return folder / "pipeline.json"


def _get_result_path(folder: Path) -> Path:
    return folder / "result.json"


def _format_arguments(arguments: Mapping[str, str]) -> list[str]:
    return [f"--argument={name}={value}" for name, value in arguments.items()]


def _read_preview_result(path: Path) -> Sequence[Mapping[str, Any]]:
    """Return the stages of a preview. Raises ValueError if there is no result, or if it is too large."""
    try:
        if path.stat().st_size > PREVIEW_BYTES_MAX:
            msg = f"the result has more than {PREVIEW_BYTES_MAX:,} bytes: preview fewer rows, or an earlier stage"
            raise ValueError(msg)
        stages: Sequence[Mapping[str, Any]] = json.loads(path.read_bytes())["stages"]
    except (OSError, LookupError, TypeError, json.JSONDecodeError):
        msg = "the preview ended without a result"
        raise ValueError(msg) from None
    return stages
