"""Run a task in a process of its own, with a time limit."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any, Final

#: The time limit in seconds.
LIMIT_S: Final = 15.0

#: Answers a question of the worker about directives of artifacts.
Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class TaskFailed(Exception):
    """A task failed: its recipe is invalid, or needs too much time or memory. `line` is that of the recipe, if it is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def run_in_process(task: Mapping[str, Any], limit_s: float = LIMIT_S, answer: Answer | None = None) -> dict[str, Any]:
    """Return the result of a task. Raises TaskFailed; the process is ended at the time limit.

    `answer` is called if the task has directives of artifacts.
    """
    command = [sys.executable, "-P", "-m", "jupyter_colophon.wrangling.worker"]
    with subprocess.Popen(  # noqa: S603  our own module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            process.kill()

        timer = threading.Timer(limit_s, end)
        timer.daemon = True
        timer.start()
        try:
            message = _exchange_messages(process, task, answer)
        except (OSError, ValueError):
            # The process has ended, perhaps in the middle of a message.
            message = None
        finally:
            timer.cancel()
            process.kill()
    if message is not None and "result" in message:
        result: dict[str, Any] = message["result"]
        return result
    if message is not None:
        raise TaskFailed(message["error"], message.get("line"))
    if is_late.is_set():
        raise TaskFailed(
            f"the recipe took longer than {limit_s:g} s: use simpler regular expressions, or a smaller sample"
        )
    raise TaskFailed(f"the process of the recipe ended with the status {process.returncode}")


def _exchange_messages(
    process: "subprocess.Popen[bytes]", task: Mapping[str, Any], answer: Answer | None
) -> Mapping[str, Any] | None:
    """Send the task, answer the questions, and return the last message; None if the process ends before."""
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  they are pipes
    _send(process.stdin, task)
    while line := process.stdout.readline():
        message: Mapping[str, Any] = json.loads(line)
        if "question" not in message or answer is None:
            return message
        _send(process.stdin, answer(message["question"]))
    process.wait()
    return None


def _send(pipe: IO[bytes], message: Mapping[str, Any]) -> None:
    pipe.write(json.dumps(message).encode() + b"\n")
    pipe.flush()
