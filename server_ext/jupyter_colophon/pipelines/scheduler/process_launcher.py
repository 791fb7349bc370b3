"""The processes in which pipelines run that start by themselves: each `jupyter colophon pipeline run`, with a log of its own."""

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
from jupyter_colophon.pipelines.scheduler.schedule import Schedule
from jupyter_colophon.system.private_folders import create_private_folder

#: So many logs are kept, the newest.
_LOGS_MAX = 100
#: How long a run that is stopped may take to record it, in seconds.
_PATIENCE_S = 20.0
#: Commands begin so when they tell why they do not do their work; that is looked for in so many bytes of the log.
_SAYS, _REASON_BYTES = "jupyter colophon: ", 4_000

#: The environment of a run, by its id and whose it is; and what takes its token back.
Signed = Callable[[str, str], tuple[Mapping[str, str], Callable[[], None]]]


@dataclass(slots=True)
class Launched:
    """A run that was started."""

    run_id: str
    schedule: str
    process: subprocess.Popen[bytes]
    log: Path
    forget: Callable[[], None]

    @property
    def is_over(self) -> bool:
        """Whether it is; its token is no longer good then."""
        if self.process.poll() is None:
            return False
        self._let_go()
        return True

    @property
    def status(self) -> RunStatus:
        """How it ended, as far as the process tells: one that was stopped ends with 1 as well."""
        return "succeeded" if self.process.returncode == 0 else "failed"

    @property
    def reason(self) -> str:
        """What the process said at last of why it did not do its work; empty where it did not."""
        with suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _REASON_BYTES))
            lines = log.read().decode("utf-8", "replace").splitlines()
            return next((line[len(_SAYS) :] for line in reversed(lines) if line.startswith(_SAYS)), "")
        return ""

    def stop(self) -> None:
        """Have it end itself: it records that it was killed."""
        if self.process.poll() is None:
            self.process.terminate()

    def end(self) -> None:
        """Wait until it is over, and no longer than is good."""
        try:
            self.process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._let_go()

    def _let_go(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.forget()


def launch(schedule: Schedule, run_id: str, actor: str, signed: Signed) -> Launched:
    """Start a run. Raises OSError."""
    environment, forget = signed(run_id, actor)
    arguments = [f"--argument={name}={value}" for name, value in schedule.arguments.items()]
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline", "run", schedule.pipeline, f"--run-id={run_id}"]
    try:
        path = _log_path(run_id)
        with _log(path) as log:
            process = subprocess.Popen(  # noqa: S603  our own command
                [*command, "--stop-on-stdin-eof", *arguments],
                env=dict(environment),
                # Nothing is ever written: it ends with this server, however that ends, and the run sees that.
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                # Ctrl+C of a terminal is for the server, which then stops its runs in its turn.
                start_new_session=True,
            )
    except OSError:
        forget()
        raise
    return Launched(run_id, schedule.name, process, path, forget)


def _log_path(run_id: str) -> Path:
    return Path(jupyter_data_dir()) / "colophon" / "pipelines" / "logs" / f"{run_id}.log"


def _log(path: Path) -> BinaryIO:
    folder = path.parent
    create_private_folder(folder, Path(jupyter_data_dir()) / "colophon")
    old = sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
    for one in old[: max(0, len(old) + 1 - _LOGS_MAX)]:
        one.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
