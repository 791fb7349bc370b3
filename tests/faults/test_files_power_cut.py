"""The power goes while instances are saved: each is the old one or the new one, never torn and never missing."""

import random
import subprocess
from pathlib import Path

import pytest
from faults import files, shim
from faults.disks import Call, calls
from faults.file_disks import images
from faults.size import sized
from support.memory import quick_folder

WORKLOAD = Path(__file__).with_name("files.py")
IMAGES = sized(600, 10_000)
WRITES = 25


def recorded(folder: Path, *said: str) -> tuple[list[Call], Path]:
    """What three threads that save and remove ask of the disk, and what they told."""
    told, record = folder / "told", folder.with_name(f"{folder.name}.record")
    folder.mkdir()
    arguments = [str(WORKLOAD), str(folder / "root"), str(told), "1", str(WRITES), "3", "3000", *said]
    environment = shim.environment(folder, record, names=True)
    done = subprocess.run(shim.python(*arguments), env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return calls(record), told


def after_cuts(recorded: list[Call], told: Path, count: int) -> list[str]:
    """What is wrong on any of the disks that a cut could have left."""
    found: list[str] = []
    with quick_folder() as memory:
        for number, (content, said) in enumerate(images(recorded, count, random.Random(4), told)):
            for path, data in content.items():
                there = memory / str(number) / Path(path).relative_to(told.parent)
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_bytes(data)
            found += files.wrong(memory / str(number) / "root", said)
    return found


@pytest.mark.parametrize("said", [[], [files.FOUND]], ids=["folder made", files.FOUND])
def test_every_acknowledged_save_is_there_after_a_power_cut_and_none_is_half_there(
    tmp_path: Path, said: list[str]
) -> None:
    asked, told = recorded(tmp_path / "disk", *said)
    assert sum(call.path == str(told) for call in asked) == 2 * 3 * WRITES
    assert {call.kind for call in asked} >= set("CLMRSTUW")
    assert after_cuts(asked, told, IMAGES) == []


@pytest.mark.parametrize(
    "bug", ["no fsync", "no folder sync", "folders not synced", "late sync", "in place", "acknowledge first"]
)
def test_the_checker_sees_a_writer_that_acknowledges_what_is_not_on_the_disk(tmp_path: Path, bug: str) -> None:
    asked, told = recorded(tmp_path / "disk", bug)
    assert after_cuts(asked, told, 600) != []
