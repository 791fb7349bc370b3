"""A process that saves large instances is killed: each is whole, and what is left of it is swept."""

import random
from pathlib import Path

import pytest
from faults import files
from faults.killing import killed_after
from faults.size import sized

WORKLOAD = Path(__file__).with_name("files.py")
KILLS = sized(15, 500)
MEGABYTES = 2 * 2**20


def killed(root: Path, told: Path, start: int, chance: random.Random, *bugs: str) -> None:
    """Three threads save in a process that is killed a moment after it told something: at times the first, at times
    after each has saved twice, since a save takes as long as the machine is busy."""
    arguments = [str(WORKLOAD), str(root), str(told), str(start), "0", "3", str(MEGABYTES), *bugs]
    killed_after(arguments, told, chance.randint(1, 12), chance.uniform(0.0, 0.3))


def test_every_acknowledged_save_outlives_a_kill_and_none_is_half_there(tmp_path: Path) -> None:
    chance, told = random.Random(1), tmp_path / "told"
    for kill in range(KILLS):
        killed(tmp_path, told, 1 + 10_000 * kill, chance)
        assert files.wrong(tmp_path, told.read_text()) == []


@pytest.mark.parametrize("bug", ["in place", "acknowledge first"])
def test_the_checker_sees_a_writer_that_breaks_a_promise(tmp_path: Path, bug: str) -> None:
    chance, told = random.Random(2), tmp_path / "told"
    for kill in range(100):
        killed(tmp_path, told, 1 + 10_000 * kill, chance, bug)
        if files.wrong(tmp_path, told.read_text()):
            return
    raise AssertionError("nothing was seen")
