"""What Great Expectations and dbt expect and found, as our expectations and results."""

from typing import Any

import pytest
from jupyter_colophon.core.quality.dbt import read_test_results
from jupyter_colophon.core.quality.great_expectations import read_validation_results
from jupyter_colophon.core.quality.imported import UnreadableResults


def _item(
    name: str, kwargs: dict[str, Any], *, key: str = "type", success: bool = True, **result: Any
) -> dict[str, Any]:
    config = {key: name, "kwargs": {"batch_id": "b", **kwargs}, "meta": {}}
    raised = {"raised_exception": False, "exception_message": None}
    return {"success": success, "expectation_config": config, "result": result, "exception_info": raised}


def _validation(*items: Any, asset: str = "orders", time: str = "2026-11-27T08:00:00+00:00") -> dict[str, Any]:
    meta = {"active_batch_definition": {"data_asset_name": asset}, "run_id": {"run_time": time, "run_name": None}}
    return {"results": list(items), "success": True, "meta": meta}


@pytest.mark.parametrize("key", ["type", "expectation_type"])
def test_known_expectations_of_great_expectations_are_ours(key: str) -> None:
    document = _validation(
        _item(
            "expect_column_values_to_not_be_null",
            {"column": "id", "mostly": 0.9},
            key=key,
            unexpected_count=1,
            element_count=5,
        ),
        _item("expect_column_values_to_be_between", {"column": "n", "min_value": 0, "max_value": None}, key=key),
        _item(
            "expect_column_values_to_be_in_set",
            {"column": "s", "value_set": ["a"]},
            key=key,
            success=False,
            partial_unexpected_list=["b"],
        ),
        _item("expect_column_values_to_match_regex", {"column": "s", "regex": "^a"}, key=key),
        _item("expect_table_row_count_to_equal", {"value": 5}, key=key, observed_value=5),
        _item("expect_column_to_exist", {"column": "s"}, key=key),
    )
    document["results"][5]["expectation_config"]["severity"] = "info"
    (dataset,) = read_validation_results(document)
    origin = {"origin": "great-expectations"}
    assert list(dataset.expectations.values()) == [
        {"kind": "notNull", "column": "id", "tolerance": 0.1} | origin,
        {"kind": "range", "column": "n", "min": 0} | origin,
        {"kind": "set", "column": "s", "values": ["a"]} | origin,
        {"kind": "pattern", "column": "s", "pattern": "^a"} | origin,
        {"kind": "rowCount", "min": 5, "max": 5} | origin,
        {"kind": "columns", "column": "s", "columns": [{"name": "s"}], "severity": "warning"} | origin,
    ]
    results = list(dataset.results.values())
    assert (dataset.name, dataset.time) == ("orders", 1_795_766_400_000)
    assert results[0] == {"status": "passed", "failing": 1, "rows": 5}
    assert results[2] == {"status": "failed", "samples": ["b"]}
    assert results[4] == {"status": "passed", "observed": "5"}


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        ("expect_column_mean_to_be_between", {"column": "n", "min_value": 0}),
        ("expect_column_values_to_be_between", {"column": "n", "min_value": 0, "strict_min": True}),
        ("expect_column_values_to_not_be_null", {"column": "n", "row_condition": "a > 1"}),
        ("expect_column_values_to_be_between", {"column": "n", "min_value": {"$PARAMETER": "p"}}),
    ],
)
def test_other_expectations_are_kept_with_name_parameters_and_result(name: str, kwargs: Any) -> None:
    (dataset,) = read_validation_results(_validation(_item(name, kwargs, success=False)))
    (expectation,) = dataset.expectations.values()
    kept = {"kind": "other", "name": name, "column": "n", "parameters": kwargs, "origin": "great-expectations"}
    assert expectation == kept
    assert [one["status"] for one in dataset.results.values()] == ["failed"]


def test_a_checkpoint_has_several_datasets_and_raised_exceptions_are_errors() -> None:
    broken = _item("expect_column_values_to_be_unique", {"column": "x"}, success=False)
    broken["exception_info"] = {"raised_exception": True, "exception_message": "no column x"}
    checkpoint = {
        "run_results": {
            "a": {"validation_result": _validation(broken)},
            "b": {"validation_result": _validation(broken, asset="items")},
        }
    }
    datasets = read_validation_results(checkpoint)
    assert [one.name for one in datasets] == ["orders", "items"]
    assert list(datasets[0].results.values()) == [{"status": "error", "message": "no column x"}]


@pytest.mark.parametrize("document", [{}, [], {"results": [{"a": 1}]}, {"results": [_item("x", {})]}, None, 3])
def test_other_documents_are_refused(document: Any) -> None:
    with pytest.raises(UnreadableResults):
        read_validation_results(document)


def _test_node(name: str, kwargs: Any, column: str | None = "id", **more: Any) -> dict[str, Any]:
    namespace, _, short = name.rpartition(".")
    about = {
        "name": short,
        "namespace": namespace or None,
        "kwargs": {"model": "{{ m }}", "column_name": column, **kwargs},
    }
    node = {
        "resource_type": "test",
        "test_metadata": about,
        "column_name": column,
        "attached_node": "model.shop.orders",
    }
    return node | more


def test_tests_of_dbt_are_ours_or_kept() -> None:
    tests = {
        "test.shop.not_null": _test_node("not_null", {}),
        "test.shop.unique": _test_node("unique", {}, config={"where": "id > 1"}),
        "test.shop.values": _test_node("accepted_values", {"values": ["a", "b"]}, "state", config={"severity": "WARN"}),
        "test.shop.range": _test_node("dbt_utils.accepted_range", {"min_value": 0, "inclusive": True}, "n"),
        "test.shop.sql": {"resource_type": "test", "name": "totals", "depends_on": {"nodes": ["model.shop.orders"]}},
        "test.shop.source": _test_node("relationships", {"to": "x"}, attached_node="source.shop.raw.items"),
    }
    model = {"resource_type": "model", "schema": "sales", "alias": "orders", "name": "stg_orders"}
    sources = {"source.shop.raw.items": {"schema": "raw", "identifier": "items", "name": "i"}}
    manifest = {"nodes": {"model.shop.orders": model, **tests}, "sources": sources}
    found = [
        {"unique_id": "test.shop.not_null", "status": "fail", "failures": 3, "message": "Got 3 results"},
        {"unique_id": "test.shop.unique", "status": "error", "failures": None, "message": "Database Error"},
        {"unique_id": "test.shop.values", "status": "pass", "failures": 0},
        {"unique_id": "test.shop.range", "status": "skipped"},
    ]
    run_results = {"metadata": {"generated_at": "2026-11-27T08:00:00.5Z"}, "results": found}
    orders, items = read_test_results(manifest, run_results)
    assert (orders.name, items.name, orders.time) == ("sales.orders", "raw.items", 1_795_766_400_500)
    kinds = {id_: (one["kind"], one.get("column")) for id_, one in orders.expectations.items()}
    assert kinds == {
        "dbt:test.shop.not_null": ("notNull", "id"),
        "dbt:test.shop.unique": ("other", "id"),
        "dbt:test.shop.values": ("set", "state"),
        "dbt:test.shop.range": ("range", "n"),
        "dbt:test.shop.sql": ("other", None),
    }
    assert orders.results == {
        "dbt:test.shop.not_null": {"status": "failed", "failing": 3},
        "dbt:test.shop.unique": {"status": "error", "message": "Database Error"},
        "dbt:test.shop.values": {"status": "passed", "failing": 0},
    }


@pytest.mark.parametrize("documents", [({}, {}), ([], None), ({"nodes": {}}, {"results": 1})])
def test_other_documents_of_dbt_are_refused(documents: Any) -> None:
    with pytest.raises(UnreadableResults):
        read_test_results(*documents)
