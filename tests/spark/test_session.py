"""Spark sessions of notebooks, in a separate process like a kernel."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import json, logging, os, sys, time
from pathlib import Path
from jupyter_colophon.spark.capture.session_hook import on_session
assert not any(name.startswith(("pyspark", "py4j")) for name in sys.modules)
announced = []

def broken(session, kind):
    raise RuntimeError

end_broken = on_session(broken)
end = on_session(lambda session, kind: announced.append((session, str(kind))))
from jupyter_colophon.spark.capture.attach import attach_listener
from jupyter_colophon.spark.session import get_session
settings = {"spark.master": "local[1]", "spark.driver.memory": "512m"}
first = get_session("one", **settings)
seen = []

def record(observation):
    # Events of the last queries are still pending when the process ends.
    time.sleep(0.5 if observation.failed else 0)
    seen.append(observation)

capture = attach_listener(first, seen.append)
again = get_session("two")
other = first.newSession()
first.sql("CREATE DATABASE flights")
first.range(3).write.saveAsTable("flights.t")
capture.wait_for_observations(60_000)
root = Path(os.environ["JUPYTER_DATA_DIR"]) / "colophon" / "spark"
late = []
on_session(lambda session, kind: late.append(session))
end()
conf = first.conf.get
answer = {
    "same": first is again,
    "announced": [[each is first, each is other, kind] for each, kind in announced],
    "late": [each is first for each in late],
    "warehouse": conf("spark.sql.warehouse.dir").removeprefix("file:"),
    "zone": conf("spark.sql.session.timeZone"),
    "host": conf("spark.driver.host"),
    "ui": conf("spark.ui.enabled"),
    "python": os.environ["PYSPARK_PYTHON"],
    "folders": sorted(path.name for path in root.iterdir() if path.is_dir()),
}
first.stop()
answer["flushed after the end"] = capture.wait_for_observations()
capture.detach()
fresh = get_session(**settings)
second = attach_listener(fresh, record)
fresh.sql("CREATE DATABASE flights")
fresh.range(3).write.saveAsTable("flights.t")
answer["rows"] = fresh.table("flights.t").count()
second.wait_for_observations(60_000)
answer["seen"] = [observation.function for observation in seen]
answer["announced after the end"] = len(announced)
try:
    fresh.sql("SELECT raise_error('on purpose') FROM flights.t").collect()
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
    """Run the program and return its answers; a folder of a killed process exists before."""
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


def test_session_is_shared_by_process(answer: dict[str, Any]) -> None:
    assert answer["same"]


def test_session_is_local_and_uses_utc(answer: dict[str, Any]) -> None:
    assert (answer["zone"], answer["host"], answer["ui"]) == ("UTC", "127.0.0.1", "false")
    assert answer["python"] == sys.executable


def test_warehouse_folder_is_removed_with_process(answer: dict[str, Any], data: Path) -> None:
    root = data / "colophon" / "spark"
    assert Path(answer["warehouse"]).parent.parent == root
    assert answer["folders"] == [Path(answer["warehouse"]).parent.name]
    assert list(root.iterdir()) == []
    assert answer["left"] == []


def test_second_session_starts_empty(answer: dict[str, Any]) -> None:
    assert answer["rows"] == 3


def test_each_session_can_be_captured(answer: dict[str, Any]) -> None:
    assert answer["seen"] == ["create table as select", "create table as select", "count"]
    assert answer["flushed after the end"] is False


def test_callbacks_receive_each_session_once(answer: dict[str, Any]) -> None:
    assert answer["announced"] == [[True, False, "classic"], [False, True, "classic"]]
    assert answer["announced after the end"] == 2


def test_late_callback_receives_running_session(answer: dict[str, Any]) -> None:
    assert answer["late"] == [True]


def test_failing_callback_does_not_prevent_session(answer: dict[str, Any]) -> None:
    assert "This Spark session will not be recorded (RuntimeError)." in answer["log"]


def test_spark_errors_are_not_logged_in_addition(answer: dict[str, Any]) -> None:
    expected = ("This Spark session", "WARNING: Using incubator modules")
    assert [line for line in answer["log"].splitlines() if line.strip() and not line.startswith(expected)] == []
    assert "on purpose" in answer["error"]
    assert "nosuch" in answer["absent"]
