"""Batches of mutations: in order, all or none, with kept and preserved entries (spec CDAP-8)."""

from typing import Any

import pytest

ORDERS = {"details": {"namespace": "shop", "dataset": "orders"}, "type": "dataset"}
LOAD = {
    "details": {"namespace": "shop", "application": "etl", "version": "-SNAPSHOT", "type": "Flow", "program": "Load"},
    "type": "program",
}

EMPTY: dict[str, Any] = {"properties": [], "tags": []}


def recorded(scope: str, tags: tuple[str, ...] = (), **properties: str) -> dict[str, Any]:
    return {
        "properties": [{"scope": scope, "name": key, "value": value} for key, value in properties.items()],
        "tags": [{"scope": scope, "name": tag} for tag in tags],
    }


async def batch(v3: Any, *mutations: Any, status: int = 200) -> Any:
    reported = await v3("POST", "metadata-internals/batch", list(mutations))
    assert reported.status == status, reported.body
    return reported.body


@pytest.mark.each_store
async def test_updates_merge_in_order_and_report_before_and_after(v3: Any, shop: None) -> None:
    first, second = await batch(
        v3,
        {"type": "UPDATE", "entity": ORDERS, "updates": recorded("USER", ("a",), owner="ada")},
        {"type": "UPDATE", "entity": ORDERS, "updates": recorded("USER", ("b",), owner="bob")},
    )
    assert (first["entity"], first["after"]["tags"][0]) == (ORDERS, {"scope": "USER", "name": "a"})
    assert second["before"] == first["after"]
    assert (await v3("GET", "namespaces/shop/datasets/orders/metadata")).body == {
        "properties": {"owner": "bob"},
        "tags": ["a", "b"],
    }


@pytest.mark.each_store
async def test_create_replaces_a_scope_except_kept_entries(v3: Any, shop: None) -> None:
    await batch(
        v3,
        {"type": "UPDATE", "entity": LOAD, "updates": recorded("USER", ("mine",))},
        {
            "type": "UPDATE",
            "entity": LOAD,
            "updates": recorded("SYSTEM", ("old", "kept"), a="1", b="1", c="1", description="d"),
        },
        {
            "type": "CREATE",
            "entity": LOAD,
            "metadata": recorded("SYSTEM", ("new",), b="2", c="2"),
            "directives": {"PROPERTY:SYSTEM:a": "KEEP", "PROPERTY:SYSTEM:b": "PRESERVE", "TAG:SYSTEM:kept": "KEEP"},
        },
    )
    path = "namespaces/shop/apps/etl/flows/Load/metadata"
    system = (await v3("GET", path, scope="system")).body
    assert {key: system["properties"].get(key) for key in ("a", "b", "c", "description")} == {
        "a": "1",
        "b": "1",
        "c": "2",
        "description": "d",
    }
    assert system["tags"] == ["kept", "new"]
    assert (await v3("GET", path)).body["tags"] == ["mine"]


async def test_names_scopes_and_kinds_are_removed(v3: Any, shop: None) -> None:
    path = "namespaces/shop/datasets/orders/metadata"
    await batch(v3, {"type": "UPDATE", "entity": ORDERS, "updates": recorded("USER", ("a", "b"), x="1", y="2")})
    removals = [{"scope": "USER", "kind": "TAG", "name": "a"}, {"scope": "USER", "kind": "PROPERTY", "name": "x"}]
    await batch(v3, {"type": "REMOVE", "entity": ORDERS, "removals": removals})
    assert (await v3("GET", path)).body == {"properties": {"y": "2"}, "tags": ["b"]}
    await batch(v3, {"type": "REMOVE", "entity": ORDERS, "scopes": ["USER"], "kinds": ["TAG"]})
    assert (await v3("GET", path)).body == {"properties": {"y": "2"}, "tags": []}
    await batch(v3, {"type": "DROP", "entity": ORDERS})
    assert (await v3("GET", path)).body == {"properties": {}, "tags": []}
    assert "type" not in (await v3("GET", path, scope="system")).body["properties"]
    assert (await v3("GET", "namespaces/shop/metadata/search", query="orders", target="dataset")).body == ["orders"]


@pytest.mark.each_store
async def test_drop_clears_metadata_of_both_scopes(v3: Any, shop: None) -> None:
    path = "namespaces/shop/datasets/orders"
    await v3("PUT", path, {"schema": "price int", "properties": {"format": "parquet"}})
    drop = {"type": "DROP", "entity": ORDERS}
    first, again = await batch(v3, drop, drop)
    assert {tag["name"] for tag in first["before"]["tags"]} == {"batch", "explore", "orders"}
    assert (first["after"], again["before"], again["after"]) == (EMPTY, EMPTY, EMPTY)
    known = (await v3("GET", f"{path}/metadata/properties/system")).body
    assert set(known) == {"creation-time", "created-by", "last-update-time", "last-updated-by"}
    assert (await v3("GET", "namespaces/shop/metadata/search", query="price parquet")).body == []


async def test_custom_entity_is_identified_by_its_details(v3: Any, shop: None) -> None:
    jar = {"details": {"namespace": "shop", "jar": "a.jar"}, "type": "jar"}
    await batch(v3, {"type": "UPDATE", "entity": jar, "updates": recorded("USER", ("x",))})
    assert (await v3("GET", "namespaces/shop/jar/a.jar/metadata/tags")).body == ["x"]


REFUSED_MUTATIONS = [
    ({"type": "UPDATE", "entity": {"details": {"namespace": "shop", "dataset": "none"}}}, 404),
    ({"type": "UPDATE", "entity": {"details": {"name": "x"}}, "updates": recorded("OTHER", ("x",))}, 400),
    ({"type": "UPDATE", "entity": ORDERS, "updates": recorded("USER", ("not a tag",))}, 400),
    ({"type": "UPDATE", "entity": {"details": {}}}, 400),
    ({"type": "MERGE", "entity": ORDERS}, 400),
    ({"type": "UPDATE", "entity": ORDERS, "metadata": recorded("USER", ("x",))}, 400),
    ({"type": "DROP", "entity": ORDERS, "scopes": ["USER"]}, 400),
    ({"entity": ORDERS}, 400),
    ("DROP", 400),
]


async def test_refused_mutation_refuses_the_whole_batch(v3: Any, shop: None) -> None:
    for mutation, status in REFUSED_MUTATIONS:
        if isinstance(mutation, dict) and status == 404:
            mutation = mutation | {"updates": recorded("USER", ("x",))}
        good = {"type": "UPDATE", "entity": ORDERS, "updates": recorded("USER", ("good",))}
        await batch(v3, good, mutation, status=status)
        assert (await v3("GET", "namespaces/shop/datasets/orders/metadata/tags")).body == [], (mutation, status)
