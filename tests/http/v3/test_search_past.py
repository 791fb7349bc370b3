"""Search and keys as of a time, cursors, and kinds of entity, through `/colophon/v3`."""

import asyncio
from typing import Any

import pytest

pytestmark = pytest.mark.each_store

SEARCH = "namespaces/shop/metadata/search"
KEYS = "namespaces/shop/metadata/keys"
PROPERTIES = "namespaces/shop/datasets/orders/metadata/properties"


async def _now(v3: Any, dataset: str = "orders") -> str:
    """Return a time after all writes so far and before all later ones."""
    reported = await v3("GET", f"namespaces/shop/datasets/{dataset}/metadata/properties", scope="system")
    await asyncio.sleep(0.005)
    return str(int(reported.body["last-update-time"]) + 1)


@pytest.fixture
def moved(v3: Any, shop: None, jp_asyncio_loop: Any) -> str:
    """Return a time at which ada owned `orders`; since then bob owns it, `old` was deleted and `new` created."""

    async def live() -> str:
        await v3("POST", PROPERTIES, {"Owner": "ada", "note": "daily list"})
        await v3("POST", "namespaces/shop/datasets/orders/metadata/tags", ["raw"])
        await v3("PUT", "namespaces/shop/datasets/old", {"metadata": {"properties": {"Owner": "ada"}}})
        time = await _now(v3, "old")
        await v3("POST", PROPERTIES, {"Owner": "bob"})
        await v3("DELETE", "namespaces/shop/datasets/orders/metadata/tags")
        await v3("DELETE", "namespaces/shop/datasets/old")
        await v3("PUT", "namespaces/shop/datasets/new", {"metadata": {"properties": {"Owner": "ada"}}})
        return time

    return str(jp_asyncio_loop.run_until_complete(live()))


FOUND_THEN_AND_NOW = [
    ("owner:ada", ["old", "orders"], ["new"]),
    ("owner:ad*", ["old", "orders"], ["new"]),
    ("OWNER=ADA", ["old", "orders"], ["new"]),
    ("owner:bob", [], ["orders"]),
    ("owner:*", ["old", "orders"], ["new", "orders"]),
    ("tags:raw", ["orders"], []),
    ('note:"daily list"', ["orders"], ["orders"]),
    ("properties:owner", ["old", "orders"], ["new", "orders"]),
    ("name:old", ["old"], []),
    ("dataset:o*", ["old", "orders"], ["orders"]),
    ("dataset:new", [], ["new"]),
    ("name:shop.orders", ["orders"], ["orders"]),
    ("type:table", ["orders"], ["orders"]),
    ("owner:bob name:old", ["old"], ["orders"]),
    ("*", ["old", "orders"], ["new", "orders"]),
]


async def test_search_as_of_finds_earlier_matches(v3: Any, moved: str) -> None:
    for query, then, now in FOUND_THEN_AND_NOW:
        for time, names in ((moved, then), ("now", now)):
            found = await v3("GET", SEARCH, query=query, target="dataset", asOf=time)
            assert (found.status, found.body) == (200, names), (query, then, now)
        assert (await v3("GET", SEARCH, query=query, target="dataset", asOf="1000")).body == [], (query, then, now)


async def test_records_as_of_have_earlier_metadata(v3: Any, moved: str) -> None:
    requested = {"target": "dataset", "asOf": moved, "responseFormat": "records", "sort": "entity-name"}
    old, orders = (await v3("GET", SEARCH, query="owner:ada", **requested)).body
    assert old["entityId"]["dataset"] == "old"
    assert orders["metadata"]["USER"] == {"properties": {"Owner": "ada", "note": "daily list"}, "tags": ["raw"]}
    aged = requested | {"sort": "creation-time desc", "scope": "user"}
    assert [hit["entityId"]["dataset"] for hit in (await v3("GET", SEARCH, query="owner:ada", **aged)).body] == [
        "old",
        "orders",
    ]


async def test_words_without_a_key_are_searched_as_of_now_only(v3: Any, moved: str) -> None:
    for query in ("ada", "owner:ada daily", "ad*"):
        assert (await v3("GET", SEARCH, query=query, asOf=moved)).status == 400


async def test_keys_are_counted_by_kinds_and_as_of_a_time(v3: Any, moved: str) -> None:
    await v3("POST", "namespaces/shop/apps/etl/metadata/properties", {"Owner": "ada"})
    await v3("POST", "namespaces/shop/streams/clicks/metadata/tags", ["Owned"])

    async def keys(**requested: Any) -> list[Any]:
        found = await v3("GET", KEYS, prefix="own", **requested)
        assert found.status == 200
        return [(key["key"], key["kind"], key["entities"]) for key in found.body]

    assert await keys() == [("Owned", "tag", 1), ("Owner", "property", 3)]
    assert await keys(target="dataset") == [("Owner", "property", 2)]
    assert await keys(target=["app", "stream"]) == [("Owned", "tag", 1), ("Owner", "property", 1)]
    assert await keys(target="artifact") == []
    assert await keys(target="all", scope="user") == await keys()
    assert await keys(asOf=moved) == [("Owner", "property", 2)]
    assert await keys(asOf=moved, target="app") == []
    assert await keys(asOf="now", target="dataset") == [("Owner", "property", 2)]
    raw = await v3("GET", KEYS, prefix="ra", asOf=moved)
    assert raw.body == [{"key": "raw", "kind": "tag", "scope": "USER", "entities": 1}]
    assert (await v3("GET", KEYS, prefix="ra")).body == []
    for wrong in ({"target": "datasat"}, {"target": "no target"}, {"asOf": "never"}):
        assert (await v3("GET", KEYS, **wrong)).status == 400


@pytest.fixture
def ten(v3: Any, shop: None, jp_asyncio_loop: Any) -> None:
    """Ten datasets with the tag `x`."""

    async def make() -> None:
        for number in range(10):
            reported = {"metadata": {"tags": ["x"]}}
            assert (await v3("PUT", f"namespaces/shop/datasets/d{number}", reported)).status == 200

    jp_asyncio_loop.run_until_complete(make())


def _names(page: Any) -> list[str]:
    return [hit["entityId"]["dataset"] for hit in page["results"]]


@pytest.mark.parametrize("sort", ["entity-name", "entity-name desc", "creation-time desc"])
async def test_a_cursor_carries_the_whole_search(v3: Any, ten: None, sort: str) -> None:
    requested = {"query": "tags:x", "responseFormat": "v5", "limit": 4, "cursorRequested": "true", "sort": sort}
    page = (await v3("GET", SEARCH, **requested)).body
    found = _names(page)
    while page["cursors"]:
        assert page["numCursors"] == 1
        before = page["offset"]
        page = (await v3("GET", SEARCH, cursor=page["cursors"][0], offset=1)).body
        assert (page["total"], page["limit"], page["offset"]) == (10, 4, before + 4)
        found += _names(page)
    expected = [f"d{number}" for number in range(10)]
    assert found == (expected if sort == "entity-name" else expected[::-1])


async def test_several_cursors_lead_to_the_next_pages(v3: Any, ten: None) -> None:
    requested = {"query": "tags:x", "responseFormat": "v6", "limit": 3, "numCursors": 9, "sort": "entity-name"}
    page = (await v3("GET", SEARCH, **requested)).body
    assert (page["numCursors"], page["totalResults"], page["cursor"]) == (3, 10, page["cursors"][0])
    last = await v3("GET", SEARCH, cursor=page["cursors"][2])
    assert [hit["entity"]["details"]["dataset"] for hit in last.body["results"]] == ["d9"]
    names = await v3("GET", SEARCH, cursor=page["cursors"][1], responseFormat="names")
    assert names.body == [f"dataset.shop.d{number}" for number in (6, 7, 8)]
    assert names.headers["X-Colophon-Cursor"]


async def test_cursor_is_stable_under_writes(v3: Any, ten: None) -> None:
    requested = {
        "query": "tags:x",
        "responseFormat": "v5",
        "limit": 4,
        "cursorRequested": "true",
        "sort": "entity-name",
    }
    (cursor,) = (await v3("GET", SEARCH, **requested)).body["cursors"]
    await v3("PUT", "namespaces/shop/datasets/a", {"metadata": {"tags": ["x"]}})
    await v3("DELETE", "namespaces/shop/datasets/d3")
    assert _names((await v3("GET", SEARCH, cursor=cursor)).body) == ["d4", "d5", "d6", "d7"]


async def test_a_cursor_of_another_search_is_refused(v3: Any, ten: None) -> None:
    requested = {
        "query": "tags:x",
        "responseFormat": "v5",
        "limit": 4,
        "cursorRequested": "true",
        "sort": "entity-name",
    }
    (cursor,) = (await v3("GET", SEARCH, **requested)).body["cursors"]
    assert (await v3("GET", "namespaces/other/metadata/search", cursor=cursor)).status == 400
    assert (await v3("GET", "metadata/search", cursor=cursor)).status == 400
    assert (await v3("GET", SEARCH, cursor=cursor[:-2] + "xx")).status == 400


async def test_entity_scope_selects_the_system_namespace(v3: Any, ten: None) -> None:
    everywhere = (await v3("GET", "metadata/search", query="tags:x", target="dataset")).body
    mine = await v3("GET", "metadata/search", query="tags:x", target="dataset", entityScope="USER")
    assert (len(everywhere), mine.body) == (10, everywhere)
    assert (await v3("GET", "metadata/search", query="tags:x", entityScope="system")).body == []


async def test_kinds_of_entity_are_words_and_keys(v3: Any, shop: None) -> None:
    await v3("POST", "namespaces/shop/jar/etl.jar/metadata/tags", ["gold"])
    requested = {"showCustom": "true", "scope": "system"}
    assert (await v3("GET", SEARCH, query="stream", **requested)).body == ["stream.shop.clicks"]
    assert (await v3("GET", SEARCH, query="stream:cl*")).body == ["stream.shop.clicks"]
    assert (await v3("GET", SEARCH, query="jar:etl*", target="jar")).body == ["etl.jar"]
