"""Run a task in a process of its own, with a time limit."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Final

#: The time limit in seconds.
LIMIT_S: Final = 15.0


class TaskFailed(Exception):
    """A task failed: its recipe is invalid, or needs too much time or memory."""


def run_in_process(task: Mapping[str, Any], limit_s: float = LIMIT_S) -> dict[str, Any]:
    """Return the result of a task. Raises TaskFailed; the process is ended at the time limit."""
    command = [sys.executable, "-P", "-m", "jupyter_colophon.wrangling.worker"]
    try:
        done = subprocess.run(  # noqa: S603  our own module
            command, input=json.dumps(task).encode(), capture_output=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        raise TaskFailed(
            f"the recipe took longer than {limit_s:g} s: use simpler regular expressions, or a smaller sample"
        ) from None
    if done.returncode:
        raise TaskFailed(f"the process of the recipe ended with the status {done.returncode}")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise TaskFailed(answer["error"])
    result: dict[str, Any] = answer["result"]
    return result
