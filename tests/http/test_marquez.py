"""Requests of Marquez's readers, and the form of the answers."""

from typing import Any

import pytest
from support.openlineage import RUN, build_event, build_event_dataset, read_recording
from support.urns import build_cell_urn, build_table_urn

pytestmark = pytest.mark.each_store

LINEAGE = ("api", "v1", "lineage")
LAKE = "s3://lake:9000"
IN, OUT = ("dataset:file:/srv/example/olspark/data/" + name for name in ("in", "out"))
JOBS = [f"job:sparkns:oljob.execute_insert_into_hadoop_fs_relation_command.data_{name}" for name in ("in", "out")]
DANGLING = "job:sparkns:oljob.map_partitions_parallel_collection"


@pytest.fixture
def spark(openlineage: Any, jp_asyncio_loop: Any) -> None:
    """Send the recorded events of the Spark agent."""

    async def send() -> None:
        for one in read_recording("spark_agent"):
            assert (await openlineage("POST", *LINEAGE, body=one["body"])).status == 201

    jp_asyncio_loop.run_until_complete(send())


@pytest.mark.usefixtures("spark")
async def test_graph_equals_the_recording(openlineage: Any) -> None:
    found = (await openlineage("GET", *LINEAGE, params={"nodeId": OUT, "depth": "5"})).body["graph"]
    nodes = {node["id"]: node for node in found}
    assert set(nodes) == {IN, OUT, *JOBS, DANGLING}
    assert nodes[IN]["inEdges"] == [{"origin": JOBS[0], "destination": IN}]
    assert nodes[IN]["outEdges"] == [{"origin": IN, "destination": JOBS[1]}, {"origin": IN, "destination": DANGLING}]
    reported = nodes[OUT]["data"]
    assert reported["id"] == {"namespace": "file", "name": "/srv/example/olspark/data/out"}
    assert [(one["name"], one["type"]) for one in reported["fields"]] == [("id2", "long"), ("nn", "string")]
    assert set(reported["facets"]) == {"dataSource", "columnLineage", "schema"}
    job = nodes[JOBS[1]]["data"]
    assert (job["type"], job["latestRun"]["state"]) == ("BATCH", "COMPLETED")
    assert (job["inputs"], job["outputs"]) == ([nodes[IN]["data"]["id"]], [reported["id"]])
    assert nodes[DANGLING]["data"]["latestRun"]["state"] == "RUNNING"
    assert {node["type"] for node in found} == {"DATASET", "JOB"}


@pytest.mark.usefixtures("spark")
async def test_columns_are_a_graph_as_well(openlineage: Any) -> None:
    found = (await openlineage("GET", "api", "v1", "column-lineage", params={"nodeId": OUT})).body["graph"]
    nodes = {node["id"]: node for node in found}
    field, source = f"datasetField{OUT.removeprefix('dataset')}:nn", f"datasetField{IN.removeprefix('dataset')}:n"
    assert nodes[field]["inEdges"] == [{"origin": source, "destination": field}]
    assert nodes[field]["data"]["inputFields"][0]["field"] == "n"
    again = await openlineage("GET", "api", "v1", "column-lineage", params={"nodeId": field})
    assert again.body["graph"] == found


async def test_graph_has_a_job_for_each_statement_of_a_program(openlineage: Any, api: Any) -> None:
    program, dept, raw, emp = (
        build_cell_urn("p"),
        build_table_urn("dept"),
        build_table_urn("raw"),
        build_table_urn("emp"),
    )
    start = {"program": program, "runId": "1", "start": "2026-11-20T12:00:00Z"}
    run = (await api("POST", "runs", body=start, answers="run")).body["urn"]
    touched = [(dept, "read", 0), (raw, "read", 1), (emp, "write", 1), (emp, "read", 2), (dept, "write", 2)]
    body = {"accesses": [{"data": urn, "mode": mode, "statement": number} for urn, mode, number in touched]}
    assert (await api("POST", "runs", run, "accesses", body=body, answers="run")).status == 200
    found = (await openlineage("GET", *LINEAGE, params={"nodeId": f"dataset:sales:{emp}"})).body
    edges = {(edge["origin"], edge["destination"]) for node in found["graph"] for edge in node["inEdges"]}
    after: dict[str, set[str]] = {}
    for origin, destination in edges:
        after.setdefault(origin, set()).add(destination)
    flows = {(source, made) for source in after for job in after[source] for made in after.get(job, ())}
    names = {f"dataset:sales:{urn}": urn for urn in (dept, raw, emp)}
    assert {(names[a], names[b]) for a, b in flows if a in names and b in names} == {(raw, emp), (emp, dept)}
    job = next(node for node in found["graph"] if node["type"] == "JOB" and node["outEdges"])
    assert job["id"].endswith(job["data"]["name"])
    assert len(job["data"]["inputs"]) == len(job["data"]["outputs"]) == 1
    again = await openlineage("GET", *LINEAGE, params={"nodeId": job["id"]})
    assert (again.status, found["truncated"]) == (200, False)


async def test_node_id_with_colons_is_resolved(openlineage: Any) -> None:
    reported = build_event(inputs=[build_event_dataset("a:b", LAKE)], outputs=[build_event_dataset("b", f"{LAKE}:a")])
    assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201
    ids = {"dataset:s3://lake:9000:a:b", "job:etl:load"}
    for node in ids:
        found = (await openlineage("GET", *LINEAGE, params={"nodeId": node})).body["graph"]
        assert {one["id"] for one in found} == ids
    assert (await openlineage("GET", *LINEAGE, params={"nodeId": "dataset:s3://lake:9000:c"})).status == 404
    for wrong in ("lake", "run:a:b", "job:etl", "dataset:" + ":" * 100, ""):
        assert (await openlineage("GET", *LINEAGE, params={"nodeId": wrong})).status == 400


async def test_jobs_datasets_and_runs_are_listed_and_read(openlineage: Any) -> None:
    orders = build_event_dataset("orders/x", LAKE, documentation={"description": "All orders"})
    facets = {"nominalTime": {"nominalStartTime": "2026-01-01T00:00:00Z"}}
    for job, type_, second in (("load", "START", 0), ("load", "FAIL", 5), ("other", "ABORT", 1)):
        run = RUN if job == "load" else RUN.replace("01a1", "02a1")
        reported = build_event(type_, second, job=job, run=run, outputs=[orders], run_facets=facets)
        assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201
    spaces = (await openlineage("GET", "api", "v1", "namespaces")).body["namespaces"]
    assert [one["name"] for one in spaces] == ["etl", LAKE]
    assert (await openlineage("GET", "api", "v1", "namespaces", LAKE)).body["name"] == LAKE
    assert (await openlineage("GET", "api", "v1", "namespaces", "none")).status == 404
    jobs = (await openlineage("GET", "api", "v1", "namespaces", "etl", "jobs")).body
    assert [(one["name"], one["latestRun"]["state"]) for one in jobs["jobs"]] == [
        ("load", "FAILED"),
        ("other", "ABORTED"),
    ]
    assert jobs["totalCount"] == 2
    page = (await openlineage("GET", "api", "v1", "jobs", params={"limit": "1", "offset": "1"})).body
    assert [one["name"] for one in page["jobs"]] == ["other"]
    found = (await openlineage("GET", "api", "v1", "namespaces", LAKE, "datasets", "orders/x")).body
    assert found["description"] == "All orders"
    listed = (await openlineage("GET", "api", "v1", "namespaces", LAKE, "datasets")).body
    assert listed == {"datasets": [found], "totalCount": 1}
    [run] = (await openlineage("GET", "api", "v1", "namespaces", "etl", "jobs", "load", "runs")).body["runs"]
    assert (run["id"], run["durationMs"], run["nominalStartTime"]) == (RUN, 5_000, "2026-01-01T00:00:00Z")
    assert (await openlineage("GET", "api", "v1", "jobs", "runs", RUN)).body == run
    reported = (await openlineage("GET", "api", "v1", "jobs", "runs", RUN, "facets", params={"type": "run"})).body
    assert reported == {"runId": RUN, "facets": facets}
    for path in (("jobs", "runs", "x"), ("namespaces", "etl", "jobs", "x"), ("namespaces", "etl", "datasets", "x")):
        assert (await openlineage("GET", "api", "v1", *path)).status == 404


async def test_search_finds_jobs_and_datasets_by_name(openlineage: Any) -> None:
    reported = build_event(outputs=[build_event_dataset("load_me", "file")])
    assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201
    found = (await openlineage("GET", "api", "v1", "search", params={"q": "load"})).body
    assert {(one["type"], one["nodeId"]) for one in found["results"]} == {
        ("JOB", "job:etl:load"),
        ("DATASET", "dataset:file:load_me"),
    }
    one = (await openlineage("GET", "api", "v1", "search", params={"q": "load", "filter": "JOB"})).body
    assert [result["name"] for result in one["results"]] == ["load"]


async def test_search_reports_total_and_filters_by_namespace(openlineage: Any) -> None:
    outputs = [build_event_dataset(f"lot{number:02}", LAKE) for number in range(30)]
    for reported in (
        build_event(outputs=[build_event_dataset("lot_far", "file")]),
        build_event(second=1, outputs=outputs),
    ):
        assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201

    async def search(**params: Any) -> tuple[int, int, bool]:
        found = (await openlineage("GET", "api", "v1", "search", params={"q": "lot"} | params)).body
        return len(found["results"]), found["totalCount"], found["truncated"]

    assert await search(limit=10) == (10, 31, True)
    assert await search(limit=31) == (31, 31, False)
    assert await search(limit=10, namespace="file") == (1, 1, False)
    assert await search(limit=10, namespace=LAKE) == (10, 30, True)
    assert await search(limit=10, filter="JOB") == (0, 0, False)


@pytest.mark.usefixtures("sales")
async def test_search_finds_paths_by_their_parts(openlineage: Any) -> None:
    reported = build_event(outputs=[build_event_dataset("raw/invoices_eu.parquet", "s3://lake")])
    assert (await openlineage("POST", *LINEAGE, body=reported)).status == 201
    for text in ("invoices", "invoices_e", "raw", "raw/inv"):
        found = (await openlineage("GET", "api", "v1", "search", params={"q": text})).body["results"]
        assert [one["name"] for one in found] == ["raw/invoices_eu.parquet"], text


async def test_entity_without_openlineage_name_is_named_by_urn(openlineage: Any, api: Any) -> None:
    orders = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,app,sales),spark.join)"
    run = await api("POST", "runs", body={"program": program, "runId": "r", "start": "2026-01-01T00:00:00Z"})
    accesses = {"accesses": [{"data": orders, "mode": "read"}]}
    assert (await api("POST", "runs", run.body["urn"], "accesses", body=accesses)).status == 200
    node = f"dataset:sales:{orders}"
    found = (await openlineage("GET", *LINEAGE, params={"nodeId": node})).body["graph"]
    assert {one["id"] for one in found} == {node, f"job:sales:{program}"}
