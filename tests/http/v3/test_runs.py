"""Runs and accesses: what is recorded, kept and refused."""

import json
from pathlib import Path
from typing import Any

import pytest

CASES = json.loads((Path(__file__).parents[2] / "conformance" / "runs.json").read_text())
FLOW = "namespaces/shop/apps/etl/flows/Load"
RUN = f"{FLOW}/runs/r1"
ORDERS = {"type": "dataset", "name": "orders"}
READS = {"data": ORDERS, "access": "read"}
#: Milliseconds of the year 2026.
T0 = 1_780_000_000_000


def by_role(records: list[Any]) -> dict[str, Any]:
    return {row["role"]: row for row in records}


async def record(v3: Any, entity: str, **properties: str) -> None:
    assert (await v3("POST", f"{entity}/metadata/properties", properties)).status == 200


@pytest.mark.each_store
async def test_repeated_put_updates_the_same_run(v3: Any, shop: None) -> None:
    first = await v3("PUT", RUN, {"status": "RUNNING", "start": T0, "arguments": {"input": "/in"}})
    assert first.status == 200, first.body
    assert (await v3("PUT", RUN, {"start": T0 // 1000, "facts": {"rows": 3}})).status == 200
    reported = {"status": "COMPLETED", "end": T0 + 5, "arguments": {"mode": "full"}}
    for _ in range(2):
        assert (await v3("PUT", RUN, reported)).status == 200
    run = (await v3("GET", RUN)).body
    assert {name: run[name] for name in ("runId", "status", "start", "end", "parent", "facts", "arguments")} == {
        "runId": "r1",
        "status": "succeeded",
        "start": T0,
        "end": T0 + 5,
        "parent": None,
        "facts": {"rows": 3},
        "arguments": {"input": "/in", "mode": "full"},
    }
    changes = (await v3("GET", f"{FLOW}/runs")).body
    assert [change["runId"] for change in changes] == ["r1"]


async def test_an_optional_member_that_is_null_is_absent(v3: Any, shop: None) -> None:
    nothing = dict.fromkeys(("start", "end", "status", "parent", "arguments", "facts"))
    assert (await v3("PUT", RUN, nothing)).status == 200
    access = READS | {"stop": None, "start": None, "at": None, "component": None}
    assert (await v3("POST", f"{RUN}/accesses", access)).status == 200
    run = (await v3("GET", RUN)).body
    assert (run["status"], run["end"]) == ("running", None)
    (read,) = [row for row in (await v3("GET", f"{RUN}/metadata/accesses")).body if row["role"] == "data"]
    assert (read["access"], read["component"]) == ("read", "")
    assert (await v3("PUT", "namespaces/shop/datasets/orders", {"description": None, "schema": None})).status == 200
    described = (await v3("GET", "namespaces/shop/datasets/orders")).body
    assert described["description"] == "All orders"
    assert "schema" not in described["system"]["properties"]


@pytest.mark.each_store
async def test_a_count_beyond_the_bound_is_the_bound(v3: Any, shop: None) -> None:
    assert (await v3("PUT", RUN)).status == 200
    for most in (2**31 - 1, 2**63 - 1):
        assert [run["runId"] for run in (await v3("GET", f"{FLOW}/runs", limit=most)).body] == ["r1"]
        assert (await v3("GET", "namespaces/shop/metadata/keys", limit=most)).status == 200
        found = await v3("GET", "namespaces/shop/metadata/search", query="*", limit=most, responseFormat="v5")
        assert found.body["total"] == len(found.body["results"]) > 0
        window = {"start": "0", "end": "now", "limit": most}
        assert (await v3("GET", "namespaces/shop/datasets/orders/lineage", **window)).status == 200


async def test_ended_run_cannot_be_resumed(v3: Any, shop: None) -> None:
    await v3("PUT", RUN, {"status": "failed", "start": T0, "end": T0 + 1})
    for reported in ({"status": "running"}, {"start": T0 + 1}):
        refused = await v3("PUT", RUN, reported)
        assert (refused.status, "r1" in refused.body["message"]) == (409, True)
    # Another time does not change the ending.
    assert (await v3("PUT", RUN, {"end": T0 + 2})).body["status"] == "failed"
    assert (await v3("PUT", RUN, {})).status == 200
    assert (await v3("GET", RUN)).body["end"] == T0 + 2


async def test_a_parent_is_there_and_stays(v3: Any, shop: None) -> None:
    refused = await v3("PUT", RUN, {"parent": "r0"})
    assert (refused.status, "/parent" in refused.body["message"]) == (404, True)
    assert (await v3("GET", RUN)).status == 404
    urn = (await v3("PUT", f"{FLOW}/runs/r0")).body["urn"]
    other = (await v3("PUT", "namespaces/shop/apps/etl/spark/Join/runs/j")).body["urn"]
    for reported in ("r0", urn):
        assert (await v3("PUT", RUN, {"parent": reported})).body["parent"] == urn
    assert (await v3("PUT", RUN, {"parent": other})).status == 409


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("namespaces/none/apps/etl/flows/Load/runs/r", "etl"),
        ("namespaces/shop/apps/none/flows/Load/runs/r", "application 'none'"),
        ("namespaces/shop/apps/etl/flows/none/runs/r", "program 'none'"),
    ],
)
async def test_unknown_program_returns_404_with_its_name(v3: Any, shop: None, path: str, named: str) -> None:
    put = await v3("PUT", path, {"status": "running"})
    assert (put.status, named in put.body["message"]) == (404, True), put.body
    posted = await v3("POST", f"{path}/accesses", READS)
    assert (posted.status, named in posted.body["message"]) == (404, True)
    for requested in (path, f"{path}/metadata", f"{path}/metadata/accesses", path.rpartition("/")[0]):
        assert (await v3("GET", requested)).status == 404


async def test_access_to_unknown_data_returns_404(v3: Any, shop: None) -> None:
    for kind in ("dataset", "stream"):
        refused = await v3("POST", f"{RUN}/accesses", {"data": {"type": kind, "name": "none"}, "access": "read"})
        assert (refused.status, f"{kind} 'none'" in refused.body["message"]) == (404, True)
    elsewhere = {"data": ORDERS | {"namespace": "default"}, "access": "read"}
    assert (await v3("POST", f"{RUN}/accesses", elsewhere)).status == 404
    assert (await v3("GET", RUN)).status == 404


async def test_invalid_run_returns_400(v3: Any, shop: None) -> None:
    for body, place in CASES["run"]:
        refused = await v3("PUT", RUN, body)
        assert (refused.status, place in refused.body["message"]) == (400, True), refused.body
        assert (await v3("GET", RUN)).status == 404, (body, place)


async def test_invalid_access_returns_400(v3: Any, shop: None) -> None:
    for body, place in CASES["access"]:
        refused = await v3("POST", f"{RUN}/accesses", body)
        assert (refused.status, place in refused.body["message"]) == (400, True), refused.body
        assert (await v3("GET", RUN)).status == 404, (body, place)


async def test_invalid_history_returns_400(v3: Any, shop: None) -> None:
    for body, place in CASES["history"]:
        refused = await v3("POST", "metadata/history", body)
        assert (refused.status, place in refused.body["message"]) == (400, True), refused.body
        assert (await v3("GET", f"{FLOW}/runs")).body == [], (body, place)


async def test_run_ids_are_of_their_alphabet(v3: Any, shop: None) -> None:
    for wrong in ("a%20b", "a%2Fb", "x" * 129, "%C3%A4"):
        assert (await v3("PUT", f"{FLOW}/runs/{wrong}")).status == 400, wrong
    for right in ("a.b:c_d-e", "x" * 128, "283-afsd032-adsf90", "0b0f7f6e-2f1e-4c0e-9a6e-1f3a0f6f7a10"):
        assert (await v3("PUT", f"{FLOW}/runs/{right}")).status == 200, right
    # A UUID is one run's; another program has none of that id.
    join = "namespaces/shop/apps/etl/spark/Join/runs/0b0f7f6e-2f1e-4c0e-9a6e-1f3a0f6f7a10"
    assert (await v3("GET", join)).status == 404
    assert (await v3("PUT", join)).status == 409


@pytest.mark.each_store
async def test_metadata_at_the_first_access_is_kept(v3: Any, shop: None) -> None:
    data = "namespaces/shop/datasets/orders"
    for entity in (data, FLOW, "namespaces/shop/apps/etl"):
        await record(v3, entity, state="before")
        assert (await v3("POST", f"{entity}/metadata/tags", ["b", "a"])).status == 200
    await v3("PUT", RUN, {"start": T0, "arguments": {"password": "no"}, "facts": {"token": "t"}})
    await record(v3, data, seen="at the start")  # The first access counts, not the start of the run.
    assert (await v3("POST", f"{RUN}/accesses", READS | {"at": T0 + 1})).status == 200
    for entity in (data, FLOW, "namespaces/shop/apps/etl"):
        await record(v3, entity, state="after")
        await v3("DELETE", f"{entity}/metadata/tags")
    await v3("POST", f"{RUN}/accesses", READS | {"at": T0 + 9})
    await v3("POST", f"{RUN}/accesses", READS | {"access": "write", "component": "sink"})
    reported = await v3("GET", f"{RUN}/metadata/accesses")
    assert "password" not in json.dumps(reported.body)
    assert "token" not in json.dumps(reported.body)
    assert [(row["role"], row["access"], row["component"], row["scope"]) for row in reported.body] == [
        ("program", None, "", "USER"),
        ("application", None, "", "USER"),
        ("data", "read", "", "USER"),
        ("data", "write", "sink", "USER"),
    ]
    assert {row["properties"]["state"] for row in reported.body} == {"before"}
    assert {tuple(row["tags"]) for row in reported.body} == {("a", "b")}
    assert reported.body[2]["properties"] == {"state": "before", "seen": "at the start"}
    assert (reported.body[2]["firstAccess"], reported.body[2]["lastAccess"]) == (T0 + 1, T0 + 9)
    assert reported.body[2]["entityId"] == {"namespace": "shop", "dataset": "orders", "entity": "DATASET"}
    assert reported.body[0]["entityId"]["program"] == "Load"
    # The next run has a copy of its own.
    await v3("POST", f"{FLOW}/runs/r2/accesses", READS)
    again = (await v3("GET", f"{FLOW}/runs/r2/metadata/accesses")).body
    assert {row["properties"]["state"] for row in again} == {"after"}


@pytest.mark.each_store
async def test_run_is_readable_after_its_application_was_deleted(v3: Any, shop: None) -> None:
    await record(v3, FLOW, owner="ada")
    await v3("POST", f"{RUN}/accesses", READS | {"start": T0, "stop": T0 + 7})
    before = {path: (await v3("GET", path)).body for path in (RUN, f"{RUN}/metadata/accesses", f"{FLOW}/runs")}
    assert before[RUN]["status"] == "succeeded"
    for gone in ("apps/etl", "datasets/orders"):
        assert (await v3("DELETE", f"namespaces/shop/{gone}")).status == 200
    assert {path: (await v3("GET", path)).body for path in before} == before
    assert (await v3("PUT", RUN, {})).status == 404
    assert (await v3("POST", f"{RUN}/accesses", READS)).status == 404
    assert (await v3("GET", f"{FLOW}/runs/r2/metadata/accesses")).status == 404


async def test_run_metadata_is_read_only(v3: Any, shop: None) -> None:
    await record(v3, FLOW, owner="ada")
    await v3("PUT", RUN, {"start": T0, "facts": {"rows": 3}})
    assert (await v3("GET", f"{RUN}/metadata")).body == {"properties": {}, "tags": []}
    await v3("POST", f"{RUN}/accesses", READS)
    assert (await v3("GET", f"{RUN}/metadata")).body == {"properties": {"owner": "ada"}, "tags": []}
    system = (await v3("GET", f"{RUN}/metadata/properties/system")).body
    assert system | {"status": "running", "start-time": str(T0), "rows": "3"} == system
    assert (await v3("GET", f"{RUN}/metadata/properties", scope="SYSTEM")).body == system
    assert (await v3("GET", f"{RUN}/metadata/tags")).body == []
    both = (await v3("GET", f"{RUN}/metadata", scope="all")).body
    assert [row["scope"] for row in both] == ["USER", "SYSTEM"]
    v5 = (await v3("GET", f"{RUN}/metadata", responseFormat="v5")).body
    assert v5 == (await v3("GET", f"{RUN}/metadata/accesses")).body
    v6 = (await v3("GET", f"{RUN}/metadata", responseFormat="v6")).body
    assert v6["properties"] == [{"scope": "USER", "name": "owner", "value": "ada"}]
    assert (await v3("GET", f"{RUN}/metadata/properties", scope="all")).status == 400
    for method, path, body in (
        ("POST", "metadata/properties", {"a": "b"}),
        ("POST", "metadata/tags", ["a"]),
        ("DELETE", "metadata", None),
        ("DELETE", "metadata/tags/a", None),
    ):
        assert (await v3(method, f"{RUN}/{path}", body)).status in (404, 405), path
    assert (await v3("GET", f"{RUN}/metadata")).body["properties"] == {"owner": "ada"}


@pytest.mark.each_store
@pytest.mark.parametrize(("start", "end", "expected"), CASES["window"]["cases"])
async def test_runs_are_those_of_an_interval(v3: Any, shop: None, start: Any, end: Any, expected: Any) -> None:
    for run_id, began, ended in CASES["window"]["runs"]:
        reported = {"start": T0 + began} | ({} if ended is None else {"end": T0 + ended})
        assert (await v3("PUT", f"{FLOW}/runs/{run_id}", reported)).status == 200
    window = {name: T0 + at for name, at in (("start", start), ("end", end)) if at is not None}
    assert sorted(run["runId"] for run in (await v3("GET", f"{FLOW}/runs", **window)).body) == sorted(expected)


@pytest.mark.each_store
async def test_runs_are_listed_by_status_newest_first_up_to_limit(v3: Any, shop: None) -> None:
    for number in range(6):
        reported = {"start": T0 + number} | ({"status": "KILLED", "end": T0 + 9} if number % 2 else {})
        await v3("PUT", f"{FLOW}/runs/r{number}", reported)

    async def listed(**requested: Any) -> list[str]:
        return [run["runId"] for run in (await v3("GET", f"{FLOW}/runs", **requested)).body]

    assert await listed() == ["r5", "r4", "r3", "r2", "r1", "r0"]
    assert await listed(status="RUNNING") == ["r4", "r2", "r0"]
    assert await listed(status="killed", limit=2) == ["r5", "r3"]
    assert await listed(status="completed") == []
    cut = await v3("GET", f"{FLOW}/runs", limit=2)
    assert cut.headers["X-Colophon-Truncated"] == "true"
    for wrong in ({"status": "x"}, {"limit": 0}, {"start": "soon"}, {"start": "now", "end": "now-1d"}):
        assert (await v3("GET", f"{FLOW}/runs", **wrong)).status == 400, wrong


@pytest.mark.each_store
async def test_the_private_history_is_one_access_with_its_own_metadata(v3: Any, shop: None) -> None:
    data = {"namespace": "shop", "type": "DATASET", "name": "orders"}
    program = {"namespace": "shop", "app": "etl", "programType": "FLOW", "name": "Load", "runId": "r1"}
    reported = {"programRun": program, "data": data, "accessType": "in"}
    given = {"user": {"owner": "then"}, "system": {"format": "csv"}}
    await record(v3, "namespaces/shop/datasets/orders", owner="now")
    assert (await v3("POST", "metadata/history", reported | {"metadata": given})).status == 200
    first = by_role((await v3("GET", f"{RUN}/metadata/accesses")).body)
    assert (await v3("POST", "metadata/history", reported | {"metadata": {"user": {"owner": "x"}}})).status == 200
    records = (await v3("GET", f"{RUN}/metadata/accesses")).body
    assert [(row["scope"], row["properties"]) for row in records if row["role"] == "data"] == [
        ("USER", {"owner": "then"}),
        ("SYSTEM", {"format": "csv"}),
    ]
    again = by_role(records)["data"]
    assert again["firstAccess"] == first["data"]["firstAccess"] <= again["lastAccess"]
    assert {row["access"] for row in records if row["role"] == "data"} == {"read"}
    for kind, access, expected in (("MAPREDUCE", None, 404), ("SPARK", "out", 200), ("SPARK", "UNKNOWN", 200)):
        name = "Join" if kind == "SPARK" else "None"
        body = reported | {"programRun": program | {"programType": kind, "name": name}, "accessType": access or "in"}
        assert (await v3("POST", "metadata/history", body)).status == expected
    stream = reported | {"data": {"namespace": "shop", "type": "STREAM", "name": "clicks"}}
    assert (await v3("POST", "metadata/history", stream)).status == 200
    assert (await v3("POST", "metadata/history", reported | {"data": data | {"name": "none"}})).status == 404


@pytest.mark.each_store
async def test_lineage_follows_the_stop_of_a_run(api: Any, v3: Any, shop: None) -> None:
    await v3("POST", f"{RUN}/accesses", READS | {"start": T0})
    urn = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.orders,PROD)"

    async def edges(start: int) -> int:
        requested = {"urn": urn, "start": str(start), "end": str(start + 10_000)}
        return len((await api("GET", "lineage", params=requested)).body["edges"])

    assert await edges(T0 + 60_000) == 1
    await v3("PUT", RUN, {"end": T0 + 30_000})
    assert await edges(T0 + 60_000) == 0
    assert await edges(T0 + 25_000) == 1


async def test_repeated_request_with_its_key_is_applied_once(v3: Any, shop: None) -> None:
    key = {"Idempotency-Key": "k1"}
    first = await v3("PUT", RUN, {"facts": {"n": 1}}, headers=key)
    await v3("PUT", RUN, {"facts": {"n": 2}})
    assert (await v3("PUT", RUN, {"facts": {"n": 1}}, headers=key)).body == first.body
    assert (await v3("GET", RUN)).body["facts"] == {"n": 2}
    assert (await v3("PUT", RUN, {"facts": {"n": 3}}, headers=key)).status == 409


class TestWithSystem:
    """With the setting that also keeps system metadata."""

    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any]) -> dict[str, Any]:
        colophon = jp_server_config["Colophon"] | {"run_snapshots_include_system_metadata": True}
        return {**jp_server_config, "Colophon": colophon}

    async def test_system_metadata_is_kept_too(self, v3: Any, shop: None) -> None:
        await v3("POST", f"{RUN}/accesses", READS)
        await v3("PUT", "namespaces/shop/datasets/orders", {"description": "Changed"})
        records = (await v3("GET", f"{RUN}/metadata/accesses")).body
        text = {row["role"]: row for row in records if row["scope"] == "SYSTEM"}
        assert text["data"]["properties"] == {"description": "All orders", "type": "table"}
        assert text["program"]["tags"] == ["Flow", "Load", "Realtime"]
        assert [row["scope"] for row in records] == ["USER", "SYSTEM"] * 3


@pytest.mark.each_store
async def test_data_have_their_last_writer(v3: Any, api: Any, shop: None) -> None:
    orders = "namespaces/shop/datasets/orders/metadata"
    known = "last-updated-by-program"

    async def reported(**params: str) -> str | None:
        found = await v3("GET", f"{orders}/properties", scope="system", **params)
        writer: str | None = found.body.get(known)
        return writer

    await v3("POST", f"{FLOW}/runs/r1/accesses", READS | {"start": T0})
    assert await reported() is None
    stated = {"upstreams": [{"dataset": "urn:li:dataset:(urn:li:dataPlatform:hive,a.b,PROD)"}]}
    urn = (await v3("GET", "namespaces/shop/datasets/orders")).body["urn"]
    assert (await api("PUT", "entities", urn, "aspects", "upstreamLineage", body=stated)).status == 200
    assert await reported() is None
    writes = {"data": ORDERS, "access": "write"}
    await v3("POST", f"{FLOW}/runs/r2/accesses", writes | {"start": T0 + 10})
    assert await reported() == "flow.shop.etl.Load"
    other = "namespaces/shop/apps/etl/workflows/Nightly"
    assert (
        await v3("PUT", "namespaces/shop/apps/etl", {"programs": {"flows": ["Load"], "workflows": ["Nightly"]}})
    ).status == 200
    await v3("POST", f"{other}/runs/r3/accesses", writes | {"access": "both", "start": T0 + 20})
    await v3("POST", f"{FLOW}/runs/r4/accesses", READS | {"start": T0 + 30})
    assert await reported() == "workflow.shop.etl.Nightly"


async def test_undeployed_program_with_runs_has_type_tags(v3: Any, api: Any) -> None:
    urn = "urn:li:dataJob:(urn:li:dataFlow:(colophon,adhoc,default),spark.copy)"
    begun = {"program": urn, "runId": "1", "start": "2026-01-01T00:00:00Z"}
    assert (await api("POST", "runs", body=begun)).status in (200, 201)
    tags = await v3("GET", "namespaces/default/apps/adhoc/spark/copy/metadata/tags", scope="system")
    assert tags.body == ["Batch", "Spark"]
