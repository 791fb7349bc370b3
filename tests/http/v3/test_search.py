"""Search through `/colophon/v3`: targets, response formats, sorting and hidden entities."""

from typing import Any

import pytest

SEARCH = "namespaces/shop/metadata/search"


@pytest.fixture
def gold(v3: Any, shop: None, jp_asyncio_loop: Any) -> None:
    """The tag `gold` on one entity of each kind."""

    async def tag() -> None:
        for entity in ("datasets/orders", "streams/clicks", "apps/etl", "apps/etl/flows/Load", "jar/a.jar"):
            assert (await v3("POST", f"namespaces/shop/{entity}/metadata/tags", ["gold"])).status == 200

    jp_asyncio_loop.run_until_complete(tag())


@pytest.mark.each_store
@pytest.mark.parametrize(
    ("target", "names"),
    [
        (["dataset"], ["orders"]),
        (["stream"], ["clicks"]),
        (["app"], ["etl"]),
        (["program"], ["etl.flows.Load"]),
        (["jar"], ["a.jar"]),
        (["artifact"], []),
        (["dataset", "app"], ["application.shop.etl", "dataset.shop.orders"]),
        (["all"], ["application.shop.etl", "dataset.shop.orders", "flow.shop.etl.Load", "stream.shop.clicks"]),
        ([], ["application.shop.etl", "dataset.shop.orders", "flow.shop.etl.Load", "stream.shop.clicks"]),
    ],
)
async def test_names_are_short_for_one_kind_and_whole_for_several(
    v3: Any, gold: None, target: list[str], names: list[str]
) -> None:
    assert (await v3("GET", SEARCH, query="gold", target=target)).body == names


@pytest.mark.each_store
async def test_hidden_and_custom_entities_are_found_on_request(v3: Any, gold: None) -> None:
    await v3("PUT", "namespaces/shop/datasets/_secret", {"metadata": {"tags": ["gold"]}})
    assert "dataset.shop._secret" not in (await v3("GET", SEARCH, query="gold")).body
    assert "dataset.shop._secret" in (await v3("GET", SEARCH, query="gold", showHidden="true")).body
    custom = (await v3("GET", SEARCH, query="gold", showCustom="true")).body
    assert "urn:li:custom:(jar,namespace=shop,jar=a.jar)" in custom


@pytest.mark.each_store
async def test_scope_selects_matching_metadata(v3: Any, gold: None) -> None:
    assert (await v3("GET", SEARCH, query="gold", scope="system")).body == []
    assert len((await v3("GET", SEARCH, query="gold", scope="USER")).body) == 4
    assert (await v3("GET", SEARCH, query="table", scope="system", target="dataset")).body == ["orders"]
    assert (await v3("GET", SEARCH, query="table", scope="user", target="dataset")).body == []


@pytest.mark.each_store
async def test_records_carry_both_scopes_without_empty_ones(v3: Any, gold: None) -> None:
    (record,) = (await v3("GET", SEARCH, query="gold", target="dataset", responseFormat="records")).body
    assert record["entityId"] == {"namespace": "shop", "dataset": "orders", "entity": "DATASET"}
    assert record["metadata"]["USER"] == {"properties": {}, "tags": ["gold"]}
    assert record["metadata"]["SYSTEM"]["properties"]["type"] == "table"
    page = (await v3("GET", SEARCH, query="gold", responseFormat="v5", sort="entity-name asc", limit=2)).body
    assert (page["total"], page["offset"], page["limit"], page["sort"]) == (4, 0, 2, "entity-name asc")
    assert [hit["metadataEntity"]["type"] for hit in page["results"]] == ["stream", "application"]
    v6 = (await v3("GET", SEARCH, query="gold", target="stream", responseFormat="v6")).body["results"]
    assert v6[0]["entity"] == {"details": {"namespace": "shop", "stream": "clicks"}, "type": "stream"}
    assert {"scope": "USER", "name": "gold"} in v6[0]["metadata"]["tags"]


@pytest.mark.each_store
async def test_lists_are_sorted_and_cut(v3: Any, shop: None) -> None:
    for name in ("b", "a", "c"):
        await v3("PUT", f"namespaces/shop/datasets/{name}", {"metadata": {"tags": ["x"]}})

    async def names(**requested: Any) -> list[str]:
        requested |= {"query": "tags:x", "responseFormat": "v5"}
        return [hit["entityId"]["dataset"] for hit in (await v3("GET", SEARCH, **requested)).body["results"]]

    assert await names(sort="entity-name") == ["a", "b", "c"]
    assert await names(sort="entity-name desc") == ["c", "b", "a"]
    assert await names(sort="creation-time") == ["b", "a", "c"]
    assert await names(sort="entity-name", offset=1, limit=1) == ["b"]
    assert await names(sort="entity-name", offset=9) == []


MALFORMED_SEARCHES = [
    {},
    {"query": ""},
    {"query": " "},
    {"query": "a*b"},
    {"query": "x", "target": "no target"},
    {"query": "x", "target": "datasat"},
    {"query": "x", "scope": "mine"},
    {"query": "x", "sort": "age"},
    {"query": "x", "sort": "entity-name up"},
    {"query": "x", "offset": "-1"},
    {"query": "x", "limit": "0"},
    {"query": "x", "limit": "a"},
    {"query": "x", "responseFormat": "v7"},
    {"query": "x", "entityScope": "none"},
    {"query": "x", "cursor": "c"},
    {"query": "x", "cursorRequested": "true"},
    {"query": "x", "numCursors": "2"},
    {"query": "x", "sort": "entity-name", "numCursors": "0"},
    {"query": "a:x", "asOf": "never"},
    {"query": "x", "asOf": "now"},
]


async def test_malformed_search_returns_400(v3: Any, shop: None) -> None:
    for requested in MALFORMED_SEARCHES:
        assert (await v3("GET", SEARCH, **requested)).status == 400, requested


@pytest.mark.each_store
async def test_search_covers_the_named_namespaces(v3: Any, gold: None) -> None:
    await v3("PUT", "namespaces/other", {})
    await v3("PUT", "namespaces/other/datasets/orders", {"metadata": {"tags": ["gold"]}})
    assert (await v3("GET", SEARCH, query="gold", target="dataset")).body == ["orders"]
    both = await v3("GET", "metadata/search", query="gold", target=["dataset", "stream"])
    assert both.body == ["dataset.other.orders", "dataset.shop.orders", "stream.shop.clicks"]
    narrowed = await v3("GET", "metadata/search", query="gold", namespaces=["other", "none"])
    assert narrowed.body == ["dataset.other.orders"]
    assert (await v3("GET", "namespaces/none/metadata/search", query="gold")).body == []


@pytest.mark.each_store
async def test_everything_is_found_without_a_query_in_the_newer_forms(v3: Any, shop: None) -> None:
    found = (await v3("GET", SEARCH, responseFormat="v6")).body
    assert found["total"] == 5


@pytest.mark.each_store
async def test_keys_are_counted_with_their_values(v3: Any, gold: None) -> None:
    await v3("POST", "namespaces/shop/datasets/orders/metadata/properties", {"Owner": "ada"})
    await v3("POST", "namespaces/shop/apps/etl/metadata/properties", {"Owner": "bob"})
    keys = (await v3("GET", "namespaces/shop/metadata/keys", prefix="o", scope="user")).body
    assert keys == [{"key": "Owner", "kind": "property", "scope": "USER", "entities": 2}]
    tags = (await v3("GET", "namespaces/shop/metadata/keys", prefix="gold")).body
    assert tags == [{"key": "gold", "kind": "tag", "scope": "USER", "entities": 5}]
    values = (await v3("GET", "namespaces/shop/metadata/keys/owner/values", prefix="A")).body
    assert values == [{"value": "ada", "entities": 1}]
    every = (await v3("GET", "namespaces/shop/metadata/keys/owner/values")).body
    assert (await v3("GET", "namespaces/shop/metadata/keys/owner/values", offset=1)).body == every[1:]
    assert (await v3("GET", "namespaces/shop/metadata/keys/owner/values", scope="system")).body == []
