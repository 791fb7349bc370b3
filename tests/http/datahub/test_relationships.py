"""Relationships as DataHub's clients read them, and the deletion of references."""

from typing import Any

import pytest
from support.datahub import T, build_proposal, emit_proposals, read_aspect

pytestmark = pytest.mark.each_store

S = "urn:li:dataset:(urn:li:dataPlatform:hive,db.s,PROD)"
PII, RAW = "urn:li:tag:pii", "urn:li:tag:raw"
STAMP = {"time": 0, "actor": "urn:li:corpuser:etl"}


@pytest.fixture
def related(datahub: Any, jp_asyncio_loop: Any) -> None:
    """`T` is derived from `S`, and both have tags."""
    tags = {"tags": [{"tag": PII}, {"tag": RAW}]}
    upstream = {"upstreams": [{"dataset": S, "type": "COPY", "auditStamp": STAMP}]}
    done = emit_proposals(
        datahub,
        build_proposal("globalTags", tags),
        build_proposal("globalTags", tags, urn=S),
        build_proposal("upstreamLineage", upstream),
    )
    assert jp_asyncio_loop.run_until_complete(done).status == 200


async def test_entities_are_found_from_both_ends(datahub: Any, related: None) -> None:
    async def of(urn: str, direction: str, *kinds: str) -> list[tuple[str, str]]:
        params = [("urn", urn), ("direction", direction), *(("relationshipTypes", kind) for kind in kinds)]
        found = (await datahub("GET", "openapi", "relationships", "v1", params=params)).body
        return [(relationship["urn"], relationship["relationshipType"]) for relationship in found["entities"]]

    assert await of(PII, "INCOMING") == [(S, "TaggedWith"), (T, "TaggedWith")]
    assert await of(T, "OUTGOING", "DownstreamOf") == [(S, "DownstreamOf")]
    assert await of(T, "OUTGOING", "TaggedWith") == [(PII, "TaggedWith"), (RAW, "TaggedWith")]
    assert await of(S, "INCOMING", "TaggedWith", "DownstreamOf") == [(T, "DownstreamOf")]


async def test_removed_reference_is_no_longer_found(datahub: Any, related: None) -> None:
    await emit_proposals(datahub, build_proposal("globalTags", {"tags": [{"tag": RAW}]}))
    await datahub("POST", "entities", params={"action": "delete"}, body={"urn": S})
    for urn, total in ((PII, 0), (RAW, 1)):
        params = {"urn": urn, "direction": "INCOMING"}
        assert (await datahub("GET", "openapi", "relationships", "v1", params=params)).body["total"] == total


async def test_all_relationships_are_read_a_page_at_a_time(datahub: Any, related: None) -> None:
    found, cursor = [], ""
    while True:
        params = {"count": 2, "relationshipTypes": "TaggedWith"} | ({"scrollId": cursor} if cursor else {})
        page = (await datahub("POST", "openapi", "v3", "relationship", "scroll", params=params, body={})).body
        found += [
            (relationship["source"]["urn"], relationship["destination"]["urn"]) for relationship in page["results"]
        ]
        if (cursor := page["scrollId"]) is None:
            break
    assert sorted(found) == [(S, PII), (S, RAW), (T, PII), (T, RAW)]


async def test_lineage_is_returned_from_upstream_to_downstream(datahub: Any, related: None) -> None:
    path = ("openapi", "v3", "lineage", "scroll")
    (edge,) = (await datahub("POST", *path, body={"urns": [S]})).body["results"]
    assert (edge["upstream"], edge["downstream"], edge["source"]["urn"]) == (S, T, T)
    assert (await datahub("POST", *path, params={"direction": "UPSTREAM"}, body={"urns": [S]})).body["results"] == []
    assert (
        len((await datahub("POST", *path, params={"direction": "DOWNSTREAM"}, body={"urns": [S]})).body["results"]) == 1
    )


async def test_references_are_counted_and_deleted(datahub: Any, related: None) -> None:
    async def delete(**more: Any) -> Any:
        reported = await datahub("POST", "entities", params={"action": "deleteReferences"}, body={"urn": PII, **more})
        return reported.body["value"]

    assert (await delete(dryRun=True))["total"] == 2
    assert (await delete(dryRun=False))["relatedAspects"] == [
        {"entity": urn, "relationship": "TaggedWith", "aspect": "globalTags"} for urn in (S, T)
    ]
    assert (await delete(dryRun=True)) == {"total": 0, "relatedAspects": []}
    assert (await read_aspect(datahub, "globalTags")).body["aspect"] == {
        "com.linkedin.common.GlobalTags": {"tags": [{"tag": RAW}]}
    }
