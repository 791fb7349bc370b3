"""Launch scheduled pipelines as processes of `jupyter colophon pipeline run`, each with its own log."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.core.lineage.run import RunStatus
from jupyter_colophon.pipelines.scheduler.schedule import PipelineSchedule
from jupyter_colophon.system.private_folders import create_private_folder

#: Maximum number of logs; the oldest are deleted.
_LOGS_MAX = 100
#: How long a stopped run may take to record its end, in seconds.
_STOP_TIMEOUT_S = 20.0
#: The prefix of error messages of commands, and how many bytes at the end of the log are searched for it.
_ERROR_PREFIX, _REASON_BYTES = "jupyter colophon: ", 4_000

#: Returns the environment of a run, given its id and actor, and a function that revokes its token.
TokenIssuer = Callable[[str, str], tuple[Mapping[str, str], Callable[[], None]]]


@dataclass(slots=True)
class ProcessHandle:
    """The process of a run."""

    run_id: str
    schedule: str
    process: subprocess.Popen[bytes]
    log: Path
    forget: Callable[[], None]

    @property
    def has_ended(self) -> bool:
        """Return whether the process has ended; its token is revoked then."""
        if self.process.poll() is None:
            return False
        self._release()
        return True

    @property
    def status(self) -> RunStatus:
        """Return the status from the exit code; a stopped run also counts as failed."""
        return "succeeded" if self.process.returncode == 0 else "failed"

    @property
    def reason(self) -> str:
        """Return the last error message in the log; empty if there is none."""
        with suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _REASON_BYTES))
            lines = log.read().decode("utf-8", "replace").splitlines()
            return next((line[len(_ERROR_PREFIX) :] for line in reversed(lines) if line.startswith(_ERROR_PREFIX)), "")
        return ""

    def stop_process(self) -> None:
        """Terminate the process, which records that it was killed."""
        if self.process.poll() is None:
            self.process.terminate()

    def wait_or_kill(self) -> None:
        """Wait for the end of the process; kill it after a timeout."""
        try:
            self.process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._release()

    def _release(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.forget()


def launch_run(schedule: PipelineSchedule, run_id: str, actor: str, issue_token: TokenIssuer) -> ProcessHandle:
    """Start the process of a run. Raises OSError."""
    environment, forget = issue_token(run_id, actor)
    arguments = [f"--argument={name}={value}" for name, value in schedule.arguments.items()]
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline", "run", schedule.pipeline, f"--run-id={run_id}"]
    try:
        path = _get_log_path(run_id)
        with _open_log_and_remove_old(path) as log:
            process = subprocess.Popen(  # noqa: S603  our own command
                [*command, "--stop-on-stdin-eof", *arguments],
                env=dict(environment),
                # Nothing is written: the pipe closes when this server ends for any reason, and the run then stops.
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                # Ctrl+C in a terminal goes to the server, which then stops its runs.
                start_new_session=True,
            )
    except OSError:
        forget()
        raise
    return ProcessHandle(run_id, schedule.name, process, path, forget)


def _get_log_path(run_id: str) -> Path:
    return Path(jupyter_data_dir()) / "colophon" / "pipelines" / "logs" / f"{run_id}.log"


def _open_log_and_remove_old(path: Path) -> BinaryIO:
    folder = path.parent
    create_private_folder(folder, Path(jupyter_data_dir()) / "colophon")
    old = sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
    for outdated in old[: max(0, len(old) + 1 - _LOGS_MAX)]:
        outdated.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
