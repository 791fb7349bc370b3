"""Processes of commands on Spark beside the server, each with a token of its own, and a log or a result."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.core.lineage.run import RunStatus
from jupyter_colophon.system.private_folders import create_private_folder

#: Maximum number of logs; the oldest are deleted.
_LOGS_MAX = 100
#: How long a stopped process may take to record its end, in seconds.
_STOP_TIMEOUT_S = 20.0
#: The prefix of error messages of commands, and how many bytes at the end of the log are searched for it.
_ERROR_PREFIX, _REASON_BYTES = "jupyter colophon: ", 4_000

#: Returns the environment of a process, given its id and actor, and a function that revokes its token.
TokenIssuer = Callable[[str, str], tuple[Mapping[str, str], Callable[[], None]]]


@dataclass(slots=True)
class PipelineProcess:
    """A process and its log. `id` is that of its run, if it runs a pipeline."""

    id: str
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
        lines = self.read_log_end(_REASON_BYTES).splitlines()
        return next((line[len(_ERROR_PREFIX) :] for line in reversed(lines) if line.startswith(_ERROR_PREFIX)), "")

    def read_log_end(self, most: int) -> str:
        """Return at most this many bytes from the end of the log, as text."""
        with suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - most))
            return log.read().decode("utf-8", "replace")
        return ""

    def stop_process(self) -> None:
        """Terminate the process, which records that its run was killed."""
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


def launch_process(
    words: Sequence[str], process_id: str, actor: str, issue_token: TokenIssuer, result: Path | None = None
) -> PipelineProcess:
    """Start `jupyter colophon` with a command and its arguments. Raises OSError.

    Its output is written to its log, or its standard output to the new file `result`.
    """
    environment, forget = issue_token(process_id, actor)
    try:
        path = _get_log_path(process_id)
        with (
            _create_log_and_remove_old(path) as log,
            nullcontext(log) if result is None else create_private_file(result) as output,
        ):
            process = subprocess.Popen(  # noqa: S603  our own command
                [sys.executable, "-m", "jupyter_colophon.cli", *words, "--stop-on-stdin-eof"],
                env=dict(environment),
                # Nothing is written: the pipe closes when this server ends for any reason, and the process then stops.
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=log,
                # Ctrl+C in a terminal goes to the server, which then stops its processes.
                start_new_session=True,
            )
    except OSError:
        forget()
        raise
    return PipelineProcess(process_id, process, path, forget)


def create_private_file(path: Path) -> BinaryIO:
    """Create a file that only this account can read. Raises OSError, also if it exists."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def get_pipelines_folder() -> Path:
    """Return the folder of the files of pipelines that run on this machine."""
    return Path(jupyter_data_dir()) / "colophon" / "pipelines"


def _get_log_path(process_id: str) -> Path:
    return get_pipelines_folder() / "logs" / f"{process_id}.log"


def _create_log_and_remove_old(path: Path) -> BinaryIO:
    folder = path.parent
    create_private_folder(folder, Path(jupyter_data_dir()) / "colophon")
    old = sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
    for outdated in old[: max(0, len(old) + 1 - _LOGS_MAX)]:
        outdated.unlink(missing_ok=True)
    return create_private_file(path)
