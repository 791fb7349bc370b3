"""Proposals as DataHub's clients send them, and the answers."""

import gzip
import json
from typing import Any

import pytest
from support.datahub import SYSTEM, T, build_proposal, emit_proposal, emit_proposals, read_aspect
from support.openlineage import build_event, build_event_dataset

NOTED = {"deprecated": True, "note": "old", "actor": "urn:li:corpuser:a"}
OTHER = NOTED | {"note": "other"}


async def test_proposed_aspect_is_read_under_its_class_name(datahub: Any) -> None:
    reported = await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "t"}, systemMetadata=SYSTEM))
    assert reported.body == {"value": "success"}
    assert reported.headers["traceparent"].startswith("00-")
    found = (await read_aspect(datahub, "datasetProperties")).body
    assert found["aspect"] == {"com.linkedin.dataset.DatasetProperties": {"name": "t"}}
    assert found["systemMetadata"] == SYSTEM | {"version": "1"}


@pytest.mark.each_store
async def test_versions_count_from_the_oldest_and_back_from_the_present(datahub: Any) -> None:
    for name in ("a", "b", "c"):
        await emit_proposal(datahub, build_proposal("datasetProperties", {"name": name}))
    values = {}
    for version in (0, 1, 2, 3, -1, -2):
        found = (await read_aspect(datahub, "datasetProperties", version=version)).body
        values[version] = found["aspect"]["com.linkedin.dataset.DatasetProperties"]["name"]
    assert values == {0: "c", 1: "a", 2: "b", 3: "c", -1: "b", -2: "a"}
    assert (await read_aspect(datahub, "datasetProperties", version=4)).status == 404
    assert (await read_aspect(datahub, "datasetProperties", version=-3)).status == 404


async def test_unknown_entity_has_only_its_key_aspect(datahub: Any) -> None:
    found = (await datahub("GET", "entitiesV2", T)).body
    assert found["entityName"] == "dataset"
    assert {name: aspect["value"] for name, aspect in found["aspects"].items()} == {
        "datasetKey": {"platform": "urn:li:dataPlatform:hive", "name": "db.t", "origin": "PROD"}
    }
    assert (await read_aspect(datahub, "datasetKey")).status == 404


async def test_literal_escapes_are_decoded_outside_the_value(datahub: Any) -> None:
    urn = "urn:li:dataset:(urn:li:dataPlatform:hive,m\\u00fcller,PROD)"
    await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "a\\u00fcb"}, urn=urn))
    await emit_proposals(
        datahub,
        build_proposal("status", {"removed": True}, urn="urn:li:dataset:(urn:li:dataPlatform:hive,müller,PROD)"),
    )
    found = await datahub("GET", "entitiesV2", "urn:li:dataset:(urn:li:dataPlatform:hive,müller,PROD)")
    assert found.body["aspects"]["datasetProperties"]["value"] == {"name": "a\\u00fcb"}
    assert found.body["aspects"]["status"]["value"] == {"removed": True}


async def test_system_metadata_may_be_text(datahub: Any) -> None:
    await emit_proposal(
        datahub, build_proposal("status", {"removed": False}, systemMetadata=json.dumps(SYSTEM | {"runId": "run1"}))
    )
    assert (await read_aspect(datahub, "status")).body["systemMetadata"]["runId"] == "run1"


INVALID_PROPOSALS = [
    ({"changeType": "RESTATE"}, "/proposal/changeType"),
    ({"changeType": "MERGE"}, "/proposal/changeType"),
    ({"entityUrn": "urn:nothing"}, "/proposal/entityUrn"),
    ({"entityType": "chart"}, "/proposal/entityType"),
    ({"entityUrn": "urn:li:dataset:x"}, "/proposal/entityUrn"),
    ({"aspectName": None}, "/proposal/aspectName"),
    ({"aspect": None}, "/proposal/aspect"),
    ({"aspect": {"value": "{", "contentType": "application/json"}}, "/proposal/aspect/value"),
    ({"aspect": {"value": "{}", "contentType": "text/plain"}}, "/proposal/aspect/contentType"),
    ({"aspect": {"value": '{"removed": 1}', "contentType": "application/json"}}, "/proposal/aspect/value/removed"),
    ({"systemMetadata": {"runId": 5}}, "/proposal/systemMetadata/runId"),
    ({"headers": {"If-None-Match": "7"}}, "/proposal/headers/If-None-Match"),
    ({"headers": {"If-Modified-Since": "yesterday"}}, "/proposal/headers/If-Modified-Since"),
]


async def test_invalid_proposal_returns_422_with_a_pointer(datahub: Any) -> None:
    for changes, pointer in INVALID_PROPOSALS:
        reported = await emit_proposal(datahub, {**build_proposal("status", {"removed": False}), **changes})
        assert reported.status == 422, (changes, pointer)
        assert pointer in reported.body["message"], (changes, pointer)
        assert reported.body["errors"][0]["pointer"] == pointer, (changes, pointer)


async def test_a_batch_is_done_wholly_or_not_at_all(datahub: Any) -> None:
    reported = await emit_proposals(
        datahub, build_proposal("status", {"removed": True}), build_proposal("datasetProperties", {"name": 5})
    )
    assert reported.status == 422
    assert reported.body["errors"][0]["pointer"] == "/proposals/1/aspect/value/name"
    assert (await read_aspect(datahub, "status")).status == 404


async def test_a_request_that_is_sent_again_has_its_first_answer(datahub: Any) -> None:
    create = build_proposal("datasetProperties", {"name": "t"}, "CREATE")
    emitted = create | {"systemMetadata": SYSTEM}
    assert [(await emit_proposal(datahub, emitted)).status for _ in range(3)] == [200, 200, 200]
    # With another observation time, or without one, it is a different request.
    assert (await emit_proposal(datahub, create | {"systemMetadata": SYSTEM | {"lastObserved": 5}})).status == 422
    assert [(await emit_proposal(datahub, create)).status for _ in range(2)] == [422, 422]
    assert (await emit_proposal(datahub, create | {"systemMetadata": SYSTEM | {"lastObserved": 0}})).status == 422


async def test_unknown_fields_are_dropped_with_warnings(datahub: Any) -> None:
    reported = await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "t", "shape": "round"}))
    assert reported.status == 200
    assert [warning["pointer"] for warning in reported.body["warnings"]] == ["/proposal/aspect/value/shape"]
    found = (await read_aspect(datahub, "datasetProperties")).body["aspect"]
    assert found == {"com.linkedin.dataset.DatasetProperties": {"name": "t"}}


async def test_async_write_is_traced_until_applied(datahub: Any, jp_asyncio_loop: Any) -> None:
    reported = await emit_proposals(datahub, build_proposal("status", {"removed": True}), **{"async": "true"})
    trace = reported.headers["traceparent"].split("-")[1]
    for _ in range(200):
        found = await datahub("POST", "openapi", "v1", "trace", "write", trace, body={T: ["status"]})
        state = found.body[T]["status"]["primaryStorage"]["writeStatus"]
        if state != "PENDING":
            break
    assert state == "ACTIVE_STATE"
    refused = await emit_proposals(datahub, build_proposal("status", {"removed": True}, "CREATE"), **{"async": "true"})
    trace = refused.headers["traceparent"].split("-")[1]
    for _ in range(200):
        found = (await datahub("POST", "openapi", "v1", "trace", "write", trace, body={T: ["status"]})).body[T][
            "status"
        ]
        if found["primaryStorage"]["writeStatus"] != "PENDING":
            break
    assert not found["success"]
    assert "already exists" in found["primaryStorage"]["writeExceptions"][0]["message"]


async def test_compressed_and_large_bodies_are_taken_under_the_cap(datahub: Any) -> None:
    proposal = build_proposal(
        "deprecation", {"deprecated": True, "note": "x" * 11_000_000, "actor": "urn:li:corpuser:a"}
    )
    body = gzip.compress(json.dumps({"proposal": proposal}).encode())
    params, zipped = {"action": "ingestProposal"}, {"Content-Encoding": "gzip"}
    assert (await datahub("POST", "aspects", params=params, body=body, headers=zipped)).status == 200
    body = gzip.compress(json.dumps({"proposal": build_proposal("x", "y" * 17_000_000)}).encode())
    reported = await datahub("POST", "aspects", params=params, body=body, headers=zipped)
    assert reported.status == 413
    assert "16777216" in reported.body["message"]


async def test_system_only_entity_can_be_created_once(datahub: Any, openlineage: Any) -> None:
    documented = {"documentation": {"_producer": "https://x/p", "_schemaURL": "https://x/s", "description": "by a job"}}
    reported = build_event_dataset("db.t", "hive://h", **documented)
    assert (await openlineage("POST", "api", "v1", "lineage", body=build_event(outputs=[reported]))).status == 201
    urn = "urn:li:dataset:(urn:li:dataPlatform:hive,db.t,PROD)"
    held = (await datahub("GET", "entitiesV2", urn)).body["aspects"]
    assert held["datasetProperties"]["value"]["description"] == "by a job"
    key = {"entityType": "dataset", "entityUrn": urn, "changeType": "CREATE", "aspectName": "datasetKey"}
    key["aspect"] = {"value": json.dumps(held["datasetKey"]["value"]), "contentType": "application/json"}
    creates = (
        build_proposal("status", {"removed": False}, "CREATE"),
        build_proposal("datasetProperties", {"name": "t", "description": "by hand"}, "CREATE"),
        key,
    )
    for create in creates:
        assert (await emit_proposal(datahub, create)).status == 200, create
        assert (await emit_proposal(datahub, create)).status == 422, create
    assert (await emit_proposal(datahub, build_proposal("status", {"removed": False}, "CREATE_ENTITY"))).status == 422
    # The platform does not change an aspect that a user created.
    again = build_event_dataset(
        "db.t", "hive://h", documentation=documented["documentation"] | {"description": "another"}
    )
    assert (
        await openlineage("POST", "api", "v1", "lineage", body=build_event(second=9, outputs=[again]))
    ).status == 201
    held = (await datahub("GET", "entitiesV2", urn)).body["aspects"]
    assert held["datasetProperties"]["value"]["description"] == "by hand"


async def test_key_identifies_an_entity_created_without_aspects(datahub: Any) -> None:
    key = {"value": json.dumps({"name": "pii"}), "contentType": "application/json"}
    wish = {"entityType": "tag", "entityKeyAspect": key, "changeType": "CREATE_ENTITY"}
    assert [(await emit_proposal(datahub, wish)).status for _ in range(2)] == [200, 422]
    assert (await read_aspect(datahub, "tagKey", "urn:li:tag:pii")).body["aspect"] == {
        "com.linkedin.metadata.key.TagKey": {"name": "pii"}
    }


async def test_trailing_slash_is_accepted_and_unknown_path_reported(datahub: Any, http_server_client: Any) -> None:
    assert (await datahub("GET", "config")).body["noCode"] == "true"
    assert (await datahub("POST", "aspects", params={"action": "fly"}, body={})).status == 400
    assert (await datahub("POST", "aspects", body={})).status == 400
    assert (await datahub("GET", "nothing")).status == 404
    assert (await datahub("DELETE", "config")).status == 405


async def test_anonymous_request_gets_no_information(datahub: Any) -> None:
    assert (await datahub("GET", "config", anonymous=True)).status == 403
    assert (await datahub("GET", "entitiesV2", T, anonymous=True)).status == 403


async def test_invalid_proposal_becomes_a_replayable_dead_letter(datahub: Any, api: Any) -> None:
    assert (await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "t"}))).status == 200
    gone = [{"op": "remove", "path": "/customProperties/p"}]
    patch = build_proposal("datasetProperties", gone, "PATCH")
    patch["aspect"]["contentType"] = "application/json-patch+json"
    assert (await emit_proposal(datahub, patch)).status == 422
    assert (await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "t"}, "CREATE"))).status == 422
    kept = (await api("GET", "dead-letters", params={"kind": "rejected"}, answers="dead-letters")).body["deadLetters"]
    assert [letter["problem"]["type"].rpartition(":")[2] for letter in kept] == ["already-exists", "patch-failed"]
    assert (await api("DELETE", "dead-letters", kept[0]["id"])).status == 200
    number = kept[1]["id"]
    assert (await api("POST", "dead-letters", number, "replay")).status == 400
    assert (
        await emit_proposal(datahub, build_proposal("datasetProperties", {"customProperties": {"p": "q"}}))
    ).status == 200
    assert (await api("POST", "dead-letters", number, "replay", answers="write-results")).status == 200
    found = await datahub("GET", "aspects", T, params={"aspect": "datasetProperties"})
    assert found.body["aspect"]["com.linkedin.dataset.DatasetProperties"]["customProperties"] == {}
    assert (await api("GET", "dead-letters", params={"kind": "rejected"})).body["deadLetters"] == []


@pytest.mark.parametrize(
    ("proposal", "cause", "repairs"),
    [
        (
            build_proposal("deprecation", NOTED, headers={"If-Version-Match": "1"}),
            "condition-failed",
            [build_proposal("deprecation", OTHER)],
        ),
        (build_proposal("deprecation", NOTED, "UPDATE"), "condition-failed", [build_proposal("deprecation", OTHER)]),
        (
            build_proposal("deprecation", NOTED, headers={"If-Modified-Since": "2026-01-01T00:00:00Z"}),
            "condition-failed",
            [build_proposal("deprecation", OTHER)],
        ),
        (build_proposal("nothing", {}), "not-found", []),
    ],
    ids=["version", "update", "time", "unknown aspect"],
)
async def test_conflicting_proposal_becomes_a_dead_letter(
    datahub: Any, api: Any, proposal: dict[str, Any], cause: str, repairs: list[dict[str, Any]]
) -> None:
    assert (await emit_proposal(datahub, proposal)).status in (404, 422)
    (kept,) = (await api("GET", "dead-letters", params={"kind": "rejected"}, answers="dead-letters")).body[
        "deadLetters"
    ]
    assert kept["problem"]["type"].rpartition(":")[2] == cause
    for repair in repairs:
        assert (await emit_proposal(datahub, repair)).status == 200
    replayed = await api("POST", "dead-letters", kept["id"], "replay")
    assert replayed.status == (200 if repairs else 404)
    left = (await api("GET", "dead-letters", params={"kind": "rejected"})).body["deadLetters"]
    assert [letter["attempts"] for letter in left] == ([] if repairs else [2])
