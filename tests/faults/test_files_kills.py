"""A process that saves large instances is killed: each instance is whole, and leftover files are removed."""

import random
from pathlib import Path

import pytest
from faults import files
from faults.killing import kill_after
from faults.size import sized

WORKLOAD = Path(__file__).with_name("files.py")
KILLS = sized(8, 500)
MEGABYTES = 2 * 2**20


def run_and_kill(root: Path, reports: Path, start: int, chance: random.Random, *bugs: str) -> None:
    """Kill a process with three saving threads shortly after it reported something.

    That is sometimes its first report, and sometimes after each thread has saved twice, since the time of a save
    depends on the load of the machine.
    """
    arguments = [str(WORKLOAD), str(root), str(reports), str(start), "0", "3", str(MEGABYTES), *bugs]
    kill_after(arguments, reports, chance.randint(1, 12), chance.uniform(0.0, 0.3))


def test_acknowledged_saves_survive_a_kill_and_are_whole(tmp_path: Path) -> None:
    chance, reports = random.Random(1), tmp_path / "reports"
    for kill in range(KILLS):
        run_and_kill(tmp_path, reports, 1 + 10_000 * kill, chance)
        assert files.find_problems(tmp_path, reports.read_text()) == []


@pytest.mark.parametrize("bug", ["in place", "acknowledge first"])
def test_checker_detects_faulty_writer(tmp_path: Path, bug: str) -> None:
    chance, reports = random.Random(2), tmp_path / "reports"
    for kill in range(100):
        run_and_kill(tmp_path, reports, 1 + 10_000 * kill, chance, bug)
        if files.find_problems(tmp_path, reports.read_text()):
            return
    raise AssertionError("no bug was detected")
