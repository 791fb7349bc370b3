"""The estimate of a large catalog, through its command line, from figures that were not measured."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "bench" / "capacity.py"
SIZES = (10_000, 100_000, 300_000)
#: The CPU milliseconds of each operation at each size: those of searches grow with the matches that are read, 10,000 at most.
COSTS: dict[str, tuple[float, ...]] = {
    "update": (3.0, 3.3, 3.45),
    "read": (0.2, 0.2, 0.2),
    "search, rare word": (1.1, 1.1, 1.1),
    "search, middling word": (2.2, 4.0, 5.5),
    "search, common word": (6.3, 20.0, 21.0),
}


def write_figures(folder: Path, costs: Mapping[str, tuple[float, ...]]) -> Path:
    """Write figures of PostgreSQL, which does half of the work."""
    figures: list[dict[str, object]] = [
        {"operation": name, "entities": size, "cpu_ms": cost, "server_ms": cost / 2, "log_kb": 50.0}
        for name, of_operation in costs.items()
        for size, cost in zip(SIZES, of_operation, strict=True)
    ]
    figures += [{"operation": "disk", "entities": size, "kb_an_entity": 10.0} for size in SIZES]
    file = folder / "figures.jsonl"
    file.write_text("".join(f"{json.dumps(figure | {'store': 'postgresql'})}\n" for figure in figures))
    return file


def run_program(figures: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    called = [sys.executable, str(PROGRAM), str(figures), *options]
    return subprocess.run(called, capture_output=True, text=True, timeout=60, check=False)


def test_estimate_is_printed_if_the_largest_size_was_predicted(tmp_path: Path) -> None:
    ended = run_program(write_figures(tmp_path, COSTS), "--entities=100000000", "--writes=1000")
    assert ended.returncode == 0, ended.stderr
    assert "| disk of each copy: entities, changes of 30 days | 1.0 TB, 22.0 TB |" in ended.stdout
    assert "| the write-ahead log | 50 MB a second, 4.3 TB a day |" in ended.stdout


@pytest.mark.parametrize(
    ("operation", "costs"),
    [
        ("update", (3.0, 3.3, 6.0)),
        # The index reads all matches, of which there are three times as many.
        ("search, common word", (6.3, 20.0, 60.0)),
    ],
)
def test_nothing_is_estimated_if_the_largest_size_was_not_predicted(
    tmp_path: Path, operation: str, costs: tuple[float, ...]
) -> None:
    ended = run_program(write_figures(tmp_path, COSTS | {operation: costs}))
    assert ended.returncode == 1
    assert f"wrong at the largest size: {operation} on postgresql" in ended.stderr
    assert "estimate" not in ended.stdout


def test_limited_matches_cost_the_same_in_a_catalog_of_any_size(tmp_path: Path) -> None:
    figures = write_figures(tmp_path, COSTS)
    large, larger = (
        next(
            line
            for line in run_program(figures, f"--entities={entities}").stdout.splitlines()
            if "| search, " in line and "of the service" in line
        )
        for entities in (100_000_000, 1_000_000_000)
    )
    assert large == larger


@pytest.mark.parametrize("page", ["# Size\n", "# Size\n<!-- figures of bench/capacity.py -->\n"])
def test_page_without_marks_is_not_changed(tmp_path: Path, page: str) -> None:
    (file := tmp_path / "large").write_text(page)
    assert run_program(write_figures(tmp_path, COSTS), f"--page={file}").returncode == 1
    assert file.read_text() == page


def test_tables_replace_what_is_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "large"
    page.write_text("before\n<!-- figures of bench/capacity.py -->\nold\n<!-- end of the figures -->\nafter\n")
    for _ in range(2):
        assert run_program(write_figures(tmp_path, COSTS), f"--page={page}").returncode == 0
    text = page.read_text()
    assert text.count("| the write-ahead log |") == 1
    assert "old" not in text
    assert (text.startswith("before\n"), text.endswith("after\n")) == (True, True)
