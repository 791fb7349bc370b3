"""The comparison of benchmarks with stored ratios, through its command line. No benchmark runs here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "bench" / "baselines.py"
HEAD = "| what | ours | other side | ratio or difference | goal |\n|---|---|---|---|---|\n"
#: A ratio that should be small, one that should be large, one without a goal, and a difference.
ROWS = {
    "update": ("0.40x", "<= 0.25x"),
    "batch": ("0.50x", ">= 0.4x"),
    "delete": ("0.90x", "-"),
    "memory": ("+8 MB", "<= 30 MB"),
}


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    """Return a file with the ratios of `ROWS`, stored by the program."""
    path = tmp_path / "machines" / "2-x86_64.json"
    assert run_program("store", tmp_path, path, ROWS).returncode == 0
    return path


def run_program(
    command: str, folder: Path, baseline: Path, rows: dict[str, tuple[str, str]], *options: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command of the program on a table with these ratios and goals."""
    lines = [f"| {what} | 1 | 2 (other) | {ratio} | {goal} |\n" for what, (ratio, goal) in rows.items()]
    (table := folder / "table.txt").write_text(HEAD + "".join(lines))
    called = [sys.executable, str(PROGRAM), command, str(table), f"--baseline={baseline}", *options]
    return subprocess.run(called, capture_output=True, text=True, timeout=60, check=False)


def test_ratios_with_a_goal_are_stored(baseline: Path) -> None:
    stored = json.loads(baseline.read_text())
    assert {what: (ratio["ratio"], ratio["goal"]) for what, ratio in stored.items()} == {
        "update": (0.4, "<= 0.25x"),
        "batch": (0.5, ">= 0.4x"),
    }
    assert all(ratio["measured"] and ratio["load"] >= 0 for ratio in stored.values())


def test_storing_keeps_ratios_of_other_benchmarks(baseline: Path, tmp_path: Path) -> None:
    run_program("store", tmp_path, baseline, {"update": ("0.30x", "<= 0.25x"), "list": ("0.05x (p50)", "<= 0.1")})
    stored = json.loads(baseline.read_text())
    assert {what: ratio["ratio"] for what, ratio in stored.items()} == {"update": 0.3, "batch": 0.5, "list": 0.05}


@pytest.mark.parametrize(
    ("rows", "options", "worse"),
    [
        ({"update": ("0.51x", "<= 0.25x"), "batch": ("0.39x", ">= 0.4x")}, [], []),
        ({"update": ("0.53x", "<= 0.25x")}, [], ["update: 0.53x, 0.4x"]),
        ({"batch": ("0.38x", ">= 0.4x")}, [], ["batch: 0.38x, 0.5x"]),
        ({"update": ("0.42x", "<= 0.25x")}, ["--tolerance=0.01"], ["update: 0.42x, 0.4x"]),
        # A better ratio, one that is not stored, and one without a direction.
        ({"update": ("0.1x", "<= 0.25x"), "new": ("9x", "<= 1x"), "delete": ("9x", "-")}, [], []),
    ],
    ids=["within tolerance", "larger", "smaller", "other tolerance", "not comparable"],
)
def test_worse_ratios_are_named_and_fail_the_comparison(
    baseline: Path, tmp_path: Path, rows: dict[str, tuple[str, str]], options: list[str], worse: list[str]
) -> None:
    done = run_program("compare", tmp_path, baseline, rows, *options)
    assert done.returncode == (1 if worse else 0)
    named = [line.removeprefix("* ").partition(" on ")[0] for line in done.stdout.splitlines() if line.startswith("* ")]
    assert named == worse


def test_first_run_of_a_class_of_machines_has_nothing_to_compare(tmp_path: Path) -> None:
    done = run_program("compare", tmp_path, tmp_path / "64-riscv.json", ROWS)
    assert (done.returncode, done.stdout) == (0, "\n0 of 0 ratios are worse than in 64-riscv.json by more than 30%\n")


def test_table_without_ratios_is_refused(tmp_path: Path) -> None:
    done = run_program("compare", tmp_path, tmp_path / "none.json", {})
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no row with a ratio and a goal" in done.stderr
