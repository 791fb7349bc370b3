"""Lineage through `/colophon/v3`: windows, traversal and collapsing, by the cases of `conformance/lineage.json`."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.time_format import format_ms_as_iso_time

pytestmark = pytest.mark.each_store

CASES = json.loads((Path(__file__).parents[2] / "conformance" / "lineage.json").read_text())
EVER = {"start": "0", "end": "now+1d"}
DAY = 1441324800000
MODES = {"reads": "read", "writes": "write", "both": "both", "unknown": "unknown"}
Record = Callable[..., Awaitable[None]]


def data(space: str, name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{space}.{name},PROD)"


def flow(space: str, name: str, type_: str = "flows") -> str:
    return f"urn:li:dataJob:(urn:li:dataFlow:(colophon,app,{space}),{type_}.{name})"


@pytest.fixture
def record(api: Any) -> Record:
    """`await record(program, run, [(data, mode, component)…], start, end, parent)`."""

    async def made(
        program: str, run: str, touched: Any, start: int = DAY, end: int | None = DAY + 1, parent: str | None = None
    ) -> None:
        status = "running" if end is None else "succeeded"
        times = {"start": format_ms_as_iso_time(start), "end": None if end is None else format_ms_as_iso_time(end)}
        body = {"program": program, "runId": run, "status": status, "parent": parent, **times}
        urn = (await api("POST", "runs", body=body, answers="run")).body["urn"]
        accesses = [{"data": access, "mode": mode, "component": component} for access, mode, component in touched]
        await api("POST", "runs", urn, "accesses", body={"accesses": accesses}, answers="run")

    return made


async def test_window_includes_overlapping_runs(v3: Any, record: Record) -> None:
    for number, case in enumerate(CASES["windows"]):
        space = f"w{number}"
        await record(flow(space, "F"), f"{space}-run", [(data(space, "a"), "read", "")], *case["run"])
        start, end = case["window"]
        found = (await v3("GET", f"namespaces/{space}/datasets/a/lineage", start=start, end=end)).body
        assert bool(found["relations"]) is case["there"], case["says"]
        assert (found["start"], found["end"]) == (str(start), str(end))
        assert bool(found["programs"]) is bool(found["data"]) is case["there"]


def reported(sentence: str, space: str) -> tuple[str, str, str]:
    program, verb, name = sentence.split()
    return f"dataset.{space}.{name}", f"flow.{space}.app.{program}", MODES[verb]


async def test_traversal_is_limited_by_levels_and_direction(v3: Any, record: Record) -> None:
    for number, case in enumerate(CASES["walks"]):
        space = f"d{number}"
        await v3("PUT", f"namespaces/{space}")
        await v3("PUT", f"namespaces/{space}/datasets/lonely")
        for program in dict.fromkeys(line.split()[0] for line in case["met"]):
            those = [line.split() for line in case["met"] if line.split()[0] == program]
            touched = [(data(space, name), MODES[verb], "") for _, verb, name in those]
            await record(flow(space, program), f"{space}-{program}", touched)
        more = {"direction": case["direction"]} if "direction" in case else {}
        path = f"namespaces/{space}/datasets/{case['of']}/lineage"
        found = (await v3("GET", path, levels=case["levels"], **EVER, **more)).body
        relations = {(relation["data"], relation["program"], relation["access"]) for relation in found["relations"]}
        assert relations == {reported(relation, space) for relation in case["relations"]}, case["says"]
        assert found["frontier"] == [f"dataset.{space}.{name}" for name in case["frontier"]], case["says"]
        assert not found["truncated"]
        named = (
            {relation["data"] for relation in found["relations"]},
            {relation["program"] for relation in found["relations"]},
        )
        assert (found["data"].keys(), found["programs"].keys()) == named


async def test_collapse_merges_only_the_named_parts(v3: Any, record: Record) -> None:
    table = CASES["collapses"]
    for run in ("r3", "r2", "r1"):
        touched = [(data("c", name), mode, component) for name, mode, of, component in table["met"] if of == run]
        await record(flow("c", "F"), run, touched, DAY - int(run[1]))
    for case in table["cases"]:
        form = {"responseFormat": case["format"]} if "format" in case else {}
        path = "namespaces/c/datasets/a/lineage"
        found = (await v3("GET", path, collapse=case["collapse"], **EVER, **form)).body["relations"]
        access = "accesses" if form else "access"
        relations = [[relation[access], sorted(relation["runs"]), relation["components"]] for relation in found]
        assert sorted(relations, key=repr) == sorted(case["relations"], key=repr), case["says"]
        assert all(relation["program"] == ("flows.c.app.F" if form else "flow.c.app.F") for relation in found)
        assert all(("component" in relation) is not bool(form) for relation in found)


async def test_invalid_parameter_is_named(v3: Any, shop: None) -> None:
    for case in CASES["refused"]:
        found = await v3("GET", "namespaces/shop/datasets/orders/lineage", **case["params"])
        assert found.status == 400, case["says"]
        assert case["names"] in found.body["message"], case["says"]


async def test_unknown_data_returns_404_and_unused_data_is_empty(v3: Any, shop: None) -> None:
    for path in ("shop/datasets/nothing", "shop/streams/nothing", "nowhere/datasets/orders"):
        assert (await v3("GET", f"namespaces/{path}/lineage", **EVER)).status == 404
        body = {**EVER, "frontier": ["dataset.shop.orders"]}
        assert (await v3("POST", f"namespaces/{path}/lineage/next", body)).status == 404
    for path in ("datasets/orders", "streams/clicks", "stream/clicks"):
        found = await v3("GET", f"namespaces/shop/{path}/lineage", **EVER)
        assert (found.status, found.body["relations"], found.body["programs"], found.body["data"]) == (200, [], {}, {})
    assert (await v3("GET", "namespaces/shop/apps/etl/lineage", **EVER)).status in (400, 404)


async def test_keys_are_explained_and_streams_and_deleted_entities_are_marked(v3: Any, shop: None, record: Any) -> None:
    clicks = "urn:li:dataset:(urn:li:dataPlatform:stream,shop.clicks,PROD)"
    load = "urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,shop),flows.Load)"
    await record(load, "1", [(clicks, "read", "reader"), (data("shop", "orders"), "write", "")])
    assert (await v3("DELETE", "namespaces/shop/datasets/orders")).status == 200
    assert (await v3("DELETE", "namespaces/shop/apps/etl")).status == 200
    found = (await v3("GET", "namespaces/shop/datasets/orders/lineage", **EVER)).body
    assert found["data"]["stream.shop.clicks"] == {
        "id": {"namespace": "shop", "type": "stream", "id": "clicks"},
        "entityId": {"namespace": "shop", "stream": "clicks", "entity": "STREAM"},
    }
    assert found["data"]["dataset.shop.orders"]["deleted"] is True
    program = found["programs"]["flow.shop.etl.Load"]
    assert program["id"] == {"namespace": "shop", "application": "etl", "type": "flow", "id": "Load"}
    assert program["deleted"] is True
    (read, _) = sorted(found["relations"], key=lambda relation: relation["access"])
    assert (read["data"], read["component"], read["runs"]) == ("stream.shop.clicks", ["reader"], ["1"])
    v5 = (await v3("GET", "namespaces/shop/streams/clicks/lineage", responseFormat="v5", **EVER)).body
    assert set(v5["programs"]) == {"flows.shop.etl.Load"}
    assert (v5["start"], v5["programs"]["flows.shop.etl.Load"]["entityId"]["program"]) == (0, "Load")


async def test_truncated_lineage_continues_from_its_frontier(v3: Any, record: Any) -> None:
    for number in range(12):
        touched = [(data("n", f"t{number}"), "read", ""), (data("n", f"t{number + 1}"), "write", "")]
        await record(flow("n", f"P{number}"), f"n{number}", touched)
    path = "namespaces/n/datasets/t0/lineage"
    whole = (await v3("GET", path, levels=20, **EVER)).body
    assert (len(whole["relations"]), whole["frontier"], whole["truncated"]) == (24, [], False)
    for first in ({"levels": 3}, {"levels": 20, "limit": 7}):
        found = (await v3("GET", path, **EVER, **first)).body
        relations, visited = list(found["relations"]), found["data"].keys() | found["programs"].keys()
        assert found["truncated"] is ("limit" in first)
        while found["frontier"]:
            body = {**EVER, "maxLevels": 2, "frontier": found["frontier"], "visited": sorted(visited)}
            found = (await v3("POST", f"{path}/next", body)).body
            assert not found["truncated"]
            relations += found["relations"]
            visited |= found["data"].keys() | found["programs"].keys()
        known = [(relation["data"], relation["program"], relation["access"]) for relation in relations]
        assert set(known) == {
            (relation["data"], relation["program"], relation["access"]) for relation in whole["relations"]
        }
        assert "limit" in first or len(known) == len(set(known))


async def test_rollup_assigns_runs_to_their_workflow(v3: Any, api: Any, record: Any) -> None:
    await record(flow("u", "Nightly", "workflows"), "night", [])
    parent = (await api("GET", "runs", params={"program": flow("u", "Nightly", "workflows")})).body["runs"][0]["urn"]
    await record(flow("u", "Step", "mapreduce"), "step", [(data("u", "a"), "read", "m")], parent=parent)
    await record(flow("u", "Alone", "mapreduce"), "alone", [(data("u", "a"), "write", "")])
    path = "namespaces/u/datasets/a/lineage"
    found = (await v3("GET", path, rollup="workflow", **EVER)).body
    rolled = {
        relation["program"]: (relation["access"], relation["runs"], relation["components"])
        for relation in found["relations"]
    }
    assert rolled == {
        "workflow.u.app.Nightly": ("read", ["night"], ["m"]),
        "mapreduce.u.app.Alone": ("write", ["alone"], []),
    }
    assert found["programs"].keys() == rolled.keys()
    assert "mapreduce.u.app.Step" in (await v3("GET", path, **EVER)).body["programs"]


async def test_declared_lineage_is_shown_through_its_source(v3: Any, api: Any) -> None:
    for name in ("a", "b", "c"):
        await api(
            "PUT", "entities", data("s", name), "aspects", "technicalMetadata", body={"properties": {}, "tags": []}
        )
    for made, of in (("b", "a"), ("c", "b")):
        value = {"upstreams": [{"dataset": data("s", of)}]}
        assert (await api("PUT", "entities", data("s", made), "aspects", "upstreamLineage", body=value)).status == 200
    path = "namespaces/s/datasets/b/lineage"
    found = (await v3("GET", path, levels=1, direction="incoming", **EVER)).body
    (key,) = found["programs"]
    assert key.startswith("job.s.-.")
    assert found["programs"][key]["declared"] is True
    reported = [
        (relation["data"], relation["access"], relation["runs"], relation["declared"])
        for relation in found["relations"]
    ]
    assert sorted(reported) == [("dataset.s.a", "read", [], True), ("dataset.s.b", "write", [], True)]
    assert (await v3("GET", path, start="0", end="now-1d")).body["relations"] == []
    gone = await api("DELETE", "entities", data("s", "b"), "aspects", "upstreamLineage")
    assert gone.status == 200
    assert (await v3("GET", path, direction="incoming", start="now+1h", end="now+2h")).body["relations"] == []
    assert (await v3("GET", path, direction="incoming", **EVER)).body["relations"] != []
    bad = {"upstreams": [{"dataset": "urn:li:dataset:(broken"}]}
    refused = await api("PUT", "entities", data("s", "b"), "aspects", "upstreamLineage", body=bad)
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/upstreams/0/dataset")


async def test_as_of_shows_lineage_known_at_that_time(v3: Any, record: Any) -> None:
    await record(flow("k", "F"), "k1", [(data("k", "a"), "read", "")])
    path = "namespaces/k/datasets/a/lineage"
    assert len((await v3("GET", path, asOf="now+1d", **EVER)).body["relations"]) == 1
    assert (await v3("GET", path, asOf="now-1d", **EVER)).status == 404


async def test_a_time_that_cannot_be_read_is_named(v3: Any, shop: None) -> None:
    path = "namespaces/shop/datasets/orders/lineage"
    for name in ("start", "end", "asOf"):
        requested = {**EVER, name: "rubbish"}
        for refused in (
            await v3("GET", path, **requested),
            await v3("POST", f"{path}/next", {"frontier": ["dataset:shop.orders"], **requested}),
        ):
            assert refused.status == 400
            assert f"{name}: expected a time such as " in json.dumps(refused.body)


async def test_a_model_is_data_in_every_api(v3: Any, api: Any, datahub: Any, openlineage: Any, record: Record) -> None:
    model, train = "urn:li:mlModel:(urn:li:dataPlatform:colophon,ml.churn.trees,PROD)", flow("ml", "train", "spark")
    apply = flow("ml", "apply", "spark")
    await record(train, "r1", [(data("ml", "a"), "read", ""), (model, "write", "")])
    await record(apply, "r2", [(model, "read", ""), (data("ml", "b"), "write", "")])
    entity = (await api("GET", "entities", model, answers="entity")).body
    assert (entity["type"], entity["namespace"], entity["name"]) == ("mlModel", "ml", "churn.trees")
    for params in ({"urn": model, "direction": "both"}, {"urn": data("ml", "b"), "direction": "upstream", "levels": 3}):
        lineage = (await api("GET", "lineage", params=params, answers="lineage")).body
        assert {(edge["source"], edge["target"]) for edge in lineage["edges"]} == {
            (data("ml", "a"), train),
            (train, model),
            (model, apply),
            (apply, data("ml", "b")),
        }
    relations = {(model, "spark.ml.app.train"), (model, "spark.ml.app.apply"), ("dataset.ml.a", "spark.ml.app.train")}
    for form in ({}, {"rollup": "workflow"}):
        found = (await v3("GET", "namespaces/ml/datasets/b/lineage", levels=3, **EVER, **form)).body
        assert relations <= {(relation["data"], relation["program"]) for relation in found["relations"]}
    accesses = (await v3("GET", "namespaces/ml/apps/app/spark/train/runs/r1/metadata/accesses")).body
    assert "write" in {access["access"] for access in accesses}
    params = {"nodeId": f"dataset:ml:{data('ml', 'b')}"}
    graph = (await openlineage("GET", "api", "v1", "lineage", params=params)).body["graph"]
    assert f"dataset:ml:{model}" in {node["id"] for node in graph}
    # DataHub's aspects of lineage have only datasets.
    job = (await datahub("GET", "openapi", "v3", "entity", "dataJob", train)).body
    derived = job["dataJobInputOutput"]["value"]
    assert (derived["inputDatasets"], derived["outputDatasets"]) == ([data("ml", "a")], [])
