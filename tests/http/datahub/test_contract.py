"""Behaviour that DataHub's clients rely on without asking for it, as tables."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.datahub import SYSTEM, T, aspect, emit, emit_all, mcp

RECORDINGS = Path(__file__).parents[2] / "conformance" / "datahub"
PATCHES = "application/json-patch+json"
V3 = ("openapi", "v3", "entity", "dataset")
NAMED = {"name": "t"}


def urn(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:hive,{name},PROD)"


def wish(change: str = "UPSERT", name: str = "datasetProperties", value: Any = None, **more: Any) -> dict[str, Any]:
    """A proposal whose URN is told later."""
    return mcp(name, NAMED if value is None else value, change) | more


def under(**headers: str) -> dict[str, Any]:
    return {"headers": {name.replace("_", "-"): one for name, one in headers.items()}}


def typed(content_type: str, value: Any) -> dict[str, Any]:
    return {"aspect": {"value": json.dumps(value), "contentType": content_type}}


OTHER = {"name": "other"}
PROFILE = {"timestampMillis": 5, "rowCount": 1}
KEY = {"platform": "urn:li:dataPlatform:hive", "name": "another", "origin": "PROD"}
ADD = [{"op": "add", "path": "/customProperties/p", "value": "q"}]
PAST, FUTURE = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00.5Z"
#: What is proposed of one dataset, in turn, and the statuses; then what it has, by aspect: None is that it has not.
HISTORIES: dict[str, tuple[list[tuple[dict[str, Any], int]], dict[str, Any]]] = {
    "an audit header, and members that are null": (
        [(wish(auditHeader={"time": 1, "server": "s", "messageId": "m"}, headers=None, systemMetadata=None), 200)],
        {"datasetProperties": NAMED},
    ),
    "CREATE, once": (
        [(wish("CREATE"), 200), (wish("CREATE", value=OTHER), 422)],
        {"datasetProperties": NAMED},
    ),
    "CREATE with If-None-Match is left out without a word": (
        [(wish("CREATE"), 200), (wish("CREATE", value=OTHER, **under(If_None_Match="*")), 200)],
        {"datasetProperties": NAMED},
    ),
    "CREATE_ENTITY wants no entity, CREATE no aspect": (
        [(wish(name="status", value={"removed": True}), 200), (wish("CREATE_ENTITY"), 422), (wish("CREATE"), 200)],
        {"datasetProperties": NAMED, "status": {"removed": True}},
    ),
    "UPDATE wants the aspect": (
        [(wish("UPDATE"), 422), (wish(), 200), (wish("UPDATE", value=OTHER), 200)],
        {"datasetProperties": OTHER},
    ),
    "DELETE of an aspect leaves the entity": (
        [(wish(), 200), (wish("DELETE"), 200)],
        {"datasetProperties": None, "status": {"removed": False}},
    ),
    "DELETE of the key is that of the entity": (
        [(wish(), 200), (wish("DELETE", "datasetKey", KEY), 200)],
        {"datasetProperties": None, "status": None},
    ),
    "DELETE without an aspect, too": (
        [(wish(), 200), (wish("DELETE", aspectName=None, aspect=None), 200)],
        {"datasetProperties": None, "status": None},
    ),
    "a key makes the entity, says what the URN says, and may come again": (
        [(wish(name="datasetKey", value=KEY), 200), (wish(name="datasetKey", value=KEY), 200)],
        {"status": {"removed": False}, "datasetProperties": None},
    ),
    "versions: -1 is absent, text is compared": (
        [
            (wish(**under(If_Version_Match="1")), 422),
            (wish(**under(If_Version_Match="-1")), 200),
            (wish(**under(If_Version_Match="-1"), value=OTHER), 422),
            (wish(**under(If_Version_Match="01"), value=OTHER), 422),
            (wish(**{"headers": {"if-version-match": "1"}}, value=OTHER), 200),
            (wish("CREATE", **under(If_Version_Match="2")), 422),
        ],
        {"datasetProperties": OTHER},
    ),
    "times: what is absent was never modified; each must hold": (
        [
            (wish(**under(If_Modified_Since=PAST)), 422),
            (wish(**under(If_Unmodified_Since=PAST)), 200),
            (wish(**under(If_Unmodified_Since=PAST), value=OTHER), 422),
            (wish(**under(If_Modified_Since=FUTURE), value=OTHER), 422),
            (wish(**under(If_Modified_Since=PAST, If_Unmodified_Since=PAST), value=OTHER), 422),
            (wish(**under(If_Modified_Since="Sun, 06 Nov 1994 08:49:37 GMT"), value=OTHER), 422),
            (wish(**under(If_Modified_Since=PAST, If_Unmodified_Since=FUTURE), value=OTHER), 200),
        ],
        {"datasetProperties": OTHER},
    ),
    "a patch is a list or a form, and of nothing begins with what the class wants": (
        [
            (wish("PATCH", **typed(PATCHES, ADD)), 200),
            (wish("PATCH", **typed(PATCHES, {"patch": [{**ADD[0], "value": "r"}], "arrayPrimaryKeys": {}})), 200),
            (wish("PATCH", **typed("application/avro", ADD)), 422),
            (wish("PATCH", **typed(PATCHES, [{"op": "remove", "path": "/customProperties/none"}])), 422),
        ],
        {"datasetProperties": {"customProperties": {"p": "r"}}},
    ),
    "nested keys that are missing are empty": (
        [
            (wish(name="globalTags", value={"tags": [{"tag": "urn:li:tag:a"}]}), 200),
            (
                wish(
                    "PATCH",
                    "globalTags",
                    **typed(
                        PATCHES,
                        {
                            "arrayPrimaryKeys": {"tags": ["attribution␟source", "tag"]},
                            "patch": [{"op": "add", "path": "/tags//urn:li:tag:b", "value": {"tag": "urn:li:tag:b"}}],
                        },
                    ),
                ),
                200,
            ),
        ],
        {"globalTags": {"tags": [{"tag": "urn:li:tag:a"}, {"tag": "urn:li:tag:b"}]}},
    ),
    "values are JSON": ([(wish(**typed(PATCHES, NAMED)), 422), (wish(**typed("text/plain", NAMED)), 422)], {}),
    "what is told by time is upserted, and nothing else": (
        [
            (wish(name="datasetProfile", value=PROFILE), 200),
            (wish("CREATE", "datasetProfile", PROFILE), 422),
            (wish("UPDATE", "datasetProfile", PROFILE), 422),
            (wish("PATCH", "datasetProfile", **typed(PATCHES, ADD)), 422),
            (wish(name="datasetProfile", value=PROFILE, **under(If_Version_Match="1")), 422),
            (wish(name="datasetProfile", value={"rowCount": 1}), 422),
        ],
        {"status": {"removed": False}},
    ),
}


async def test_what_becomes_of_each_kind_of_change(datahub: Any) -> None:
    for number, (it, (steps, has)) in enumerate(HISTORIES.items()):
        about = urn(f"history.{number}")
        for step, (proposal, status) in enumerate(steps):
            told = await emit(datahub, proposal | {"entityUrn": about})
            assert told.status == status, (it, step, told.body)
            assert status == 200 or told.body["message"], it
        found = (await datahub("GET", "entitiesV2", about)).body["aspects"]
        assert {name: found[name]["value"] if name in found else None for name in has} == has, it
        assert found["datasetKey"]["value"]["name"] == f"history.{number}", it


async def test_a_refused_version_is_told_with_the_one_that_is_there(datahub: Any) -> None:
    for value in (NAMED, OTHER):
        assert (await emit(datahub, wish(value=value))).status == 200
    told = await emit(datahub, wish(**under(If_Version_Match="7")))
    assert ("version 2" in told.body["message"], "version 7" in told.body["message"]) == (True, True)


@pytest.mark.each_store
async def test_an_entity_is_created_by_all_of_a_batch_and_by_no_other(datahub: Any) -> None:
    batch = [
        mcp("datasetKey", KEY),
        mcp("datasetProperties", NAMED, "CREATE_ENTITY"),
        mcp("subTypes", {"typeNames": ["x"]}, "CREATE_ENTITY"),
    ]
    assert [(await emit_all(datahub, *batch)).status for _ in range(2)] == [200, 422]


async def test_what_a_client_looks_up_first_keeps_it_on_the_older_routes_and_quiet(datahub: Any) -> None:
    told = (await datahub("GET", "config")).body
    version = told["versions"]["acryldata/datahub"]["version"]
    assert tuple(map(int, version.removeprefix("v").split("."))) < (1, 0, 1)
    wanted = {"noCode": "true", "patchCapable": True, "statefulIngestionCapable": True, "retention": "true"}
    assert wanted.items() <= told.items()
    assert told["datahub"]["serverEnv"] == "core"
    assert (told["telemetry"]["enabledCli"], told["managedIngestion"]["enabled"]) == (False, False)


async def test_a_trace_tells_when_the_write_came_and_what_became_of_each_aspect(datahub: Any) -> None:
    async def traced(trace: str, name: str = "datasetProperties", **params: str) -> Any:
        for _ in range(20_000):
            found = await datahub("POST", "openapi", "v1", "trace", "write", trace, params=params, body={T: [name]})
            states = found.body[T]
            if not states or states[name]["primaryStorage"]["writeStatus"] != "PENDING":
                break
        return states and states[name]["searchStorage"]["writeStatus"]

    async def later(value: Any) -> str:
        told = await emit(datahub, wish(value=value), **{"async": "true"})
        found: str = told.headers["traceparent"].split("-")[1]
        assert await traced(found) not in ("PENDING", "ERROR")
        return found

    before = time.time_ns() // 1_000
    first, again, second = await later(NAMED), await later(NAMED), await later(OTHER)
    assert before <= int(first[:16], 16) <= time.time_ns() // 1_000
    assert [await traced(one) for one in (first, again, second)] == ["HISTORIC_STATE", "NO_OP", "ACTIVE_STATE"]
    assert await traced(second, "status") == "UNKNOWN"
    assert await traced(second, onlyIncludeErrors="true", detailed="true") == {}
    done = (await emit(datahub, wish(value=NAMED))).headers["traceparent"].split("-")[1]
    assert await traced(done) == "ACTIVE_STATE"
    assert (await datahub("POST", "openapi", "v1", "trace", "write", "xyz", body={})).status == 404


async def test_moments_are_asked_for_and_deleted_by_their_times(datahub: Any) -> None:
    rows = [
        mcp("datasetProfile", {"timestampMillis": at, "rowCount": at * 10, "columnCount": at % 2}) for at in range(6)
    ]
    assert (await emit_all(datahub, *rows)).status == 200

    async def asked(**more: Any) -> list[int]:
        body = {"urn": T, "entity": "dataset", "aspect": "datasetProfile"} | more
        told = (await datahub("POST", "aspects", params={"action": "getTimeseriesAspectValues"}, body=body)).body[
            "value"
        ]
        return [json.loads(one["aspect"]["value"])["timestampMillis"] for one in told["values"]]

    odd = {"or": [{"and": [{"field": "columnCount", "condition": "EQUAL", "values": ["1"]}]}]}
    for question, moments in (
        ({}, [5, 4, 3, 2, 1, 0]),
        ({"limit": 2}, [5, 4]),
        ({"latestValue": True}, [5]),
        ({"startTimeMillis": 2, "endTimeMillis": 4}, [4, 3, 2]),
        ({"filter": odd}, [5, 3, 1]),
        ({"filter": odd, "limit": 1, "endTimeMillis": 4}, [3]),
        ({"urn": urn("none")}, []),
    ):
        assert await asked(**question) == moments, question
    for window, gone in (({"startTimeMillis": 1, "endTimeMillis": 2}, 2), ({}, 4)):
        body = {"urn": T, "aspectName": "datasetProfile"} | window
        told = (await datahub("POST", "entities", params={"action": "delete"}, body=body)).body["value"]
        assert (told["rows"], told["timeseriesRows"]) == (0, gone)
    assert await asked() == []
    assert (await aspect(datahub, "status")).status == 200


async def test_the_newer_routes_take_system_metadata_headers_keys_of_arrays_and_what_may_wait(datahub: Any) -> None:
    value = {"value": NAMED, "systemMetadata": SYSTEM | {"runId": "run1"}}
    assert (await datahub("POST", *V3, body=[{"urn": T, "datasetProperties": value}])).status == 200
    assert (await aspect(datahub, "datasetProperties")).body["systemMetadata"]["runId"] == "run1"
    held = {"value": OTHER, "headers": {"If-None-Match": "*"}}
    told = await datahub("POST", *V3, params={"async": "false"}, body=[{"urn": T, "datasetProperties": held}])
    assert (told.status, told.body[0]["datasetProperties"]["value"]) == (200, NAMED)
    patch = {"patch": [{"op": "add", "path": "/tags/urn:li:tag:a", "value": {"tag": "urn:li:tag:a"}}]}
    patch |= {"arrayPrimaryKeys": {"tags": ["tag"]}}
    told = await datahub("PATCH", *V3, body=[{"urn": T, "globalTags": {"value": patch}}])
    assert told.body[0]["globalTags"]["value"] == {"tags": [{"tag": "urn:li:tag:a"}]}
    for method, sent in (("POST", OTHER), ("PATCH", ADD)):
        body = [{"urn": urn("later"), "datasetProperties": {"value": sent}}]
        told = await datahub(method, *V3, params={"async": "true"}, body=body)
        assert (told.status, told.body[0]["urn"]) == (202, urn("later"))


async def test_what_is_wrong_has_the_status_that_clients_of_each_route_do_not_send_again(datahub: Any) -> None:
    async def old(proposal: dict[str, Any]) -> int:
        told = await emit(datahub, proposal)
        assert told.body.keys() >= {"message", "status"}
        return int(told.status)

    async def new(value: Any, **more: Any) -> int:
        told = await datahub("POST", *V3, body=[{"urn": T, "datasetProperties": {"value": value} | more}])
        return int(told.status)

    assert (await emit(datahub, wish())).status == 200
    stale = under(If_Version_Match="9")
    assert (await old(wish(value={"name": 5})), await new({"name": 5})) == (422, 400)
    assert (await old(wish(**stale)), await new(NAMED, **stale)) == (422, 412)
    assert (await old(wish(**under(If_None_Match="x"))), await new(NAMED, **under(If_None_Match="x"))) == (422, 400)
    for path in (("aspects", urn("none")), ("openapi", "v3", "entity", "dataset", urn("none"))):
        assert (await datahub("GET", *path, params={"aspect": "status"})).status == 404
    for body in (b"{", b"[]", b'{"proposal": []}', b"\xff"):
        told = await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=body)
        assert 400 <= told.status < 500, body
        assert told.body["message"]


async def test_the_same_bytes_are_sent_again_by_the_same_user_alone(datahub: Any, kernel: Any) -> None:
    body = {"proposal": wish("CREATE", systemMetadata=SYSTEM), "async": "false"}
    ask = {"params": {"action": "ingestProposal"}, "body": body}
    assert [(await datahub("POST", "aspects", **ask)).status for _ in range(2)] == [200, 200]
    # The kernel's user is another one than the server's.
    assert (await replace(datahub, token=kernel)("POST", "aspects", **ask)).status == 422
    named = {
        "body": {"proposal": wish("CREATE", "subTypes", {"typeNames": ["x"]})},
        "headers": {"Idempotency-Key": "k"},
    }
    assert [(await datahub("POST", "aspects", **(ask | named))).status for _ in range(2)] == [200, 200]
    assert (await datahub("POST", "aspects", **(ask | named | {"headers": {"Idempotency-Key": "l"}}))).status == 422


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_a_client_sent_again_after_a_lost_answer_is_no_second_creation(datahub: Any, status: int) -> None:
    bodies = [one["body"] for one in json.loads((RECORDINGS / f"retry_{status}.json").read_text())]
    assert len(bodies) > 1
    for body in bodies:
        sent = body | {"proposal": body["proposal"] | {"changeType": "CREATE", "aspectName": "status"}}
        assert (await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=sent)).status == 200


@pytest.mark.each_store
async def test_a_run_is_taken_back_with_what_it_would_hide_and_what_others_said_of_that(datahub: Any) -> None:
    run = SYSTEM | {"runId": "run1"}
    assert (await emit(datahub, wish(systemMetadata=run))).status == 200
    assert (await emit(datahub, wish(name="subTypes", value={"typeNames": ["x"]}))).status == 200
    body = {"runId": "run1", "dryRun": False, "safe": True}
    told = (await datahub("POST", "runs", params={"action": "rollback"}, body=body)).body["value"]
    rows = {(one["runId"], one["urn"], one["aspectName"]) for one in told["aspectRowSummaries"]}
    assert rows == {("run1", T, name) for name in ("datasetKey", "datasetProperties", "status")}
    assert all(one["timestamp"] > 0 for one in told["aspectRowSummaries"])
    counts = {name: told[name] for name in ("entitiesAffected", "aspectsAffected", "unsafeEntitiesCount")}
    assert counts == {"entitiesAffected": 1, "aspectsAffected": 1, "unsafeEntitiesCount": 1}
    assert told["unsafeEntities"] == [{"urn": T}]
    assert (await aspect(datahub, "status")).body["aspect"] == {"com.linkedin.common.Status": {"removed": True}}


async def test_an_entity_is_told_with_the_aspects_that_are_asked_for_each_in_its_envelope(datahub: Any) -> None:
    await emit_all(datahub, wish(), mcp("subTypes", {"typeNames": ["x"]}))
    told = (await datahub("GET", "entitiesV2", T, params={"aspects": "List(subTypes,status)"})).body
    assert set(told["aspects"]) == {"datasetKey", "subTypes", "status"}
    for name, one in told["aspects"].items():
        assert one["name"] == name
        assert {"type", "version", "value", "created", "systemMetadata"} <= one.keys()


@pytest.mark.parametrize("query", ["{ search { total } }", "mutation { deleteTag(urn: 1) }"])
async def test_graphql_is_answered_in_its_own_form(datahub: Any, query: str) -> None:
    told = await datahub("POST", "api", "graphql", body={"query": query, "variables": {}})
    assert (told.status, [one["message"] != "" for one in told.body["errors"]]) == (200, [True])
