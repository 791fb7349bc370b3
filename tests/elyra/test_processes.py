"""Several processes change the same instances: no acknowledged change is lost, and a killed process leaves none incomplete."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules, make_instance_urn
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.schemaspaces import instances
from jupyter_colophon.settings import Settings
from support.catalog import ADA
from support.catalog_maintenance import create_maintenance
from support.packages import build_python_path
from support.snippets import SPACE, build_snippet

TESTS = Path(__file__).parents[1]


@pytest.fixture
def served(jp_environ: None, tmp_path: Path) -> Iterator[Any]:
    """Yield the instances of a server and its catalog."""
    catalog = open_or_create_catalog(choose_sqlite_store(Path(Settings().database)), IdentityRules())
    found = instances.set_instances_of_server(Settings(), lambda: catalog)
    found.create_instance(SPACE, "shared", build_snippet("Shared", code=[]), ADA)
    yield found, catalog
    found.stop_watching_and_close_stores()
    catalog.close()


def start(who: str, count: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "support.adder", who, str(count)],
        cwd=TESTS,
        env=os.environ | {"PYTHONPATH": build_python_path(TESTS)},
    )


def lines(served: Any) -> list[str]:
    return list(served.get_valid_instance(SPACE, "shared", ADA).metadata["code"])


def sound(served: Any, catalog: Catalog) -> None:
    """Check that record and file are equal, that versions have no gaps, and that the catalog has no issues."""
    found = served.get_valid_instance(SPACE, "shared", ADA)
    assert (
        catalog.reader.read_current_aspect(make_instance_urn(SPACE, "shared"), "instance", ADA).value["metadata"]
        == found.metadata
    )
    assert found.version == len(found.metadata["code"]) + 1
    assert [*create_maintenance(catalog).create_integrity_checker().find_issues()] == []


def test_concurrent_processes_lose_no_change(served: Any) -> None:
    known, catalog = served
    running = [start(who, 12) for who in ("ada", "bob", "eve")]
    assert [one.wait(300) for one in running] == [0, 0, 0]
    assert sorted(lines(known)) == sorted(f"{who}-{number}" for who in ("ada", "bob", "eve") for number in range(12))
    sound(known, catalog)


def test_killed_process_leaves_complete_file_and_record(served: Any) -> None:
    known, catalog = served
    for turn in range(4):
        before = len(lines(known))
        running = start(f"turn{turn}", 10_000)
        while len(lines(known)) < before + 5:
            assert running.poll() is None
            time.sleep(0.002 * turn)
        running.kill()
        running.wait(300)
        sound(known, catalog)
    done = lines(known)
    assert len(done) == len(set(done)) >= 20
