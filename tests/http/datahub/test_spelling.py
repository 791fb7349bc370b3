"""A URN is read back as DataHub's clients sent it, and is the same entity as in our own spelling."""

import asyncio
from typing import Any

from support.datahub import build_proposal, emit_proposal, emit_proposals, read_aspect

SENT = "urn:li:dataset:(urn:li:dataPlatform:s3,lake%2Fraw%2Fa,PROD)"
OURS = "urn:li:dataset:(urn:li:dataPlatform:s3,lake/raw/a,PROD)"
REPORT = "urn:li:dataset:(urn:li:dataPlatform:hive,db.report,PROD)"
V3 = ("openapi", "v3", "entity", "dataset")


async def act(datahub: Any, where: str, action: str, body: Any) -> Any:
    return (await datahub("POST", where, params={"action": action}, body=body)).body["value"]


async def read_back(datahub: Any) -> dict[str, Any]:
    """The spellings that the answers have."""
    lineage = {"urns": [REPORT]}
    scrolled = await datahub("POST", "openapi", "v3", "lineage", "scroll", body=lineage)
    requested = {"entity": "dataset", "start": 0, "count": 10}
    return {
        "v2": (await datahub("GET", "entitiesV2", SENT)).body["urn"],
        "v3": (await datahub("GET", *V3, SENT)).body["urn"],
        "batch": (await datahub("POST", *V3, "batchGet", body=[{"urn": SENT}])).body[0]["urn"],
        "list": (await act(datahub, "entities", "listUrns", requested))["entities"][-1],
        "search": (await act(datahub, "entities", "search", requested | {"input": "raw"}))["entities"][0]["entity"],
        "scroll": (await datahub("POST", *V3[:3], "scroll", body={"entities": ["dataset"]})).body["entities"][-1][
            "urn"
        ],
        "edge": scrolled.body["results"][0]["destination"]["urn"],
    }


async def test_the_spelling_that_was_sent_is_read_back(datahub: Any, api: Any) -> None:
    upstream = {
        "upstreams": [{"dataset": SENT, "type": "COPY", "auditStamp": {"time": 0, "actor": "urn:li:corpuser:a"}}]
    }
    first = build_proposal("datasetProperties", {"name": "raw"}, urn=SENT)
    assert (await emit_proposals(datahub, first, build_proposal("upstreamLineage", upstream, urn=REPORT))).status == 200
    assert set((await read_back(datahub)).values()) == {SENT}
    assert (await read_aspect(datahub, "datasetProperties", OURS)).status == 200
    assert (await api("GET", "entities", OURS, answers="entity")).body["urn"] == OURS
    # It is one entity: the native spelling does not change what other clients read, and one deletion removes it.
    assert (await emit_proposal(datahub, build_proposal("status", {"removed": False}, urn=OURS))).status == 200
    assert set((await read_back(datahub)).values()) == {SENT}
    posted = await datahub("POST", *V3, body=[{"urn": SENT, "status": {"value": {"removed": False}}}])
    assert posted.body[0]["urn"] == SENT
    assert (await act(datahub, "entities", "delete", {"urn": SENT}))["urn"] == SENT
    assert (await api("GET", "entities", OURS)).status == 404


async def test_spelling_of_async_writes_is_kept(datahub: Any) -> None:
    assert (
        await emit_proposal(datahub, build_proposal("datasetProperties", {"name": "a"}, urn=SENT), **{"async": "true"})
    ).status == 200
    requested = {"entity": "dataset", "start": 0, "count": 10}
    for _ in range(600):
        if found := (await act(datahub, "entities", "listUrns", requested))["entities"]:
            break
        await asyncio.sleep(0.1)
    assert found == [SENT]
