"""The process of the store is killed while several threads write."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from faults import choice
from faults.killing import killed_after
from faults.oracle import acknowledged, faults
from faults.size import sized
from jupyter_colophon.core.store import sqlite_file
from support.catalog import opened

WORKLOAD = Path(__file__).with_name("workload.py")
KILLS = sized(12, 1_000)
#: How many kills one store sees: looking at all that it holds takes longer with each.
KILLS_A_STORE = 20


#: After so many writes in one process each planted bug has had its turn.
HARMED = 40


def killed(path: Path, told: Path, name: str, chance: random.Random, *plants: str, least: int = 1) -> None:
    """Three writers in a process that is killed a moment after so many of its writes."""
    arguments = [str(WORKLOAD), choice.told(sqlite_file(path)), str(told), name, "0", "0", "3", *plants]
    killed_after(arguments, told, least, chance.uniform(0.0, 0.15))


def wrong(path: Path, told: Path) -> list[str]:
    catalog = opened(path)
    try:
        return faults(catalog, acknowledged(told.read_text()))
    finally:
        catalog.close()


def test_every_acknowledged_write_outlives_a_kill_and_none_is_half_there(tmp_path: Path) -> None:
    chance = random.Random(1)
    for store in range(-(-KILLS // KILLS_A_STORE)):
        path, told = tmp_path / f"{store}.db", tmp_path / f"{store}.told"
        for kill in range(min(KILLS, KILLS_A_STORE)):
            killed(path, told, f"k{kill}w", chance)
        assert wrong(path, told) == []
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize(
    "bug", ["acknowledge first", "in two halves", "drop changes", "forget search", "overwrite version"]
)
def test_the_checker_sees_a_writer_that_breaks_a_promise(tmp_path: Path, bug: str) -> None:
    path, told, chance = tmp_path / "catalog.db", tmp_path / "told", random.Random(2)
    # A kill does not always come while the bug does its harm.
    for kill in range(20):
        killed(path, told, f"k{kill}w", chance, bug, least=HARMED)
        if wrong(path, told):
            return
    raise AssertionError("nothing was seen")
