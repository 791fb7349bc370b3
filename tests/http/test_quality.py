"""Expectations of datasets, and results of their checks."""

from typing import Any

import pytest
from support.openlineage import RUN, build_event, build_event_dataset
from support.urns import ORDERS

pytestmark = pytest.mark.usefixtures("sales")

_EXPECTED = {
    "id-not-null": {"kind": "notNull", "column": "id"},
    "amount-range": {"kind": "range", "column": "amount", "min": 0},
}
#: The dataset `orders` of the events.
_EVENT_URN = "urn:li:dataset:(urn:li:dataPlatform:postgres,db:5432/orders,PROD)"
_CELL = {"kind": "cell", "name": "orders.ipynb"}
_PASSED = {"status": "passed", "failing": 0, "rows": 3}
_FAILED = {"status": "failed", "failing": 1, "rows": 3, "observed": "-3 to 5", "samples": ["-3"]}


async def _expect(api: Any, expectations: Any, urn: str = ORDERS) -> Any:
    return await api("PUT", "entities", urn, "aspects", "expectations", body={"expectations": expectations})


async def _record(api: Any, results: Any, time: int = 1_000, urn: str = ORDERS, source: Any = None) -> Any:
    body = {"source": source or _CELL, "time": time, "results": results}
    return await api("POST", "entities", urn, "quality", "results", body=body, answers="quality-record")


async def _find(api: Any, **params: str) -> list[tuple[str, str]]:
    found = await api("GET", "search", params={"type": "dataset", **params}, answers="search-results")
    return [(hit["urn"], hit["quality"]) for hit in found.body["hits"] if hit["urn"] == ORDERS]


@pytest.mark.each_store
async def test_recorded_results_give_the_status_that_search_finds(api: Any) -> None:
    await _expect(api, _EXPECTED)
    recorded = (await _record(api, {"id-not-null": _PASSED, "amount-range": _FAILED})).body["quality"]
    assert (recorded["status"], recorded["passed"], recorded["failed"], recorded["time"]) == ("failing", 1, 1, 1_000)
    assert recorded["results"]["amount-range"] == {
        **{"kind": "range", "column": "amount", "time": 1_000, "source": _CELL},
        **{**_FAILED, "history": [{"time": 1_000, "status": "failed"}]},
    }
    failing = [(ORDERS, "failing")]
    assert await _find(api, q="quality:failing") == failing
    assert await _find(api, q="*", quality="failing") == failing
    assert await _find(api, q="*", quality="passing") == []
    described = (await api("GET", "entities", ORDERS, answers="entity")).body["descriptors"]
    assert [one["text"] for one in described if one["kind"] == "quality"] == ["failing"]
    await _record(api, {"amount-range": _PASSED}, 2_000)
    assert await _find(api, q="*", quality="passing") == [(ORDERS, "passing")]
    assert await _find(api, q="*", quality="failing") == []


@pytest.mark.each_store
async def test_failures_of_the_severity_warning_are_found_apart_from_errors(api: Any) -> None:
    warning = {**_EXPECTED["amount-range"], "severity": "warning"}
    await _expect(api, {**_EXPECTED, "amount-range": warning})
    quality = (await _record(api, {"id-not-null": _PASSED, "amount-range": _FAILED})).body["quality"]
    assert (quality["status"], quality["failed"], quality["warnings"]) == ("warning", 0, 1)
    assert quality["results"]["amount-range"]["severity"] == "warning"
    assert await _find(api, q="quality:warning") == [(ORDERS, "warning")]
    assert await _find(api, q="*", quality="failing") == []
    # The result stays, and counts with the new severity.
    patch = {"expectations": {"amount-range": {"severity": None, "description": "Refunds are elsewhere."}}}
    assert (await api("PATCH", "entities", ORDERS, "aspects", "expectations", body=patch)).status == 200
    assert await _find(api, q="quality:failing") == [(ORDERS, "failing")]
    quality = (await api("GET", "entities", ORDERS, "aspects", "quality")).body["value"]
    assert (quality["failed"], quality["warnings"], quality["results"]["amount-range"]["samples"]) == (1, 0, ["-3"])


async def test_history_is_ordered_by_time_and_bounded(api: Any) -> None:
    await _expect(api, _EXPECTED)
    for time in (5_000, 3_000, *range(6_000, 6_030)):
        quality = (await _record(api, {"id-not-null": {"status": "passed"}}, time)).body["quality"]
    history = [one["time"] for one in quality["results"]["id-not-null"]["history"]]
    assert history == list(range(6_029, 5_999, -1))
    quality = (await _record(api, {"id-not-null": {"status": "failed"}}, 1)).body["quality"]
    assert quality["status"] == "passing"


@pytest.mark.each_store
async def test_a_changed_or_removed_expectation_loses_its_result(api: Any) -> None:
    await _expect(api, _EXPECTED)
    await _record(api, {"id-not-null": _PASSED, "amount-range": _FAILED})
    wider = {"kind": "range", "column": "amount", "min": -10}
    patch = {"expectations": {"amount-range": wider}}
    assert (await api("PATCH", "entities", ORDERS, "aspects", "expectations", body=patch)).status == 200
    quality = (await api("GET", "entities", ORDERS, "aspects", "quality")).body["value"]
    assert (quality["status"], list(quality["results"])) == ("passing", ["id-not-null"])
    assert (await api("DELETE", "entities", ORDERS, "aspects", "expectations")).status == 200
    quality = (await api("GET", "entities", ORDERS, "aspects", "quality")).body["value"]
    assert (quality["status"], quality["results"]) == ("unknown", {})


async def test_results_without_an_expectation_are_stored_only_for_other_tools(api: Any) -> None:
    results = {"absent": _PASSED, "mean": {"kind": "other", "name": "expect_column_mean", "status": "error"}}
    quality = (await _record(api, results)).body["quality"]
    assert list(quality["results"]) == ["mean"]
    assert (quality["status"], quality["errors"]) == ("failing", 1)


@pytest.mark.parametrize(
    ("expectation", "pointer"),
    [
        ({"kind": "notNull"}, "/expectations/one"),
        ({"kind": "range", "column": "amount"}, "/expectations/one"),
        ({"kind": "rowCount", "min": -1}, "/expectations/one/min"),
        ({"kind": "freshness", "column": "day", "maxAge": "1 day"}, "/expectations/one/maxAge"),
        ({"kind": "whatever", "column": "day"}, "/expectations/one/kind"),
    ],
)
async def test_an_invalid_expectation_is_refused_with_its_place(expectation: Any, pointer: str, api: Any) -> None:
    refused = await _expect(api, {"one": expectation})
    assert refused.status == 400
    assert pointer in [problem["pointer"] for problem in refused.body["errors"]]


async def test_values_of_confidential_columns_are_neither_stored_nor_shown(api: Any) -> None:
    await _expect(api, _EXPECTED)
    await _record(api, {"amount-range": _FAILED})
    column = f"urn:li:schemaField:({ORDERS},amount)"
    tagged = {"properties": {}, "tags": ["confidential"]}
    assert (await api("PUT", "entities", column, "aspects", "businessMetadata", body=tagged)).status == 200
    for quality in (
        (await api("GET", "entities", ORDERS, "aspects", "quality")).body["value"],
        (await _record(api, {"amount-range": _FAILED}, 2_000)).body["quality"],
    ):
        result = quality["results"]["amount-range"]
        assert (result["failing"], result.keys() & {"samples", "observed"}) == (1, set())
    assert (await api("DELETE", "entities", column, "aspects", "businessMetadata")).status == 200
    quality = (await api("GET", "entities", ORDERS, "aspects", "quality")).body["value"]
    assert "samples" not in quality["results"]["amount-range"]


async def _import(api: Any, **body: Any) -> Any:
    return await api("POST", "quality", "imports", body=body, answers="quality-import-result")


def _validation(asset: str, success: bool, time: str = "2026-11-27T08:00:00Z") -> dict[str, Any]:
    config = {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "id"}}
    meta = {"active_batch_definition": {"data_asset_name": asset}, "run_id": {"run_time": time}}
    return {"results": [{"success": success, "expectation_config": config}], "meta": meta}


@pytest.mark.each_store
async def test_results_of_great_expectations_replace_those_of_the_last_import(api: Any) -> None:
    await _expect(api, _EXPECTED)
    validations = [_validation("orders", False), _validation("sales.items", True)]
    imported = await _import(
        api, tool="great-expectations", validations=validations, datasets={"orders": "sales.orders"}
    )
    assert [(one["name"], one["expectations"], one["failed"]) for one in imported.body["datasets"]] == [
        ("orders", 1, 1),
        ("sales.items", 1, 0),
    ]
    assert await _find(api, q="quality:failing") == [(ORDERS, "failing")]
    await _import(
        api,
        tool="great-expectations",
        validations=_validation("sales.orders", True, "2026-11-28T08:00:00Z"),
    )
    expectations = (await api("GET", "entities", ORDERS, "aspects", "expectations")).body["value"]["expectations"]
    assert sum(one.get("origin") == "great-expectations" for one in expectations.values()) == 1
    assert expectations.keys() > _EXPECTED.keys()
    assert await _find(api, q="quality:passing") == [(ORDERS, "passing")]


async def test_results_of_dbt_and_openlineage_are_imported(api: Any) -> None:
    test = {"resource_type": "test", "test_metadata": {"name": "unique"}, "column_name": "id", "attached_node": "m"}
    nodes = {"t": test, "m": {"schema": "sales", "name": "orders"}}
    results = [{"unique_id": "t", "status": "warn", "failures": 2}]
    await _import(api, tool="dbt", manifest={"nodes": nodes}, runResults={"results": results})
    assert await _find(api, q="quality:warning") == [(ORDERS, "warning")]
    facet = {"assertions": [{"assertion": "not_null", "column": "id", "success": False}]}
    event = build_event(inputs=[build_event_dataset("orders", own={"dataQualityAssertions": facet})])
    (dataset,) = (await _import(api, tool="openlineage", events=[event], datasets={_EVENT_URN: ORDERS})).body[
        "datasets"
    ]
    assert (dataset["name"], dataset["urn"], dataset["expectations"], dataset["failed"]) == (_EVENT_URN, ORDERS, 0, 1)
    quality = (await api("GET", "entities", ORDERS, "aspects", "quality")).body["value"]
    assert (quality["failed"], quality["warnings"]) == (1, 1)
    assert (await api("GET", "runs")).body["runs"] == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"tool": "dbt", "manifest": {"nodes": {}}}, ""),
        ({"tool": "dbt", "manifest": {"nodes": []}, "runResults": {"results": []}}, "/manifest/nodes"),
        ({"tool": "dbt", "manifest": {"nodes": {}}, "runResults": {"results": 3}}, "/runResults/results"),
        ({"tool": "great-expectations", "validations": {"results": [{"success": True}]}}, "/validations"),
        ({"tool": "great-expectations", "validations": _validation("orders", True)}, "/validations"),
        (
            {
                "tool": "great-expectations",
                "validations": _validation("o", True),
                "datasets": {"o": "urn:li:tag:pii"},
            },
            "/datasets",
        ),
        ({"tool": "openlineage", "events": [{}]}, "/events/0"),
        ({"tool": "soda", "events": []}, "/tool"),
    ],
)
async def test_an_import_that_cannot_be_read_is_refused_with_its_place(body: Any, pointer: str, api: Any) -> None:
    refused = await _import(api, **body)
    assert refused.status == 400
    assert pointer in [problem["pointer"] for problem in refused.body["errors"]]
    assert (await api("GET", "search", params={"q": "*", "quality": "passing"})).body["hits"] == []


@pytest.mark.each_store
async def test_statuses_of_many_datasets_are_read_at_once(api: Any) -> None:
    items = ORDERS.replace("orders", "items")
    await _expect(api, _EXPECTED)
    await _expect(api, _EXPECTED, items)
    await _record(api, {"id-not-null": _PASSED, "amount-range": _FAILED})
    body = {"urns": [ORDERS, items, ORDERS.replace("orders", "absent"), "urn:li:tag:pii"]}
    read = await api("POST", "quality", "statuses", body=body, answers="quality-statuses")
    assert read.body == {"statuses": {ORDERS: "failing"}}


async def test_results_of_an_absent_dataset_are_refused(api: Any) -> None:
    assert (
        await _record(api, {"a": {"kind": "other", "name": "a", "status": "passed"}}, urn=f"{ORDERS[:-6]}x,PROD)")
    ).status == 404


async def test_assertions_of_openlineage_are_results(openlineage: Any, api: Any) -> None:
    facet = {
        "assertions": [
            {"assertion": "not_null", "column": "id", "success": False},
            {"assertion": "fresh", "success": True},
            {"assertion": "small", "success": False, "severity": "warn"},
        ]
    }
    # Some clients write facets that they lack as null.
    dataset = build_event_dataset("orders", own={"dataQualityAssertions": facet, "inputStatistics": None}, schema=None)
    assert (await openlineage("POST", "api", "v1", "lineage", body=build_event(inputs=[dataset]))).status == 201
    found = (await api("GET", "search", params={"q": "*", "quality": "failing"})).body["hits"]
    (hit,) = found
    results = (await api("GET", "entities", hit["urn"], "aspects", "quality")).body["value"]["results"].values()
    assert {(one["name"], one.get("column"), one["status"], one.get("severity")) for one in results} == {
        ("not_null", "id", "failed", None),
        ("fresh", None, "passed", None),
        ("small", None, "failed", "warning"),
    }
    assert {one["source"]["run"] for one in results} == {f"urn:li:dataProcessInstance:{RUN}"}
