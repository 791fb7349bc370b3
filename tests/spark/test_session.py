"""Sessions of notebooks, each in a process of its own, as kernels are."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import json, logging, os, sys
from pathlib import Path
from jupyter_colophon.spark.capture.session_hook import on_session
assert not any(name.startswith(("pyspark", "py4j")) for name in sys.modules)
told = []

def broken(session, kind):
    raise RuntimeError

end_broken = on_session(broken)
end = on_session(lambda session, kind: told.append((session, str(kind))))
from jupyter_colophon.spark.capture.attach import attach
from jupyter_colophon.spark.session import session
settings = {"spark.master": "local[1]", "spark.driver.memory": "512m"}
first = session("one", **settings)
seen = []
capture = attach(first, seen.append)
again = session("two")
other = first.newSession()
first.sql("CREATE DATABASE flights")
first.range(3).write.saveAsTable("flights.t")
capture.drain(60_000)
root = Path(os.environ["JUPYTER_DATA_DIR"]) / "colophon" / "spark"
late = []
on_session(lambda session, kind: late.append(session))
end()
conf = first.conf.get
answer = {
    "same": first is again,
    "told": [[each is first, each is other, kind] for each, kind in told],
    "late": [each is first for each in late],
    "warehouse": conf("spark.sql.warehouse.dir").removeprefix("file:"),
    "zone": conf("spark.sql.session.timeZone"),
    "host": conf("spark.driver.host"),
    "ui": conf("spark.ui.enabled"),
    "python": os.environ["PYSPARK_PYTHON"],
    "folders": sorted(path.name for path in root.iterdir() if path.is_dir()),
}
first.stop()
answer["drained after the end"] = capture.drain()
capture.detach()
fresh = session(**settings)
second = attach(fresh, seen.append)
fresh.sql("CREATE DATABASE flights")
fresh.range(3).write.saveAsTable("flights.t")
answer["rows"] = fresh.table("flights.t").count()
second.drain(60_000)
answer["seen"] = [observation.function for observation in seen]
answer["told after the end"] = len(told)
try:
    fresh.sql("SELECT raise_error('on purpose')").collect()
except Exception as error:
    answer["error"] = str(error)
try:
    fresh.sql("SELECT * FROM nosuch")
except Exception as error:
    answer["absent"] = str(error)
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jupyter")


@pytest.fixture(scope="module")
def answer(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program says that stands for a notebook; a killed one left its folder behind."""
    root = data / "colophon" / "spark"
    (root / "1-left" / "warehouse").mkdir(parents=True)
    (root / "1-left.lock").touch()
    folder = tmp_path_factory.mktemp("work")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "JUPYTER_DATA_DIR": str(data), "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    found["left"] = sorted(path.name for path in folder.iterdir())
    found["log"] = done.stderr
    return found


def test_a_session_is_one_for_the_whole_process(answer: dict[str, Any]) -> None:
    assert answer["same"]


def test_a_session_keeps_to_this_machine_and_to_utc(answer: dict[str, Any]) -> None:
    assert (answer["zone"], answer["host"], answer["ui"]) == ("UTC", "127.0.0.1", "false")
    assert answer["python"] == sys.executable


def test_the_warehouse_is_in_a_folder_of_its_own_that_goes_with_the_process(answer: dict[str, Any], data: Path) -> None:
    root = data / "colophon" / "spark"
    assert Path(answer["warehouse"]).parent.parent == root
    assert answer["folders"] == [Path(answer["warehouse"]).parent.name]
    assert list(root.iterdir()) == []
    assert answer["left"] == []


def test_a_second_session_of_a_process_starts_from_nothing(answer: dict[str, Any]) -> None:
    assert answer["rows"] == 3


def test_each_session_of_a_process_can_be_captured(answer: dict[str, Any]) -> None:
    assert answer["seen"] == ["create table as select", "create table as select", "count"]
    assert answer["drained after the end"] is False


def test_each_session_is_told_once_to_everyone_who_asked(answer: dict[str, Any]) -> None:
    assert answer["told"] == [[True, False, "classic"], [False, True, "classic"]]
    assert answer["told after the end"] == 2


def test_the_running_session_is_told_to_who_comes_late(answer: dict[str, Any]) -> None:
    assert answer["late"] == [True]


def test_a_callback_that_fails_keeps_no_session_from_being_made(answer: dict[str, Any]) -> None:
    assert "This Spark session will not be recorded (RuntimeError)." in answer["log"]


def test_what_fails_is_told_by_its_exception_alone(answer: dict[str, Any]) -> None:
    expected = ("This Spark session", "WARNING: Using incubator modules")
    assert [line for line in answer["log"].splitlines() if line.strip() and not line.startswith(expected)] == []
    assert "on purpose" in answer["error"]
    assert "nosuch" in answer["absent"]
