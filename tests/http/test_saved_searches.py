"""Saved searches, as instances of a schemaspace that we ship."""

from typing import Any

import pytest
from support.urns import ORDERS

SPACE = ("schemaspaces", "saved-searches", "instances")


async def test_search_is_saved_repeated_and_deleted(api: Any, sales: None) -> None:
    kept = {"query": "format:parq*", "namespace": "sales", "type": "dataset", "tags": ["mine"]}
    document = {"display_name": "Tables of sales", "schema_name": "saved-search", "metadata": kept}
    made = await api("POST", *SPACE, body=document, answers="instance")
    assert (made.status, made.body["name"]) == (201, "tables_of_sales")
    (row,) = (await api("GET", *SPACE, answers="instances")).body["instances"]
    read = (await api("GET", *SPACE, row["name"], answers="instance")).body["metadata"]
    requested = {"q": read["query"]} | {name: read[name] for name in ("namespace", "type")}
    hits = (await api("GET", "search", params=requested, answers="search-results")).body["hits"]
    assert [hit["urn"] for hit in hits] == [ORDERS]
    changed = document | {"metadata": kept | {"namespace": "zoo"}}
    assert (await api("PUT", *SPACE, row["name"], body=changed, answers="instance")).status == 200
    assert (await api("DELETE", *SPACE, row["name"], answers="instance-delete-result")).status == 200
    assert (await api("GET", *SPACE, answers="instances")).body["instances"] == []


async def test_saved_search_does_not_find_itself(api: Any, sales: None) -> None:
    document = {"display_name": "orders", "schema_name": "saved-search", "metadata": {"query": "orders*"}}
    assert (await api("POST", *SPACE, body=document, answers="instance")).status == 201
    found = (await api("GET", "search", params={"q": "orders*"}, answers="search-results")).body
    assert [hit["urn"] for hit in found["hits"]] == [ORDERS]
    assert found["total"] == 1
    assert found["facets"]["type"] == [{"value": "dataset", "count": 1}]
    other = (await api("GET", "search", params={"q": "orders"}, answers="search-results")).body
    assert [hit["type"] for hit in other["hits"]] == ["dataset", "instance"]
    typed = {"display_name": "typed", "schema_name": "saved-search", "metadata": {"query": "name:orders"}}
    assert (await api("POST", *SPACE, body=typed, answers="instance")).status == 201
    found = (await api("GET", "search", params={"q": "name:orders*"}, answers="search-results")).body
    assert "typed" not in [hit["name"] for hit in found["hits"]]


async def test_invalid_search_is_not_saved(api: Any, sales: None) -> None:
    for kept in ({}, {"query": ""}, {"query": "  "}, {"query": "x", "scope": "user"}, {"query": 1}):
        document = {"display_name": "Nothing", "schema_name": "saved-search", "metadata": kept}
        refused = await api("POST", *SPACE, body=document)
        assert refused.status == 400
        assert refused.body["errors"][0]["pointer"].startswith("/metadata")


@pytest.mark.parametrize(
    "query",
    [
        "creation-time:abc..",
        "creation-time:2027..2026",
        "creation-time:..",
        "last-update-time:2026-13..2027",
        "a*b",
        "x?",
        "owner:",
    ],
)
async def test_query_that_search_refuses_is_refused_at_its_field(api: Any, sales: None, query: str) -> None:
    assert (await api("GET", "search", params={"q": query})).status == 400
    document = {"display_name": "Illegal", "schema_name": "saved-search", "metadata": {"query": query}}
    refused = await api("POST", *SPACE, body=document)
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/metadata/query")
    legal = document | {"metadata": {"query": "creation-time:2026..now-1d orders"}}
    saved = await api("POST", *SPACE, body=legal, answers="instance")
    assert saved.status == 201
    assert (await api("PUT", *SPACE, saved.body["name"], body=document)).status == 400
    read = (await api("GET", *SPACE, saved.body["name"], answers="instance")).body
    assert read["metadata"]["query"] == "creation-time:2026..now-1d orders"


@pytest.mark.each_store
async def test_every_search_filter_can_be_saved(api: Any) -> None:
    schema = (await api("GET", "schemaspaces", "saved-searches", "schemas", "saved-search")).body
    kept = set(schema["properties"]["metadata"]["properties"]) - {"description", "tags", "query"}
    document = (await api("GET", "openapi.json", documented=False)).body
    takes = {one["name"] for one in document["paths"]["/search"]["get"]["parameters"] if one.get("in") == "query"}
    assert takes - {"q", "sort", "limit", "cursor", "facets", "asOf"} == kept
