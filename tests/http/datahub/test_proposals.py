"""Proposals as DataHub's clients send them."""

import json
from typing import Any

T = "urn:li:dataset:(urn:li:dataPlatform:hive,db.t,PROD)"
SYSTEM = {"lastObserved": 1795169599357, "runId": "no-run-id-provided", "lastRunId": "no-run-id-provided"}


def mcp(aspect: str, value: Any, change: str = "UPSERT", urn: str = T, **more: Any) -> dict[str, Any]:
    generic = {"value": json.dumps(value), "contentType": "application/json"}
    kind = urn.split(":")[2]
    return {"entityType": kind, "entityUrn": urn, "changeType": change, "aspectName": aspect, "aspect": generic} | more


async def emit(datahub: Any, proposal: dict[str, Any], **more: Any) -> Any:
    body = {"proposal": proposal, "async": "false"} | more
    return await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=body)


async def test_what_was_proposed_is_read_under_the_name_of_its_class(datahub: Any) -> None:
    assert (await emit(datahub, mcp("datasetProperties", {"name": "t"}, systemMetadata=SYSTEM))).body == {
        "value": "success"
    }
    found = await datahub("GET", "aspects", T, params={"aspect": "datasetProperties", "version": "0"})
    assert found.body["aspect"] == {"com.linkedin.dataset.DatasetProperties": {"name": "t"}}
    assert found.body["systemMetadata"]["lastObserved"] == SYSTEM["lastObserved"]
    assert found.body["systemMetadata"]["version"] == "1"


async def test_an_unknown_entity_has_its_key_and_nothing_else(datahub: Any) -> None:
    found = (await datahub("GET", "entitiesV2", T)).body
    assert found["entityName"] == "dataset"
    assert {name: one["value"] for name, one in found["aspects"].items()} == {
        "datasetKey": {"platform": "urn:li:dataPlatform:hive", "name": "db.t", "origin": "PROD"}
    }
    assert (await datahub("GET", "aspects", T, params={"aspect": "datasetKey"})).status == 404
