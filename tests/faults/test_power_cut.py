"""Power is lost: every acknowledged write is on the disk, whatever happened to unsynced data."""

import random
import subprocess
from pathlib import Path

import pytest
from faults import choice, shim
from faults.disks import Call, read_calls, simulate_power_loss
from faults.oracle import find_violations, parse_acknowledgements
from faults.size import sized
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.store import choose_sqlite_store
from support.catalog import open_catalog_file
from support.memory import create_memory_folder

WORKLOAD = Path(__file__).with_name("workload.py")
IMAGES = sized(150, 10_000)
#: Enough for several checkpoints of the write-ahead log.
WRITES = sized(30, 40)


def record_calls(folder: Path, *plants: str) -> tuple[list[Call], Path]:
    """Record the disk calls of four threads that write in groups, with their acknowledgements."""
    acknowledgements, record = folder / "acknowledged", folder.with_name(f"{folder.name}.record")
    folder.mkdir()
    arguments = [
        str(WORKLOAD),
        choice.format_choice(choose_sqlite_store(folder / "colophon.db")),
        str(acknowledgements),
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
    return read_calls(record), acknowledgements


def find_problems_after_cuts(recorded: list[Call], acknowledgements: Path, count: int) -> list[str]:
    """Return the problems on any of the possible disks after a power loss."""
    found: list[str] = []
    for content, acknowledged in simulate_power_loss(recorded, count, random.Random(4), acknowledgements):
        with create_memory_folder() as disk:
            for name, data in content.items():
                (disk / name).write_bytes(data)
            found += find_problems(disk / "colophon.db", acknowledged)
    return found


def find_problems(database: Path, acknowledged: str) -> list[str]:
    try:
        catalog = open_catalog_file(database)
    except MetadataError as error:
        return [f"cannot be opened: {error.detail}"]
    try:
        return find_violations(catalog, parse_acknowledgements(acknowledged))
    except MetadataError as error:
        return [f"cannot be read: {error.detail}"]
    finally:
        catalog.close()


def test_acknowledged_writes_survive_power_loss_and_are_whole(tmp_path: Path) -> None:
    recorded, acknowledgements = record_calls(tmp_path / "catalog")
    assert sum(call.path == str(acknowledgements) for call in recorded) == 4 * WRITES
    assert sum(call.kind == "S" for call in recorded) > 20
    assert find_problems_after_cuts(recorded, acknowledgements, IMAGES) == []


@pytest.mark.parametrize("bug", ["no fsync", "lazy fsync", "acknowledge first"])
def test_checker_detects_acknowledgement_before_sync(tmp_path: Path, bug: str) -> None:
    recorded, acknowledgements = record_calls(tmp_path / "catalog", bug)
    assert any("lost" in one for one in find_problems_after_cuts(recorded, acknowledgements, 60))
