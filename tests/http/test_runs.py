"""Runs, accesses and lineage over HTTP."""

from typing import Any

import pytest
from jupyter_colophon.core.identity.names import Urn, make_cell_program_urn, make_run_urn
from support.catalog import build_metadata_value
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT, build_cell_urn, build_table_urn

pytestmark = pytest.mark.each_store

START = {"program": CELL, "runId": "run-1", "start": "2026-11-20T12:00:00.000Z", "facts": {"cellId": "a1"}}
UUID = "0b0f7f6e-2f1e-4c0e-9a6e-1f3a0f6f7a10"


async def test_repeated_run_start_is_recorded_once(api: Any) -> None:
    first = await api("POST", "runs", body=START, answers="run")
    assert first.body["urn"] == str(make_run_urn(Urn.parse(CELL), "run-1"))
    assert (first.body["status"], first.body["end"], first.body["facts"]) == ("running", None, {"cellId": "a1"})
    again = await api("POST", "runs", body=START | {"start": "2026-11-21T12:00:00Z"}, answers="run")
    assert again.body == first.body
    changes = (await api("GET", "changes", answers="changes")).body["changes"]
    assert [one["operation"] for one in changes].count("run-start") == 1
    known = await api("GET", "entities", CELL, answers="entity")
    assert known.body["name"] == "shop.ipynb#a1"


async def test_a_uuid_names_one_run(api: Any) -> None:
    first = await api("POST", "runs", body=START | {"runId": UUID}, answers="run")
    assert first.body["urn"] == f"urn:li:dataProcessInstance:{UUID}"
    assert (await api("POST", "runs", body=START | {"runId": UUID, "program": NOTEBOOK})).status == 409
    assert (await api("GET", "runs", first.body["urn"], answers="run")).body["program"] == CELL


async def test_run_is_updated_and_ended_once(api: Any) -> None:
    urn = (await api("POST", "runs", body=START, answers="run")).body["urn"]
    noted = await api("PATCH", "runs", urn, body={"facts": {"executionCount": 3}}, answers="run")
    assert noted.body["facts"] == {"cellId": "a1", "executionCount": 3}
    assert noted.body["end"] is None
    end = {"status": "failed", "end": "2026-11-20T12:01:00Z"}
    for _ in range(2):
        ended = await api("PATCH", "runs", urn, body=end, answers="run")
    assert (ended.body["status"], ended.body["end"]) == ("failed", "2026-11-20T12:01:00.000Z")
    changes = (await api("GET", "changes", params={"urn": CELL}, answers="changes")).body["changes"]
    assert [one["operation"] for one in changes if one["run"]] == ["run-start", "run-end"]
    assert changes[-1]["value"] == {"status": "failed"}


async def test_an_access_is_a_change_once_and_then_a_time(api: Any) -> None:
    urn = (await api("POST", "runs", body=START, answers="run")).body["urn"]

    async def touched(time: str, **more: str) -> Any:
        body = {"accesses": [{"data": ORDERS, "mode": "read", "time": time, **more}]}
        return (await api("POST", "runs", urn, "accesses", body=body, answers="run")).body["accesses"]

    await touched("2026-11-20T12:00:01Z")
    (one,) = await touched("2026-11-20T12:00:05Z")
    assert (one["first"], one["last"]) == ("2026-11-20T12:00:01.000Z", "2026-11-20T12:00:05.000Z")
    (one,) = await touched("2026-11-20T12:00:03Z")
    assert one["last"] == "2026-11-20T12:00:05.000Z"
    assert len(await touched("2026-11-20T12:00:03Z", component="join")) == 2
    changes = (await api("GET", "changes", params={"urn": ORDERS}, answers="changes")).body["changes"]
    assert [one["operation"] for one in changes].count("access") == 2
    assert changes[-1]["value"] == {"mode": "read", "program": CELL}
    known = await api("GET", "entities", ORDERS, answers="entity")  # by being touched, its namespace as well
    assert known.body["namespace"] == "sales"


async def test_unknown_or_invalid_run_is_refused(api: Any, sales: None) -> None:
    absent = "urn:li:dataProcessInstance:" + UUID
    access = {"accesses": [{"data": ORDERS, "mode": "read"}]}
    assert (await api("GET", "runs", absent)).status == 404
    assert (await api("PATCH", "runs", absent, body={"status": "failed"})).status == 404
    assert (await api("POST", "runs", absent, "accesses", body=access)).status == 404
    assert (await api("GET", "lineage", params={"urn": REPORT})).status == 404
    assert (await api("GET", "lineage", params={"urn": "urn:li:namespace:sales"})).status == 400
    assert (await api("POST", "runs", body=START | {"program": ORDERS})).status == 400
    assert (await api("POST", "runs", body=START | {"runId": "a b"})).status == 400
    assert (await api("POST", "runs", body=START | {"start": "soon"})).status == 400
    assert (await api("POST", "runs", body=START | {"status": "done"})).status == 400
    urn = (await api("POST", "runs", body=START, answers="run")).body["urn"]
    for bad in ({"data": CELL, "mode": "read"}, {"data": ORDERS, "mode": "x"}, {"data": "x", "mode": "read"}):
        body = {"accesses": [{"data": build_table_urn("new"), "mode": "write"}, bad]}
        assert (await api("POST", "runs", urn, "accesses", body=body)).status == 400
    assert (await api("GET", "entities", build_table_urn("new"))).status == 404


async def test_runs_are_listed_by_program_data_time_and_status(api: Any) -> None:
    urns = {}
    for minute in range(6):
        body = START | {"runId": f"r{minute}", "start": f"2026-11-20T12:0{minute}:00Z"}
        body["program"] = build_cell_urn("a" if minute % 2 else "b")
        if minute < 4:
            body |= {"status": "succeeded", "end": f"2026-11-20T12:0{minute}:30Z"}
        urn = (await api("POST", "runs", body=body, answers="run")).body["urn"]
        urns[urn] = f"r{minute}"
        if minute in (1, 2, 5):
            accesses = {"accesses": [{"data": ORDERS, "mode": "read"}]}
            await api("POST", "runs", urn, "accesses", body=accesses, answers="run")

    async def listed(**params: Any) -> list[str]:
        found: list[str] = []
        for _ in range(10):
            page = (await api("GET", "runs", params=params, answers="runs")).body
            found += [urns[one["urn"]] for one in page["runs"]]
            if page["cursor"] is None:
                return found
            params["cursor"] = page["cursor"]
        raise AssertionError("the pages do not end")

    everything = ["r5", "r4", "r3", "r2", "r1", "r0"]
    assert await listed() == everything
    assert await listed(limit=2) == everything
    assert await listed(program=build_cell_urn("a")) == ["r5", "r3", "r1"]
    assert await listed(data=ORDERS, limit=1) == ["r5", "r2", "r1"]
    assert await listed(data=ORDERS, program=build_cell_urn("a")) == ["r5", "r1"]
    assert await listed(status="running") == ["r5", "r4"]
    assert await listed(status="succeeded", limit=1) == ["r3", "r2", "r1", "r0"]
    assert await listed(start="2026-11-20T12:02:30Z", end="2026-11-20T12:05:00Z") == ["r4", "r3", "r2"]
    assert await listed(start="2026-11-20T12:02:31Z", end="2026-11-20T12:04:00Z") == ["r3"]
    assert await listed(data=build_table_urn("none")) == []
    for wrong in ({"status": "x"}, {"start": "soon"}, {"start": "now", "end": "now-1d"}, {"limit": "x"}):
        assert (await api("GET", "runs", params=wrong)).status == 400, wrong


async def test_lineage_is_limited_by_direction_levels_and_interval(api: Any) -> None:
    body = START | {"status": "succeeded", "end": "2026-11-20T12:01:00Z"}
    urn = (await api("POST", "runs", body=body, answers="run")).body["urn"]
    column = {"source": ORDERS, "sourceField": "x", "target": REPORT, "targetField": "x", "transformation": "identity"}
    accesses = [{"data": ORDERS, "mode": "read"}, {"data": REPORT, "mode": "write"}]
    await api("POST", "runs", urn, "accesses", body={"accesses": accesses, "columns": [column]}, answers="run")

    async def requested(**params: Any) -> Any:
        return await api("GET", "lineage", params={"urn": REPORT} | params, answers="lineage")

    whole = (await requested(columns="true")).body
    assert {node["urn"]: node["level"] for node in whole["nodes"]} == {REPORT: 0, CELL: -1, ORDERS: -1}
    assert {(edge["source"], edge["target"]) for edge in whole["edges"]} == {(ORDERS, CELL), (CELL, REPORT)}
    assert {tuple(edge["runs"]) for edge in whole["edges"]} == {(urn,)}
    assert whole["columns"] == [column | {"program": CELL}]
    assert (await requested(direction="downstream")).body["edges"] == []
    assert (await requested(end="2026-11-20T12:00:00Z")).body["edges"] == []
    assert len((await requested(start="2026-11-20T12:01:00Z", end="now+100d")).body["edges"]) == 2
    assert len((await requested(start="1700000000")).body["edges"]) == 2
    for wrong in (
        {"levels": 0},
        {"levels": 21},
        {"levels": 1_000_000},
        {"limit": 0},
        {"limit": 10_001},
        {"direction": "up"},
        {"columns": "yes"},
        {"start": "-1"},
        {"start": "now", "end": "now-1s"},
        {"urn": "x"},
    ):
        assert (await requested(**wrong)).status == 400, wrong


async def test_accesses_of_a_deleted_program_remain_visible(api: Any) -> None:
    urn = (await api("POST", "runs", body=START, answers="run")).body["urn"]
    accesses = {"accesses": [{"data": ORDERS, "mode": "read"}]}
    await api("POST", "runs", urn, "accesses", body=accesses, answers="run")
    await api("DELETE", "entities", CELL, answers="write-result")
    assert (await api("GET", "runs", urn, answers="run")).body["accesses"][0]["data"] == ORDERS
    nodes = (await api("GET", "lineage", params={"urn": ORDERS}, answers="lineage")).body["nodes"]
    assert {node["urn"]: node["deleted"] for node in nodes} == {ORDERS: False, CELL: True}
    path = ("entities", ORDERS, "aspects", "businessMetadata")
    assert (await api("PUT", *path, body=build_metadata_value({"owner": "ops"}), answers="write-result")).status == 200


async def test_a_run_does_not_end_before_it_began(api: Any, sales: None) -> None:
    start = {"program": CELL, "runId": "backwards", "start": "2026-01-02T00:00:00Z"}
    early = {"status": "succeeded", "end": "2026-01-01T00:00:00Z"}
    assert (await api("POST", "runs", body=start | early)).status == 400
    run = await api("POST", "runs", body=start, answers="run")
    refused = await api("PATCH", "runs", run.body["urn"], body=early)
    assert refused.status == 400
    assert refused.body["errors"][0]["pointer"] == "/end"


async def test_run_accesses_have_metadata_of_that_time(api: Any, sales: None) -> None:
    recorded = ("entities", ORDERS, "aspects", "businessMetadata")
    await api("PUT", *recorded, body=build_metadata_value({"owner": "then"}, ["raw"]), answers="write-result")
    start = START | {"arguments": {"input": "/in"}}
    urn = (await api("POST", "runs", body=start, answers="run")).body["urn"]
    assert (await api("GET", "runs", urn, "accesses", answers="run-accesses")).body == {
        "accesses": [],
        "truncated": False,
    }
    await api("POST", "runs", urn, "accesses", body={"accesses": [{"data": ORDERS, "mode": "read"}]}, answers="run")
    await api("PUT", *recorded, body=build_metadata_value({"owner": "now"}), answers="write-result")
    touched = (await api("GET", "runs", urn, "accesses", answers="run-accesses")).body["accesses"]
    assert [(one["role"], one["mode"]) for one in touched] == [
        ("program", None),
        ("application", None),
        ("data", "read"),
    ]
    assert touched[2]["user"] == {"properties": {"owner": "then"}, "tags": ["raw"]}
    assert touched[2]["system"] is None
    changed = await api("PATCH", "runs", urn, body={"arguments": {"mode": "full"}}, answers="run")
    assert changed.body["arguments"] == {"input": "/in", "mode": "full"}


async def test_referenced_run_must_exist(api: Any, sales: None) -> None:
    absent = f"urn:li:dataProcessInstance:{UUID}"
    value = build_metadata_value({"format": "csv"})
    one = {"urn": ORDERS, "aspect": "technicalMetadata", "operation": "upsert", "value": value}
    refused = await api("POST", "proposals", body={"proposals": [one, one | {"run": absent}]})
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (404, "/proposals/1/run")
    assert (await api("GET", "entities", ORDERS)).body["aspects"]["technicalMetadata"]["version"] == 1
    for parent in (absent, UUID, "r0", "urn:li:x"):
        refused = await api("POST", "runs", body=START | {"parent": parent})
        assert refused.status in (400, 404), parent
    known = (await api("POST", "runs", body=START | {"runId": UUID}, answers="run")).body["urn"]
    assert (await api("POST", "proposals", body={"proposals": [one | {"run": known}]})).status == 200
    child = await api("POST", "runs", body=START | {"parent": UUID}, answers="run")
    assert child.body["parent"] == known


async def test_ended_run_cannot_be_resumed(api: Any) -> None:
    urn = (await api("POST", "runs", body=START, answers="run")).body["urn"]
    assert (await api("PATCH", "runs", urn, body={"status": "running", "end": "2026-11-20T12:01:00Z"})).status == 400
    unknown = (await api("PATCH", "runs", urn, body={"status": "done"})).body["errors"][0]
    assert unknown["message"] == 'the value is not one of "running", "succeeded", "failed", "killed"'
    await api("PATCH", "runs", urn, body={"status": "failed"}, answers="run")
    assert (await api("PATCH", "runs", urn, body={"status": "running"})).status == 409
    assert (await api("GET", "runs", urn, answers="run")).body["status"] == "failed"


async def test_run_ending_may_be_corrected_and_is_logged(api: Any) -> None:
    urn = (await api("POST", "runs", body=START, answers="run")).body["urn"]
    for status in ("killed", "killed", "failed"):
        await api("PATCH", "runs", urn, body={"status": status}, answers="run")
    changes = (await api("GET", "changes", params={"urn": CELL}, answers="changes")).body["changes"]
    ends = [one["value"] for one in changes if one["operation"] == "run-end"]
    assert ends == [{"status": "killed"}, {"status": "failed"}]


async def test_the_newest_run_of_each_cell_of_a_notebook_is_listed(api: Any) -> None:
    async def run(program: str, run_id: str, start: str) -> str:
        body = {"program": program, "runId": run_id, "start": f"2026-11-20T{start}:00Z"}
        return str((await api("POST", "runs", body=body, answers="run")).body["urn"])

    first, second = build_cell_urn("a1"), build_cell_urn("b2")
    await run(first, "1", "12:00")
    newest = await run(first, "2", "12:03")
    written = await run(second, "3", "12:02")
    notebook = await run(NOTEBOOK, "4", "12:01")
    await run(str(make_cell_program_urn("default", "shop.ipynb2", "a1")), "5", "12:05")
    await run(str(make_cell_program_urn("default", "workshop.ipynb", "a1")), "6", "12:06")
    body = {"accesses": [{"data": ORDERS, "mode": "write"}]}
    await api("POST", "runs", written, "accesses", body=body, answers="run")
    listed = (await api("GET", "cell-runs", params={"notebook": "shop.ipynb"}, answers="runs")).body["runs"]
    assert [one["urn"] for one in listed] == [newest, written, notebook]
    assert [access["data"] for access in listed[1]["accesses"]] == [ORDERS]
    assert (await api("GET", "cell-runs", params={"notebook": "other.ipynb"}, answers="runs")).body["runs"] == []
