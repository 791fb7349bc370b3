"""Other processes on the same catalog."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TESTS = Path(__file__).parents[1]


def told(script: str, *arguments: str) -> str:
    """What a Python script says in a process of its own; it must succeed."""
    done = subprocess.run([*_python(script), *arguments], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def running(script: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A Python script in a process of its own, with pipes; ended at the end if it still runs."""
    process = subprocess.Popen(
        [*_python(script), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def everything_that_runs() -> list[tuple[int, int, str]]:
    """Each process of this machine: its number, its parent's and its whole command, however wide a terminal is."""
    listed = subprocess.run(["ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    parts = [line.split(None, 2) for line in listed.splitlines()]
    return [(int(pid), int(parent), command) for pid, parent, command in parts]


#: What a script says is what it prints: on a busy machine a store logs slow transactions in between.
_BEGIN = f"""
import logging, sys
logging.getLogger("jupyter_colophon.storage").addHandler(logging.NullHandler())
sys.path.insert(0, {str(_TESTS)!r})
"""


def _python(script: str) -> list[str]:
    return [sys.executable, "-c", _BEGIN + script]
