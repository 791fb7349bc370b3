"""Which pipelines run on this machine for this account: a file for each, locked as long as its process lives, so that one can be stopped."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

if sys.platform != "win32":  # Windows has no locks of this kind, and no such signal: there nothing can be stopped.
    import fcntl


@contextmanager
def underway(pipeline: str, run_id: str) -> Iterator[None]:
    """Say that this process runs it. Raises OSError."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{run_id}.json"
    unnamed = path.with_suffix(".new")
    with unnamed.open("w", encoding="utf-8") as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        json.dump({"pid": os.getpid(), "pipeline": pipeline}, file)
        file.flush()
        # It gets its name when it is locked: else it looked like one that a killed process left.
        unnamed.rename(path)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def stop(wanted: str) -> list[str]:
    """End all runs of a pipeline, or the run with this id or URN; answers their ids. They are recorded as killed."""
    return [path.stem for path in sorted(_folder().glob("*.json")) if _stopped(path, wanted.rpartition(":")[2])]


def _folder() -> Path:
    return Path(jupyter_data_dir()) / "colophon" / "pipelines"


def _stopped(path: Path, wanted: str) -> bool:
    if sys.platform == "win32":
        return False
    # What ends just now is gone, or cannot be read any more.
    with suppress(OSError, ValueError), path.open("r", encoding="utf-8") as file:
        told = json.load(file)
        if wanted not in (path.stem, told["pipeline"]):
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            os.kill(told["pid"], signal.SIGTERM)
            return True
        # Nobody holds it: its process was killed.
        path.unlink(missing_ok=True)
    return False
