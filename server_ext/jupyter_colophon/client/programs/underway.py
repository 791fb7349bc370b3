"""Which pipelines run on this machine for this account: a file for each, locked as long as its process lives, so that one can be stopped."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.client.private_folders import create_private_folder
from jupyter_colophon.client.problems import ClientError, ServerAway

if TYPE_CHECKING:
    from jupyter_colophon.client.catalog import Catalog

if sys.platform != "win32":  # Windows has no locks of this kind, and no such signal: there nothing can be stopped.
    import fcntl


@contextmanager
def underway(pipeline: str, run_id: str, namespace: str, *, run: str = "", server: str = "") -> Iterator[None]:
    """Say that this process runs it, and to which server its run is told. Raises OSError."""
    folder = _folder()
    create_private_folder(folder, folder.parent)
    path = folder / f"{run_id}.json"
    unnamed = path.with_suffix(".new")
    with unnamed.open("w", encoding="utf-8") as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        told = {"pid": os.getpid(), "pipeline": pipeline, "namespace": namespace, "run": run, "server": server}
        json.dump(told, file)
        file.flush()
        # It gets its name when it is locked: else it looked like one that a killed process left.
        unnamed.rename(path)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def stop(wanted: str) -> list[str]:
    """End all runs of a pipeline, or the run with this id or URN; answers their ids. They are recorded as killed."""
    name = wanted.rpartition(":")[2]
    return [path.stem for path in _all() if _stopped(path, lambda run, told: name in (run, told["pipeline"]))]


def stop_in(namespace: str) -> list[str]:
    """End the runs of all pipelines of a namespace; answers their ids."""
    return [path.stem for path in _all() if _stopped(path, lambda _, told: told["namespace"] == namespace)]


def end_killed(catalog: "Catalog", server: str) -> dict[str, str]:
    """Record as killed the runs of this machine, account and server whose processes are gone; their pipelines by their ids.

    A run that the server does not know yet waits for the next time. Raises ServerAway.
    """
    ended = {}
    for path, told in _abandoned():
        if not told.get("run") or told.get("server") != server:
            continue
        try:
            if catalog.run(told["run"])["status"] == "running":
                catalog.change_run(told["run"], {"status": "killed"})
                ended[path.stem] = str(told["pipeline"])
            path.unlink(missing_ok=True)
        except ServerAway:
            raise
        except ClientError:
            continue
    return ended


def is_underway(run_id: str) -> bool:
    """Whether a process of this machine is at it."""
    path = _folder() / f"{run_id}.json"
    try:
        with path.open("r", encoding="utf-8") as file:
            return not _is_abandoned(file)
    except OSError:
        return False


def _all() -> list[Path]:
    return sorted(_folder().glob("*.json"))


def _folder() -> Path:
    return Path(jupyter_data_dir()) / "colophon" / "pipelines"


def _stopped(path: Path, is_meant: Callable[[str, dict[str, Any]], bool]) -> bool:
    if sys.platform == "win32":
        return False
    # What ends just now is gone, or cannot be read any more.
    with suppress(OSError, ValueError, LookupError), path.open("r", encoding="utf-8") as file:
        told = json.load(file)
        if not is_meant(path.stem, told):
            return False
        if not _is_abandoned(file):
            os.kill(told["pid"], signal.SIGTERM)
            return True
        # Of what names its run, the run is still to be ended, and `end_killed` lets go of it then.
        if not told.get("run"):
            path.unlink(missing_ok=True)
    return False


def _abandoned() -> Iterator[tuple[Path, dict[str, Any]]]:
    """What killed processes left."""
    for path in _all():
        # What ends just now is gone, or cannot be read any more.
        with suppress(OSError, ValueError), path.open("r", encoding="utf-8") as file:
            if _is_abandoned(file):
                yield path, json.load(file)


def _is_abandoned(file: TextIO) -> bool:
    """Whether nobody holds it: its process was killed."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
