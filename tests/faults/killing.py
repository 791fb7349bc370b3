"""Kill a writer while it works."""

import subprocess
import time
from pathlib import Path

from faults import shim


def kill_after(arguments: list[str], report_file: Path, lines: int, pause_s: float) -> None:
    """Run a writer, and kill it a pause after it has written this many more lines."""
    process = subprocess.Popen(shim.python(*arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expected, deadline = _count_lines(report_file) + lines, time.monotonic() + 300
    while _count_lines(report_file) < expected and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    time.sleep(pause_s)
    assert process.poll() is None, process.communicate()[0].decode()
    process.kill()
    process.communicate()


def _count_lines(report_file: Path) -> int:
    return report_file.read_bytes().count(b"\n") if report_file.exists() else 0
