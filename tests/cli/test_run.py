"""Commands whose Python processes are captured: their runs, their data, and what passes through unchanged."""

import signal
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.capture.commands.command_run import name_command
from jupyter_colophon.capture.commands.process_run import find_script_name
from jupyter_colophon.client.operations import Operations
from support.captured_commands import Folder
from support.waiting import wait_for


def _list_runs(catalog: Operations, name: str) -> list[dict[str, Any]]:
    program = f"urn:li:dataJob:(urn:li:dataFlow:(colophon,scripts,default),jobs.{name})"
    runs: list[dict[str, Any]] = catalog.list_runs(program=program)["runs"]
    return runs


def test_processes_of_a_shell_are_runs_below_the_command(folder: Folder, catalog: Operations) -> None:
    (folder.path / "below").mkdir()
    (folder.path / "below" / "fails.py").write_text("import pandas\npandas.read_csv('raw.csv')\n1 / 0\n")
    shell = "python convert.py raw.csv clean.csv && cat && python below/fails.py; exit 7"
    status, out, err = folder.run("bash", "-c", shell, text="typed", options=("--name=nightly",))
    assert (status, out) == (7, "typed")
    assert "ZeroDivisionError" in err
    assert "outbox" not in err
    (command,) = _list_runs(catalog, "nightly")
    (copied,), (failed,) = (_list_runs(catalog, name) for name in ("convert.py", "below/fails.py"))
    assert [run["status"] for run in (command, copied, failed)] == ["failed", "succeeded", "failed"]
    assert copied["parent"] == failed["parent"] == command["urn"]
    assert failed["facts"]["error"] == "ZeroDivisionError"
    lineage = catalog.read_lineage(folder.make_urn("clean.csv"), direction="upstream", levels=1)
    assert folder.make_urn("raw.csv") in {node["urn"] for node in lineage["nodes"]}
    assert [run["program"] for run in catalog.list_runs(data=folder.make_urn("clean.csv"))["runs"]] == [
        copied["program"]
    ]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_belong_to_the_run_of_their_process(folder: Folder, catalog: Operations, method: str) -> None:
    assert folder.run("python", "pool.py", method) == (0, "", "")
    writers = [catalog.list_runs(data=folder.make_urn(f"{method}{number}.csv"))["runs"] for number in range(2)]
    (run,) = {run["urn"] for runs in writers for run in runs}
    assert writers[0][0]["status"] == "succeeded"
    assert run in {each["urn"] for each in _list_runs(catalog, "pool.py")}


def test_signal_is_forwarded_and_the_run_is_killed(folder: Folder, catalog: Operations) -> None:
    (folder.path / "waits.py").write_text("import pandas, time\nopen('started', 'w').close()\ntime.sleep(100)\n")
    child = folder.start("python", "waits.py")
    wait_for((folder.path / "started").exists, bool)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)
    assert child.returncode == 128 + signal.SIGTERM
    (run,) = _list_runs(catalog, "waits.py")
    assert run["status"] == "killed"


def test_without_a_server_reports_wait(tmp_path: Path) -> None:
    alone = Folder(tmp_path, None)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import builtins\nbuiltins.chained = 'chained'\n")
    (tmp_path / "plain.py").write_text(
        "import sys\nprint(chained, [name for name in sys.modules if 'colophon' in name])\nraise SystemExit(3)\n"
    )
    status, out, err = alone.run("python", "plain.py", path=str(tmp_path / "site"))
    assert (status, out) == (3, "chained []\n")
    assert err.startswith("jupyter colophon: 2 reports wait in the outbox: no server is set: ")
    assert err.count("\n") == 1
    assert alone.run("nothing-of-this-name")[0] == 127


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["python", "/srv/jobs/train.py", "--lr=3"], "jobs/train.py"),
        (["python", "-X", "dev", "-um", "package.tool", "train.py"], "package.tool"),
        (["python", "-c", "pass"], "-c"),
        (["python"], "-"),
        (["python", "/usr/bin/papermill", "a.ipynb"], "papermill"),
        (["python", "/elsewhere/train.py"], "/elsewhere/train.py"),
    ],
)
def test_process_is_named_by_its_script(words: list[str], name: str) -> None:
    assert find_script_name(words, Path("/srv")) == name


def test_command_is_named_without_options_and_credentials() -> None:
    assert name_command(["/usr/bin/make", "etl", "PASSWORD=x", "more"]) == "make etl"
    assert name_command(["curl", "http://me:secret@host/"]) == "curl"
    assert name_command(["python", "train.py", "--token", "secret"]) == "python train.py"
