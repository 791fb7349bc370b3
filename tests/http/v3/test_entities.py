"""Namespaces, datasets, streams and applications: creation, redeployment and deletion."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.v3 import AVRO


async def test_namespace_is_created_once_with_description(v3: Any) -> None:
    assert (await v3("GET", "namespaces/new")).status == 404
    assert (await v3("DELETE", "namespaces/new")).status == 404
    for changed in (True, False):
        made = await v3("PUT", "namespaces/new", {"description": "New"})
        assert (made.status, made.body["changed"]) == (200, changed)
    found = (await v3("GET", "namespaces/new")).body
    assert (found["name"], found["description"]) == ("new", "New")
    assert {"name": "new"} in (await v3("GET", "namespaces")).body
    assert (await v3("DELETE", "namespaces/new")).status == 403
    assert (await v3("DELETE", "namespaces/new", confirm="other")).status == 403
    assert (await v3("DELETE", "unrecoverable/namespaces/new", confirm="new")).status == 200
    assert (await v3("GET", "namespaces/new")).status == 404
    assert (await v3("DELETE", "namespaces/new", confirm="new")).status == 404


@pytest.mark.parametrize("name", ["a-b", "a.b", "a%20b", "%C3%A4"])
async def test_a_namespace_has_a_name_of_letters_digits_and_underscores(v3: Any, name: str) -> None:
    assert (await v3("PUT", f"namespaces/{name}", {})).status == 400


async def test_unknown_namespace_returns_404(v3: Any) -> None:
    for path in ("datasets/d", "streams/s", "apps/a"):
        assert (await v3("PUT", f"namespaces/none/{path}", {})).status == 404
        assert (await v3("GET", f"namespaces/none/{path}")).status == 404
        assert (await v3("DELETE", f"namespaces/none/{path}")).status == 404
    assert (await v3("GET", "namespaces/none")).status == 404


async def test_the_eternal_namespaces_stay(v3: Any) -> None:
    for name in ("default", "system"):
        assert (await v3("DELETE", f"namespaces/{name}", confirm=name)).status == 403
        assert (await v3("GET", f"namespaces/{name}")).status == 200


SAVED = ("schemaspaces", "saved-searches", "instances")


async def keep_search(api: Any, name: str, namespace: str) -> None:
    kept = {"query": "*", "namespace": namespace}
    document = {"display_name": name, "schema_name": "saved-search", "metadata": kept}
    assert (await api("POST", *SAVED, body=document)).status == 201


async def test_deleted_namespace_deletes_files_and_saved_searches(v3: Any, api: Any, shop: None) -> None:
    for name, namespace in (("in shop", "shop"), ("elsewhere", "default")):
        await keep_search(api, name, namespace)
    clicks = "namespaces/shop/streams/clicks"
    assert (await v3("POST", clicks, {"page": "a"})).status == 200
    folder = Path((await v3("GET", clicks)).body["events"])
    assert folder.is_dir()
    assert (await v3("DELETE", "namespaces/shop", confirm="shop")).status == 200
    assert (await v3("PUT", "namespaces/shop")).status == 200
    assert not folder.parent.exists()
    assert [instance["name"] for instance in (await api("GET", *SAVED)).body["instances"]] == ["elsewhere"]
    # The same where an empty namespace is deleted as an entity.
    await keep_search(api, "again", "shop")
    (folder.parent / "left").mkdir(parents=True)
    assert (await api("DELETE", "entities", "urn:li:namespace:shop")).status == 200
    assert not folder.parent.exists()
    assert [instance["name"] for instance in (await api("GET", *SAVED)).body["instances"]] == ["elsewhere"]


@pytest.mark.each_store
async def test_deleted_namespace_is_empty_after_recreation(v3: Any, shop: None) -> None:
    await v3("POST", "namespaces/shop/datasets/orders/metadata/tags", ["gold"])
    assert (await v3("DELETE", "namespaces/shop", confirm="shop")).status == 200
    gone = ("", "/datasets/orders", "/streams/clicks", "/apps/etl", "/apps/etl/flows/Load", "/datasets/orders/metadata")
    for path in gone:
        assert (await v3("GET", f"namespaces/shop{path}")).status == 404, path
    assert (await v3("GET", "metadata/search", query="gold")).body == []
    assert (await v3("PUT", "namespaces/shop", {})).status == 200
    assert (await v3("GET", "namespaces/shop/datasets/orders")).status == 404
    assert (await v3("PUT", "namespaces/shop/datasets/orders", {})).status == 200
    assert (await v3("GET", "namespaces/shop/datasets/orders/metadata/tags")).body == []


async def test_undeployed_program_is_deleted_with_its_metadata(v3: Any, shop: None) -> None:
    app, flow = "namespaces/shop/apps/etl", "namespaces/shop/apps/etl/flows/Load"
    await v3("POST", f"{flow}/metadata/tags", ["mine"])
    await v3("POST", f"{app}/metadata/tags", ["kept"])
    system = (await v3("GET", f"{app}/metadata/properties/system")).body
    assert (system["Flow:Load"], system["Spark:Join"]) == ("Load", "Join")
    assert (await v3("PUT", app, {"programs": {"spark": ["Join"]}})).status == 200
    assert (await v3("GET", f"{flow}/metadata")).status == 404
    assert (await v3("GET", f"{app}/metadata/tags")).body == ["kept"]
    system = (await v3("GET", f"{app}/metadata/properties/system")).body
    assert "Flow:Load" not in system
    await v3("PUT", app, {"programs": {"flows": ["Load"], "spark": ["Join"]}})
    assert (await v3("GET", f"{flow}/metadata/tags")).body == []
    assert (await v3("PUT", app, {"programs": {"rockets": ["x"]}})).status == 400


@pytest.mark.each_store
async def test_an_application_takes_its_programs_with_it(v3: Any, shop: None) -> None:
    flow = "namespaces/shop/apps/etl/flows/Load"
    await v3("POST", f"{flow}/metadata/tags", ["mine"])
    assert (await v3("DELETE", "namespaces/shop/apps/etl")).status == 200
    assert (await v3("GET", flow)).status == 404
    assert (await v3("GET", "namespaces/shop/metadata/search", query="mine")).body == []


async def test_repeated_deployment_changes_nothing(v3: Any, shop: None) -> None:
    again = {"typeName": "table", "description": "All orders"}
    assert (await v3("PUT", "namespaces/shop/datasets/orders", again)).body["changed"] is False
    more = await v3("PUT", "namespaces/shop/datasets/orders", {"properties": {"format": "parquet"}})
    assert more.body["changed"] is True
    system = (await v3("GET", "namespaces/shop/datasets/orders/metadata/properties/system")).body
    assert (system["type"], system["format"]) == ("table", "parquet")


async def test_deployment_may_include_user_metadata(v3: Any, shop: None) -> None:
    recorded = {"properties": {"owner": "ada"}, "tags": ["gold"]}
    assert (await v3("PUT", "namespaces/shop/datasets/new", {"metadata": recorded})).status == 200
    assert (await v3("GET", "namespaces/shop/datasets/new/metadata")).body == recorded
    wrong = {"metadata": {"properties": {"a b": "x"}}}
    assert (await v3("PUT", "namespaces/shop/datasets/other", wrong)).status == 400
    assert (await v3("GET", "namespaces/shop/datasets/other")).status == 404


async def test_schema_is_stored_unchanged_and_found_by_fields(v3: Any, shop: None) -> None:
    reported = (await v3("GET", "namespaces/shop/streams/clicks/metadata/properties/system")).body["schema"]
    assert json.loads(reported) == AVRO
    for query in ("page", "page:string", "at:long", "schema:page"):
        found = await v3("GET", "namespaces/shop/metadata/search", query=query, target="stream")
        assert found.body == ["clicks"], query
    odd = await v3("PUT", "namespaces/shop/datasets/odd", {"properties": {"schema": "no schema at all"}})
    assert odd.status == 200
    system = (await v3("GET", "namespaces/shop/datasets/odd/metadata/properties/system")).body
    assert system["schema"] == "no schema at all"


async def test_workflow_nodes_are_tags(v3: Any, shop: None) -> None:
    app, tags = "namespaces/shop/apps/etl", "namespaces/shop/apps/etl/workflows/nightly/metadata/tags"
    workflow = {"name": "nightly", "nodes": ["clean", "join"]}
    await v3("PUT", app, {"programs": {"workflows": [workflow, "plain"], "spark": ["join"]}})
    assert (await v3("GET", tags, scope="system")).body == ["Batch", "Workflow", "clean", "join", "nightly"]
    found = await v3("GET", "namespaces/shop/metadata/search", query="tags:clean", target="program")
    assert found.body == ["etl.workflows.nightly"]
    await v3("PUT", app, {"programs": {"workflows": [{"name": "nightly", "nodes": ["join"]}], "spark": ["join"]}})
    assert (await v3("GET", tags, scope="system")).body == ["Batch", "Workflow", "join", "nightly"]
    assert (await v3("PUT", app, {"programs": {"spark": [workflow]}})).status == 400


async def test_datasets_have_the_tags_that_clients_of_cdap_look_for(v3: Any, shop: None) -> None:
    await v3("PUT", "namespaces/shop/datasets/plain", {"typeName": "fileSet"})
    await v3("PUT", "namespaces/shop/datasets/table", {"schema": AVRO})
    tags = {
        name: (await v3("GET", f"namespaces/shop/{name}/metadata/tags", scope="system")).body
        for name in ("datasets/plain", "datasets/table", "streams/clicks")
    }
    assert tags == {
        "datasets/plain": ["batch", "plain"],
        "datasets/table": ["batch", "explore", "table"],
        "streams/clicks": ["clicks"],
    }


async def test_answer_has_the_system_metadata_version(v3: Any, shop: None) -> None:
    for path, reported in (("datasets/orders", {"ttl": "1"}), ("apps/new", {}), ("streams/clicks", {"ttl": "2"})):
        done = await v3("PUT", f"namespaces/shop/{path}", reported)
        read = await v3("GET", f"namespaces/shop/{path}/metadata", scope="system")
        assert read.etag == f'"{done.body["version"]}"'
