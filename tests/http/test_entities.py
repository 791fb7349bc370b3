"""Entities and aspects over HTTP: statuses, ETags, conditions, patches, limits, history."""

from typing import Any

import pytest
from jupyter_colophon.core.identity.names import make_cell_program_urn
from support.catalog import build_metadata_value
from support.urns import ORDERS, REPORT, SALES, build_file_urn, build_table_urn

JSON_PATCH = {"Content-Type": "application/json-patch+json"}
MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}
BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
FIELDS = ("entities", ORDERS, "fields", "metadata")
TECHNICAL = ("entities", ORDERS, "aspects", "technicalMetadata")


def pointers(answer: Any) -> list[str]:
    return [one["pointer"] for one in answer.body["errors"]]


@pytest.mark.each_store
async def test_user_writes_reads_and_deletes_an_aspect(api: Any, sales: None) -> None:
    done = await api("PUT", *BUSINESS, body=build_metadata_value({"owner": "ops"}, ["faa"]), answers="write-result")
    assert (done.body["version"], done.headers["Etag"]) == (1, '"1"')
    found = await api("GET", *BUSINESS, answers="aspect")
    assert found.body["value"] == build_metadata_value({"owner": "ops"}, ["faa"])
    assert (found.body["scope"], found.headers["Etag"]) == ("USER", '"1"')
    assert (await api("GET", *BUSINESS, headers={"If-None-Match": '"1"'})).status == 304
    whole = await api("GET", "entities", ORDERS, answers="entity")
    assert set(whole.body["aspects"]) == {"businessMetadata", "technicalMetadata", "datasetKey", "status"}
    some = await api("GET", "entities", ORDERS, params={"aspects": "status,datasetKey"}, answers="entity")
    assert set(some.body["aspects"]) == {"status", "datasetKey"}
    gone = await api("DELETE", *BUSINESS, answers="write-result")
    assert (gone.body["version"], gone.body["changed"]) == (-1, True)
    assert (await api("GET", *BUSINESS)).status == 404
    assert (await api("DELETE", *BUSINESS, answers="write-result")).body["changed"] is False


async def test_foreign_entity_tag_never_matches(api: Any, sales: None) -> None:
    foreign = ('"stale"', 'W/"1"', '"a", W/"b"', '"1-2"', '"' + "9" * 300 + '"', '""')
    for tag in foreign:
        assert (await api("PUT", *BUSINESS, body=build_metadata_value(), headers={"If-Match": tag})).status == 412
        assert (await api("DELETE", *BUSINESS, headers={"If-Match": tag})).status == 412
    for tag in foreign:
        assert (
            await api("PUT", *BUSINESS, body=build_metadata_value({"k": tag}), headers={"If-None-Match": tag})
        ).status == 200
    assert (await api("GET", *BUSINESS, headers={"If-None-Match": '"stale"'})).status == 200
    present = (await api("GET", *BUSINESS)).headers["Etag"]
    assert (
        await api("PUT", *BUSINESS, body=build_metadata_value(), headers={"If-Match": f'"stale", {present}'})
    ).status == 200
    for wrong in ("stale", "W/1", '"a" "b"', '"', '"1", "2"'):
        assert (await api("PUT", *BUSINESS, body=build_metadata_value(), headers={"If-Match": wrong})).status == 400


async def test_every_urn_route_takes_the_urn_as_a_parameter_too(api: Any, sales: None) -> None:
    named = {"urn": ORDERS}
    assert (await api("GET", "entities", "-", params=named, answers="entity")).body["urn"] == ORDERS
    path = ("entities", "-", "aspects", "technicalMetadata")
    assert (await api("GET", *path, params=named, answers="aspect")).status == 200
    assert (await api("GET", *path, "versions", params=named, answers="versions")).status == 200
    assert (await api("GET", "entities", "-")).status == 400


async def test_etags_and_if_match_guard_an_edit(api: Any, sales: None) -> None:
    async def put(value: str, **headers: str) -> int:
        names = {name.replace("_", "-"): text for name, text in headers.items()}
        return (await api("PUT", *BUSINESS, body=build_metadata_value({"owner": value}), headers=names)).status

    assert await put("a", If_Match='"1"') == 412
    assert await put("a", If_Match="*") == 412
    assert await put("a", If_None_Match="*") == 200
    assert await put("a", If_Match="*") == 200
    assert await put("b", If_None_Match="*") == 412
    assert await put("b", If_Match='"1"') == 200
    assert await put("c", If_Match='"1"') == 412
    assert await put("c", If_Unmodified_Since="2020-01-01T00:00:00Z") == 412
    assert await put("c", If_Unmodified_Since="Wed, 01 Jan 2020 00:00:00 GMT") == 412
    assert await put("c", If_Unmodified_Since="2099-01-01T00:00:00Z") == 200
    assert await put("d", If_Modified_Since="2099-01-01T00:00:00Z") == 412
    assert await put("d", If_Match="3") == 400
    assert await put("d", If_None_Match='"3"') == 400
    found = await api("GET", *BUSINESS, answers="aspect")
    assert (found.body["version"], found.body["value"]["properties"]) == (3, {"owner": "c"})


@pytest.mark.parametrize(
    "when", ["soon", "", "Fri, 20 Nov 2026 12:00:00 +9999999999999", "Fri, 99 Nov 2026 12:00:00 GMT"]
)
async def test_invalid_time_returns_400(api: Any, sales: None, when: str) -> None:
    found = await api("PUT", *BUSINESS, body=build_metadata_value(), headers={"If-Unmodified-Since": when})
    assert found.status == 400


async def test_both_patch_formats_start_from_the_empty_value(api: Any, sales: None) -> None:
    tag = [{"op": "add", "path": "/tags/-", "value": "faa"}]
    assert (await api("PATCH", *BUSINESS, body=tag, headers=JSON_PATCH, answers="write-result")).body["version"] == 1
    merge = {"properties": {"owner": "ops", "other": None}}
    assert (await api("PATCH", *BUSINESS, body=merge, headers=MERGE_PATCH, answers="write-result")).body["version"] == 2
    found = await api("GET", *BUSINESS, answers="aspect")
    assert found.body["value"] == build_metadata_value({"owner": "ops"}, ["faa"])
    assert (await api("PATCH", *BUSINESS, body=merge, headers=MERGE_PATCH)).body["changed"] is False
    assert (await api("PATCH", *BUSINESS, body=tag, headers=MERGE_PATCH)).status == 400
    assert (await api("PATCH", *BUSINESS, body=merge, headers=JSON_PATCH)).status == 400
    reported = (await api("PATCH", *BUSINESS, body=merge, headers={"Content-Type": "text/plain; charset=utf-8"})).body
    expected = "application/json-patch+json, application/merge-patch+json, application/json"
    assert (reported["status"], reported["detail"]) == (
        400,
        f"Content-Type 'text/plain' is not supported: use one of {expected}",
    )


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "application/x-www-form-urlencoded"}])
async def test_patch_without_content_type_is_read_as_json(api: Any, sales: None, headers: Any) -> None:
    """curl sends a form's content type unless it is set."""
    tag = [{"op": "add", "path": "/tags/-", "value": "faa"}]
    assert (await api("PATCH", *BUSINESS, body=tag, headers=headers, answers="write-result")).status == 200
    merge = {"properties": {"owner": "ops"}}
    assert (await api("PATCH", *BUSINESS, body=merge, headers=headers, answers="write-result")).status == 200
    assert (await api("GET", *BUSINESS)).body["value"] == build_metadata_value({"owner": "ops"}, ["faa"])
    assert (await api("PATCH", *BUSINESS, body=b"a=1", headers=headers)).status == 400


async def test_failed_patch_names_the_operation_and_changes_nothing(api: Any, sales: None) -> None:
    wrong = [{"op": "add", "path": "/tags/-", "value": "faa"}, {"op": "remove", "path": "/none"}]
    failed = await api("PATCH", *BUSINESS, body=wrong, headers=JSON_PATCH)
    assert (failed.status, pointers(failed)) == (400, ["/1/path"])
    bomb = [{"op": "copy", "from": "", "path": f"/k{i}"} for i in range(22)]
    assert (await api("PATCH", *BUSINESS, body=bomb, headers=JSON_PATCH)).status in (400, 413)
    assert (await api("GET", *BUSINESS)).status == 404
    stale = await api("PATCH", *BUSINESS, body=wrong[:1], headers=JSON_PATCH | {"If-Match": '"4"'})
    assert stale.status == 412


async def test_datahubs_form_of_a_patch_names_elements_by_their_keys(api: Any, sales: None) -> None:
    aspect = ("entities", ORDERS, "aspects", "schemaMetadata")
    fields = {"arrayPrimaryKeys": {"fields": ["fieldPath"]}}
    start = {"schemaName": "s", "fields": [{"fieldPath": "a", "nativeDataType": "int"}]}
    assert (await api("PUT", *aspect, body=start)).status == 200
    more = fields | {"patch": [{"op": "add", "path": "/fields/b", "value": {"nativeDataType": "text"}}]}
    for headers in (JSON_PATCH, {"Content-Type": "application/json"}):
        assert (await api("PATCH", *aspect, body=more, headers=headers, answers="write-result")).status == 200
    found = (await api("GET", *aspect)).body["value"]["fields"]
    assert found == [*start["fields"], {"fieldPath": "b", "nativeDataType": "text"}]
    gone = fields | {"patch": [{"op": "remove", "path": "/fields/c"}]}
    refused = await api("PATCH", *aspect, body=gone, headers=JSON_PATCH)
    assert (refused.status, pointers(refused)) == (400, ["/patch/0/path"])
    strange = await api("PATCH", *aspect, body=more | {"other": 1}, headers=JSON_PATCH)
    assert strange.status == 400


async def test_batch_creates_updates_skips_and_records_the_actor(api: Any, sales: None) -> None:
    urn = build_table_urn("new")
    one = {"urn": urn, "aspect": "technicalMetadata", "value": build_metadata_value({"a": "1"})}
    system = {"runId": "r", "lastObserved": 5, "clientId": "c"}
    batch = [
        one | {"operation": "create-entity", "systemMetadata": system},
        {"urn": urn, "aspect": "status", "operation": "create-entity", "value": {"removed": False}},
    ]
    assert (await api("POST", "proposals", body={"proposals": batch}, answers="write-results")).status == 200
    assert (await api("POST", "proposals", body={"proposals": batch})).status == 409
    left = [one | {"operation": "create", "ifAbsent": True, "value": build_metadata_value({"a": "2"})}]
    reported = (await api("POST", "proposals", body={"proposals": left}, answers="write-results")).body["results"]
    assert (reported[0]["skipped"], reported[0]["changed"]) == (True, False)
    found = await api("GET", "entities", urn, "aspects", "technicalMetadata", answers="aspect")
    assert (found.body["value"]["properties"], found.body["systemMetadata"]) == ({"a": "1"}, system)
    absent = [one | {"operation": "update", "aspect": "businessMetadata"}]
    assert (await api("POST", "proposals", body={"proposals": absent})).status == 412
    recorded = one | {"operation": "update", "systemMetadata": {"runId": 1}}
    wrong = await api("POST", "proposals", body={"proposals": [recorded]})
    assert (wrong.status, pointers(wrong)) == (400, ["/proposals/0/systemMetadata/runId"])


LIMITS = [
    (build_metadata_value({"a" * 50: "x"}), []),
    (build_metadata_value({"a" * 51: "x"}), ["/properties/" + "a" * 51]),
    (build_metadata_value({"no blank": "x"}), ["/properties/no blank"]),
    (build_metadata_value({"line\n": "x"}), ["/properties/line\n"]),
    (build_metadata_value({"": "x"}), ["/properties/"]),
    (build_metadata_value({"tags": "x"}), ["/properties/tags"]),
    (build_metadata_value({"TAGS": "x"}), ["/properties/TAGS"]),
    (build_metadata_value({"v": "x" * 10_240}), []),
    (build_metadata_value({"v": "x" * 10_241}), ["/properties/v"]),
    (build_metadata_value({"v": "é" * 5_120}), []),
    (build_metadata_value({"v": "é" * 5_121}), ["/properties/v"]),
    (build_metadata_value({f"k{i}": "x" * 10_000 for i in range(6)}), []),
    (build_metadata_value({f"k{i}": "x" * 10_000 for i in range(7)}), [""]),
    (build_metadata_value({}, [f"t{i}" for i in range(500)]), []),
    (build_metadata_value({}, [f"t{i}" for i in range(501)]), ["/tags"]),
    (build_metadata_value({}, ["a b"]), ["/tags/0"]),
    (build_metadata_value({}, ["a", "a"]), ["/tags"]),
    (build_metadata_value({"v": 1}), ["/properties/v"]),  # type: ignore[dict-item]
    (build_metadata_value({"v": None}), ["/properties/v"]),  # type: ignore[dict-item]
    ({"properties": {}}, [""]),
    ({"properties": {}, "tags": [], "more": 1}, [""]),
    ([], [""]),
    (None, [""]),
    ("text", [""]),
]


async def test_exceeded_limit_names_the_location(api: Any, sales: None) -> None:
    for value, wrong in LIMITS:
        done = await api("PUT", *BUSINESS, body=b"null" if value is None else value)
        assert (done.status, [] if done.status == 200 else pointers(done)) == (400 if wrong else 200, wrong), value
    big = build_metadata_value({"schema": "x" * 100_000})
    assert (await api("PUT", *TECHNICAL, body=big)).status == 200  # SYSTEM is not limited so (spec MODEL-7)


async def test_key_aspect_cannot_be_written(api: Any, sales: None) -> None:
    path = ("entities", ORDERS, "aspects", "datasetKey")
    value = {"platform": "urn:li:dataPlatform:spark", "name": "x", "origin": "PROD"}
    for method, body in (("PUT", value), ("PATCH", {"name": "x"}), ("DELETE", None)):
        assert (await api(method, *path, body=body, headers=MERGE_PATCH)).status == 400, method
    assert (await api("GET", *path, answers="aspect")).body["value"]["name"] == "sales.orders"


@pytest.mark.each_store
async def test_history_is_newest_first_with_the_change_of_each_version(api: Any, sales: None) -> None:
    for value in (
        build_metadata_value({"owner": "ops"}),
        build_metadata_value({"owner": "sre"}),
        build_metadata_value({"owner": "sre"}, ["faa"]),
    ):
        await api("PUT", *BUSINESS, body=value)
    await api("DELETE", *BUSINESS)
    await api("PUT", *BUSINESS, body=build_metadata_value())
    first = await api("GET", *BUSINESS, "versions", params={"limit": 3}, answers="versions")
    rest = await api(
        "GET", *BUSINESS, "versions", params={"limit": 3, "cursor": first.body["cursor"]}, answers="versions"
    )
    assert rest.body["cursor"] is None
    reported = [(one["version"], one["deleted"], one["diff"]) for one in first.body["versions"] + rest.body["versions"]]
    assert reported == [
        (5, False, [{"op": "add", "path": "", "value": build_metadata_value()}]),
        (4, True, [{"op": "remove", "path": ""}]),
        (3, False, [{"op": "add", "path": "/tags/0", "value": "faa"}]),
        (2, False, [{"op": "replace", "path": "/properties/owner", "value": "sre"}]),
        (1, False, [{"op": "add", "path": "", "value": build_metadata_value({"owner": "ops"})}]),
    ]
    none = await api("GET", *BUSINESS, "versions", params={"limit": 0}, answers="versions")
    assert none.body["versions"] == []


@pytest.mark.each_store
async def test_timeseries_values_are_listed_newest_first_in_an_interval(api: Any, sales: None) -> None:
    profiles = ("entities", ORDERS, "aspects", "datasetProfile")
    for moment in (3_000, 1_000, 2_000):
        value = {"timestampMillis": moment, "rowCount": moment}
        assert (await api("PUT", *profiles, body=value, answers="write-result")).body["version"] == 0

    async def times(**requested: object) -> list[int]:
        found = await api("GET", *profiles, "values", params=requested, answers="timeseries-values")
        return [one["value"]["rowCount"] for one in found.body["values"]]

    assert await times() == [3_000, 2_000, 1_000]
    assert await times(limit=1) == [3_000]
    assert await times(start="1970-01-01T00:00:02Z", end="1970-01-01T00:00:02.500Z") == [2_000]
    assert (await api("GET", *profiles, "values", params={"start": "yesterday"})).status == 400
    assert (await api("GET", "entities", ORDERS, "aspects", "none", "values")).status == 404
    assert (await api("GET", *BUSINESS, "values", answers="timeseries-values")).body["values"] == []


@pytest.mark.each_store
async def test_metadata_of_fields_is_paged_in_both_scopes(api: Any, sales: None) -> None:
    reported = {"urn": REPORT, "aspect": "technicalMetadata", "operation": "upsert", "value": build_metadata_value()}
    recorded = [
        reported | {"urn": f"urn:li:schemaField:({REPORT},other)", "value": build_metadata_value({}, ["not-of-orders"])}
    ]
    for name in ("a", "b%2Cc", "d", "gone"):
        field = {"urn": f"urn:li:schemaField:({ORDERS},{name})", "operation": "upsert"}
        recorded.append(
            field | {"aspect": "businessMetadata", "value": build_metadata_value({"owner": name[0]}, ["pii", "eu"])}
        )
        recorded.append(field | {"aspect": "technicalMetadata", "value": build_metadata_value({"unit": "m"}, ["raw"])})
    assert (await api("POST", "proposals", body={"proposals": [reported, *recorded]})).status == 200
    assert (await api("DELETE", "entities", f"urn:li:schemaField:({ORDERS},gone)")).status == 200

    async def page(**requested: object) -> tuple[list[str], str | None]:
        found = await api("GET", *FIELDS, params=requested, answers="fields-metadata")
        for field in found.body["fields"]:
            assert field["USER"] == {"properties": {"owner": field["name"][0]}, "tags": ["eu", "pii"], "version": 1}
            assert field["SYSTEM"] == {"properties": {"unit": "m"}, "tags": ["raw"], "version": 1}
            of_it = await api("GET", "entities", field["urn"], "metadata", answers="entity-metadata")
            assert of_it.body["USER"] == field["USER"]
        return [field["name"] for field in found.body["fields"]], found.body["cursor"]

    assert await page() == (["a", "b,c", "d"], None)
    first, cursor = await page(limit=2)
    # A deleted version has an entry in the list, without a value.
    assert (first, await page(limit=2, cursor=cursor)) == (["a", "b,c"], (["d"], None))
    assert await page(limit=0) == ([], None)
    other = ("entities", REPORT, "fields", "metadata")
    assert (await api("GET", *other, params={"cursor": cursor})).status == 400
    assert [one["name"] for one in (await api("GET", *other, answers="fields-metadata")).body["fields"]] == ["other"]
    assert (await api("GET", *FIELDS, params={"limit": 501})).status == 400
    assert (await api("GET", "entities", "no-urn", "fields", "metadata")).status == 400
    nothing = await api("GET", "entities", build_file_urn("/nothing"), "fields", "metadata", answers="fields-metadata")
    assert nothing.body["fields"] == []


async def test_problems_of_a_batch_point_into_the_batch(api: Any, sales: None) -> None:
    good = {"urn": REPORT, "aspect": "technicalMetadata", "operation": "upsert", "value": build_metadata_value()}
    bad = {
        "urn": ORDERS,
        "aspect": "businessMetadata",
        "operation": "upsert",
        "value": build_metadata_value({"a b": "x"}),
    }
    reported = await api("POST", "proposals", body={"proposals": [good, bad]})
    assert (reported.status, pointers(reported)) == (400, ["/proposals/1/value/properties/a b"])
    patch = {"urn": ORDERS, "aspect": "businessMetadata", "operation": "patch", "value": [{"op": "none"}]}
    reported = await api("POST", "proposals", body={"proposals": [good, patch]})
    assert (reported.status, pointers(reported)) == (400, ["/proposals/1/value/0/op"])
    assert (await api("GET", "entities", REPORT)).status == 404


async def test_conditions_of_a_batch_are_versions(api: Any, sales: None) -> None:
    def wish(version: int) -> dict[str, Any]:
        one = {"urn": ORDERS, "aspect": "businessMetadata", "operation": "upsert", "ifVersion": version}
        return {"proposals": [one | {"value": build_metadata_value({"v": str(version)})}]}

    assert (await api("POST", "proposals", body=wish(1))).status == 412
    assert (await api("POST", "proposals", body=wish(-1), answers="write-results")).status == 200
    assert (await api("POST", "proposals", body=wish(-1))).status == 412
    assert (await api("POST", "proposals", body=wish(1), answers="write-results")).status == 200
    create = {"urn": ORDERS, "aspect": "businessMetadata", "operation": "create", "value": build_metadata_value()}
    assert (await api("POST", "proposals", body={"proposals": [create]})).status == 409


@pytest.mark.each_store
async def test_entity_is_deleted_once_and_empty_namespace_deletable(api: Any, sales: None) -> None:
    assert (await api("DELETE", "entities", SALES)).status == 409
    assert (await api("DELETE", "entities", "urn:li:namespace:default")).status == 403
    gone = await api("DELETE", "entities", ORDERS, answers="write-result")
    assert (gone.body["aspect"], gone.body["version"]) == (None, -1)
    assert (await api("DELETE", "entities", ORDERS)).status == 404
    assert (await api("GET", "entities", ORDERS)).status == 404
    assert (await api("DELETE", "entities", SALES, answers="write-result")).status == 200
    assert (await api("PUT", *BUSINESS, body=build_metadata_value())).status == 404


@pytest.mark.each_store
async def test_entities_are_listed_page_by_page_in_order(api: Any, sales: None) -> None:
    urns = [build_table_urn(f"t{i:02}") for i in range(7)] + [
        build_file_urn("/data/t1.csv"),
        build_table_urn("t1", "zoo"),
    ]
    wishes = [
        {"urn": urn, "aspect": "technicalMetadata", "operation": "upsert", "value": build_metadata_value()}
        for urn in urns
    ]
    await api("POST", "proposals", body={"proposals": wishes}, answers="write-results")

    async def listed(**params: Any) -> list[str]:
        found: list[str] = []
        while True:
            page = await api("GET", "entities", params=params, answers="entities")
            found += [one["name"] for one in page.body["entities"]]
            if page.body["cursor"] is None:
                return found
            assert len(page.body["entities"]) == params["limit"]
            params["cursor"] = page.body["cursor"]

    tables = [f"t{i:02}" for i in range(7)]
    assert await listed(namespace="sales", type="dataset", limit=2) == ["orders", *tables]
    assert await listed(namespace="sales", type="dataset", prefix="t0", limit=3) == tables
    assert await listed(type="dataset", limit=4) == ["/data/t1.csv", "orders", *tables, "t1"]
    assert await listed(prefix="none", limit=4) == []
    assert "system" in await listed(limit=5)
    none = await api("GET", "entities", params={"limit": 0}, answers="entities")
    assert none.body["entities"] == []


@pytest.mark.parametrize("cursor", ["x", "AAAA", "é", "A" * 3_000, "="])
async def test_forged_cursor_is_refused_by_every_list(api: Any, sales: None, cursor: str) -> None:
    for path in (("entities",), ("search",), ("keys",), ("runs",), (*TECHNICAL, "versions"), FIELDS):
        found = await api("GET", *path, params={"cursor": cursor, "q": "*"})
        assert found.status == 400, path


async def test_cursor_of_another_list_is_refused(api: Any, sales: None) -> None:
    page = await api("GET", "entities", params={"limit": 1}, answers="entities")
    cursor = page.body["cursor"]
    assert (await api("GET", "search", params={"q": "*", "cursor": cursor})).status == 400
    flipped = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    assert (await api("GET", "entities", params={"cursor": flipped})).status == 400


async def test_numbers_out_of_range_are_refused(api: Any, sales: None) -> None:
    for limit in ("-1", "501", "1.5", "x", "", "٣", "1e3", "9" * 30):
        assert (await api("GET", "entities", params={"limit": limit})).status == 400, limit


async def test_registry_has_schemas_and_hints_for_forms(api: Any) -> None:
    registry = await api("GET", "registry", answers="registry")
    assert {"dataset", "dataFlow", "dataJob", "namespace"} <= {one["type"] for one in registry.body["types"]}
    dataset = await api("GET", "registry", "dataset", answers="entity-type")
    aspects = {one["name"]: one for one in dataset.body["aspects"]}
    assert aspects["businessMetadata"]["scope"] == "USER"
    assert aspects["technicalMetadata"]["scope"] == "SYSTEM"
    assert aspects["datasetKey"]["key"] is True
    assert (await api("GET", "registry", "none")).status == 404


async def test_conditional_deletion_of_an_entity_is_refused(api: Any, sales: None) -> None:
    refused = await api("DELETE", "entities", ORDERS, headers={"If-Match": '"99"'})
    assert refused.status == 400
    assert (await api("GET", "entities", ORDERS, answers="entity")).status == 200


async def test_creating_an_entity_by_status_reports_the_change(api: Any, sales: None) -> None:
    urn = ORDERS.replace("orders", "fresh")
    made = await api("PUT", "entities", urn, "aspects", "status", body={"removed": False}, answers="write-result")
    assert made.body["changed"]
    assert made.body["seq"]
    again = await api("PUT", "entities", urn, "aspects", "status", body={"removed": False}, answers="write-result")
    assert not again.body["changed"]


async def test_a_cursor_belongs_to_its_list(api: Any, sales: None) -> None:
    page = await api("GET", "entities", params={"limit": 1}, answers="entities")
    other = await api("GET", "entities", params={"limit": 1, "type": "dataset", "cursor": page.body["cursor"]})
    assert other.status == 400


async def test_history_names_the_notebook_whose_kernel_wrote_a_version(api: Any, kernel: Any, sales: None) -> None:
    path = ("entities", ORDERS, "aspects", "businessMetadata")
    as_kernel = {"anonymous": True, "headers": kernel}
    value = {"properties": {"owner": "ops"}, "tags": []}
    await api("PUT", *path, body=value)
    await api("PATCH", *path, body={"properties": {"owner": "ada"}}, **as_kernel)

    async def read_origins() -> list[tuple[str | None, str | None]]:
        versions = (await api("GET", *path, "versions", answers="versions")).body["versions"]
        return [(version["via"], version.get("notebook")) for version in versions]

    assert await read_origins() == [("kernel-1", None), (None, None)]
    run = {"program": str(make_cell_program_urn("default", "etl/clean.ipynb", "a1")), "runId": "r1"}
    body = run | {"start": "2026-11-20T12:00:00.000Z"}
    assert (await api("POST", "runs", body=body, **as_kernel)).status == 200
    assert await read_origins() == [("kernel-1", "etl/clean.ipynb"), (None, None)]


async def test_display_names_of_urns_are_read_together(api: Any) -> None:
    cell = str(make_cell_program_urn("default", "etl/clean.ipynb", "a1"))
    info = {"name": "Remove cancelled flights", "type": {"string": "COMMAND"}}
    await api("PUT", "entities", cell, "aspects", "dataJobInfo", body=info)
    found = await api("POST", "entities", "display-names", body={"urns": [cell, ORDERS]}, answers="display-names")
    assert found.body == {"displayNames": {cell: "Remove cancelled flights"}}
    entity = await api("GET", "entities", cell, answers="entity")
    assert entity.body["displayName"] == "Remove cancelled flights"
    wrong = await api("POST", "entities", "display-names", body={"urns": ["urn:li:dataJob:x"]})
    assert wrong.status == 400


@pytest.mark.parametrize(
    ("urn", "aspect", "name", "key"),
    [
        ("urn:li:domain:8a7f", "domainProperties", "Sales", "domain"),
        ("urn:li:glossaryTerm:1b2c", "glossaryTermInfo", "Turnover", "terms"),
        ("urn:li:tag:7e8f", "tagProperties", "Personal", "tags"),
    ],
)
async def test_deleted_reference_is_restored_with_its_metadata(
    api: Any, urn: str, aspect: str, name: str, key: str
) -> None:
    """Deletion marks the aspect `status`, which every type has: nothing else is lost, and restoring it undoes that."""
    value = {"name": name} | ({"definition": "What", "termSource": "INTERNAL"} if key == "terms" else {})
    assert (await api("PUT", "entities", urn, "aspects", aspect, body=value)).status == 200

    async def find(**params: str) -> list[str]:
        hits = (await api("GET", "search", params={"q": name, **params}, answers="search-results")).body["hits"]
        return [hit["urn"] for hit in hits]

    kind = urn.split(":")[2]
    type_ = (await api("GET", "registry", kind, answers="entity-type")).body
    assert "status" in {one["name"] for one in type_["aspects"]}
    assert await find() == [urn]
    await api("PUT", "entities", urn, "aspects", "status", body={"removed": True}, answers="write-result")
    assert (await find(), await find(includeRemoved="true")) == ([], [urn])
    await api("PUT", "entities", urn, "aspects", "status", body={"removed": False}, answers="write-result")
    assert await find() == [urn]
    assert (await api("GET", "entities", urn, answers="entity")).body["aspects"][aspect]["value"] == value
