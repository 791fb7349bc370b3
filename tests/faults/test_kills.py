"""The process of the store is killed while several threads write."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from faults import choice
from faults.killing import kill_after
from faults.oracle import find_violations, parse_acknowledgements
from faults.size import sized
from jupyter_colophon.core.store import choose_sqlite_store
from support.catalog import open_catalog_file

WORKLOAD = Path(__file__).with_name("workload.py")
KILLS = sized(6, 1_000)
#: The number of kills of one store: checking all that it contains takes longer with each.
KILLS_A_STORE = 20


#: After this many writes in one process, each deliberate bug has taken effect.
HARMED = 40


def run_and_kill(path: Path, reports: Path, name: str, chance: random.Random, *plants: str, least: int = 1) -> None:
    """Run three writers in a process that is killed shortly after this many writes."""
    arguments = [
        str(WORKLOAD),
        choice.format_choice(choose_sqlite_store(path)),
        str(reports),
        name,
        "0",
        "0",
        "3",
        *plants,
    ]
    kill_after(arguments, reports, least, chance.uniform(0.0, 0.15))


def find_problems(path: Path, reports: Path) -> list[str]:
    catalog = open_catalog_file(path)
    try:
        return find_violations(catalog, parse_acknowledgements(reports.read_text()))
    finally:
        catalog.close()


def test_acknowledged_writes_survive_a_kill_and_are_whole(tmp_path: Path) -> None:
    chance = random.Random(1)
    for store in range(-(-KILLS // KILLS_A_STORE)):
        path, reports = tmp_path / f"{store}.db", tmp_path / f"{store}.reports"
        for kill in range(min(KILLS, KILLS_A_STORE)):
            run_and_kill(path, reports, f"k{kill}w", chance)
        assert find_problems(path, reports) == []
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize(
    "bug", ["acknowledge first", "in two halves", "drop changes", "forget search", "overwrite version"]
)
def test_checker_detects_faulty_writer(tmp_path: Path, bug: str) -> None:
    path, reports, chance = tmp_path / "catalog.db", tmp_path / "reports", random.Random(2)
    # A kill does not always happen while the bug takes effect.
    for kill in range(20):
        run_and_kill(path, reports, f"k{kill}w", chance, bug, least=HARMED)
        if find_problems(path, reports):
            return
    raise AssertionError("no bug was detected")
