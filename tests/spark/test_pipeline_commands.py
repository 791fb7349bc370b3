"""Run pipelines from the command line and with `spark-submit`, from a file and from a package (docs/pipelines.md)."""

import csv
import json
import os
import subprocess
import sys
import threading
import uuid
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.pipelines.package import format_submit_command
from jupyter_colophon.pipelines.running_pipelines import stop_runs
from jupyter_colophon.spark.java import ensure_java
from support.servers import catalog, server

__all__ = ["catalog", "server"]
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pipeline.json"
FILE = "urn:li:dataset:(urn:li:dataPlatform:file,{},PROD)"


@pytest.fixture
def place(tmp_path: Path, catalog: Any) -> Path:
    """Create a folder with employees, whose names are confidential."""
    folder = tmp_path.resolve()
    with (folder / "employees.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "empName", "team", "pay"), (1, "Ada", "x", 5), (2, "Bob", "y", 7)])
    urn = FILE.format(folder / "employees.csv")
    for of, tags in ((urn, ["hr"]), (f"urn:li:schemaField:({urn},empName)", ["confidential"])):
        value = {"properties": {}, "tags": tags}
        catalog.submit_proposals(
            {"proposals": [{"urn": of, "aspect": "businessMetadata", "operation": "upsert", "value": value}]}
        )
    return folder


def create_namespace(catalog: Any, name: str) -> None:
    urn, value = f"urn:li:namespace:{name}", {"removed": False}
    catalog.submit_proposals({"proposals": [{"urn": urn, "aspect": "status", "operation": "upsert", "value": value}]})


def environment(cwd: Path, **more: str) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("COLOPHON_", "JUPYTER_"))}
    return {**kept, "JUPYTER_DATA_DIR": str(cwd / "jupyter"), "COLOPHON_OUTBOX": str(cwd / "outbox"), **more}


def run_command(*command: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    known = environment(cwd, **more)
    return subprocess.run(command, cwd=cwd, env=known, capture_output=True, text=True, timeout=300, check=False)


def rows(folder: Path) -> list[list[str]]:
    """Read Parquet files without starting another Spark session."""
    from pyarrow import parquet

    return [[str(one) for one in row.values()] for row in parquet.read_table(folder).to_pylist()]


def test_example_pipeline_runs_from_command_line(server: Any, catalog: Any, place: Path) -> None:
    known = {"COLOPHON_URL": server.url, "COLOPHON_TOKEN": server.token}
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline"]
    conf = "--conf=spark.master=local[1]"
    shown = run_command(*command, "preview", str(EXAMPLE), conf, cwd=place, **known)
    assert (shown.returncode, "***" in shown.stdout) == (0, True), shown.stderr
    done = run_command(*command, "run", str(EXAMPLE), conf, cwd=place, **known)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert rows(place / "staff") == [["1", "***", "x", "5.00"], ["2", "***", "y", "7.00"]]
    run = catalog.read_run(done.stdout.split()[-1])
    assert (run["status"], run["facts"]["stage.staff.rows"]) == ("succeeded", 2)
    pause = threading.Event()
    while catalog.read_health()["inbox"]["pending"]:
        pause.wait(0.01)
    assert catalog.read_entity_metadata(FILE.format(place / "staff"))["USER"]["tags"] == ["hr"]
    again = run_command(*command, "run", str(EXAMPLE), conf, "--argument=sink=employees.csv/x", cwd=place, **known)
    assert (again.returncode, again.stderr.count("jupyter colophon: "), "Traceback" in again.stderr) == (1, 1, False)


def get_java_environment() -> dict[str, str]:
    ensure_java()
    return {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "JAVA_HOME": os.environ["JAVA_HOME"],
    }


def test_package_runs_without_server(server: Any, place: Path) -> None:
    known = {"COLOPHON_URL": server.url, "COLOPHON_TOKEN": server.token}
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline", "package", str(EXAMPLE), "--with-snapshot"]
    made = run_command(*command, "--output=package", cwd=place, **known)
    assert made.returncode == 0, made.stderr
    package = place / "package"
    assert sorted(path.name for path in package.iterdir()) == [
        "colophon.zip",
        "main.py",
        "pipeline.json",
        "snapshot.json",
    ]
    submit = ["spark-submit", "--master", "local[1]", "--py-files", str(package / "colophon.zip")]
    done = run_command(*submit, str(package / "main.py"), "sink=out", cwd=place, **get_java_environment())
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "masked hides who" in done.stdout
    assert rows(place / "out") == [["1", "***", "x", "5.00"], ["2", "***", "y", "7.00"]]
    assert list((place / "outbox").iterdir())


#: The driver imports the stage, and the executors call its function.
PLUGINS = """
from jupyter_colophon.pipelines.plugin import TransformPlugin
from jupyter_colophon.wrangling import DirectivePlugin


def shout(text):
    return text.upper()


class Shout(TransformPlugin):
    name = "shout"

    def apply(self, context, inputs):
        from pyspark.sql import functions

        (data,) = inputs.values()
        return data.withColumn("team", functions.udf(shout)("team"))


class Mark(DirectivePlugin):
    name = "mark"
    properties = {"column": {"type": "string", "format": "column"}}
    required = ("column",)

    def change_row(self, row):
        return row | {"empName": row[self.arguments["column"]] + "!"}
"""


def test_package_contains_artifacts(server: Any, catalog: Any, place: Path) -> None:
    create_namespace(catalog, "parcels")
    catalog.upload_artifact("parcels", "text-tools", "1.0", PLUGINS.encode())
    columns = dict.fromkeys(("id", "empName", "team"), "string")
    directives = ["text-tools/1.0/mark"]
    stages = [
        ("people", "source", "file", {"path": "employees.csv", "format": "csv", "options": {"header": "true"}}),
        ("loud", "transform", "text-tools/shout", {}),
        ("marked", "transform", "wrangle", {"recipe": "mark :empName", "columns": columns, "directives": directives}),
        ("out", "sink", "file", {"path": "${sink}"}),
    ]
    document = {
        "name": "parcel",
        "metadata": {
            "namespace": "parcels",
            "stages": [dict(zip(("name", "type", "plugin", "properties"), stage, strict=True)) for stage in stages],
            "connections": [{"from": one[0], "to": other[0]} for one, other in pairwise(stages)],
            "arguments": {"sink": "out"},
        },
    }
    (place / "parcel.json").write_text(json.dumps(document))
    known = {"COLOPHON_URL": server.url, "COLOPHON_TOKEN": server.token}
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline", "package", "parcel.json", "--output=package"]
    made = run_command(*command, "--json", cwd=place, **known)
    assert made.returncode == 0, made.stderr
    files = json.loads(made.stdout)["files"]
    digest = sha256(PLUGINS.encode()).hexdigest()
    assert files == sorted(["artifacts.json", "colophon.zip", "main.py", "pipeline.json", f"{digest}.artifact"])
    submit = format_submit_command(place / "package", files).removesuffix(" [NAME=VALUE …]").split()
    assert f"{place}/package/{digest}.artifact" in submit[submit.index("--files") + 1].split(",")
    done = run_command(*submit, "sink=out", cwd=place, **get_java_environment())
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert rows(place / "out") == [["1", "Ada!", "X"], ["2", "Bob!", "Y"]]
    (place / "package" / f"{digest}.artifact").write_text(PLUGINS + "#")
    # The driver checks them before it starts Spark.
    refused = run_command(sys.executable, "package/main.py", "sink=other", cwd=place)
    assert "the content of its artifact does not have the digest of the artifact" in refused.stderr
    assert (refused.returncode, (place / "other").exists()) == (1, False)


@pytest.fixture
def slow(place: Path) -> Path:
    """Write a variant of the example named `slow`, with a stage that prints a line and sleeps."""
    document = json.loads(EXAMPLE.read_text("utf-8"))
    code = "import time\ndef transform(data):\n    print('sleeps', flush=True)\n    time.sleep(600)"
    stage = {"name": "masked", "type": "transform", "plugin": "python", "properties": {"code": code}}
    document["metadata"]["stages"][2] = stage
    (place / "slow.json").write_text(json.dumps(document | {"name": "slow"}), "utf-8")
    return place / "slow.json"


@pytest.mark.parametrize("by", ["command", "stdin"])
def test_run_is_stopped_from_another_process(server: Any, catalog: Any, place: Path, slow: Path, by: str) -> None:
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline"]
    known = environment(place, COLOPHON_URL=server.url, COLOPHON_TOKEN=server.token)
    run_id = str(uuid.uuid4())
    words = [*command, "run", str(slow), "--conf=spark.master=local[1]", f"--run-id={run_id}", "--stop-on-stdin-eof"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen(words, cwd=place, env=known, text=True, **pipes)
    assert running.stdout is not None
    for line in running.stdout:
        if line == "sleeps\n":
            break
    if by == "command":
        stopped = run_command(*command, "stop", "slow", "--json", cwd=place)
        assert json.loads(stopped.stdout)["stopped"] == [run_id]
        running.wait(300)
    # `communicate` closes the remaining pipes, standard input first.
    output = running.communicate()[1]
    assert (running.returncode, "Traceback" in output) == (1, False), output
    assert output.endswith(f"jupyter colophon: run {run_id} stopped\n")
    assert catalog.read_run(f"urn:li:dataProcessInstance:{run_id}")["status"] == "killed"
    assert run_command(*command, "stop", "slow", cwd=place).returncode == 1


def test_run_of_killed_process_is_ended_by_next_command(server: Any, catalog: Any, place: Path, slow: Path) -> None:
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline"]
    known = environment(place, COLOPHON_URL=server.url, COLOPHON_TOKEN=server.token)
    run_id = str(uuid.uuid4())
    words = [*command, "run", str(slow), "--conf=spark.master=local[1]", f"--run-id={run_id}"]
    running = subprocess.Popen(words, cwd=place, env=known, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "Spark starts\n"
    urn, pause = f"urn:li:dataProcessInstance:{run_id}", threading.Event()
    while all("stage.staff.status" not in one["facts"] for one in catalog.list_runs()["runs"] if one["urn"] == urn):
        pause.wait(0.1)
    assert catalog.read_run(urn)["facts"]["stage.staff.status"] == "waiting"
    running.kill()
    running.communicate()
    # Without a server the command cannot end the run, and leaves its file for one that can.
    assert run_command(*command, "stop", "slow", cwd=place).returncode == 1
    stopped = run_command(*command, "stop", str(slow), "--json", cwd=place, **known)
    assert (stopped.returncode, json.loads(stopped.stdout)) == (0, {"stopped": [run_id]})
    assert catalog.read_run(urn)["status"] == "killed"
    assert run_command(*command, "stop", "slow", cwd=place, **known).returncode == 1


def test_run_stopped_while_spark_starts_is_recorded(server: Any, catalog: Any, place: Path) -> None:
    known = environment(place, COLOPHON_URL=server.url, COLOPHON_TOKEN=server.token)
    words = [
        sys.executable,
        "-m",
        "jupyter_colophon.cli",
        "pipeline",
        "run",
        str(EXAMPLE),
        "--conf=spark.master=local[1]",
    ]
    running = subprocess.Popen(
        words, cwd=place, env=known, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    pause, stopped = threading.Event(), []
    while not stopped and running.poll() is None:
        pause.wait(0.1)
        stopped = stop_in(place)
    output = running.communicate()[1]
    assert (running.returncode, "Traceback" in output) == (1, False)
    assert catalog.read_run(f"urn:li:dataProcessInstance:{stopped[0]}")["status"] == "killed"


def stop_in(home: Path) -> list[str]:
    """Stop the pipeline in this process: a new process would start more slowly than Spark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(home / "jupyter"))
        return stop_runs("staff")
