"""The records of notebooks follow their files: renames and saves through the contents API of the server."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.identity.names import make_cell_program_urn, make_notebook_program_urn, make_variable_urn
from jupyter_colophon.http.state import SETTING
from jupyter_server.auth import User
from support.urns import ORDERS, REPORT

START = {"start": "2026-11-20T12:00:00.000Z", "end": "2026-11-20T12:00:01.000Z", "status": "succeeded"}


def cell(path: str, name: str = "a1") -> str:
    return str(make_cell_program_urn("default", path, name))


def variable(path: str, cell_id: str, name: str) -> str:
    return str(make_variable_urn("default", path, cell_id, name))


def notebook(path: str) -> str:
    return str(make_notebook_program_urn("default", path))


@pytest.fixture
def contents(jp_fetch: Any, jp_serverapp: Any) -> Any:
    async def call(method: str, path: str, body: Any = None) -> Any:
        raw = None if body is None else json.dumps(body)
        answer = await jp_fetch("api", "contents", *path.split("/"), method=method, body=raw)
        return json.loads(answer.body)

    return call


async def save(contents: Any, path: str, *cells: tuple[str, str, str]) -> None:
    """Save a notebook; a cell is its type, id and source."""
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    built = [
        {"cell_type": kind, "id": name, "source": source, "metadata": {}}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, name, source in cells
    ]
    await contents("PUT", path, {"type": "notebook", "content": document | {"cells": built}})


async def record(api: Any, program: str, run: str = "r1", facts: Any = None, **more: Any) -> Any:
    body = {**START, "program": program, "runId": run, "facts": facts or {}}
    started = (await api("POST", "runs", body=body, answers="run", **more)).body
    accesses = {"accesses": [{"data": ORDERS, "mode": "read"}, {"data": REPORT, "mode": "write"}]}
    await api("POST", "runs", started["urn"], "accesses", body=accesses, **more)
    return started


async def list_cell_ids(api: Any, path: str) -> list[str]:
    runs = (await api("GET", "cell-runs", params={"notebook": path})).body["runs"]
    return sorted(run["program"].rpartition("#")[2].rstrip(")") for run in runs)


async def wait_for(read: Callable[[], Awaitable[Any]], expected: Any) -> None:
    for _ in range(6_000):
        if await read() == expected:
            return
        await asyncio.sleep(0.02)
    assert await read() == expected


async def test_rename_and_move_of_a_notebook_keep_its_history(api: Any, contents: Any) -> None:
    await save(contents, "Untitled.ipynb", ("code", "a1", "x = 1"))
    run = await record(api, cell("Untitled.ipynb"))
    await api(
        "PUT",
        "entities",
        cell("Untitled.ipynb"),
        "aspects",
        "businessMetadata",
        body={"properties": {}, "tags": ["daily"]},
    )
    await contents("PATCH", "Untitled.ipynb", {"path": "report.ipynb"})
    await wait_for(lambda: list_cell_ids(api, "report.ipynb"), ["a1"])
    assert await list_cell_ids(api, "Untitled.ipynb") == []
    moved = (await api("GET", "runs", run["urn"])).body
    assert (moved["program"], len(moved["accesses"])) == (cell("report.ipynb"), 2)
    found = await api("GET", "entities", cell("report.ipynb"), "aspects", "businessMetadata")
    assert found.body["value"]["tags"] == ["daily"]
    gone = await api("GET", "entities", cell("Untitled.ipynb"))
    assert (gone.status, gone.body["renamedTo"]) == (404, cell("report.ipynb"))
    changes = (await api("GET", "changes", params={"urn": cell("report.ipynb")})).body["changes"]
    assert {change["operation"] for change in changes} >= {"rename"}


async def test_rename_of_a_folder_moves_all_notebooks_below_it(api: Any, contents: Any) -> None:
    await contents("PUT", "old", {"type": "directory"})
    await contents("PUT", "old/deep", {"type": "directory"})
    for path in ("old/a.ipynb", "old/deep/b#1.ipynb", "older.ipynb"):
        await save(contents, path, ("code", "a1", "x = 1"))
        await record(api, cell(path), path.replace("/", "-").replace("#", "-"))
    await contents("PATCH", "old", {"path": "new"})
    await wait_for(lambda: list_cell_ids(api, "new/deep/b#1.ipynb"), ["a1"])
    await wait_for(lambda: list_cell_ids(api, "new/a.ipynb"), ["a1"])
    assert await list_cell_ids(api, "older.ipynb") == ["a1"]


async def test_kernel_that_runs_reports_under_the_new_path(api: Any, contents: Any, jp_serverapp: Any) -> None:
    state = jp_serverapp.web_app.settings[SETTING]
    token = state.tokens.issue_token_and_revoke_earlier("kernel-1", User("ada"), "ada")
    as_kernel = {"anonymous": True, "headers": {"Authorization": f"token {token}"}}
    assert state.kernel_notebooks.record_start("kernel-1", "Untitled.ipynb") == "Untitled.ipynb"
    await save(contents, "Untitled.ipynb", ("code", "a1", "x = 1"))
    await contents("PATCH", "Untitled.ipynb", {"path": "first.ipynb"})
    await contents("PATCH", "first.ipynb", {"path": "second.ipynb"})
    await wait_for(
        lambda: asyncio.sleep(
            0, state.find_present_notebook_path(state.tokens.find_principal_of_kernel("kernel-1"), "Untitled.ipynb")
        ),
        "second.ipynb",
    )
    facts = {"notebook": "Untitled.ipynb", "cellId": "a1"}
    run = await record(api, cell("Untitled.ipynb"), facts=facts, **as_kernel)
    assert (run["program"], run["facts"]["notebook"]) == (cell("second.ipynb"), "second.ipynb")
    session = await record(api, notebook("Untitled.ipynb"), "session", **as_kernel)
    assert session["program"] == notebook("second.ipynb")
    # A notebook that has the old path now is another one, for other kernels and for users.
    other = await record(api, cell("Untitled.ipynb"), "other")
    assert other["program"] == cell("Untitled.ipynb")
    # Jupyter restarts the kernel with its first path.
    assert state.kernel_notebooks.record_start("kernel-1", "Untitled.ipynb") == "second.ipynb"


async def test_variables_follow_their_notebook(api: Any, contents: Any, jp_serverapp: Any) -> None:
    state = jp_serverapp.web_app.settings[SETTING]
    token = state.tokens.issue_token_and_revoke_earlier("kernel-1", User("ada"), "ada")
    as_kernel = {"anonymous": True, "headers": {"Authorization": f"token {token}"}}
    state.kernel_notebooks.record_start("kernel-1", "a, b#1.ipynb")
    await save(contents, "a, b#1.ipynb", ("code", "a1", "x = 1"), ("code", "b1", "write(x)"))

    async def run_both_cells(hour: int) -> None:
        frame = variable("a, b#1.ipynb", "a1", "x")
        for number, (name, read, written) in enumerate([("a1", ORDERS, frame), ("b1", frame, REPORT)]):
            time = {"start": f"2026-11-20T{hour}:0{number}:00.000Z", "end": f"2026-11-20T{hour}:0{number}:01.000Z"}
            body = {**START, **time, "program": cell("a, b#1.ipynb", name), "runId": f"{name}-{hour}"}
            urn = (await api("POST", "runs", body=body, **as_kernel)).body["urn"]
            accesses = [
                {"data": data, "mode": mode, "statement": 0, "time": time["start"]}
                for data, mode in ((read, "read"), (written, "write"))
            ]
            columns = [
                {
                    "source": read,
                    "sourceField": "id",
                    "target": written,
                    "targetField": "id",
                    "transformation": "identity",
                }
            ]
            sent = {"accesses": accesses, "columns": columns}
            assert (await api("POST", "runs", urn, "accesses", body=sent, **as_kernel)).status == 200

    async def list_nodes(data: str) -> set[str]:
        parameters = {"urn": data, "direction": "upstream", "levels": 4, "columns": "true"}
        answer = (await api("GET", "lineage", params=parameters)).body
        columns = {(column["source"], column["target"]) for column in answer["columns"]}
        assert len(columns) == 2
        assert {end for column in columns for end in column} <= {node["urn"] for node in answer["nodes"]}
        return {node["urn"] for node in answer["nodes"]}

    def list_expected(path: str) -> set[str]:
        return {ORDERS, REPORT, variable(path, "a1", "x"), cell(path, "a1"), cell(path, "b1")}

    await run_both_cells(12)
    assert await list_nodes(REPORT) == list_expected("a, b#1.ipynb")
    await contents("PATCH", "a, b#1.ipynb", {"path": "report.ipynb"})
    await wait_for(lambda: list_nodes(REPORT), list_expected("report.ipynb"))
    await run_both_cells(13)
    assert await list_nodes(REPORT) == list_expected("report.ipynb")
    states = (await api("POST", "cell-states", body={"notebook": "report.ipynb"})).body["cells"]
    assert {(state["cell"], state["state"]) for state in states} == {("a1", "fresh"), ("b1", "fresh")}


async def test_rename_during_an_outage_of_the_store_is_recorded_afterwards(
    api: Any, contents: Any, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(contents, "a.ipynb", ("code", "a1", "x = 1"))
    await record(api, cell("a.ipynb"))
    state = jp_serverapp.web_app.settings[SETTING]
    runner = state.get_or_open_catalog().provider.tx_runner
    failed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def fail(*_: Any, **__: Any) -> Any:
        loop.call_soon_threadsafe(failed.set)
        raise StoreUnavailable("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(type(runner), "run", fail)
        renamed = await contents("PATCH", "a.ipynb", {"path": "b.ipynb"})
        await failed.wait()
    assert renamed["path"] == "b.ipynb"
    await wait_for(lambda: list_cell_ids(api, "b.ipynb"), ["a1"])


async def test_saved_headings_name_cells_without_step_and_comment(api: Any, contents: Any) -> None:
    path = "names.ipynb"
    for name, facts in (("a1", {}), ("b2", {"comment": "Add the totals"}), ("c3", {}), ("d4", {})):
        await record(api, cell(path, name), f"run-{name}", facts={"cellId": name, **facts})
    await save(
        contents,
        path,
        ("code", "d4", "x = 0"),
        ("markdown", "m1", "# Report\ntext\n## Load the **orders** of [May](x.html)\n"),
        ("code", "a1", "x = 1"),
        ("code", "b2", "# Add the totals"),
        ("markdown", "m2", "no heading\n```\n# a comment\n```\n"),
        ("code", "c3", "x = 2"),
    )

    async def read_titles() -> dict[str, str]:
        graph = (await api("GET", "lineage", params={"urn": ORDERS})).body
        titles = {node["urn"]: node.get("title") for node in graph["nodes"] if node["type"] == "dataJob"}
        return {name: titles[cell(path, name)] for name in ("a1", "b2", "c3", "d4")}

    heading = "Load the orders of May"
    await wait_for(read_titles, {"a1": heading, "b2": None, "c3": heading, "d4": None})
    await save(contents, path, ("markdown", "m1", "# Sums"), ("code", "a1", "x = 1"), ("code", "c3", "x = 2"))
    await wait_for(read_titles, {"a1": "Sums", "b2": None, "c3": "Sums", "d4": None})
    runs = (await api("GET", "cell-runs", params={"notebook": path})).body["runs"]
    assert {run["facts"]["cellId"]: run.get("title") for run in runs} == {
        "a1": "Sums",
        "b2": None,
        "c3": "Sums",
        "d4": None,
    }


async def test_operation_renames_a_notebook_and_refuses_a_name_in_use(api: Any, kernel: Any) -> None:
    await record(api, cell("a.ipynb"))
    await record(api, cell("b.ipynb"), "r2")
    body = {"to": notebook("b.ipynb")}
    refused = await api("POST", "entities", notebook("a.ipynb"), "rename", body=body)
    assert (refused.status, refused.body["type"]) == (409, "urn:jupyter-colophon:problem:rename-conflict")
    wrong = await api("POST", "entities", cell("a.ipynb"), "rename", body={"to": cell("c.ipynb")})
    assert (wrong.status, [error["pointer"] for error in wrong.body["errors"]]) == (400, ["/to"])
    body = {"to": notebook("c.ipynb")}
    denied = await api("POST", "entities", notebook("a.ipynb"), "rename", body=body, anonymous=True, headers=kernel)
    assert denied.status == 403
    done = await api("POST", "entities", notebook("a.ipynb"), "rename", body=body, answers="write-result")
    assert (done.status, done.body["urn"]) == (200, notebook("c.ipynb"))
    assert await list_cell_ids(api, "c.ipynb") == ["a1"]


def move_outside_jupyter(server: Any, old: str, new: str) -> None:
    root = Path(server.root_dir)
    (root / old).rename(root / new)


async def read_notebook(contents: Any, path: str) -> None:
    """Open a notebook as JupyterLab does."""
    await contents("GET", path)


async def test_history_follows_a_notebook_that_another_program_moved(
    api: Any, contents: Any, jp_serverapp: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "jupyter_colophon.http")
    ids = ("0d5c8a4e-1111-2222-3333-444455556666", "b2_x")
    await save(contents, "a.ipynb", *(("code", name, "x = 1") for name in (*ids, "c3")))
    for name in ids:
        await record(api, cell("a.ipynb", name), f"run-{name}")
    (Path(jp_serverapp.root_dir) / "moved").mkdir()
    move_outside_jupyter(jp_serverapp, "a.ipynb", "moved/b.ipynb")
    await read_notebook(contents, "moved/b.ipynb")
    await wait_for(lambda: list_cell_ids(api, "moved/b.ipynb"), sorted(ids))
    assert await list_cell_ids(api, "a.ipynb") == []
    gone = await api("GET", "entities", cell("a.ipynb", "b2_x"))
    assert (gone.status, gone.body["renamedTo"]) == (404, cell("moved/b.ipynb", "b2_x"))
    assert "the notebook a.ipynb was moved to moved/b.ipynb by another program" in caplog.text


async def test_copy_and_unlike_notebooks_take_no_history(api: Any, contents: Any, jp_serverapp: Any) -> None:
    """A notebook of which nothing is to be carried over stays unrecorded; a moved one that is opened later does not."""
    for path, names in {"a": ("a1", "a2"), "few": ("b1", "b2", "b3", "b4"), "moved": ("d1",)}.items():
        await save(contents, f"{path}.ipynb", *(("code", name, "x = 1") for name in names))
        for name in names:
            await record(api, cell(f"{path}.ipynb", name), f"run-{name}")
    root = Path(jp_serverapp.root_dir)
    (root / "copy.ipynb").write_bytes((root / "a.ipynb").read_bytes())
    await save(contents, "half.ipynb", ("code", "b1", "x = 1"), ("code", "b2", "x = 1"))
    (root / "few.ipynb").unlink()
    move_outside_jupyter(jp_serverapp, "moved.ipynb", "new.ipynb")
    for path in ("copy.ipynb", "half.ipynb", "new.ipynb"):
        await read_notebook(contents, path)
    await wait_for(lambda: list_cell_ids(api, "new.ipynb"), ["d1"])
    assert await list_cell_ids(api, "copy.ipynb") == []
    assert await list_cell_ids(api, "half.ipynb") == []
    assert await list_cell_ids(api, "a.ipynb") == ["a1", "a2"]


async def test_notebook_that_another_user_ran_keeps_its_history(api: Any, contents: Any, jp_serverapp: Any) -> None:
    state = jp_serverapp.web_app.settings[SETTING]
    token = state.tokens.issue_token_and_revoke_earlier("kernel-2", User("bob"), "bob")
    as_bob = {"anonymous": True, "headers": {"Authorization": f"token {token}"}}
    for path, more in {"theirs": as_bob, "mine": {}}.items():
        await save(contents, f"{path}.ipynb", ("code", f"{path}1", "x = 1"))
        await record(api, cell(f"{path}.ipynb", f"{path}1"), path, **more)
        move_outside_jupyter(jp_serverapp, f"{path}.ipynb", f"new-{path}.ipynb")
        await read_notebook(contents, f"new-{path}.ipynb")
    await wait_for(lambda: list_cell_ids(api, "new-mine.ipynb"), ["mine1"])
    assert await list_cell_ids(api, "new-theirs.ipynb") == []
    assert await list_cell_ids(api, "theirs.ipynb") == ["theirs1"]
