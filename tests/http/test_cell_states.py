"""Which cells of a notebook are stale, over HTTP."""

import itertools
from typing import Any

import pytest
from jupyter_colophon.core.identity.names import make_variable_urn
from support.urns import ORDERS, REPORT, build_cell_urn, build_file_urn

pytestmark = pytest.mark.each_store

RAW, CLEAN = build_file_urn("/data/raw.csv"), build_file_urn("/data/clean.csv")
LOAD = "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,sales),flows.Load)"


def variable(cell: str, name: str) -> str:
    return str(make_variable_urn("default", "shop.ipynb", cell, name))


@pytest.fixture
def run(api: Any) -> Any:
    """`await run(program, minute, reads=…, writes=…)` records a run with accesses at that minute after noon."""
    numbers = itertools.count()

    async def record(program: str, minute: int, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()) -> str:
        time = f"2026-11-20T12:{minute:02}:00.000Z"
        body = {"program": program, "runId": f"r{next(numbers)}", "start": time, "end": time, "status": "succeeded"}
        urn = str((await api("POST", "runs", body=body, answers="run")).body["urn"])
        accesses = [{"data": data, "mode": "read", "time": time} for data in reads]
        accesses += [{"data": data, "mode": "write", "time": time} for data in writes]
        await api("POST", "runs", urn, "accesses", body={"accesses": accesses}, answers="run")
        return urn

    return record


@pytest.fixture
def find_stale(api: Any) -> Any:
    """`await find_stale(cells)` returns the inputs with their reasons of the stale cells; the others must be fresh."""

    async def ask(cells: list[str] | None = None) -> dict[str, list[tuple[str, str]]]:
        body = {"notebook": "shop.ipynb"} | ({} if cells is None else {"cells": cells})
        answer = (await api("POST", "cell-states", body=body, answers="cell-states")).body["cells"]
        assert cells is None or [cell["cell"] for cell in answer] == [cell for cell in cells if cell != "note"]
        assert all(bool(cell["changes"]) == (cell["state"] == "stale") for cell in answer)
        return {
            cell["cell"]: [(change["data"], change["reason"]) for change in cell["changes"]]
            for cell in answer
            if cell["state"] == "stale"
        }

    return ask


async def test_cell_is_stale_if_its_input_is_written_again(api: Any, run: Any, find_stale: Any) -> None:
    df, top = variable("read", "df"), variable("top", "top")
    await run(build_cell_urn("read"), 1, (RAW,), (df,))
    await run(build_cell_urn("top"), 2, (df,), (top,))
    await run(build_cell_urn("save"), 3, (top,), (REPORT,))
    cells = ["read", "note", "top", "save"]
    assert await find_stale(cells) == {}
    again = await run(build_cell_urn("read"), 4, (RAW,), (df,))
    assert await find_stale(cells) == {"top": [(df, "written")], "save": [(top, "stale")]}
    body = {"notebook": "shop.ipynb"}
    top_state, _, _ = (await api("POST", "cell-states", body=body, answers="cell-states")).body["cells"]
    (change,) = top_state["changes"]
    assert (change["program"], change["run"]) == (build_cell_urn("read"), again)
    assert (change["read"], change["written"]) == ("2026-11-20T12:02:00.000Z", "2026-11-20T12:04:00.000Z")
    await run(build_cell_urn("top"), 5, (df,), (top,))
    assert await find_stale(cells) == {"save": [(top, "written")]}
    await run(build_cell_urn("save"), 6, (top,), (REPORT,))
    assert await find_stale(cells) == {}
    await run(LOAD, 7, (ORDERS,), (RAW,))
    assert await find_stale(cells) == {"read": [(RAW, "written")], "top": [(df, "stale")], "save": [(top, "stale")]}


async def test_a_cell_is_not_stale_because_of_itself_or_its_results(run: Any, find_stale: Any) -> None:
    df = variable("read", "df")
    await run(build_cell_urn("read"), 1, (RAW, df), (df,))
    await run(build_cell_urn("read"), 2, (RAW, df), (df,))
    await run(build_cell_urn("save"), 3, (df,), (RAW,))
    assert await find_stale() == {}
    await run(build_cell_urn("read"), 4, (RAW,), (df,))
    assert await find_stale() == {"save": [(df, "written")]}


async def test_variables_belong_to_cells_until_these_are_deleted(run: Any, find_stale: Any) -> None:
    await run(build_cell_urn("one"), 1, (RAW,), (variable("one", "df"),))
    await run(build_cell_urn("save"), 2, (variable("one", "df"),), (REPORT,))
    await run(build_cell_urn("two"), 3, (CLEAN,), (variable("two", "df"),))
    assert await find_stale(["one", "two", "save"]) == {}
    assert await find_stale(["save", "two"]) == {}
    assert await find_stale(["two", "save"]) == {"save": [(variable("one", "df"), "written")]}


async def test_an_input_that_many_runs_accessed_since_is_not_called_fresh(api: Any, run: Any) -> None:
    await run(build_cell_urn("read"), 1, (ORDERS,))
    for number in range(50):
        await run(f"{LOAD[:-1]}{number})", 2, (ORDERS,))
    body = {"notebook": "shop.ipynb"}
    (cell,) = (await api("POST", "cell-states", body=body, answers="cell-states")).body["cells"]
    assert (cell["state"], cell["changes"]) == ("unknown", [])
