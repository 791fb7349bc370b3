"""The pipelines that run on this machine for this account: a file for each, locked by its process, so that it can be stopped."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.system.private_folders import create_private_folder
from jupyter_colophon.system.process_files import ProcessFile, has_creator_ended


@contextmanager
def register_running(pipeline: str, run_id: str, namespace: str, *, run: str = "", server: str = "") -> Iterator[None]:
    """Record that this process runs a pipeline, and to which server it reports the run. Raises OSError."""
    folder = _get_folder()
    create_private_folder(folder, folder.parent)
    document = {"pid": os.getpid(), "pipeline": pipeline, "namespace": namespace, "run": run, "server": server}
    file = ProcessFile.create_locked(folder / f"{run_id}.json", json.dumps(document).encode())
    try:
        yield
    finally:
        file.delete_and_unlock()


def stop_runs(pipeline_or_run: str) -> list[str]:
    """End all runs of a pipeline, or the run with this id or URN; return their ids. They are recorded as killed."""
    name = pipeline_or_run.rpartition(":")[2]
    return [
        path.stem
        for path in _list_run_files()
        if _stop_run_if_matching(path, lambda run, document: name in (run, document["pipeline"]))
    ]


def stop_runs_in_namespace(namespace: str) -> list[str]:
    """End the runs of all pipelines of a namespace; return their ids."""
    return [
        path.stem
        for path in _list_run_files()
        if _stop_run_if_matching(path, lambda _, document: document["namespace"] == namespace)
    ]


def is_run_active(run_id: str) -> bool:
    """Return whether a process of this machine executes this run."""
    try:
        return not has_creator_ended(_get_folder() / f"{run_id}.json")
    except OSError:
        return False


def _list_run_files() -> list[Path]:
    return sorted(_get_folder().glob("*.json"))


def _get_folder() -> Path:
    return Path(jupyter_data_dir()) / "colophon" / "pipelines"


def _stop_run_if_matching(path: Path, matches: Callable[[str, dict[str, Any]], bool]) -> bool:
    """Stop the run of this file if it matches; return whether its process got the signal."""
    if sys.platform == "win32":  # Windows has no such signal.
        return False
    # The run may end at the same time and delete its file.
    with suppress(OSError, ValueError, LookupError):
        document = json.loads(path.read_bytes())
        if not matches(path.stem, document):
            return False
        if not has_creator_ended(path):
            os.kill(document["pid"], signal.SIGTERM)
            return True
        # A file that names its run is still needed to end that run: `record_killed_runs_and_get_pipelines` removes it.
        if not document.get("run"):
            path.unlink(missing_ok=True)
    return False


def list_abandoned_run_files() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the files that killed processes left, and their documents."""
    for path in _list_run_files():
        # The run may end at the same time and delete its file.
        with suppress(OSError, ValueError):
            if has_creator_ended(path):
                yield path, json.loads(path.read_bytes())
