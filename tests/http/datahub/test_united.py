"""Tags, owners, terms and descriptions of both scopes, as DataHub's clients read them (decision 20)."""

import asyncio
import json
from typing import Any

import pytest
from support.datahub import T, build_proposal, emit_proposal, emit_proposals, read_aspect
from support.urns import build_table_urn as home_table

STAMP = {"time": 1, "actor": "urn:li:corpuser:machine"}
PEOPLE = {"properties": {"owner": "ada", "description": "What ada wrote", "tier": "gold"}, "tags": ["pii", "raw"]}
ASPECTS = ("globalTags", "ownership", "editableDatasetProperties")


def tags(*names: str) -> dict[str, Any]:
    return {"tags": [{"tag": f"urn:li:tag:{name}"} for name in names]}


def owner(name: str, kind: str = "NONE") -> dict[str, Any]:
    return {"owner": f"urn:li:corpuser:{name}", "type": kind}


async def write(api: Any, **value: Any) -> Any:
    """Write the user metadata."""
    return await api("PUT", "entities", T, "aspects", "businessMetadata", body=PEOPLE | value)


async def recorded(api: Any, name: str = "businessMetadata") -> Any:
    """Return the value of one aspect; None if it is absent."""
    held = (await api("GET", "entities", T, answers="entity")).body["aspects"]
    return held[name]["value"] if name in held else None


async def union(datahub: Any) -> list[str]:
    """The names of the tags, as a client of DataHub reads them."""
    value = next(iter((await read_aspect(datahub, "globalTags")).body["aspect"].values()))
    return [tag["tag"].removeprefix("urn:li:tag:") for tag in value["tags"]]


async def version(datahub: Any, name: str = "globalTags") -> str:
    """The version of the union."""
    found: str = (await read_aspect(datahub, name)).body["systemMetadata"]["version"]
    return found


@pytest.fixture
def table(datahub: Any, api: Any, jp_asyncio_loop: Any) -> None:
    """A table with a system tag, and with two tags, an owner and a description of users."""

    async def make() -> None:
        proposals = (build_proposal("status", {"removed": False}), build_proposal("globalTags", tags("machine")))
        assert (await emit_proposals(datahub, *proposals)).status == 200
        assert (await write(api)).status == 200

    jp_asyncio_loop.run_until_complete(make())


async def test_every_dialect_reads_both_scopes(datahub: Any, api: Any, table: None) -> None:
    assert await union(datahub) == ["machine", "pii", "raw"]
    v2 = (await datahub("GET", "entitiesV2", T)).body["aspects"]
    single = (await datahub("GET", "openapi", "v3", "entity", "dataset", T)).body
    expected = [{"urn": T} | {name: {} for name in ASPECTS}]
    got = (await datahub("POST", "openapi", "v3", "entity", "dataset", "batchGet", body=expected)).body[0]
    requested = {"entities": ["dataset"], "aspects": list(ASPECTS)}
    scrolled = (await datahub("POST", "openapi", "v3", "entity", "scroll", body=requested)).body["entities"][0]
    for found in (v2, single, got, scrolled):
        assert found["globalTags"]["value"] == tags("machine", "pii", "raw")
        assert found["ownership"]["value"]["owners"] == [owner("ada") | {"source": {"type": "MANUAL"}}]
        assert found["editableDatasetProperties"]["value"]["description"] == "What ada wrote"
    criteria = {"or": [{"and": [{"field": "tags", "values": ["urn:li:tag:pii"], "condition": "EQUAL"}]}]}
    query = {"input": "*", "entity": "dataset", "start": 0, "count": 10, "filter": criteria}
    search = await datahub("POST", "entities", params={"action": "search"}, body=query)
    assert search.body["value"]["entities"] == [{"entity": T}]
    # The native API returns each scope separately.
    assert await recorded(api, "globalTags") == tags("machine")
    assert await recorded(api, "ownership") is None


async def test_write_back_copies_nothing_between_scopes(datahub: Any, api: Any, table: None) -> None:
    read = {name: aspect["value"] for name, aspect in (await datahub("GET", "entitiesV2", T)).body["aspects"].items()}
    back = [build_proposal(name, read[name]) for name in ASPECTS]
    before = (await api("GET", "changes", params={"limit": 0})).body["cursor"]
    assert (await emit_proposals(datahub, *back)).status == 200
    v3 = [{"urn": T} | {name: {"value": read[name]} for name in ASPECTS}]
    assert (await datahub("POST", "openapi", "v3", "entity", "dataset", body=v3)).status == 200
    assert (await api("GET", "changes", params={"after": before})).body["changes"] == []
    more = {"tags": [*read["globalTags"]["tags"], *tags("x")["tags"]]}
    owners = {"owners": [*read["ownership"]["owners"], owner("bob", "DATAOWNER")], "lastModified": STAMP}
    assert (
        await emit_proposals(datahub, build_proposal("globalTags", more), build_proposal("ownership", owners))
    ).status == 200
    assert await recorded(api, "globalTags") == tags("machine", "x")
    assert (await recorded(api, "ownership"))["owners"] == [owner("bob", "DATAOWNER")]
    assert await recorded(api) == PEOPLE
    assert await union(datahub) == ["machine", "x", "pii", "raw"]
    # A list without them removes the system entries, and no user entry.
    assert (await emit_proposal(datahub, build_proposal("globalTags", tags()))).status == 200
    replaced = {"patch": [{"op": "replace", "path": "/tags", "value": []}], "arrayPrimaryKeys": {"tags": ["tag"]}}
    assert (await emit_proposal(datahub, patch("globalTags", replaced))).status == 200
    assert await union(datahub) == ["pii", "raw"]
    assert await recorded(api) == PEOPLE


def patch(name: str, changes: Any) -> dict[str, Any]:
    reported = {"value": json.dumps(changes), "contentType": "application/json-patch+json"}
    return build_proposal(name, {}, "PATCH") | {"aspect": reported}


def removal(name: str, path: str) -> dict[str, Any]:
    return patch(name, [{"op": "remove", "path": path}])


async def test_a_patch_removes_one_entry_in_whichever_scope_it_is(datahub: Any, api: Any, table: None) -> None:
    assert (await emit_proposal(datahub, build_proposal("globalTags", tags("machine", "raw")))).status == 200
    # The list contained a tag that users had set as well: it stays in the user scope only.
    assert await recorded(api, "globalTags") == tags("machine")
    for name in ("pii", "machine"):
        assert (await emit_proposal(datahub, removal("globalTags", f"/tags/urn:li:tag:{name}"))).status == 200
    assert await union(datahub) == ["raw"]
    assert (await recorded(api))["tags"] == ["raw"]
    keyed = {
        "patch": [{"op": "remove", "path": "/owners/urn:li:corpuser:ada/NONE"}],
        "arrayPrimaryKeys": {"owners": ["owner", "type"]},
    }
    v3 = [{"urn": T, "ownership": {"value": keyed}}]
    assert (await datahub("PATCH", "openapi", "v3", "entity", "dataset", body=v3)).status == 200
    assert (await emit_proposal(datahub, removal("editableDatasetProperties", "/description"))).status == 200
    assert await recorded(api) == {"properties": {"tier": "gold"}, "tags": ["raw"]}
    assert (await emit_proposal(datahub, removal("globalTags", "/tags/urn:li:tag:none"))).status == 422
    added = patch("globalTags", [{"op": "add", "path": "/tags/urn:li:tag:raw", "value": tags("raw")["tags"][0]}])
    assert (await emit_proposal(datahub, added)).status == 200
    assert await recorded(api, "globalTags") == tags()


async def test_entry_of_both_scopes_is_removed_from_both(datahub: Any, api: Any) -> None:
    assert (await emit_proposal(datahub, build_proposal("globalTags", tags("pii", "machine")))).status == 200
    assert (await write(api)).status == 200
    assert await union(datahub) == ["pii", "machine", "raw"]
    # It existed before users set it: writing the list back keeps it.
    assert (await emit_proposal(datahub, build_proposal("globalTags", tags("pii", "machine", "raw")))).status == 200
    assert await recorded(api, "globalTags") == tags("pii", "machine")
    assert (await emit_proposal(datahub, removal("globalTags", "/tags/urn:li:tag:pii"))).status == 200
    assert await union(datahub) == ["machine", "raw"]
    assert (await recorded(api))["tags"] == ["raw"]


@pytest.mark.each_store
async def test_the_version_of_a_union_finds_every_change_since(datahub: Any, api: Any, table: None) -> None:
    async def add(name: str, seen: str) -> int:
        read = tags(*await union(datahub), name)
        status: int = (
            await emit_proposal(datahub, build_proposal("globalTags", read, headers={"If-Version-Match": seen}))
        ).status
        return status

    seen = await version(datahub)
    assert (await write(api, tags=["pii"])).status == 200
    assert await add("x", seen) == 422
    seen = await version(datahub)
    assert await add("x", seen) == 200
    assert await add("y", seen) == 422
    grown = [int(seen), int(await version(datahub))]
    for people in (["pii", "z"], []):
        assert (await write(api, tags=people)).status == 200
        grown.append(int(await version(datahub)))
    # Numbered versions, and the change log, are those of the aspect itself.
    first = await read_aspect(datahub, "globalTags", version=1)
    assert first.body["aspect"] == {"com.linkedin.common.GlobalTags": tags("machine")}
    assert (await api("DELETE", "entities", T, "aspects", "globalTags")).status == 200
    assert (await write(api, tags=["again"])).status == 200
    grown.append(int(await version(datahub)))
    assert grown == sorted(set(grown))


@pytest.mark.each_store
async def test_concurrent_edits_by_two_apis_are_all_kept(datahub: Any, api: Any, table: None) -> None:
    async def machine(number: int) -> None:
        for _ in range(100):
            seen = await version(datahub)
            read = tags(*await union(datahub), f"m{number}")
            wrote = await emit_proposal(datahub, build_proposal("globalTags", read, headers={"If-Version-Match": seen}))
            if wrote.status == 200:
                return
        raise AssertionError("never written")

    async def person(number: int) -> None:
        patched = {"op": "add", "path": "/tags/-", "value": f"p{number}"}
        at = ("entities", T, "aspects", "businessMetadata")
        assert (await api("PATCH", *at, body=[patched])).status == 200

    await asyncio.gather(*(work(number) for number in range(4) for work in (machine, person)))
    found = await union(datahub)
    assert sorted(found) == sorted(
        ["machine", "pii", "raw", *(f"m{number}" for number in range(4)), *(f"p{number}" for number in range(4))]
    )
    own = {tag["tag"].removeprefix("urn:li:tag:") for tag in (await recorded(api, "globalTags"))["tags"]}
    assert own == {"machine", *(f"m{number}" for number in range(4))}


async def test_async_batch_follows_the_same_rule(datahub: Any, api: Any, table: None) -> None:
    wrote = await emit_proposal(
        datahub, build_proposal("globalTags", tags("machine", "pii", "later")), **{"async": "true"}
    )
    assert wrote.status == 200
    for _ in range(600):
        if "later" in await union(datahub):
            break
        await asyncio.sleep(0.1)
    assert await recorded(api, "globalTags") == tags("machine", "later")


class TestWhoMayRemove:
    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any]) -> dict[str, Any]:
        colophon = jp_server_config["Colophon"] | {"policy": "support.policies.AnnotateOrEmitByNamespace"}
        return {**jp_server_config, "Colophon": colophon}

    async def test_removing_an_entry_requires_annotate(self, datahub: Any, api: Any, kernel: Any) -> None:
        async def requested(proposal: Any) -> int:
            sent = {"params": {"action": "ingestProposal"}, "body": {"proposal": proposal}}
            answer = await datahub("POST", "aspects", **sent, anonymous=True, headers=kernel)
            return int(answer.status)

        async def removed(namespace: str, tag: str) -> int:
            urn = home_table("t", namespace)
            return await requested(removal("globalTags", f"/tags/urn:li:tag:{tag}") | {"entityUrn": urn})

        for namespace in ("people", "machines"):
            urn = home_table("t", namespace)
            assert (await emit_proposal(datahub, build_proposal("globalTags", tags("machine"), urn=urn))).status == 200
            assert (await api("PUT", "entities", urn, "aspects", "businessMetadata", body=PEOPLE)).status == 200
        assert [await removed("people", tag) for tag in ("pii", "machine")] == [200, 200]
        assert [await removed("machines", tag) for tag in ("pii", "machine")] == [403, 200]
        added = build_proposal("globalTags", tags("x"), urn=home_table("t", "people"))
        assert await requested(added) == 403
