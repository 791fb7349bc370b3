"""The power goes: every acknowledged write is on the disk, whatever became of what was not synced."""

import random
import subprocess
from pathlib import Path

import pytest
from faults import choice, shim
from faults.disks import Call, calls, images
from faults.oracle import acknowledged, faults
from faults.size import sized
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.store import sqlite_file
from support.catalog import opened
from support.memory import quick_folder

WORKLOAD = Path(__file__).with_name("workload.py")
IMAGES = sized(150, 10_000)
#: Enough for the write-ahead log to be folded into the file more than once.
WRITES = sized(30, 40)


def recorded(folder: Path, *plants: str) -> tuple[list[Call], Path]:
    """What four threads that write in groups ask of the disk, with their acknowledgements among it."""
    told, record = folder / "acknowledged", folder.with_name(f"{folder.name}.record")
    folder.mkdir()
    arguments = [
        str(WORKLOAD),
        choice.told(sqlite_file(folder / "colophon.db")),
        str(told),
        "w",
        "0",
        str(WRITES),
        "4",
        *plants,
    ]
    done = subprocess.run(
        shim.python(*arguments), env=shim.environment(folder, record), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return calls(record), told


def after_cuts(recorded: list[Call], told: Path, count: int) -> list[str]:
    """What is wrong on any of the disks that a cut could have left."""
    found: list[str] = []
    for content, said in images(recorded, count, random.Random(4), told):
        with quick_folder() as disk:
            for name, data in content.items():
                (disk / name).write_bytes(data)
            found += wrong(disk / "colophon.db", said)
    return found


def wrong(database: Path, said: str) -> list[str]:
    try:
        catalog = opened(database)
    except MetadataError as error:
        return [f"cannot be opened: {error.detail}"]
    try:
        return faults(catalog, acknowledged(said))
    except MetadataError as error:
        return [f"cannot be read: {error.detail}"]
    finally:
        catalog.close()


def test_every_acknowledged_write_is_there_after_a_power_cut_and_none_is_half_there(tmp_path: Path) -> None:
    asked, told = recorded(tmp_path / "catalog")
    assert sum(call.path == str(told) for call in asked) == 4 * WRITES
    assert sum(call.kind == "S" for call in asked) > 20
    assert after_cuts(asked, told, IMAGES) == []


@pytest.mark.parametrize("bug", ["no fsync", "lazy fsync", "acknowledge first"])
def test_the_checker_sees_a_writer_that_acknowledges_what_is_not_on_the_disk(tmp_path: Path, bug: str) -> None:
    asked, told = recorded(tmp_path / "catalog", bug)
    assert any("lost" in one for one in after_cuts(asked, told, 60))
