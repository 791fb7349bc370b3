"""A writer that is killed in the middle of its work."""

import subprocess
import time
from pathlib import Path

from faults import shim


def killed_after(arguments: list[str], told: Path, lines: int, pause_s: float) -> None:
    """Run a writer, and kill it a pause after it told so many lines, those of writers before it apart."""
    process = subprocess.Popen(shim.python(*arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wanted, deadline = _lines(told) + lines, time.monotonic() + 300
    while _lines(told) < wanted and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    time.sleep(pause_s)
    assert process.poll() is None, process.communicate()[0].decode()
    process.kill()
    process.communicate()


def _lines(told: Path) -> int:
    return told.read_bytes().count(b"\n") if told.exists() else 0
