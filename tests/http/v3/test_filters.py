"""An excluded key is not stored, found, counted or returned, whichever API sends it (spec MODEL-21)."""

import json
from typing import Any

import pytest
from support.urns import ORDERS

pytestmark = pytest.mark.each_store

#: Values of excluded keys.
SECRETS = ("zirconium", "yttrium", "niobium", "hafnium")
WORDS = {"secret-key": "zirconium", "open": "bronze"}


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    rules = [
        ("include", "secret-but-known", "*", "*"),
        ("exclude", "secret*", "*", "*"),
        ("exclude", "ttl", "stream", "*"),
        ("exclude", "plugin:*", "app", "shop"),
        ("exclude", "tags", "program", "*"),
        ("exclude", "origin", "namespace", "*"),
    ]
    return jp_server_config | {"Colophon": jp_server_config["Colophon"] | {"system_metadata_filters": rules}}


async def _nothing_is_known(v3: Any, api: Any) -> None:
    for word in SECRETS:
        assert (await v3("GET", "metadata/search", query=word, showCustom="true", target="all")).body == []
    keys = (await v3("GET", "namespaces/shop/metadata/keys", prefix="secret")).body
    assert [key["key"] for key in keys] in ([], ["secret-but-known"])
    changes = (await api("GET", "changes", params={"limit": "500"})).body
    assert not [word for word in SECRETS if word in json.dumps(changes)]


async def test_keys_are_filtered_by_kind_of_entity_and_namespace(v3: Any, api: Any, shop: None) -> None:
    await v3("PUT", "namespaces/shop/streams/clicks", {"ttl": "1"})
    await v3("PUT", "namespaces/shop/datasets/orders", {"ttl": "1", "properties": WORDS | {"secret-but-known": "x"}})
    await v3("PUT", "namespaces/shop/apps/etl", {"plugins": {"Table": "hafnium"}, "programs": {"flows": ["Load"]}})
    stream = (await v3("GET", "namespaces/shop/streams/clicks/metadata/properties/system")).body
    dataset = (await v3("GET", "namespaces/shop/datasets/orders/metadata/properties/system")).body
    app = (await v3("GET", "namespaces/shop/apps/etl/metadata/properties/system")).body
    assert ("ttl" in stream, dataset["ttl"], dataset["open"], dataset["secret-but-known"]) == (
        False,
        "1",
        "bronze",
        "x",
    )
    assert ("secret-key" in dataset, "plugin:Table" in app, app["Flow:Load"]) == (False, False, "Load")
    assert (await v3("GET", "namespaces/shop/apps/etl/flows/Load/metadata/tags", scope="system")).body == []
    await _nothing_is_known(v3, api)


async def test_excluded_system_metadata_is_stored_by_no_api(v3: Any, api: Any, shop: None) -> None:
    orders = ORDERS.replace("sales.", "shop.")
    aspect = ("entities", orders, "aspects", "technicalMetadata")
    value = {"properties": WORDS, "tags": []}
    await api("PUT", *aspect, body=value)
    more = {"properties": {"secret-more": "yttrium"}}
    await api("PATCH", *aspect, body=more, headers={"Content-Type": "application/merge-patch+json"})
    proposal = {"urn": orders, "aspect": "technicalMetadata", "operation": "upsert", "value": value}
    await api("POST", "proposals", body={"proposals": [proposal]})
    entity = {"details": {"namespace": "shop", "dataset": "orders"}, "type": "dataset"}
    recorded = {"properties": [{"scope": "SYSTEM", "name": "secret-batch", "value": "niobium"}]}
    batch = await v3("POST", "metadata-internals/batch", [{"type": "UPDATE", "entity": entity, "updates": recorded}])
    assert (batch.status, "niobium" in json.dumps(batch.body)) == (200, False)
    head = {"format": "jupyter-colophon-namespace", "namespace": "shop", "version": 1}
    line = {"urn": orders, "aspect": "technicalMetadata", "value": value}
    lines = "".join(f"{json.dumps(document)}\n" for document in (head, line)).encode()
    for _ in range(2):
        done = await api("POST", "import", body=lines, headers={"Content-Type": "application/x-ndjson"})
        assert set(done.body["counts"]) == {"unchanged"}
    made = {
        "urn": ORDERS.replace("sales.", "met."),
        "aspect": "technicalMetadata",
        "operation": "upsert",
        "value": value,
    }
    await api("POST", "proposals", body={"proposals": [made]})
    assert "origin" not in (await v3("GET", "namespaces/met/metadata/properties/system")).body
    await _nothing_is_known(v3, api)
