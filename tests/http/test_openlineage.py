"""Events sent to the OpenLineage API."""

import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
from support.datahub import build_proposal, emit_proposal
from support.openlineage import RUN, build_event, build_event_dataset, read_recording

LINEAGE = ("api", "v1", "lineage")
SPARK_JOB = "urn:li:dataJob:(urn:li:dataFlow:(spark,sparkns,PROD),oljob.execute_insert_into_hadoop_fs_relation_command.data_out)"
IN, OUT = (f"urn:li:dataset:(urn:li:dataPlatform:file,/srv/example/olspark/data/{name},PROD)" for name in ("in", "out"))
ORDERS, LAKE = (
    "urn:li:dataset:(urn:li:dataPlatform:postgres,db:5432/shop.public.orders,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:s3,lake/orders,PROD)",
)


async def replay(openlineage: Any, name: str) -> None:
    for one in read_recording(name):
        is_packed = "Content-Encoding" in one["headers"]
        body = gzip.compress(json.dumps(one["body"]).encode()) if is_packed else one["body"]
        reported = await openlineage("POST", *LINEAGE, body=body, headers=one["headers"])
        assert reported.status == 201
        assert reported.body == {}


@pytest.mark.each_store
async def test_spark_agent_events_become_lineage_runs_and_columns(openlineage: Any, api: Any) -> None:
    await replay(openlineage, "spark_agent")
    params = {"urn": OUT, "direction": "upstream", "columns": "true"}
    found = (await api("GET", "lineage", params=params)).body
    ways = {(edge["source"], edge["target"]) for edge in found["edges"]}
    assert ways == {(IN, SPARK_JOB), (SPARK_JOB, OUT)}
    assert {(one["sourceField"], one["targetField"], one["transformation"]) for one in found["columns"]} == {
        ("id", "id2", "transformation"),
        ("n", "nn", "transformation"),
    }
    run = found["edges"][0]["runs"][0]
    reported = (await api("GET", "runs", run)).body
    assert (reported["status"], reported["facts"]["engine"]) == ("succeeded", "spark 4.3.0")
    assert reported["parent"] == "urn:li:dataProcessInstance:01a1f879-2dac-710c-bcbf-cba77c4a6fb4"
    schema = (await api("GET", "entities", OUT, "aspects", "schemaMetadata")).body["value"]
    assert [(one["fieldPath"], one["nativeDataType"]) for one in schema["fields"]] == [
        ("id2", "long"),
        ("nn", "string"),
    ]
    facets = (await api("GET", "entities", OUT, "aspects", "openLineage")).body["value"]["facets"]
    assert set(facets) == {"columnLineage", "dataSource", "schema"}


@pytest.mark.parametrize("name", ["python_http", "python_async", "python_429", "python_503", "python_basepath"])
async def test_repeated_python_client_events_are_accepted(name: str, openlineage: Any, api: Any) -> None:
    await replay(openlineage, name)
    log = (await api("GET", "changes", params={"limit": "0"})).body["cursor"]
    await replay(openlineage, name)
    assert (await api("GET", "changes", params={"limit": "0"})).body["cursor"] == log
    run = (await api("GET", "runs", f"urn:li:dataProcessInstance:{RUN}")).body
    types = {one["body"].get("eventType") for one in read_recording(name)}
    assert run["status"] == ("failed" if "FAIL" in types else "running")
    assert {(one["data"], one["mode"]) for one in run["accesses"]} == {
        ("urn:li:dataset:(urn:li:dataPlatform:pg,db.s.in,PROD)", "read"),
        ("urn:li:dataset:(urn:li:dataPlatform:pg,db.s.out,PROD)", "write"),
    }


async def test_compressed_event_is_inflated_up_to_the_limit(openlineage: Any) -> None:
    packed, headers = gzip.compress(json.dumps(build_event()).encode()), {"Content-Encoding": "gzip"}
    assert (await openlineage("POST", *LINEAGE, body=packed, headers=headers)).status == 201
    bomb = gzip.compress(b" " * 17 * 1024 * 1024)
    assert (await openlineage("POST", *LINEAGE, body=bomb, headers=headers)).status == 413
    assert (await openlineage("POST", *LINEAGE, body=b"no gzip", headers=headers)).status == 400


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"eventTime": "yesterday"}, "/eventTime"),
        ({"eventTime": "1969-12-31T23:59:59Z"}, "/eventTime"),
        ({"eventType": "DONE"}, "/eventType"),
        ({"run": {"runId": "7"}}, "/run/runId"),
        ({"job": {"namespace": "etl"}}, "/job"),
        ({"job": {"namespace": "etl", "name": "n" * 600}}, "/job"),
        ({"inputs": [build_event_dataset("x"), {"namespace": "file"}]}, "/inputs/1"),
        ({"outputs": [build_event_dataset("x\ny")]}, "/outputs/0"),
        (
            {"outputs": [build_event_dataset("t", schema={"fields": [{"type": "INT"}]})]},
            "/outputs/0/facets/schema/fields/0",
        ),
        ({"inputs": {}}, "/inputs"),
    ],
)
async def test_invalid_event_is_refused_with_pointer_and_kept(
    wrong: Any, pointer: str, openlineage: Any, api: Any
) -> None:
    reported = await openlineage("POST", *LINEAGE, body=build_event() | wrong)
    assert reported.status == 400
    assert pointer in {one["pointer"] for one in reported.body["errors"]}
    [letter] = (await api("GET", "dead-letters", params={"kind": "openlineage"})).body["deadLetters"]
    assert letter["problem"] == reported.body
    assert (await api("POST", "dead-letters", letter["id"], "replay")).status == 400
    [again] = (await api("GET", "dead-letters")).body["deadLetters"]
    assert again["attempts"] == 2
    assert (await api("GET", "search", params={"q": "shop"})).body["total"] == 0


async def test_malformed_event_is_kept_as_dead_letter(openlineage: Any, api: Any) -> None:
    assert (await openlineage("POST", *LINEAGE, body=b"{")).status == 400
    assert (await openlineage("POST", *LINEAGE, body=[])).status == 400
    letters = (await api("GET", "dead-letters", params={"kind": "openlineage"})).body["deadLetters"]
    assert [one["problem"]["title"] for one in letters] == ["Invalid value", "Malformed body"]


async def test_conflicting_run_event_is_replayed_after_deletion(openlineage: Any, api: Any) -> None:
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,app,sales),spark.join)"
    await api("POST", "runs", body={"program": program, "runId": RUN, "start": "2026-01-01T00:00:00Z"})
    assert (await openlineage("POST", *LINEAGE, body=build_event())).status == 409
    assert len((await api("GET", "dead-letters")).body["deadLetters"]) == 1


async def test_run_id_of_several_jobs_is_a_run_of_each(openlineage: Any, api: Any) -> None:
    child = {"parent": {"run": {"runId": RUN}, "job": {"namespace": "etl", "name": "transform"}}}
    sent = (
        build_event("START", job="load", outputs=[build_event_dataset("shop.public.orders")]),
        build_event(
            "START",
            job="transform",
            inputs=[build_event_dataset("shop.public.orders")],
            outputs=[build_event_dataset("orders", "s3://lake")],
        ),
        build_event("FAIL", 7, job="transform"),
        build_event("COMPLETE", 5, job="load"),
        build_event("START", run=RUN.replace("01a1", "0ca1"), job="step", run_facets=child),
    )
    for one in sent * 2:
        assert (await openlineage("POST", *LINEAGE, body=one)).status == 201
    runs = {}
    for job in ("load", "transform", "step"):
        program = f"urn:li:dataJob:(urn:li:dataFlow:(openlineage,etl,PROD),{job})"
        (runs[job],) = (await api("GET", "runs", params={"program": program}, answers="runs")).body["runs"]
    assert [(one["runId"], one["status"]) for one in runs.values()][:2] == [(RUN, "succeeded"), (RUN, "failed")]
    assert runs["load"]["urn"] == f"urn:li:dataProcessInstance:{RUN}" != runs["transform"]["urn"]
    assert runs["step"]["parent"] == runs["transform"]["urn"]
    touched = {job: {one["data"] for one in run["accesses"]} for job, run in runs.items()}
    assert touched == {"load": {ORDERS}, "transform": {ORDERS, LAKE}, "step": set()}
    assert (await api("GET", "dead-letters")).body["deadLetters"] == []


@pytest.mark.each_store
async def test_datasets_of_all_events_of_a_run_are_merged(openlineage: Any, api: Any) -> None:
    dangling = build_event("START", run=RUN.replace("01a1", "02a1"), inputs=[build_event_dataset("shop.public.orders")])
    first = build_event("START", inputs=[build_event_dataset("shop.public.orders")])
    last = build_event("COMPLETE", 5, outputs=[build_event_dataset("orders", "s3://lake")])
    for one in (dangling, last, first):
        assert (await openlineage("POST", *LINEAGE, body=one)).status == 201
    run = (await api("GET", "runs", f"urn:li:dataProcessInstance:{RUN}")).body
    assert (run["status"], run["start"], run["end"]) == (
        "succeeded",
        "2026-01-01T00:00:00.000Z",
        "2026-01-01T00:00:05.000Z",
    )
    assert {(one["data"], one["mode"]) for one in run["accesses"]} == {(ORDERS, "read"), (LAKE, "write")}


async def test_events_require_authentication(openlineage: Any) -> None:
    assert (await openlineage("POST", *LINEAGE, body=build_event(), anonymous=True)).status == 403


async def test_api_is_documented_and_unknown_path_returns_404(openlineage: Any) -> None:
    reported = (await openlineage("GET", "openapi.json")).body
    assert "post" in reported["paths"]["/api/v1/lineage"]
    assert (await openlineage("GET", "api", "v2")).status == 404


async def test_datahubs_users_know_the_same_below_the_gms(
    jp_serverapp: Any, http_server_client: Any, jp_base_url: str, jp_auth_header: Any
) -> None:
    path = f"{jp_base_url}colophon/datahub/openapi/openlineage/api/v1/lineage"
    body = json.dumps(build_event())
    reported = await http_server_client.fetch(path, method="POST", body=body, headers=jp_auth_header)
    assert reported.code == 201


async def test_datahub_api_derives_lineage_aspects(openlineage: Any, api: Any) -> None:
    gms = replace(openlineage, prefix=openlineage.prefix.replace("openlineage", "datahub"))

    async def aspects(urn: str) -> Any:
        return (await gms("GET", "entitiesV2", urn, documented=False)).body["aspects"]

    await replay(openlineage, "spark_agent")
    upstreams = (await aspects(OUT))["upstreamLineage"]["value"]
    assert [(one["dataset"], one["properties"]["programs"]) for one in upstreams["upstreams"]] == [(IN, SPARK_JOB)]
    fine = {(*one["upstreams"], *one["downstreams"]) for one in upstreams["fineGrainedLineages"]}
    assert fine == {
        (f"urn:li:schemaField:({IN},{one})", f"urn:li:schemaField:({OUT},{other})")
        for one, other in (("id", "id2"), ("n", "nn"))
    }
    job = (await aspects(SPARK_JOB))["dataJobInputOutput"]["value"]
    assert (job["inputDatasets"], job["outputDatasets"], len(job["fineGrainedLineages"])) == ([IN], [OUT], 2)
    # A connector that writes the aspect is answered as it wrote it, and takes nothing from lineage.
    value = {
        "upstreams": [{"dataset": ORDERS, "type": "COPY", "auditStamp": {"time": 1, "actor": "urn:li:corpuser:a"}}]
    }
    proposal = {"urn": OUT, "aspect": "upstreamLineage", "operation": "upsert", "value": value}
    assert (await api("POST", "proposals", body={"proposals": [proposal]})).status == 200
    assert (await aspects(OUT))["upstreamLineage"]["value"] == value
    found = (await api("GET", "lineage", params={"urn": OUT, "direction": "upstream"})).body
    assert {node["urn"] for node in found["nodes"] if node["type"] == "dataset"} == {ORDERS, IN, OUT}


async def test_datahub_api_shows_runs_as_process_instances(openlineage: Any, datahub: Any) -> None:
    run, parent = (f"urn:li:dataProcessInstance:{one}" for one in (RUN, RUN.replace("01a1", "09a1")))
    facets = {"parent": {"run": {"runId": parent.rpartition(":")[2]}, "job": {"namespace": "etl", "name": "all"}}}
    first = build_event("START", inputs=[build_event_dataset("shop.public.orders")], run_facets=facets)
    for one in (first, build_event("FAIL", 5, outputs=[build_event_dataset("orders", "s3://lake")])):
        assert (await openlineage("POST", *LINEAGE, body=one)).status == 201
    found = (await datahub("GET", "entitiesV2", run)).body["aspects"]
    recorded = {name.removeprefix("dataProcessInstance"): one["value"] for name, one in found.items()}
    assert recorded["Key"] == {"id": RUN}
    assert recorded["Properties"]["created"]["time"] == 1767225600000
    job = "urn:li:dataJob:(urn:li:dataFlow:(openlineage,etl,PROD),load)"
    assert recorded["Relationships"] == {"parentTemplate": job, "parentInstance": parent, "upstreamInstances": []}
    assert (recorded["Input"], recorded["Output"]) == ({"inputs": [ORDERS]}, {"outputs": [LAKE]})

    async def reported(**more: Any) -> list[Any]:
        body = {"urn": run, "entity": "dataProcessInstance", "aspect": "dataProcessInstanceRunEvent"} | more
        answer = await datahub("POST", "aspects", params={"action": "getTimeseriesAspectValues"}, body=body)
        return [json.loads(one["aspect"]["value"]) for one in answer.body["value"]["values"]]

    newest, oldest = await reported()
    assert (oldest["status"], newest["status"], newest["result"]["type"]) == ("STARTED", "COMPLETE", "FAILURE")
    assert newest["durationMillis"] == 5_000
    assert [one["status"] for one in await reported(latestValue=True)] == ["COMPLETE"]
    assert [one["status"] for one in await reported(endTimeMillis=1767225600000)] == ["STARTED"]
    # These are DataHub's own aspects: a connector may write them too, and its values take precedence.
    mine = found["dataProcessInstanceProperties"]["value"] | {"name": "mine"}
    for name, value in (("Properties", mine), ("RunEvent", newest), ("Output", recorded["Output"])):
        assert (
            await emit_proposal(datahub, build_proposal(f"dataProcessInstance{name}", value, urn=run))
        ).status == 200
    found = (await datahub("GET", "entitiesV2", run)).body["aspects"]
    assert found["dataProcessInstanceProperties"]["value"] == mine
    assert found["dataProcessInstanceInput"]["value"] == {"inputs": [ORDERS]}
    assert await reported() == [newest]
    absent = await datahub("GET", "aspects", f"{run[:-1]}0", params={"aspect": "dataProcessInstanceKey"})
    assert absent.status == 404
