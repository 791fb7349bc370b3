"""Search results over HTTP, by the cases of `conformance/search.json` (spec SEARCH-1)."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.urns import ORDERS

pytestmark = pytest.mark.each_store

CASES = json.loads((Path(__file__).parents[1] / "conformance" / "search.json").read_text("utf-8"))


async def test_each_search_case_has_its_result(api: Any) -> None:
    await _write(api)
    wrong = []
    for case in CASES["cases"]:
        requested = {"q": case["query"], **case.get("filters", {})}
        found = await api("GET", "search", params=requested, answers="search-results")
        if case.get("refused"):
            if found.status != 400:
                wrong.append((case, found.status))
            continue
        names = [hit["name"] for hit in found.body["hits"]]
        if not _fits(case, names) or found.body["total"] != len(names):
            wrong.append((case, names))
    assert wrong == []


async def test_hostile_queries_are_plain_words(api: Any) -> None:
    await _write(api)
    everything = (await api("GET", "search", params={"q": "*", "limit": 500}, answers="search-results")).body["total"]
    for text in CASES["hostile"]:
        for query in (text, f"{text} orders", f"owner:{text}", f"{text}*", f'"{text}"'):
            found = await api("GET", "search", params={"q": query}, answers="search-results")
            assert found.status in (200, 400), query
        for name in ("namespace", "type", "tag", "platform", "owner"):
            found = await api("GET", "search", params={"q": "*", name: text}, answers="search-results")
            if name == "type":
                assert found.status == 400, text
                assert found.body["detail"].startswith("type: no such entity type: "), text
            else:
                assert (found.status, found.body["total"]) == (200, 0), (name, text)
    again = await api("GET", "search", params={"q": "*", "limit": 500}, answers="search-results")
    assert again.body["total"] == everything


async def test_facets_count_all_matches_and_pages_follow_one_another(api: Any) -> None:
    await _write(api)
    whole = (await api("GET", "search", params={"q": "*"}, answers="search-results")).body
    facets = {name: {one["value"]: one["count"] for one in counts} for name, counts in whole["facets"].items()}
    assert facets["type"]["dataset"] == 6
    assert facets["namespace"]["sales"] == 4  # three tables, and the namespace itself
    assert facets["tag"] == {"faa": 2, "raw-data": 1, "Reviewed": 1}
    assert {name: facets["platform"][name] for name in ("spark", "file", "s3")} == {"spark": 4, "file": 1, "s3": 1}
    assert facets["owner"] == {"Operations": 1, "ops": 1}
    one = (await api("GET", "search", params={"q": "*", "facets": "owner", "platform": "spark"})).body
    assert one["facets"] == {"owner": [{"value": "Operations", "count": 1}, {"value": "ops", "count": 1}]}
    pages: list[str] = []
    cursor = ""
    while True:
        requested = {"q": "*", "limit": 3} | ({"cursor": cursor} if cursor else {})
        page = (await api("GET", "search", params=requested, answers="search-results")).body
        assert page["facets"] == whole["facets"]
        assert page["total"] == whole["total"]
        pages += [hit["urn"] for hit in page["hits"]]
        if page["cursor"] is None:
            break
        cursor = page["cursor"]
        for changed in ({"q": "orders"}, {"q": "*", "namespace": "sales"}):
            other = await api("GET", "search", params=changed | {"limit": 3, "cursor": cursor})
            assert other.status == 400
        assert (await api("GET", "search", params={"q": "*", "cursor": cursor[:-2] + "xx"})).status == 400
    assert pages == [hit["urn"] for hit in whole["hits"]]
    assert (await api("GET", "search", params={"q": "*", "scope": "user"})).status == 400


async def test_hit_has_its_matches(api: Any) -> None:
    await _write(api)
    found = await api("GET", "search", params={"q": "owner:op*", "tag": "raw-data"}, answers="search-results")
    (hit,) = found.body["hits"]
    why = {"key": "owner", "value": "ops", "scope": "USER", "aspect": "businessMetadata", "matchedOn": "value"}
    assert hit["matches"] == [
        why | {"parts": [{"text": "op", "highlighted": True}, {"text": "s", "highlighted": False}]}
    ]
    assert (hit["owner"], hit["tags"]) == ("ops", ["faa", "raw-data"])


async def test_match_has_the_matching_part_of_a_path(api: Any) -> None:
    await _write(api)
    for query, fitting in (
        ("invoices", "invoices"),
        ("invoices-q3.avro", "invoices-q3.avro"),
        ("landing/inv*", "landing/inv"),
    ):
        (hit,) = (await api("GET", "search", params={"q": query}, answers="search-results")).body["hits"]
        (why,) = [one for one in hit["matches"] if one["matchedOn"] == "name"]
        assert [part["text"] for part in why["parts"] if part["highlighted"]] == [fitting]


async def test_keys_and_values_are_counted_for_whoever_types(api: Any) -> None:
    await _write(api)
    keys = (await api("GET", "keys", params={"prefix": "o"}, answers="keys")).body["keys"]
    assert {(one["key"], one["kind"], one["scope"], one["entities"]) for one in keys} >= {
        ("owner", "property", "USER", 2)
    }
    upper = (await api("GET", "keys", params={"prefix": "OWN"}, answers="keys")).body["keys"]
    assert [one["key"] for one in upper] == ["owner"]
    tags = (await api("GET", "keys", params={"prefix": "faa"}, answers="keys")).body["keys"]
    assert sum(one["entities"] for one in tags if one["kind"] == "tag") == 2
    values = (await api("GET", "keys", "owner", "values", answers="key-values")).body["values"]
    assert values == [{"value": "Operations", "entities": 1}, {"value": "ops", "entities": 1}]
    some = (await api("GET", "keys", "OWNER", "values", params={"prefix": "OPS"}, answers="key-values")).body["values"]
    assert some == [{"value": "ops", "entities": 1}]
    listed: list[str] = []
    cursor = ""
    while True:
        requested = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await api("GET", "keys", params=requested, answers="keys")).body
        listed += [f"{one['key']} {one['kind']} {one['scope']}" for one in page["keys"]]
        if page["cursor"] is None:
            break
        cursor = page["cursor"]
    assert len(listed) == len(set(listed)) > 5
    assert (await api("GET", "keys", params={"namespace": "none"}, answers="keys")).body["keys"] == []


async def test_removed_value_is_no_longer_found(api: Any) -> None:
    await _write(api)
    orders = CASES["entities"][0]["urn"]

    async def found(query: str) -> list[str]:
        answer = await api("GET", "search", params={"q": query}, answers="search-results")
        return [hit["name"] for hit in answer.body["hits"]]

    patch = {"Content-Type": "application/merge-patch+json"}
    path = ("entities", orders, "aspects", "businessMetadata")
    await api("PATCH", *path, body={"properties": {"owner": None}, "tags": []}, headers=patch, answers="write-result")
    assert await found("owner:ops") == []
    assert await found("tags:raw-data") == []
    assert await found("refresh:*") == ["orders"]
    await api("DELETE", *path, answers="write-result")
    assert await found("refresh:* morning") == []
    await api("DELETE", "entities", orders, answers="write-result")
    assert await found("empname parquet dataset:orders") == ["long"]
    keys = await api("GET", "keys", params={"prefix": "refresh"}, answers="keys")
    assert keys.body["keys"] == []


async def test_keys_of_a_time_are_those_that_there_were(api: Any) -> None:
    await _write(api)
    orders = CASES["entities"][0]["urn"]
    path = ("entities", orders, "aspects", "businessMetadata")
    time = (await api("GET", "entities", orders, answers="entity")).body["updated"]["time"]
    await api("PUT", *path, body={"properties": {"refresh": "x", "later": "y"}, "tags": []})

    async def keys(**params: Any) -> set[str]:
        found: set[str] = set()
        cursor = ""
        while cursor is not None:
            page = (await api("GET", "keys", params={"limit": 2, "cursor": cursor, **params}, answers="keys")).body
            found |= {one["key"] for one in page["keys"]}
            cursor = page["cursor"]
        return found

    now, then = await keys(), await keys(asOf=time)
    assert ("later" in now, "later" in then) == (True, False)
    assert ("note" in now, "note" in then) == (False, True)
    assert await keys(asOf="2001-01-01T00:00:00Z") == set()
    assert (await api("GET", "keys", params={"asOf": "soon"})).status == 400

    async def values(key: str, **params: Any) -> list[tuple[str, int]]:
        reported = (await api("GET", "keys", key, "values", params=params, answers="key-values")).body
        assert reported["isLowerBound"] is False
        return [(one["value"], one["entities"]) for one in reported["values"]]

    assert await values("refresh") == [("x", 1)]
    assert await values("REFRESH", asOf=time, prefix="EVERY") == [("every morning", 1)]
    assert await values("refresh", asOf=time, prefix="x") == []
    assert await values("owner", asOf=time, limit=1) == [("Operations", 1)]
    assert await values("owner") == [("Operations", 1)]
    assert await values("tags", scope="SYSTEM") == [("faa", 1)]
    assert await values("tags", scope="USER") == [("Reviewed", 1), ("faa", 1)]
    assert await values("tags", scope="USER", asOf=time) == [("Reviewed", 1), ("faa", 1), ("raw-data", 1)]
    assert await values("refresh", asOf="2001-01-01T00:00:00Z") == []


def _fits(case: Any, names: list[str]) -> bool:
    if "includes" in case:
        return set(case["includes"]) <= set(names)
    return sorted(names) == sorted(case["finds"]) and case.get("first") in (None, *names[:1])


async def _write(api: Any) -> None:
    proposals = [
        {"urn": entity["urn"], "aspect": aspect, "operation": "upsert", "value": value}
        for entity in CASES["entities"]
        for aspect, value in entity.items()
        if aspect != "urn"
    ]
    done = await api("POST", "proposals", body={"proposals": proposals}, answers="write-results")
    assert done.status == 200


async def test_values_of_a_key_are_paged(api: Any, sales: None) -> None:
    for number in range(5):
        urn = ORDERS.replace("orders", f"t{number}")
        await api(
            "PUT",
            "entities",
            urn,
            "aspects",
            "technicalMetadata",
            body={"properties": {"owner": f"ops{number}"}, "tags": []},
        )
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        page = await api("GET", "keys", "owner", "values", params={"limit": 2, "cursor": cursor}, answers="key-values")
        found += [one["value"] for one in page.body["values"]]
        cursor = page.body["cursor"]
    assert found == [f"ops{number}" for number in range(5)]


async def test_exact_name_is_first_hit_of_prefix_query(api: Any) -> None:
    longer = ("analytics.flights_by_day", "flights.airports", "flights.flights_2", "flights.planes")
    for name in (*longer, "flights.flights"):
        await _write_technical(api, f"urn:li:dataset:(urn:li:dataPlatform:spark,{name},PROD)", {"source": "flights"})
    notebook = "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),notebooks.flights)"
    await _write_technical(api, notebook, {})
    await _write_technical(api, "urn:li:custom:(plugin,namespace=default,plugin=flights)", {})
    for query in ("flights", "flights*", "name:flights*", "FLIGHTS*"):
        hits = (await api("GET", "search", params={"q": query}, answers="search-results")).body["hits"]
        assert hits[0]["name"] == "flights", query
        assert hits[0]["type"] == "dataset", query
    hits = (await api("GET", "search", params={"q": "flights*"}, answers="search-results")).body["hits"]
    types = [hit["type"] for hit in hits if hit["name"] != "flights"]
    assert types[: len(longer)] == ["dataset"] * len(longer)
    past = (await api("GET", "search", params={"q": "name:flights*", "asOf": "now"}, answers="search-results")).body
    assert past["hits"][0]["name"] == "flights"


async def test_datasets_rank_before_programs_then_instances_then_columns(api: Any) -> None:
    table = "urn:li:dataset:(urn:li:dataPlatform:spark,hr.a_much_longer_name_than_all_others,PROD)"
    program = "urn:li:dataJob:(urn:li:dataFlow:(colophon,hr,hr),jobs.load)"
    field = f"urn:li:schemaField:({table},salary)"
    many = {f"key{number}": f"value {number}" for number in range(40)}
    await _write_technical(api, field, {"owner": "payroll"})
    await _write_technical(api, program, {"owner": "payroll"})
    await _write_technical(api, table, many | {"owner": "payroll"})
    snippet = {"display_name": "sum", "schema_name": "code-snippet", "metadata": {"language": "Python", "code": ["1"]}}
    snippet["metadata"]["description"] = "payroll"
    written = await api("POST", "schemaspaces", "code-snippets", "instances", body=snippet)
    assert written.status == 201
    hits = (await api("GET", "search", params={"q": "payroll"}, answers="search-results")).body["hits"]
    assert [hit["type"] for hit in hits] == ["dataset", "dataJob", "instance", "schemaField"]
    exact = await api("GET", "search", params={"q": "salary payroll"}, answers="search-results")
    assert exact.body["hits"][0]["name"] == "salary"


async def test_tags_that_only_machines_wrote_are_marked(api: Any) -> None:
    await _write(api)
    tables = [f"urn:li:dataset:(urn:li:dataPlatform:spark,hr.{name},PROD)" for name in ("staff", "teams")]
    for urn in tables:
        proposal = {"urn": urn, "aspect": "technicalMetadata", "operation": "upsert"}
        value = {"properties": {}, "tags": ["Cell", "faa"]}
        await api("POST", "proposals", body={"proposals": [proposal | {"value": value}]})
    found = (await api("GET", "search", params={"q": "dataset:*"}, answers="search-results")).body
    marked = {one["value"]: one.get("bySystem", False) for one in found["facets"]["tag"]}
    assert marked == {"faa": False, "raw-data": False, "Reviewed": False, "Cell": True}
    hits = {hit["name"]: (hit["tags"], hit["systemTags"]) for hit in found["hits"]}
    assert hits["staff"] == (["Cell", "faa"], ["Cell", "faa"])
    assert [(tags, by_machines) for tags, by_machines in hits.values() if "Reviewed" in tags] == [
        (["Reviewed", "faa"], [])
    ]


async def test_hit_of_a_glossary_term_has_its_name(api: Any) -> None:
    urn = "urn:li:glossaryTerm:9b1c"
    info = {"name": "Net revenue", "definition": "After returns", "termSource": "INTERNAL"}
    assert (await api("PUT", "entities", urn, "aspects", "glossaryTermInfo", body=info)).status == 200
    (hit,) = (await api("GET", "search", params={"q": "type:glossaryTerm revenue", "type": "glossaryTerm"})).body[
        "hits"
    ]
    assert (hit["name"], hit["displayName"], hit["description"]) == ("9b1c", "Net revenue", "After returns")


async def test_word_of_a_term_is_not_its_exact_name(api: Any) -> None:
    table = "urn:li:dataset:(urn:li:dataPlatform:spark,hr.daily_delays,PROD)"
    await _write_technical(api, table, {})
    info = {"name": "Delay light", "definition": "Minutes", "termSource": "INTERNAL"}
    await api("PUT", "entities", "urn:li:glossaryTerm:9b1c", "aspects", "glossaryTermInfo", body=info)
    hits = (await api("GET", "search", params={"q": "delay*"}, answers="search-results")).body["hits"]
    assert [hit["type"] for hit in hits] == ["dataset", "glossaryTerm"]
    exact = (await api("GET", "search", params={"q": '"delay light" daily'}, answers="search-results")).body["hits"]
    assert exact[0]["type"] == "glossaryTerm"


async def test_keys_have_the_number_of_their_values(api: Any) -> None:
    await _write(api)
    parameters = {"countValues": "true", "kind": "property"}
    keys = (await api("GET", "keys", params=parameters, answers="keys")).body["keys"]
    assert {one["kind"] for one in keys} == {"property"}
    assert {one["key"]: one["values"]["count"] for one in keys}["owner"] == 2
    some = (await api("GET", "keys", params={"countValues": "true", "prefix": "faa"}, answers="keys")).body["keys"]
    assert {(one["kind"], "values" in one) for one in some} == {("tag", False)}


async def _write_technical(api: Any, urn: str, properties: dict[str, str]) -> None:
    proposal = {"urn": urn, "aspect": "technicalMetadata", "operation": "upsert"}
    value = {"properties": properties, "tags": []}
    written = await api("POST", "proposals", body={"proposals": [proposal | {"value": value}]}, answers="write-results")
    assert written.status == 200


async def test_hits_can_be_sorted_by_name_and_by_change(api: Any) -> None:
    await _write(api)
    orders = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
    await _write_technical(api, orders, {"format": "orc"})
    filters = {"q": "*", "type": "dataset", "namespace": "sales"}

    async def read_names(sort: str) -> list[str]:
        names: list[str] = []
        cursor = ""
        while True:
            requested = filters | {"sort": sort, "limit": 2} | ({"cursor": cursor} if cursor else {})
            page = (await api("GET", "search", params=requested, answers="search-results")).body
            names += [hit["name"] for hit in page["hits"]]
            cursor = page["cursor"]
            if cursor is None:
                return names

    assert await read_names("name") == ["long", "orders", "report"]
    assert (await read_names("updated"))[0] == "orders"
    first = (await api("GET", "search", params=filters | {"sort": "name", "limit": 1})).body
    mixed = await api("GET", "search", params=filters | {"sort": "updated", "limit": 1, "cursor": first["cursor"]})
    assert mixed.status == 400
    assert (await api("GET", "search", params=filters | {"sort": "size"})).status == 400
    assert (await api("GET", "search", params=filters | {"sort": "name", "asOf": "now"})).status == 400


async def test_a_word_of_the_name_ranks_before_another_match(api: Any) -> None:
    for name, field in (("carriers", "mean_delay"), ("daily_delays", "carrier"), ("worst", "delay_mean")):
        urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,flights.{name},PROD)"
        schema = {"fields": [{"fieldPath": field, "nativeDataType": "double"}]}
        written = await api("PUT", "entities", urn, "aspects", "schemaMetadata", body=schema)
        assert written.status == 200
    found = await api("GET", "search", params={"q": "delay*", "type": "dataset"}, answers="search-results")
    assert found.body["hits"][0]["name"] == "daily_delays"
    assert found.body["total"] == 3
    whole = await api("GET", "search", params={"q": "name:delays carrier", "type": "dataset"})
    assert [hit["name"] for hit in whole.body["hits"]] == ["daily_delays"]


@pytest.mark.parametrize("typed", ["daily_dealys", "dialy_delays", "dealys", "flights.daily_delay", "DAILY_DELAYZ*"])
async def test_a_mistyped_name_is_answered_with_the_similar_one(api: Any, typed: str) -> None:
    for name in ("daily_delays", "carriers"):
        urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,flights.{name},PROD)"
        await _write_technical(api, urn, {"format": "parquet"})
    found = (await api("GET", "search", params={"q": typed}, answers="search-results")).body
    assert (found["total"], found["suggestions"]) == (0, ["flights.daily_delays"])
    (hit,) = (await api("GET", "search", params={"q": found["suggestions"][0]})).body["hits"]
    assert hit["name"] == "daily_delays"


async def test_nothing_is_suggested_beside_hits_or_for_what_is_not_a_name(api: Any) -> None:
    await _write(api)
    for query in ("orders", "*", "owner:nobody", "xq"):
        found = (await api("GET", "search", params={"q": query}, answers="search-results")).body
        assert found["suggestions"] == [], query
