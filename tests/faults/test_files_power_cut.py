"""Power is lost while instances are saved: each has its old or its new content, and none is missing."""

import random
import subprocess
from pathlib import Path

import pytest
from faults import files, shim
from faults.disks import Call, read_calls
from faults.file_disks import simulate_power_loss
from faults.size import sized
from support.memory import create_memory_folder

WORKLOAD = Path(__file__).with_name("files.py")
IMAGES = sized(300, 10_000)
WRITES = 25


def record_calls(folder: Path, *bugs: str) -> tuple[list[Call], Path]:
    """Record the disk calls of three threads that save and remove instances, and their reports."""
    reports, record = folder / "reports", folder.with_name(f"{folder.name}.record")
    folder.mkdir()
    arguments = [str(WORKLOAD), str(folder / "root"), str(reports), "1", str(WRITES), "3", "3000", *bugs]
    environment = shim.environment(folder, record, names=True)
    done = subprocess.run(shim.python(*arguments), env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return read_calls(record), reports


def find_problems_after_cuts(recorded: list[Call], reports: Path, count: int) -> list[str]:
    """Return the problems on any of the possible disks after a power loss."""
    found: list[str] = []
    with create_memory_folder() as memory:
        for number, (content, reported) in enumerate(simulate_power_loss(recorded, count, random.Random(4), reports)):
            for path, data in content.items():
                there = memory / str(number) / Path(path).relative_to(reports.parent)
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_bytes(data)
            found += files.find_problems(memory / str(number) / "root", reported)
    return found


@pytest.mark.parametrize("bugs", [[], [files.FOUND]], ids=["folder created", files.FOUND])
def test_acknowledged_saves_survive_power_loss_and_are_whole(tmp_path: Path, bugs: list[str]) -> None:
    recorded, reports = record_calls(tmp_path / "disk", *bugs)
    assert sum(call.path == str(reports) for call in recorded) == 2 * 3 * WRITES
    assert {call.kind for call in recorded} >= set("CLMRSUW")
    assert find_problems_after_cuts(recorded, reports, IMAGES) == []


@pytest.mark.parametrize(
    "bug", ["no fsync", "no folder sync", "folders not synced", "late sync", "in place", "acknowledge first"]
)
def test_checker_detects_acknowledgement_before_sync(tmp_path: Path, bug: str) -> None:
    recorded, reports = record_calls(tmp_path / "disk", bug)
    assert find_problems_after_cuts(recorded, reports, 600) != []
