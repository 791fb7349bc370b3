"""One vocabulary in one graph: what arrives by any API is found, counted, shown and hidden by all (docs/api.md)."""

from typing import Any

import pytest
from support.urns import ORDERS

pytestmark = pytest.mark.each_store

_STAMP = {"time": 0, "actor": "urn:li:corpuser:datahub"}
_COLUMN = f"urn:li:schemaField:({ORDERS},%s)"


async def _put(api: Any, urn: str, aspect: str, value: Any) -> None:
    done = await api("PUT", "entities", urn, "aspects", aspect, body=value)
    assert done.status == 200, done.body


def _schema(**columns: Any) -> dict[str, Any]:
    fields = [
        {
            "fieldPath": path,
            "nativeDataType": "string",
            "type": {"type": {"com.linkedin.schema.StringType": {}}},
            **more,
        }
        for path, more in columns.items()
    ]
    return {
        "schemaName": "orders",
        "platform": "urn:li:dataPlatform:spark",
        "version": 0,
        "hash": "",
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
        "fields": fields,
    }


def _tags(*names: str) -> dict[str, Any]:
    return {"tags": [{"tag": f"urn:li:tag:{name}"} for name in names]}


def _terms(*names: str) -> dict[str, Any]:
    return {"terms": [{"urn": f"urn:li:glossaryTerm:{name}"} for name in names], "auditStamp": _STAMP}


async def _described(api: Any) -> None:
    """Orders as a client of DataHub describes it."""
    await _put(api, ORDERS, "globalTags", _tags("tier-1"))
    await _put(api, ORDERS, "glossaryTerms", _terms("8a7f"))
    owner = {"owner": "urn:li:corpuser:jdoe", "type": "DATAOWNER"}
    await _put(api, ORDERS, "ownership", {"owners": [owner], "ownerTypes": {}, "lastModified": _STAMP})
    await _put(api, ORDERS, "domains", {"domains": ["urn:li:domain:d0a1"]})
    await _put(api, ORDERS, "editableDatasetProperties", {"description": "Every zephyr order"})
    await _put(
        api,
        "urn:li:glossaryTerm:8a7f",
        "glossaryTermInfo",
        {"name": "Gross Revenue", "definition": "x", "termSource": "INTERNAL"},
    )
    await _put(api, "urn:li:domain:d0a1", "domainProperties", {"name": "Sales Europe"})
    await _put(api, "urn:li:corpuser:jdoe", "corpUserInfo", {"active": True, "displayName": "Jane Doe"})


async def _found(api: Any, query: str, **filters: str) -> list[str]:
    answer = await api("GET", "search", params={"q": query, "type": "dataset", **filters}, answers="search-results")
    assert answer.status == 200, answer.body
    return [hit["urn"] for hit in answer.body["hits"]]


async def test_datahub_metadata_is_found_by_filters_and_facets(api: Any) -> None:
    await _described(api)
    for query in ("tier-1", "tags:tier-1", "terms:8a7f", "domain:d0a1", "owner:jdoe", "zephyr", "description:every*"):
        assert await _found(api, query) == [ORDERS], query
    for query in ("urn:li:tag:tier-1", "owner:urn:li:corpuser:jdoe"):
        assert await _found(api, query) == [ORDERS], query
    for name, values in {
        "tag": ["tier-1", "urn:li:tag:tier-1"],
        "term": ["8a7f", "urn:li:glossaryTerm:8a7f", "Gross Revenue"],
        "domain": ["d0a1", "Sales Europe"],
        "owner": ["jdoe", "Jane Doe", "urn:li:corpuser:jdoe"],
    }.items():
        for value in values:
            assert await _found(api, "*", **{name: value}) == [ORDERS], (name, value)
        assert await _found(api, "*", **{name: "another"}) == []
    answer = (await api("GET", "search", params={"q": "*", "type": "dataset"}, answers="search-results")).body
    assert answer["facets"]["term"] == [{"value": "8a7f", "count": 1, "name": "Gross Revenue"}]
    assert answer["facets"]["domain"] == [{"value": "d0a1", "count": 1, "name": "Sales Europe"}]
    assert answer["facets"]["owner"] == [{"value": "jdoe", "count": 1, "name": "Jane Doe"}]
    assert answer["facets"]["tag"] == [{"value": "tier-1", "count": 1, "bySystem": True}]
    (hit,) = answer["hits"]
    shown = {name: hit[name] for name in ("tags", "terms", "domains", "owner", "description")}
    assert shown == {
        "tags": ["tier-1"],
        "terms": ["Gross Revenue"],
        "domains": ["Sales Europe"],
        "owner": "Jane Doe",
        "description": "Every zephyr order",
    }


async def test_names_of_references_are_found_and_follow_a_rename(api: Any) -> None:
    await _described(api)
    for query in ('"Gross Revenue"', "gross", "terms:gross*", '"Sales Europe"', '"jane doe"', 'owner:"Jane Doe"'):
        assert await _found(api, query) == [ORDERS], query
    answer = (await api("GET", "search", params={"q": "gross", "type": "dataset"}, answers="search-results")).body
    reasons = {(one["key"], one["value"], one["aspect"]) for one in answer["hits"][0]["matches"]}
    assert reasons == {("terms", "Gross Revenue", "glossaryTerms")}
    await _put(
        api,
        "urn:li:glossaryTerm:8a7f",
        "glossaryTermInfo",
        {"name": "Net Turnover", "definition": "x", "termSource": "INTERNAL"},
    )
    assert await _found(api, "gross") == []
    assert await _found(api, "turnover") == [ORDERS]
    entity = (await api("GET", "entities", ORDERS, answers="entity")).body
    (term,) = [one for one in entity["descriptors"] if one["kind"] == "term"]
    assert (term["name"], term["text"], term["scope"], term["aspect"]) == (
        "Net Turnover",
        "8a7f",
        "SYSTEM",
        "glossaryTerms",
    )
    assert term["urn"] == "urn:li:glossaryTerm:8a7f"


async def test_column_metadata_is_read_from_every_aspect(api: Any) -> None:
    """A tag that the mask stage and crawls did not see was written in clear."""
    await _put(api, ORDERS, "schemaMetadata", _schema(a={"globalTags": _tags("confidential")}, b={}, c={}, d={}))
    column = {"fieldPath": "b", "globalTags": _tags("confidential"), "glossaryTerms": _terms("Id")}
    await _put(api, ORDERS, "editableSchemaMetadata", {"editableSchemaFieldInfo": [column]})
    await _put(api, _COLUMN % "c", "globalTags", _tags("confidential"))
    await _put(api, _COLUMN % "[version=2.0].[type=string].d", "globalTags", _tags("confidential"))
    place = ("entities", ORDERS, "fields")
    assert (await api("GET", *place, answers="fields")).body["fields"] == ["a", "b", "c", "d"]
    for path, scope in (("a", "SYSTEM"), ("b", "USER"), ("c", "SYSTEM"), ("d", "SYSTEM")):
        found = (await api("GET", "entities", _COLUMN % path, "metadata", answers="entity-metadata")).body
        assert found[scope]["tags"] == ["confidential"], path
    page = (await api("GET", *place, "metadata", params={"limit": 2}, answers="fields-metadata")).body
    rest = await api("GET", *place, "metadata", params={"cursor": page["cursor"]}, answers="fields-metadata")
    fields = page["fields"] + rest.body["fields"]
    assert [one["name"] for one in fields] == ["a", "b", "c", "d"]
    reported = {
        (one["name"], each["aspect"], each["source"] == ORDERS) for one in fields for each in one["descriptors"]
    }
    assert reported == {
        ("a", "schemaMetadata", True),
        ("b", "editableSchemaMetadata", True),
        ("c", "globalTags", False),
        ("d", "globalTags", False),
    }
    # Its own page has all of it, even if the field is not an entity.
    for path, source in (("b", ORDERS), ("c", _COLUMN % "c")):
        column = (await api("GET", "entities", _COLUMN % path, answers="entity")).body
        assert (column["name"], column["descriptors"][0]["name"]) == (path, "confidential")
        assert (column["descriptors"][0]["source"], column["descriptors"][0]["column"]) == (source, None)
    assert (await api("GET", "entities", _COLUMN % "e")).status == 404
    # A column's tag is not the dataset's own.
    whole = (await api("GET", "entities", ORDERS, "metadata", answers="entity-metadata")).body
    assert whole["USER"]["tags"] == whole["SYSTEM"]["tags"] == []
    assert await _found(api, "*", tag="confidential") == [ORDERS]


async def test_new_schema_keeps_column_metadata(api: Any) -> None:
    described = {"globalTags": _tags("confidential"), "glossaryTerms": _terms("Id"), "description": "Number"}
    await _put(api, ORDERS, "schemaMetadata", _schema(ssn=described, gone=described, plain={}))
    await _put(api, ORDERS, "schemaMetadata", _schema(ssn={}, plain={}))
    for path in ("ssn", "gone"):
        found = (await api("GET", "entities", _COLUMN % path, "metadata")).body["SYSTEM"]
        assert (found["tags"], found["properties"]["terms"]) == (["confidential"], "Id"), path
    assert found["properties"].get("description") is None
    kept = (await api("GET", "entities", _COLUMN % "ssn", "metadata")).body["SYSTEM"]
    assert kept["properties"]["description"] == "Number"
    # An empty list is a statement.
    await _put(api, ORDERS, "schemaMetadata", _schema(plain={"globalTags": _tags("x")}))
    await _put(api, ORDERS, "schemaMetadata", _schema(plain={"globalTags": _tags()}))
    assert (await api("GET", "entities", _COLUMN % "plain", "metadata")).body["SYSTEM"]["tags"] == []


async def test_soft_deleted_entities_require_include_removed(api: Any) -> None:
    await _described(api)
    await _put(api, ORDERS, "status", {"removed": True})
    assert await _found(api, "*") == await _found(api, "tags:tier-1") == await _found(api, "orders") == []
    assert await _found(api, "tags:tier-1", includeRemoved="true") == [ORDERS]
    answer = (
        await api("GET", "search", params={"q": "orders", "includeRemoved": "true"}, answers="search-results")
    ).body
    assert answer["hits"][0]["removed"] is True
    assert (await api("GET", "search", params={"q": "*", "type": "dataset"})).body["facets"]["tag"] == []
    keys = (await api("GET", "keys", params={"prefix": "tier"}, answers="keys")).body["keys"]
    assert keys == []
    for requested in ({}, {"scope": "SYSTEM"}):
        values = await api("GET", "keys", "tags", "values", params=requested, answers="key-values")
        assert values.body["values"] == []
    listed = (await api("GET", "entities", params={"type": "dataset"}, answers="entities")).body["entities"]
    assert listed == []
    listed = (
        await api("GET", "entities", params={"type": "dataset", "includeRemoved": "true"}, answers="entities")
    ).body
    assert [one["urn"] for one in listed["entities"]] == [ORDERS]
    removal = (await api("GET", "entities", ORDERS, "aspects", "status")).body["time"]
    await _put(api, ORDERS, "status", {"removed": False})
    assert await _found(api, "tags:tier-1") == [ORDERS]
    # A restored entity is no longer marked, whichever index finds it; an entity removed then is.
    for query in ("*", "tags:tier-1", "orders", "owner:*"):
        for requested in ({}, {"includeRemoved": "true"}):
            answer = (await api("GET", "search", params={"q": query} | requested, answers="search-results")).body
            assert [one["urn"] for one in answer["hits"] if "removed" in one] == []
    past = {"q": "tags:tier-1", "asOf": removal}
    assert (await api("GET", "search", params=past, answers="search-results")).body["hits"] == []
    (then,) = (await api("GET", "search", params=past | {"includeRemoved": "true"}, answers="search-results")).body[
        "hits"
    ]
    assert then["removed"] is True
    keys = (await api("GET", "keys", params={"prefix": "tier"}, answers="keys")).body["keys"]
    assert [one["entities"] for one in keys] == [1]


async def test_entities_are_found_by_author_and_time(api: Any) -> None:
    await _described(api)
    entity = (await api("GET", "entities", ORDERS, answers="entity")).body
    actor, created = entity["created"]["actor"], entity["created"]["time"]
    day = created[:10]
    for query in (
        f"created-by:{actor}",
        f"last-updated-by:{actor}",
        f"creation-time:{day}",
        f"creation-time:{day[:7]}",
        f"creation-time:>={day}",
        f"creation-time:{day}..{day}",
        "creation-time:>now-1d",
        "last-update-time:now-1h..",
        f'creation-time:">={created}"',
        f'creation-time:"<={created}"',
    ):
        assert await _found(api, query) == [ORDERS], query
    for query in (
        "created-by:nobody",
        "creation-time:<2020",
        f'creation-time:"<{created}"',
        f'creation-time:">{created}"',
    ):
        assert await _found(api, query) == [], query
    for query in ("creation-time:>yesterday", "creation-time:2020-99..2021"):
        assert (await api("GET", "search", params={"q": query})).status == 400, query


async def test_registry_lists_members_shown_as_descriptors(api: Any) -> None:
    dataset = (await api("GET", "registry", "dataset", answers="entity-type")).body
    described = {one["name"]: one["described"] for one in dataset["aspects"]}
    assert described["businessMetadata"] == ["properties", "tags"]
    assert described["institutionalMemory"] == ["elements"]
    assert described["upstreamLineage"] == []


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("creation-time:2027..2026", "ends before it begins"),
        ("last-update-time:2026-11-02..2026-11-01", "ends before it begins"),
        ("creation-time:..", "a time range needs a start or an end"),
        ('creation-time:".. "', "a time range needs a start or an end"),
    ],
)
async def test_range_without_any_time_in_it_is_refused(query: str, reason: str, api: Any) -> None:
    refused = await api("GET", "search", params={"q": query})
    assert refused.status == 400
    assert reason in refused.body["detail"]
