"""`jupyter colophon ingest great-expectations`: suites and validation results."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import Commands

_NOT_NULL = {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "id"}, "meta": {}}
_UNIQUE = {"type": "expect_column_values_to_be_unique", "kwargs": {"column": "id"}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder as Great Expectations 1.x writes it."""
    folder = tmp_path / "gx"
    item = {"success": False, "expectation_config": _NOT_NULL, "result": {"unexpected_count": 2}}
    meta = {
        "active_batch_definition": {"data_asset_name": "orders"},
        "run_id": {"run_time": "2026-11-26T08:00:00+00:00"},
    }
    data = {"datasource": {"name": "shop"}, "asset": {"name": "orders"}, "batch_definition": {"name": "whole"}}
    documents: dict[str, Any] = {
        "expectations/orders_suite.json": {"name": "orders_suite", "expectations": [_NOT_NULL, _UNIQUE]},
        "expectations/other_suite.json": {"expectation_suite_name": "sales.report", "expectations": [_UNIQUE]},
        "validation_definitions/orders.json": {"name": "orders", "data": data, "suite": {"name": "orders_suite"}},
        "checkpoints/nightly.json": {"name": "nightly", "validation_definitions": [], "actions": []},
        "uncommitted/validations/a/1.json": {"results": [item], "meta": meta},
    }
    for name, document in documents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(document), "utf-8")
    return folder


def test_suites_and_results_of_a_project_are_ingested_once(colophon: Commands, project: Path) -> None:
    words = ("ingest", "great-expectations", str(project), "--dataset=orders=sales.orders", "--json")
    planned = colophon(*words, "--dry-run")
    assert (planned.status, planned.err) == (0, "")
    assert "orders" not in colophon("search", "quality:failing").out
    first, again = colophon(*words).answer, colophon(*words).answer
    assert planned.answer == first | {"dryRun": True}
    rows = {row["dataset"]: (row["expectations"], row["results"], row["failed"]) for row in first["datasets"]}
    # The suite of `orders` is about the data asset of its validation definition.
    assert rows == {"orders": (2, 1, 1), "sales.report": (1, 0, 0)}
    assert (first["aspects"]["written"], first["results"]["written"]) == (2, 1)
    assert (again["aspects"]["written"], again["results"]["written"]) == (0, 0)
    assert "sales.orders" in colophon("search", "quality:failing").out


def test_the_newest_result_of_each_expectation_counts(colophon: Commands, project: Path) -> None:
    newest = json.loads((project / "uncommitted/validations/a/1.json").read_text("utf-8"))
    newest["results"][0]["success"] = True
    newest["meta"]["run_id"]["run_time"] = "2026-11-27T08:00:00+00:00"
    (project / "uncommitted/validations/0.json").write_text(json.dumps(newest), "utf-8")
    words = ("ingest", "great-expectations", str(project / "uncommitted"), "--dataset=orders=sales.orders")
    assert colophon(*words).status == 0
    assert "sales.orders" in colophon("search", "quality:passing").out


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("checkpoints/nightly.json", "nightly.json has no validation result"),
        ("checkpoints", "has no suite and no validation result of Great Expectations"),
        ("missing.json", "No such file or directory"),
        ("expectations/orders_suite.json", "name the dataset with --dataset=orders_suite=DATASET"),
    ],
)
def test_what_cannot_be_ingested_is_one_line(file: str, message: str, colophon: Commands, project: Path) -> None:
    failed = colophon("ingest", "great-expectations", str(project / file))
    assert (failed.status, message in failed.err) == (2, True), failed.err
