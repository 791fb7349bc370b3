"""`jupyter colophon import-quality`."""

import json
from pathlib import Path

import pytest
from support.commands import Commands


def _write_validation(file: Path, success: bool, time: str) -> None:
    kwargs = {"column": "id"}
    config = {"type": "expect_column_values_to_not_be_null", "kwargs": kwargs}
    item = {"success": success, "expectation_config": config, "result": {"unexpected_count": 0 if success else 2}}
    meta = {"active_batch_definition": {"data_asset_name": "orders"}, "run_id": {"run_time": time}}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"results": [item], "meta": meta}), "utf-8")


def test_a_folder_of_validations_is_imported_with_the_newest_result(colophon: Commands, tmp_path: Path) -> None:
    assert colophon("namespace", "create", "sales").status == 0
    folder = tmp_path / "validations"
    _write_validation(folder / "b" / "1.json", True, "2026-11-26T08:00:00+00:00")
    _write_validation(folder / "a" / "2.json", False, "2026-11-27T08:00:00+00:00")
    imported = colophon("import-quality", "great-expectations", str(folder), "--dataset=orders=sales.orders", "--json")
    assert (imported.status, imported.err) == (0, "")
    (dataset,) = imported.answer["datasets"]
    assert (dataset["dataset"], dataset["expectations"], dataset["results"], dataset["failed"]) == ("orders", 1, 1, 1)
    assert "sales.orders" in colophon("search", "quality:failing").out
    (folder / "a" / "2.json").unlink()
    _write_validation(folder / "c.json", True, "2026-11-28T08:00:00+00:00")
    assert colophon("import-quality", "great-expectations", str(folder), "--dataset=orders=sales.orders").status == 0
    assert "sales.orders" in colophon("search", "quality:passing").out


def test_a_target_folder_of_dbt_is_imported(colophon: Commands, tmp_path: Path) -> None:
    assert colophon("namespace", "create", "sales").status == 0
    test = {"resource_type": "test", "test_metadata": {"name": "unique", "kwargs": {}}, "column_name": "id"}
    model = {"resource_type": "model", "schema": "sales", "alias": "orders"}
    nodes = {"test.shop.unique": test | {"attached_node": "model.shop.orders"}, "model.shop.orders": model}
    (tmp_path / "manifest.json").write_text(json.dumps({"nodes": nodes}), "utf-8")
    results = [{"unique_id": "test.shop.unique", "status": "fail", "failures": 4}]
    (tmp_path / "run_results.json").write_text(json.dumps({"metadata": {}, "results": results}), "utf-8")
    imported = colophon("import-quality", "dbt", str(tmp_path))
    assert (imported.status, imported.err, "sales.orders" in imported.out) == (0, "", True)
    assert "sales.orders" in colophon("search", "quality:failing").out


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "No such file"), ("{", "is not JSON"), ("{}", "has no validation result")],
)
def test_an_unreadable_file_is_one_line(content: str | None, message: str, colophon: Commands, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    if content is not None:
        file.write_text(content, "utf-8")
    failed = colophon("import-quality", "great-expectations", str(file))
    assert (failed.status != 0, message in failed.err) == (True, True), failed.err
