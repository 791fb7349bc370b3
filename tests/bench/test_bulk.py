"""The comparison of a bulk load with the same rows written by hand, through its command line."""

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "bench" / "bulk.py"


def test_both_sides_load_on_both_stores() -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, "--count", "1000"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| 1000 new entities")]
    assert [("SQLite" in row, "PostgreSQL" in row) for row in rows] == [(True, False), (False, True)]
    assert all("the same rows by hand" in row for row in rows)
