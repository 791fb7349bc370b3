"""Bit flips in the file: no wrong value is returned unnoticed, and a backup restores the catalog (spec FAULT-3)."""

import random
import shutil
from pathlib import Path

import pytest
from faults import choice
from faults.size import sized
from faults.workload import ASPECTS, Write
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.store import choose_sqlite_store
from support.catalog import ADA
from support.catalog_maintenance import create_maintenance
from support.commands import Commands

FLIPS = sized(25, 200)
PAGE = 4096
Truth = dict[tuple[str, str], tuple[int, object]]


@pytest.fixture
def intact(tmp_path: Path) -> tuple[Path, Truth]:
    """Create a catalog's file, checkpointed, and return it with the values of its aspects."""
    path = tmp_path / "intact.db"
    catalog = choice.open_choice(choice.format_choice(choose_sqlite_store(path)))
    for number in range(40):
        Write(f"s-{number}").apply(catalog)
    values = read_aspects(path)
    catalog.close()
    return path, values


def read_aspects(path: Path) -> Truth:
    """Return the readable aspects of each dataset, by (URN, aspect)."""
    catalog = choice.open_choice(choice.format_choice(choose_sqlite_store(path)))
    try:
        found: Truth = {}
        for urn in {urn for number in range(40) for urn in Write(f"s-{number}").urns}:
            for aspect in ASPECTS:
                one = catalog.reader.read_current_aspect(Urn.parse(urn), aspect, ADA)
                found[urn, aspect] = (one.version, one.value)
        return found
    finally:
        catalog.close()


def flip_bits(path: Path, chance: random.Random) -> None:
    """Flip a few bits of one page."""
    content = bytearray(path.read_bytes())
    page = chance.randrange(len(content) // PAGE)
    for _ in range(chance.randint(1, 20)):
        content[page * PAGE + chance.randrange(PAGE)] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def count_issues(path: Path) -> int:
    """Return the number of issues of a catalog; one that cannot be checked has one."""
    try:
        catalog = choice.open_choice(choice.format_choice(choose_sqlite_store(path)))
    except MetadataError:
        return 1
    try:
        return len(list(create_maintenance(catalog).create_integrity_checker().find_issues()))
    except MetadataError:
        return 1
    finally:
        catalog.close()


def test_damaged_file_gives_correct_answers_or_store_damaged(tmp_path: Path, intact: tuple[Path, Truth]) -> None:
    path, truth = intact
    chance, noticed = random.Random(5), 0
    for flip in range(FLIPS):
        damaged = tmp_path / f"{flip}" / "damaged.db"
        damaged.parent.mkdir()
        shutil.copy(path, damaged)
        flip_bits(damaged, chance)
        found = count_issues(damaged)
        noticed += found > 0
        try:
            values = read_aspects(damaged)
        except MetadataError:
            continue
        assert values == truth or found, "a wrong value was returned and no issue reported"
    assert noticed > FLIPS // 3, "too few flips were detected"


def test_backup_restores_a_damaged_file(tmp_path: Path, intact: tuple[Path, Truth]) -> None:
    path, truth = intact
    saved, colophon = tmp_path / "saved.gz", Commands(tmp_path, path)
    assert colophon("backup", str(saved)).status == 0
    path.write_bytes(path.read_bytes()[: PAGE * 3] + random.Random(6).randbytes(PAGE * 20))
    assert colophon("doctor").status == 1
    path.unlink()
    assert colophon("restore", str(saved)).status == 0
    assert read_aspects(path) == truth
    assert colophon("verify").status == 0
