"""Behaviour that DataHub's clients rely on without documentation, as tables."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.datahub import SYSTEM, T, build_proposal, emit_proposal, emit_proposals, read_aspect

RECORDINGS = Path(__file__).parents[2] / "conformance" / "datahub"
PATCHES = "application/json-patch+json"
V3 = ("openapi", "v3", "entity", "dataset")
NAMED = {"name": "t"}


def urn(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:hive,{name},PROD)"


def wish(change: str = "UPSERT", name: str = "datasetProperties", value: Any = None, **more: Any) -> dict[str, Any]:
    """Return a proposal without a URN."""
    return build_proposal(name, NAMED if value is None else value, change) | more


def under(**headers: str) -> dict[str, Any]:
    return {"headers": {name.replace("_", "-"): value for name, value in headers.items()}}


def typed(content_type: str, value: Any) -> dict[str, Any]:
    return {"aspect": {"value": json.dumps(value), "contentType": content_type}}


OTHER = {"name": "other"}
PROFILE = {"timestampMillis": 5, "rowCount": 1}
KEY = {"platform": "urn:li:dataPlatform:hive", "name": "another", "origin": "PROD"}
ADD = [{"op": "add", "path": "/customProperties/p", "value": "q"}]
PAST, FUTURE = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00.5Z"
#: The proposals for one dataset in order, with their statuses; then its aspects at the end, None if absent.
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
    "a key creates the entity, equals its URN, and may be repeated": (
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
            (wish("PATCH", **typed(PATCHES, {"patch": [{**ADD[0], "op": ["add"]}], "arrayPrimaryKeys": {}})), 422),
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
    "only timeseries aspects are upserted": (
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


async def test_each_change_type_has_its_effect(datahub: Any) -> None:
    for number, (it, (steps, has)) in enumerate(HISTORIES.items()):
        about = urn(f"history.{number}")
        for step, (proposal, status) in enumerate(steps):
            reported = await emit_proposal(datahub, proposal | {"entityUrn": about})
            assert reported.status == status, (it, step, reported.body)
            assert status == 200 or reported.body["message"], it
        found = (await datahub("GET", "entitiesV2", about)).body["aspects"]
        assert {name: found[name]["value"] if name in found else None for name in has} == has, it
        assert found["datasetKey"]["value"]["name"] == f"history.{number}", it


async def test_version_conflict_names_the_current_version(datahub: Any) -> None:
    for value in (NAMED, OTHER):
        assert (await emit_proposal(datahub, wish(value=value))).status == 200
    reported = await emit_proposal(datahub, wish(**under(If_Version_Match="7")))
    assert ("version 2" in reported.body["message"], "version 7" in reported.body["message"]) == (True, True)


@pytest.mark.each_store
async def test_batch_creates_an_entity_once(datahub: Any) -> None:
    batch = [
        build_proposal("datasetKey", KEY),
        build_proposal("datasetProperties", NAMED, "CREATE_ENTITY"),
        build_proposal("subTypes", {"typeNames": ["x"]}, "CREATE_ENTITY"),
    ]
    assert [(await emit_proposals(datahub, *batch)).status for _ in range(2)] == [200, 422]


async def test_server_config_selects_older_routes_without_warnings(datahub: Any) -> None:
    reported = (await datahub("GET", "config")).body
    version = reported["versions"]["acryldata/datahub"]["version"]
    assert tuple(map(int, version.removeprefix("v").split("."))) < (1, 0, 1)
    expected = {"noCode": "true", "patchCapable": True, "statefulIngestionCapable": True, "retention": "true"}
    assert expected.items() <= reported.items()
    assert reported["datahub"]["serverEnv"] == "core"
    assert (reported["telemetry"]["enabledCli"], reported["managedIngestion"]["enabled"]) == (False, False)


async def test_trace_reports_time_and_state_of_each_aspect(datahub: Any) -> None:
    async def traced(trace: str, name: str = "datasetProperties", **params: str) -> Any:
        for _ in range(20_000):
            found = await datahub("POST", "openapi", "v1", "trace", "write", trace, params=params, body={T: [name]})
            states = found.body[T]
            if not states or states[name]["primaryStorage"]["writeStatus"] != "PENDING":
                break
        return states and states[name]["searchStorage"]["writeStatus"]

    async def later(value: Any) -> str:
        reported = await emit_proposal(datahub, wish(value=value), **{"async": "true"})
        found: str = reported.headers["traceparent"].split("-")[1]
        assert await traced(found) not in ("PENDING", "ERROR")
        return found

    before = time.time_ns() // 1_000
    first, again, second = await later(NAMED), await later(NAMED), await later(OTHER)
    assert before <= int(first[:16], 16) <= time.time_ns() // 1_000
    assert [await traced(trace_id) for trace_id in (first, again, second)] == [
        "HISTORIC_STATE",
        "NO_OP",
        "ACTIVE_STATE",
    ]
    assert await traced(second, "status") == "UNKNOWN"
    assert await traced(second, onlyIncludeErrors="true", detailed="true") == {}
    done = (await emit_proposal(datahub, wish(value=NAMED))).headers["traceparent"].split("-")[1]
    assert await traced(done) == "ACTIVE_STATE"
    assert (await datahub("POST", "openapi", "v1", "trace", "write", "xyz", body={})).status == 404


async def test_timeseries_values_are_read_and_deleted_by_time(datahub: Any) -> None:
    rows = [
        build_proposal("datasetProfile", {"timestampMillis": at, "rowCount": at * 10, "columnCount": at % 2})
        for at in range(6)
    ]
    assert (await emit_proposals(datahub, *rows)).status == 200

    async def requested(**more: Any) -> list[int]:
        body = {"urn": T, "entity": "dataset", "aspect": "datasetProfile"} | more
        reported = (await datahub("POST", "aspects", params={"action": "getTimeseriesAspectValues"}, body=body)).body[
            "value"
        ]
        return [json.loads(value["aspect"]["value"])["timestampMillis"] for value in reported["values"]]

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
        assert await requested(**question) == moments, question
    for window, gone in (({"startTimeMillis": 1, "endTimeMillis": 2}, 2), ({}, 4)):
        body = {"urn": T, "aspectName": "datasetProfile"} | window
        response = (await datahub("POST", "entities", params={"action": "delete"}, body=body)).body["value"]
        assert (response["rows"], response["timeseriesRows"]) == (0, gone)
    assert await requested() == []
    assert (await read_aspect(datahub, "status")).status == 200


async def test_openapi_routes_accept_metadata_headers_array_keys_and_async(datahub: Any) -> None:
    value = {"value": NAMED, "systemMetadata": SYSTEM | {"runId": "run1"}}
    assert (await datahub("POST", *V3, body=[{"urn": T, "datasetProperties": value}])).status == 200
    assert (await read_aspect(datahub, "datasetProperties")).body["systemMetadata"]["runId"] == "run1"
    held = {"value": OTHER, "headers": {"If-None-Match": "*"}}
    reported = await datahub("POST", *V3, params={"async": "false"}, body=[{"urn": T, "datasetProperties": held}])
    assert (reported.status, reported.body[0]["datasetProperties"]["value"]) == (200, NAMED)
    patch = {"patch": [{"op": "add", "path": "/tags/urn:li:tag:a", "value": {"tag": "urn:li:tag:a"}}]}
    patch |= {"arrayPrimaryKeys": {"tags": ["tag"]}}
    reported = await datahub("PATCH", *V3, body=[{"urn": T, "globalTags": {"value": patch}}])
    assert reported.body[0]["globalTags"]["value"] == {"tags": [{"tag": "urn:li:tag:a"}]}
    for method, sent in (("POST", OTHER), ("PATCH", ADD)):
        body = [{"urn": urn("later"), "datasetProperties": {"value": sent}}]
        reported = await datahub(method, *V3, params={"async": "true"}, body=body)
        assert (reported.status, reported.body[0]["urn"]) == (202, urn("later"))


async def test_invalid_requests_return_non_retryable_statuses(datahub: Any) -> None:
    async def old(proposal: dict[str, Any]) -> int:
        reported = await emit_proposal(datahub, proposal)
        assert reported.body.keys() >= {"message", "status"}
        return int(reported.status)

    async def new(value: Any, **more: Any) -> int:
        reported = await datahub("POST", *V3, body=[{"urn": T, "datasetProperties": {"value": value} | more}])
        return int(reported.status)

    assert (await emit_proposal(datahub, wish())).status == 200
    stale = under(If_Version_Match="9")
    assert (await old(wish(value={"name": 5})), await new({"name": 5})) == (422, 400)
    assert (await old(wish(**stale)), await new(NAMED, **stale)) == (422, 412)
    assert (await old(wish(**under(If_None_Match="x"))), await new(NAMED, **under(If_None_Match="x"))) == (422, 400)
    for path in (("aspects", urn("none")), ("openapi", "v3", "entity", "dataset", urn("none"))):
        assert (await datahub("GET", *path, params={"aspect": "status"})).status == 404
    for body in (b"{", b"[]", b'{"proposal": []}', b"\xff"):
        response = await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=body)
        assert 400 <= response.status < 500, body
        assert response.body["message"]


async def test_same_bytes_are_a_retry_only_for_the_same_user(datahub: Any, kernel: Any) -> None:
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
async def test_retry_after_lost_answer_creates_nothing_again(datahub: Any, status: int) -> None:
    bodies = [exchange["body"] for exchange in json.loads((RECORDINGS / f"retry_{status}.json").read_text())]
    assert len(bodies) > 1
    for body in bodies:
        sent = body | {"proposal": body["proposal"] | {"changeType": "CREATE", "aspectName": "status"}}
        assert (await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=sent)).status == 200


@pytest.mark.each_store
async def test_rollback_reports_affected_and_unsafe_entities(datahub: Any) -> None:
    run = SYSTEM | {"runId": "run1"}
    assert (await emit_proposal(datahub, wish(systemMetadata=run))).status == 200
    assert (await emit_proposal(datahub, wish(name="subTypes", value={"typeNames": ["x"]}))).status == 200
    body = {"runId": "run1", "dryRun": False, "safe": True}
    reported = (await datahub("POST", "runs", params={"action": "rollback"}, body=body)).body["value"]
    rows = {(row["runId"], row["urn"], row["aspectName"]) for row in reported["aspectRowSummaries"]}
    assert rows == {("run1", T, name) for name in ("datasetKey", "datasetProperties", "status")}
    assert all(row["timestamp"] > 0 for row in reported["aspectRowSummaries"])
    counts = {name: reported[name] for name in ("entitiesAffected", "aspectsAffected", "unsafeEntitiesCount")}
    assert counts == {"entitiesAffected": 1, "aspectsAffected": 1, "unsafeEntitiesCount": 1}
    assert reported["unsafeEntities"] == [{"urn": T}]
    assert (await read_aspect(datahub, "status")).body["aspect"] == {"com.linkedin.common.Status": {"removed": True}}


async def test_entity_has_requested_aspects_in_envelopes(datahub: Any) -> None:
    await emit_proposals(datahub, wish(), build_proposal("subTypes", {"typeNames": ["x"]}))
    reported = (await datahub("GET", "entitiesV2", T, params={"aspects": "List(subTypes,status)"})).body
    assert set(reported["aspects"]) == {"datasetKey", "subTypes", "status"}
    for name, aspect in reported["aspects"].items():
        assert aspect["name"] == name
        assert {"type", "version", "value", "created", "systemMetadata"} <= aspect.keys()


@pytest.mark.parametrize("query", ["{ search { total } }", "mutation { deleteTag(urn: 1) }"])
async def test_graphql_is_answered_in_its_own_form(datahub: Any, query: str) -> None:
    reported = await datahub("POST", "api", "graphql", body={"query": query, "variables": {}})
    assert (reported.status, [error["message"] != "" for error in reported.body["errors"]]) == (200, [True])
