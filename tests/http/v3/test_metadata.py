"""Properties and tags of every kind of entity: additions, removals and refusals."""

import time
from typing import Any
from urllib.parse import quote

import pytest

ENTITIES = [
    "namespaces/shop/datasets/orders",
    "namespaces/shop/streams/clicks",
    "namespaces/shop/apps/etl",
    "namespaces/shop/apps/etl/flows/Load",
    "namespaces/shop/apps/etl/spark/Join",
    "namespaces/shop",
    "namespaces/shop/datasets/orders/field/price",
    "namespaces/shop/artifacts/etl-jar/versions/1.0",
    "namespaces/shop/apps/etl/versions/2",
    "namespaces/shop/streams/clicks/views/daily",
    "namespaces/shop/jar/a.jar",
]


@pytest.mark.parametrize("entity", ENTITIES)
async def test_properties_are_added_overwritten_and_removed_one_by_one(v3: Any, shop: None, entity: str) -> None:
    recorded = f"{entity}/metadata/properties"
    assert (await v3("GET", recorded)).body == {}
    done = await v3("POST", recorded, {"owner": "ada", "team": "ops"})
    assert (done.status, done.body["version"], done.etag) == (200, 1, '"1"')
    await v3("POST", recorded, {"owner": "bob", "system": "x"})
    assert (await v3("GET", recorded)).body == {"owner": "bob", "team": "ops", "system": "x"}
    assert (await v3("DELETE", f"{recorded}/system")).status == 200
    assert (await v3("DELETE", f"{recorded}/absent")).status == 200
    assert (await v3("GET", recorded)).body == {"owner": "bob", "team": "ops"}
    assert (await v3("DELETE", recorded)).status == 200
    assert (await v3("GET", recorded)).body == {}


@pytest.mark.parametrize("entity", ENTITIES)
async def test_tags_are_a_sorted_set(v3: Any, shop: None, entity: str) -> None:
    tags = f"{entity}/metadata/tags"
    assert (await v3("POST", tags, ["b", "a"])).status == 200
    assert (await v3("POST", tags, ["a", "c"])).status == 200
    assert (await v3("GET", tags)).body == ["a", "b", "c"]
    assert (await v3("DELETE", f"{tags}/b")).status == 200
    assert (await v3("DELETE", f"{tags}/b")).status == 200
    assert (await v3("GET", f"{entity}/metadata")).body == {"properties": {}, "tags": ["a", "c"]}
    assert (await v3("DELETE", tags)).status == 200
    assert (await v3("GET", tags)).body == []


async def test_all_metadata_is_deleted_at_once(v3: Any, shop: None) -> None:
    await v3("POST", "namespaces/shop/apps/etl/metadata/properties", {"a": "b"})
    await v3("POST", "namespaces/shop/apps/etl/metadata/tags", ["t"])
    assert (await v3("DELETE", "namespaces/shop/apps/etl/metadata")).status == 200
    assert (await v3("GET", "namespaces/shop/apps/etl/metadata")).body == {"properties": {}, "tags": []}
    system = await v3("GET", "namespaces/shop/apps/etl/metadata", scope="system")
    assert system.body["tags"] == ["etl", "etl-jar"]


ABSENT_ENTITIES = [
    "namespaces/shop/datasets/nothing",
    "namespaces/shop/streams/nothing",
    "namespaces/shop/apps/nothing",
    "namespaces/shop/apps/etl/flows/nothing",
    "namespaces/nothing",
    "namespaces/nothing/datasets/orders",
    "namespaces/shop/datasets/nothing/field/price",
    "namespaces/nothing/jar/a.jar",
    "namespaces/shop/apps/nothing/versions/2",
]


async def test_metadata_of_absent_entity_returns_404(v3: Any, shop: None) -> None:
    for entity in ABSENT_ENTITIES:
        for kind, body in (("properties", {"a": "b"}), ("tags", ["a"])):
            assert (await v3("GET", f"{entity}/metadata/{kind}")).status == 404, entity
            assert (await v3("POST", f"{entity}/metadata/{kind}", body)).status == 404, entity
            assert (await v3("DELETE", f"{entity}/metadata/{kind}")).status == 404, entity
        assert (await v3("GET", f"{entity}/metadata")).status == 404, entity
        assert (await v3("GET", "metadata/search", query="a:b", showCustom="true")).body == [], entity


REFUSED_METADATA = [
    ("properties", {"good": "x", "b√d": "y"}, "/properties/b√d"),
    ("properties", {"good": "x", "": "y"}, "/properties/"),
    ("properties", {"a b": "y"}, "/properties/a b"),
    ("properties", {"TAGS": "y"}, "/properties/TAGS"),
    ("properties", {"k" * 51: "y"}, "/properties/k"),
    ("properties", {"k": 1}, "/k"),
    ("properties", {"k": None}, "/k"),
    ("properties", {"k": "x" * 10_241}, "/properties/k"),
    ("properties", {"k": "nul\x00"}, "U+0000"),
    ("properties", ["k"], "the body"),
    ("properties", None, "JSON"),
    ("properties", b"null", "the body"),
    ("properties", b"{", "JSON"),
    ("tags", ["good", "b√d"], "/tags/1"),
    ("tags", {"good": "x"}, "the body"),
    ("tags", ["good", 1], "/1"),
    ("tags", b"null", "the body"),
    ("tags", [f"t{number}" for number in range(501)], "/tags"),
]


async def test_invalid_metadata_names_the_location_and_changes_nothing(v3: Any, shop: None) -> None:
    for kind, body, reported in REFUSED_METADATA:
        path = "namespaces/shop/datasets/orders/metadata"
        refused = await v3("POST", f"{path}/{kind}", body)
        assert refused.status == 400, (kind, body, reported)
        assert reported in refused.body["message"], (kind, body, reported)
        assert (await v3("GET", path)).body == {"properties": {}, "tags": []}, (kind, body, reported)


async def test_adding_existing_metadata_changes_nothing(v3: Any, shop: None) -> None:
    path = "namespaces/shop/datasets/orders/metadata"
    assert (await v3("POST", f"{path}/properties", {})).body["version"] == -1
    assert (await v3("POST", f"{path}/tags", [])).status == 200
    await v3("POST", f"{path}/tags", ["a"])
    assert (await v3("POST", f"{path}/tags", ["a"])).body["version"] == 1


async def test_conditional_writes_use_version_etags(v3: Any, shop: None) -> None:
    path = "namespaces/shop/datasets/orders/metadata"
    assert (await v3("POST", f"{path}/tags", ["a"], {"If-None-Match": "*"})).status == 200
    assert (await v3("POST", f"{path}/tags", ["b"], {"If-None-Match": "*"})).status == 412
    read = await v3("GET", path)
    assert read.etag == '"1"'
    assert (await v3("GET", path, headers={"If-None-Match": '"1"'})).status == 304
    assert (await v3("POST", f"{path}/tags", ["b"], {"If-Match": '"7"'})).status == 412
    assert (await v3("POST", f"{path}/tags", ["b"], {"If-Match": read.etag})).status == 200
    both = await v3("GET", path, scope="all")
    assert both.etag is not None
    assert both.etag.count("-") == 1


async def test_system_metadata_is_a_separate_scope(v3: Any, shop: None) -> None:
    path = "namespaces/shop/datasets/orders/metadata"
    await v3("POST", f"{path}/properties", {"type": "mine"})
    system = (await v3("GET", f"{path}/properties", scope="SYSTEM")).body
    assert system["type"] == "table"
    assert system["description"] == "All orders"
    assert {"creation-time", "created-by", "last-update-time", "last-updated-by"} <= set(system)
    assert (await v3("GET", f"{path}/properties/system")).body == system
    assert (await v3("GET", f"{path}/properties/other")).status == 404
    assert (await v3("GET", f"{path}/properties", scope="user")).body == {"type": "mine"}
    assert (await v3("GET", f"{path}/properties", scope="all")).status == 400
    assert (await v3("GET", f"{path}/properties", scope="both")).status == 400
    v6 = (await v3("GET", f"{path}/properties", scope="all", responseFormat="v6")).body
    assert {"scope": "USER", "name": "type", "value": "mine"} in v6
    assert {"scope": "SYSTEM", "name": "type", "value": "table"} in v6


async def test_later_releases_see_their_own_forms(v3: Any, shop: None) -> None:
    path = "namespaces/shop/apps/etl/flows/Load/metadata"
    user, system = (await v3("GET", path, scope="all")).body
    assert (user["scope"], user["properties"], user["tags"]) == ("USER", {}, [])
    assert system["tags"] == ["Flow", "Load", "Realtime"]
    assert user["entityId"] == {
        "namespace": "shop",
        "application": "etl",
        "version": "-SNAPSHOT",
        "type": "Flow",
        "program": "Load",
        "entity": "PROGRAM",
    }
    (only,) = (await v3("GET", "namespaces/shop/streams/clicks/metadata", responseFormat="v5")).body
    assert only["entityId"] == {"namespace": "shop", "stream": "clicks", "entity": "STREAM"}
    assert only["metadataEntity"] == {"details": {"namespace": "shop", "stream": "clicks"}, "type": "stream"}
    await v3("POST", path + "/tags", ["x"])
    assert (await v3("GET", path, responseFormat="V6")).body == {
        "tags": [{"scope": "USER", "name": "x"}],
        "properties": [],
    }
    assert (await v3("GET", path, responseFormat="v7")).status == 400


NAMES = ["a b", "größe", "日本語", "a/b", "a%2Fb", "..", "a'b\"c", "<b>", "a.b.c", "x" * 300, "metadata", "tags", "🦆"]


@pytest.mark.each_store
@pytest.mark.parametrize("name", NAMES)
async def test_any_name_that_people_can_type_is_a_dataset(v3: Any, shop: None, name: str) -> None:
    path = f"namespaces/shop/datasets/{quote(name, safe='')}"
    assert (await v3("PUT", path, {"typeName": "file"})).status == 200
    assert (await v3("POST", f"{path}/metadata/tags", ["odd"])).status == 200
    assert (await v3("GET", f"{path}/metadata")).body["tags"] == ["odd"]
    assert (await v3("GET", "namespaces/shop/metadata/search", query="odd", target="dataset")).body == [name]
    assert (await v3("DELETE", path)).status == 200
    assert (await v3("GET", path)).status == 404


@pytest.mark.parametrize("name", ["%00", "%0A", "%ff", "", "%C2%85"])
async def test_invalid_name_is_reported(v3: Any, shop: None, name: str) -> None:
    assert (await v3("PUT", f"namespaces/shop/datasets/{name}", {"typeName": "file"})).status in (400, 404)


async def test_a_foreign_dataset_is_called_by_its_urn(v3: Any, api: Any, shop: None) -> None:
    urn = "urn:li:dataset:(urn:li:dataPlatform:file,/data/a.csv,PROD)"
    proposal = {"urn": urn, "aspect": "technicalMetadata", "operation": "upsert"}
    await api("POST", "proposals", body={"proposals": [proposal | {"value": {"properties": {}, "tags": []}}]})
    path = f"namespaces/default/datasets/{quote(urn, safe='')}/metadata/tags"
    assert (await v3("POST", path, ["raw"])).status == 200
    assert (await v3("GET", path)).body == ["raw"]
    assert (await v3("GET", path.replace("/default/", "/shop/"))).status == 404
    assert (await v3("GET", "-/metadata/tags", entity=urn)).body == ["raw"]
    assert (await v3("GET", "-/metadata/tags")).status == 400


async def test_custom_entity_is_identified_by_path_and_type(v3: Any, shop: None) -> None:
    path = "namespaces/shop/jar/a.jar/member/M/metadata/tags"
    assert (await v3("POST", path, ["big"])).status == 200
    assert (await v3("GET", path.replace("/jar/", "/JAR/"))).body == ["big"]
    assert (await v3("GET", path, type="jar")).body == []
    assert (await v3("GET", path, type="other")).status == 400
    assert (await v3("POST", "namespaces/shop/jar/a/jar/b/metadata/tags", ["x"])).status == 400
    assert (await v3("POST", "namespaces/shop/apps/etl/wrong/x/metadata/tags", ["x"])).status == 400


@pytest.mark.each_store
async def test_deleted_dataset_deletes_its_children(v3: Any, shop: None) -> None:
    field = "namespaces/shop/datasets/orders/field/price/metadata/tags"
    part = "namespaces/shop/datasets/orders/partition/2026/metadata/tags"
    for path in (field, part):
        await v3("POST", path, ["confidential"])
    assert (await v3("DELETE", "namespaces/shop/datasets/orders")).status == 200
    assert (await v3("GET", field)).status == 404
    assert (await v3("GET", "metadata/search", query="tags:confidential", showCustom="true")).body == []
    await v3("PUT", "namespaces/shop/datasets/orders", {})
    assert (await v3("GET", field)).body == []
    assert (await v3("GET", part)).body == []


async def test_unknown_path_returns_404_and_unsupported_method_405(v3: Any, shop: None) -> None:
    assert (await v3("PUT", "namespaces/shop/datasets/orders/metadata", {})).status == 405
    assert (await v3("GET", "nothing")).status == 404
    assert (await v3("GET", "namespaces/shop/datasets//metadata")).status == 404


@pytest.mark.each_store
async def test_as_of_returns_earlier_metadata(v3: Any, shop: None) -> None:
    def now() -> int:
        # Changes are distinguished by the millisecond.
        time.sleep(0.005)
        reported = time.time_ns() // 1_000_000
        time.sleep(0.005)
        return reported

    path = "namespaces/shop/datasets/orders"
    start = now()
    await v3("POST", f"{path}/metadata/tags", ["first"])
    first = now()
    await v3("POST", f"{path}/metadata/tags", ["second"])
    second = now()
    await v3("DELETE", path)
    gone = now()
    await v3("PUT", path, {"typeName": "again"})
    assert (await v3("GET", f"{path}/metadata/tags", asOf=start)).body == []
    assert (await v3("GET", f"{path}/metadata/tags", asOf=first)).body == ["first"]
    assert (await v3("GET", f"{path}/metadata", asOf=second)).body["tags"] == ["first", "second"]
    assert (await v3("GET", f"{path}/metadata/properties/system", asOf=second)).body["type"] == "table"
    assert (await v3("GET", f"{path}/metadata", asOf=gone)).status == 404
    assert (await v3("GET", f"{path}/metadata/properties/system")).body["type"] == "again"
    assert (await v3("GET", f"{path}/metadata", asOf="2020-01-01")).status == 404
    assert (await v3("GET", f"{path}/metadata", asOf="yesterday")).status == 400
    assert (await v3("GET", f"{path}/field/price/metadata", asOf=first)).body == {"properties": {}, "tags": []}


async def test_aspects_of_datahub_are_properties_and_tags_of_their_scope(v3: Any, shop: None, api: Any) -> None:
    orders = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.orders,PROD)"
    stamp = {"time": 0, "actor": "urn:li:corpuser:datahub"}
    owners = [{"owner": f"urn:li:corpuser:{name}", "type": "DATAOWNER"} for name in ("ada", "bob")]
    for aspect, value in {
        "globalTags": {"tags": [{"tag": "urn:li:tag:tier-1"}]},
        "glossaryTerms": {"terms": [{"urn": "urn:li:glossaryTerm:Revenue"}], "auditStamp": stamp},
        "ownership": {"owners": owners, "ownerTypes": {}, "lastModified": stamp},
        "domains": {"domains": ["urn:li:domain:sales"]},
        "editableDatasetProperties": {"description": "Every order"},
    }.items():
        assert (await api("PUT", "entities", orders, "aspects", aspect, body=value)).status == 200
    recorded = "namespaces/shop/datasets/orders/metadata"
    system = (await v3("GET", recorded, scope="system")).body
    assert "tier-1" in system["tags"]
    assert {"owner": "ada, bob", "terms": "Revenue", "domain": "sales"}.items() <= system["properties"].items()
    assert (await v3("GET", recorded)).body == {"properties": {"description": "Every order"}, "tags": []}
    await v3("POST", f"{recorded}/properties", {"description": "Mine"})
    assert (await v3("GET", f"{recorded}/properties")).body == {"description": "Mine"}
    changes = (await v3("GET", "namespaces/shop/metadata/changes", after="0")).body["changes"]
    assert {"properties": {}, "tags": ["tier-1"]} in [change["changes"]["additions"] for change in changes]
