"""Notebooks that programs execute: their runs belong to the notebook, whatever executes it."""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_colophon.capture.executed_notebook import shorten_notebook_path
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, make_cell_program_urn, make_notebook_program_urn
from jupyter_colophon.kernel.orphaned_reports import send_orphaned_reports
from live import LiveServer, run_live_kernel
from support.captured_commands import Folder
from support.waiting import wait_for

CELLS = {
    "parameters": "source, password = 'raw.csv', ''",
    "read": "import pandas\nraw = pandas.read_csv(source)",
    "write": "raw.to_csv('clean.csv', index=False)",
}
EXECUTORS = (
    ["jupyter", "nbconvert", "--to=notebook", "--output=out", "--execute", "in.ipynb"],
    ["papermill", "in.ipynb", "out.ipynb", "-p", "source", "raw.csv", "-p", "password", "hidden", "-y", "many: [1]"],
    ["jupyter", "execute", "in.ipynb"],
)
#: Lets a busy machine take its time to end kernels.
PATIENCE = "from jupyter_client import KernelManager\nKernelManager.shutdown_wait_time.default_value = 600"


def _write_notebook(folder: Path) -> None:
    cells = [nbformat.v4.new_code_cell(code, id=cell_id) for cell_id, code in CELLS.items()]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), folder / "in.ipynb")


@pytest.fixture
def work(served: LiveServer, request: pytest.FixtureRequest) -> Folder:
    """A folder with a notebook, below the root of the server."""
    folder = served.root / request.node.name.replace("[", "-").strip("]")
    folder.mkdir(parents=True)
    _write_notebook(folder)
    return Folder(folder, served)


def _get_notebook_run(catalog: Operations, path: str) -> dict[str, Any]:
    program = str(make_notebook_program_urn(DEFAULT_NAMESPACE, path))
    (run,) = wait_for(lambda: catalog.list_runs(program=program)["runs"], bool)
    return dict(run)


@pytest.mark.parametrize("words", EXECUTORS, ids=["nbconvert", "papermill", "execute"])
def test_executed_notebook_is_that_of_its_path(
    work: Folder, served: LiveServer, catalog: Operations, words: list[str]
) -> None:
    status, _, err = work.run(*words, options=("--name=nightly",))
    assert status == 0, err
    path = (work.path / "in.ipynb").relative_to(served.root).as_posix()
    run = _get_notebook_run(catalog, path)
    command = catalog.read_run(run["parent"])
    assert command["name"] == "nightly"
    assert command["status"] == run["status"] == "succeeded"
    is_papermill = words[0] == "papermill"
    assert run["arguments"] == ({"source": "raw.csv", "password": "***"} if is_papermill else {})
    nodes = catalog.read_lineage(work.make_urn("clean.csv"), direction="upstream", levels=5)["nodes"]
    cells = {str(make_cell_program_urn(DEFAULT_NAMESPACE, path, cell_id)) for cell_id in ("read", "write")}
    assert cells | {work.make_urn("raw.csv")} <= {node["urn"] for node in nodes}


@pytest.mark.parametrize("words", EXECUTORS[:2], ids=["nbconvert", "papermill"])
def test_notebook_fails_with_the_cell_that_stops_it(
    work: Folder, served: LiveServer, catalog: Operations, words: list[str]
) -> None:
    notebook = nbformat.read(work.path / "in.ipynb", nbformat.NO_CONVERT)
    notebook.cells += [nbformat.v4.new_code_cell(code, id=name) for name, code in (("fail", "1 / 0"), ("never", "1"))]
    nbformat.write(notebook, work.path / "in.ipynb")
    status, _, err = work.run(*words)
    assert status != 0
    assert "ZeroDivisionError" in err
    path = (work.path / "in.ipynb").relative_to(served.root).as_posix()
    run = _get_notebook_run(catalog, path)
    assert run["status"] == "failed"
    assert catalog.read_run(run["parent"])["status"] == "failed"
    if words[0] == "papermill":
        (written,) = catalog.list_runs(data=work.make_urn("out.ipynb"))["runs"]
        assert [access["mode"] for access in written["accesses"]] == ["write"]


def test_notebook_without_a_server_warns_that_it_is_not_recorded(tmp_path: Path) -> None:
    _write_notebook(tmp_path)
    status, _, err = Folder(tmp_path, None).run(*EXECUTORS[1])
    assert status == 0, err
    assert "the cells of this notebook are not recorded: no server is set" in err


def test_notebook_that_a_notebook_executes_is_not_taken_for_it(
    work: Folder, served: LiveServer, catalog: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = (work.path / "in.ipynb").relative_to(served.root).as_posix()
    monkeypatch.setenv("COLOPHON_OUTBOX", str(served.data / "colophon" / "outbox"))
    with run_live_kernel(served, "driver.ipynb") as kernel:
        kernel.run(f"import os, papermill\nos.chdir({str(work.path)!r})\n{PATIENCE}", "import")
        done = kernel.run("papermill.execute_notebook('in.ipynb', 'out.ipynb', progress_bar=False);", "execute")
        assert done.succeeded, done.text
        # A program of its own, which nothing of ours observes.
        command = "jupyter nbconvert --KernelManager.shutdown_wait_time=600 --to=notebook --output=alone"
        kernel.run(f"!{command} --execute in.ipynb 2>errors", "nbconvert")
    outputs = [cell["outputs"] for cell in json.loads((work.path / "alone.ipynb").read_text())["cells"]]
    assert "does not know which notebook this kernel runs" in json.dumps(outputs)
    # What the server did not have in time waits in files.
    send_orphaned_reports(catalog, served.url)
    assert _get_notebook_run(catalog, path)["status"] == "succeeded"
    writers = catalog.list_runs(data=work.make_urn("clean.csv"))["runs"]
    assert {run["facts"]["notebook"] for run in writers} == {path, "ipython"}


def test_path_is_relative_to_the_server_or_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    server = {"url": "http://localhost:18999/base/", "root_dir": str(tmp_path / "root")}
    (tmp_path / "jpserver-1.json").write_text(json.dumps(server))
    (tmp_path / "jpserver-2.json").write_text("{broken")
    environ = {"COLOPHON_URL": "http://127.0.0.1:18999/base", "COLOPHON_RUN_FOLDER": str(tmp_path / "jobs")}
    paths = {
        tmp_path / "root" / "etl" / "in.ipynb": "etl/in.ipynb",
        tmp_path / "jobs" / "in.ipynb": "in.ipynb",
        "/elsewhere/in.ipynb": "/elsewhere/in.ipynb",
        "https://me:secret@host/etl/in.ipynb?key=secret": "host/etl/in.ipynb",
        "-": "",
    }
    assert {path: shorten_notebook_path(str(path), environ) for path in paths} == paths
    assert (
        shorten_notebook_path(str(tmp_path / "root" / "in.ipynb"), {"COLOPHON_RUN_FOLDER": str(tmp_path)})
        == "root/in.ipynb"
    )
