"""Other processes on the same catalog."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TESTS = Path(__file__).parents[1]


def run_script(script: str, *arguments: str) -> str:
    """Run a Python script in a separate process and return its output; it must succeed."""
    done = subprocess.run(
        [*_build_command(script), *arguments], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def start_script_process(script: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a Python script in a separate process with pipes; kill it at the end if it still runs."""
    process = subprocess.Popen(
        [*_build_command(script), *arguments],
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


def list_processes() -> list[tuple[int, int, str]]:
    """Return number, parent and full command line of each process of this machine."""
    listed = subprocess.run(["ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    parts = [line.split(None, 2) for line in listed.splitlines()]
    return [(int(pid), int(parent), command) for pid, parent, command in parts]


#: The output of a script is what it prints; a store may log slow transactions to the same stream on a busy machine.
_BEGIN = f"""
import logging, sys
logging.getLogger("jupyter_colophon.storage").addHandler(logging.NullHandler())
sys.path.insert(0, {str(_TESTS)!r})
"""


def _build_command(script: str) -> list[str]:
    return [sys.executable, "-c", _BEGIN + script]
