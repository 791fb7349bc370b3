"""Bits of the file flip: nothing wrong is told silently, and it can be put right (spec FAULT-3)."""

import random
import shutil
from pathlib import Path

import pytest
from faults import choice
from faults.size import sized
from faults.workload import ASPECTS, Write
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.store import sqlite_file
from support.catalog import ADA
from support.commands import Commands
from support.keeping import keeper

FLIPS = sized(25, 200)
PAGE = 4096
Truth = dict[tuple[str, str], tuple[int, object]]


@pytest.fixture
def sound(tmp_path: Path) -> tuple[Path, Truth]:
    """A catalog's file, folded, and what its aspects say."""
    path = tmp_path / "sound.db"
    catalog = choice.catalog_of(choice.told(sqlite_file(path)))
    for number in range(40):
        Write(f"s-{number}").apply(catalog)
    told = aspects(path)
    catalog.close()
    return path, told


def aspects(path: Path) -> Truth:
    """What can be read of each dataset's aspects, by (URN, aspect)."""
    catalog = choice.catalog_of(choice.told(sqlite_file(path)))
    try:
        found: Truth = {}
        for urn in {urn for number in range(40) for urn in Write(f"s-{number}").urns}:
            for aspect in ASPECTS:
                one = catalog.reader.aspect(Urn.parse(urn), aspect, ADA)
                found[urn, aspect] = (one.version, one.value)
        return found
    finally:
        catalog.close()


def flipped(path: Path, chance: random.Random) -> None:
    """A few bits of one page are others."""
    content = bytearray(path.read_bytes())
    page = chance.randrange(len(content) // PAGE)
    for _ in range(chance.randint(1, 20)):
        content[page * PAGE + chance.randrange(PAGE)] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def findings(path: Path) -> int:
    """How much is found wrong with a catalog; one that cannot be looked through is wrong."""
    try:
        catalog = choice.catalog_of(choice.told(sqlite_file(path)))
    except MetadataError:
        return 1
    try:
        return len(list(keeper(catalog).checker().findings()))
    except MetadataError:
        return 1
    finally:
        catalog.close()


def test_what_is_told_is_true_or_is_known_to_be_damaged(tmp_path: Path, sound: tuple[Path, Truth]) -> None:
    path, truth = sound
    chance, noticed = random.Random(5), 0
    for flip in range(FLIPS):
        damaged = tmp_path / f"{flip}" / "damaged.db"
        damaged.parent.mkdir()
        shutil.copy(path, damaged)
        flipped(damaged, chance)
        found = findings(damaged)
        noticed += found > 0
        try:
            told = aspects(damaged)
        except MetadataError:
            continue
        assert told == truth or found, "something wrong was told, and nobody knows"
    assert noticed > FLIPS // 3, "too few flips met anything"


def test_a_backup_puts_right_what_cannot_be_read(tmp_path: Path, sound: tuple[Path, Truth]) -> None:
    path, truth = sound
    saved, colophon = tmp_path / "saved.gz", Commands(tmp_path, path)
    assert colophon("backup", str(saved)).status == 0
    path.write_bytes(path.read_bytes()[: PAGE * 3] + random.Random(6).randbytes(PAGE * 20))
    assert colophon("doctor").status == 1
    path.unlink()
    assert colophon("restore", str(saved)).status == 0
    assert aspects(path) == truth
    assert colophon("verify").status == 0
