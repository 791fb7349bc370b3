"""Rules that hold for many routes: reserved names, private routes, limits, forms of errors."""

from typing import Any
from urllib.parse import quote

import pytest
from jupyter_server.auth.identity import User

ORDERS = "namespaces/shop/datasets/orders"
APP = "namespaces/shop/apps/etl"


@pytest.mark.parametrize("path", ["namespaces/system", "unrecoverable/namespaces/system"])
async def test_system_namespace_cannot_be_created(v3: Any, path: str) -> None:
    refused = await v3("PUT", path, {"description": "mine"})
    assert (refused.status, "reserved" in refused.body["message"]) == (403, True)
    assert (await v3("GET", "namespaces/system/metadata", scope="system")).body["properties"].get("description") is None
    assert (await v3("PUT", "namespaces/default", {"description": "ours"})).status == 200


async def test_batch_requires_the_scope_emit(v3: Any, jp_serverapp: Any, shop: None) -> None:
    holder = jp_serverapp.web_app.settings["colophon"].tokens.issue_token_and_revoke_earlier("k1", User("ada"), "ada")
    entity = {"details": {"namespace": "shop", "dataset": "orders"}, "type": "dataset"}
    tags = {"tags": [{"scope": "USER", "name": "kernel"}]}
    batch = [{"type": "UPDATE", "entity": entity, "updates": tags}]
    mine = {"Authorization": f"token {holder}"}
    assert (await v3("POST", "metadata-internals/batch", batch, mine)).status == 200
    assert (await v3("POST", "metadata-internals/batch", batch, {"Authorization": "token wrong"})).status == 403
    # A kernel deletes no entity.
    assert (await v3("DELETE", ORDERS, headers=mine)).status == 403


async def test_a_batch_that_is_sent_again_has_its_first_answer(v3: Any, shop: None) -> None:
    entity = {"details": {"namespace": "shop", "dataset": "orders"}, "type": "dataset"}
    recorded = {"properties": [{"scope": "USER", "name": "owner", "value": "ada"}]}
    batch = [{"type": "UPDATE", "entity": entity, "updates": recorded}]
    first = await v3("POST", "metadata-internals/batch", batch, {"Idempotency-Key": "k"})
    await v3("POST", f"{ORDERS}/metadata/properties", {"owner": "bob"})
    again = await v3("POST", "metadata-internals/batch", batch, {"Idempotency-Key": "k"})
    assert [mutation["before"]["properties"] for mutation in again.body] == [
        mutation["before"]["properties"] for mutation in first.body
    ]
    assert {"scope": "USER", "name": "owner", "value": "ada"} in again.body[0]["after"]["properties"]
    assert (await v3("GET", f"{ORDERS}/metadata/properties")).body == {"owner": "bob"}


async def test_creation_time_is_kept_when_replaced(v3: Any, shop: None) -> None:
    entity = {"details": {"namespace": "shop", "dataset": "orders"}, "type": "dataset"}

    async def create(time: str) -> None:
        recorded = {"properties": [{"scope": "SYSTEM", "name": "creation-time", "value": time}]}
        await v3("POST", "metadata-internals/batch", [{"type": "CREATE", "entity": entity, "metadata": recorded}])

    await create("1")
    await create("2")
    assert (await v3("GET", f"{ORDERS}/metadata/properties/system")).body["creation-time"] == "1"


async def test_user_metadata_of_an_entity_is_limited(v3: Any, shop: None) -> None:
    recorded = f"{ORDERS}/metadata/properties"
    for number in range(6):
        assert (await v3("POST", recorded, {f"k{number}": "x" * 10_240})).status == 200
    over = await v3("POST", recorded, {"k6": "x" * 10_240, "small": "y"})
    assert (over.status, "65536" in over.body["message"]) == (400, True)
    assert set((await v3("GET", recorded)).body) == {f"k{number}" for number in range(6)}
    tags = f"{APP}/metadata/tags"
    assert (await v3("POST", tags, [f"t{number}" for number in range(500)])).status == 200
    assert (await v3("POST", tags, ["one-more"])).status == 400
    assert len((await v3("GET", tags)).body) == 500
    # System metadata have no such limit: schemas are long.
    schema = {"properties": {"schema": "x" * 200_000}}
    assert (await v3("PUT", ORDERS, schema)).status == 200


async def test_writing_later_is_taken_and_done_at_once(v3: Any, shop: None) -> None:
    done = await v3("POST", f"{ORDERS}/metadata/tags?async=true", ["now"])
    assert (done.status, done.body["version"]) == (200, 1)
    assert (await v3("GET", f"{ORDERS}/metadata/tags")).body == ["now"]


async def test_external_dataset_is_created_only_in_its_namespace(v3: Any, shop: None) -> None:
    urn = quote("urn:li:dataset:(urn:li:dataPlatform:file,/data/new.csv,PROD)", safe="")
    assert (await v3("PUT", f"namespaces/shop/datasets/{urn}", {"typeName": "file"})).status == 404
    assert (await v3("PUT", f"namespaces/default/datasets/{urn}", {"typeName": "file"})).status == 200
    assert (await v3("GET", f"namespaces/default/datasets/{urn}")).status == 200
    assert (await v3("PUT", "namespaces/shop/datasets/urn:li:namespace:x", {})).status == 400


async def test_a_foreign_application_has_jobs_of_its_own(v3: Any, shop: None) -> None:
    urn = "urn:li:dataFlow:(airflow,nightly,PROD)"
    app = f"namespaces/default/apps/{quote(urn, safe='')}"
    assert (await v3("PUT", app, {"programs": {"flows": ["Load"]}})).status == 400
    assert (await v3("PUT", app, {"programs": {"jobs": ["load"]}})).status == 200
    assert (await v3("GET", f"{app}/jobs/load")).body["urn"] == f"urn:li:dataJob:({urn},load)"
    assert (await v3("PUT", app, {"programs": {}})).status == 200
    assert (await v3("GET", f"{app}/jobs/load")).status == 404


async def test_each_deployment_replaces_the_application_parts(v3: Any, shop: None) -> None:
    parts = {"plugins": {"Table": "Table:batchsource"}, "schedules": {"nightly": "nightly:at two"}, "artifact": "jar-2"}
    assert (await v3("PUT", APP, parts)).status == 200
    system = (await v3("GET", f"{APP}/metadata", scope="system")).body
    reported = system["properties"]
    assert (reported["plugin:Table"], reported["schedule:nightly"], reported["Flow:Load"]) == (
        "Table:batchsource",
        "nightly:at two",
        "Load",
    )
    assert system["tags"] == ["etl", "jar-2"]
    found = await v3("GET", "namespaces/shop/metadata/search", query="plugin:Table", target="app")
    assert found.body == ["etl"]
    assert (await v3("PUT", APP, {"plugins": {}})).status == 200
    reported = (await v3("GET", f"{APP}/metadata/properties/system")).body
    assert ("plugin:Table" in reported, "schedule:nightly" in reported) == (False, True)
    # Programs stay if the deployment does not mention programs.
    assert (await v3("GET", f"{APP}/flows/Load")).status == 200
    assert (await v3("PUT", APP, {"programs": {}})).status == 200
    assert (await v3("GET", f"{APP}/flows/Load")).status == 404


MALFORMED_REQUESTS = [
    ("PUT", "namespaces/shop/datasets/new", {"typeName": 1}),
    ("PUT", "namespaces/shop/datasets/new", {"strange": "x"}),
    ("PUT", "namespaces/shop/datasets/new", {"ttl": "a while"}),
    ("PUT", "namespaces/shop/streams/new", {"ttl": -1}),
    ("PUT", "namespaces/shop/datasets/new", {"properties": {"format": 1}}),
    ("PUT", "namespaces/shop/datasets/new", {"metadata": {"tags": ["not a tag"]}}),
    ("PUT", "namespaces/shop/datasets/new", []),
    ("PUT", "namespaces/shop/datasets/new", b"{"),
    ("PUT", f"namespaces/shop/datasets/{'x' * 513}", {}),
    ("PUT", "namespaces/shop/streams/a.b", {}),
    ("PUT", "namespaces/shop/apps/a.b", {}),
    ("PUT", "namespaces/shop/apps/new", {"programs": {"flows": "Load"}}),
    ("PUT", "namespaces/shop/apps/new", {"programs": {"flows": ["a b"]}}),
    ("PUT", "namespaces/shop/apps/new", {"programs": ["Load"]}),
    ("PUT", "namespaces/a-b", {}),
    ("PUT", "namespaces/new", {"config": {"x": 1}}),
    ("POST", "namespaces/shop/artifacts/a/metadata/tags", ["x"]),
    ("POST", "namespaces/shop/jar/a/metadata/tags?type=dataset", ["x"]),
    ("POST", "namespaces/shop/apps/etl/rockets/x/metadata/tags", ["x"]),
]


async def test_malformed_request_returns_400_without_creating_anything(v3: Any, shop: None) -> None:
    for method, path, body in MALFORMED_REQUESTS:
        assert (await v3(method, path, body)).status == 400, (method, path, body)
        for made in ("namespaces/shop/datasets/new", "namespaces/shop/apps/new", "namespaces/new"):
            assert (await v3("GET", made)).status == 404, (method, path, body)


async def test_anonymous_request_gets_cdap_error_form(v3: Any, shop: None) -> None:
    nobody = {"Authorization": "token wrong"}
    for method, path in (("GET", ORDERS), ("GET", f"{ORDERS}/metadata"), ("GET", "metadata/search?query=x")):
        assert (await v3(method, path, headers=nobody)).status == 403
    assert (await v3("POST", f"{ORDERS}/metadata/tags", ["x"], nobody)).status == 403


async def test_singular_words_lead_to_the_same(v3: Any, shop: None) -> None:
    await v3("POST", "namespaces/shop/streams/clicks/metadata/tags", ["x"])
    assert (await v3("GET", "namespaces/shop/stream/clicks/metadata/tags")).body == ["x"]
