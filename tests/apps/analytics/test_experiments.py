"""Experiments, algorithms and metrics: what needs no Spark."""

import math
import os
from collections.abc import Callable
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
import pyarrow
import pytest
from jupyter_colophon.apps.analytics.algorithms import ALGORITHMS
from jupyter_colophon.apps.analytics.evaluation import compute_class_metrics, compute_curve
from jupyter_colophon.apps.analytics.statistics import compute_chi_squared, compute_kolmogorov_smirnov
from jupyter_colophon.apps.jobs import AppJobs, JobName
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import AlreadyExists, BadRequest, NotFound
from pyarrow import parquet
from support.catalog import ADA

Call = Callable[..., Any]


def test_columns_of_data_are_inspected(call: Call, data: Path) -> None:
    found = call("POST", "inspect", {"path": str(data / "churn.csv")})
    assert found["source"]["dataset"] == f"urn:li:dataset:(urn:li:dataPlatform:file,{data}/churn.csv,PROD)"
    assert found["columns"][:2] == [
        {"name": "age", "type": "numeric", "distinct": 50, "nulls": 1, "examples": ["20", "21", "22"]},
        {"name": "city", "type": "categorical", "distinct": 2, "nulls": 1, "examples": ["Rome", "Oslo"]},
    ]
    assert call("POST", "inspect", {"dataset": found["source"]["dataset"]}) == found
    # A folder as Spark writes it.
    (data / "written").mkdir()
    (data / "written" / "_SUCCESS").write_text("")
    (data / "written" / "part-0.json").write_text('{"a": 1}\n{"a": 2}\n')
    found = call("POST", "inspect", {"path": str(data / "written")})
    assert (found["source"]["format"], found["columns"][0]["type"]) == ("json", "numeric")
    (data / "written" / "link.json").symlink_to("/etc/passwd")
    with pytest.raises(BadRequest, match="the folder has links"):
        call("POST", "inspect", {"path": str(data / "written")})
    (data / "written" / "link.json").unlink()
    os.mkfifo(data / "written" / "pipe.json")
    with pytest.raises(BadRequest, match="the folder has special files"):
        call("POST", "inspect", {"path": str(data / "written")})


def test_columns_of_any_type_are_inspected(call: Call, data: Path) -> None:
    columns = {
        "day": [date(2026, 11, 27), None],
        "n": [1.5, math.nan],
        "more": [{"a": 1}, {"a": 2}],
        "list": [[1], [1]],
    }
    parquet.write_table(pyarrow.table(columns), data / "any.parquet")
    assert call("POST", "inspect", {"path": str(data / "any.parquet")})["columns"] == [
        {"name": "day", "type": "categorical", "distinct": 1, "nulls": 1, "examples": ["2026-11-27"]},
        {"name": "n", "type": "numeric", "distinct": 1, "nulls": 1, "examples": ["1.5"]},
        {"name": "more", "type": "categorical", "distinct": 2, "nulls": 0, "examples": ['{"a": 1}', '{"a": 2}']},
        {"name": "list", "type": "categorical", "distinct": 1, "nulls": 0, "examples": ["[1]"]},
    ]


def test_experiment_is_created_changed_and_deleted(call: Call, experiment: dict[str, Any]) -> None:
    created = call("GET", "experiments/churn")
    assert (created["problemType"], created["splits"], created["createdBy"]) == ("classification", 0, "ada")
    call(
        "PUT",
        "experiments/churn",
        experiment
        | {
            "description": "Who leaves?",
            "outcome": {"name": "age", "type": "numeric"},
            "predictors": experiment["predictors"][1:],
        },
    )
    (changed,) = call("GET", "experiments")["experiments"]
    assert (changed["problemType"], changed["description"]) == ("regression", "Who leaves?")
    assert call("GET", "experiments", context="ops") == {"experiments": []}
    call("DELETE", "experiments/churn")
    for path in ("experiments/churn", "experiments/churn/splits", "experiments/churn/models"):
        with pytest.raises(NotFound, match="experiment 'churn' not found"):
            call("GET", path)


@pytest.mark.parametrize(
    ("change", "pointer", "reason"),
    [
        ({"outcome": {"name": "left", "type": "categorical"}}, "/outcome/name", "the data has no column 'left'"),
        ({"outcome": {"name": "churned", "type": "text"}}, "/outcome/type", "numeric, categorical"),
        ({"predictors": [{"name": "churned", "type": "numeric"}]}, "/predictors/0/name", "is used twice"),
        ({"source": {"path": "DATA/missing.csv"}}, "/source/path", "there is neither a file nor a folder"),
        ({"source": {"path": "DATA/churn[1].csv"}}, "/source/path", "which Spark reads as a pattern"),
        ({"source": {"path": "/etc/passwd"}}, "/source/path", "'/etc' is not a folder inside a permitted one"),
        (
            {"source": {"dataset": "urn:li:dataset:(urn:li:dataPlatform:spark,a.b,PROD)"}},
            "/source/dataset",
            "platform file",
        ),
    ],
)
def test_invalid_experiments_are_refused(
    call: Call, experiment: dict[str, Any], data: Path, change: dict[str, Any], pointer: str, reason: str
) -> None:
    (data / "churn[1].csv").write_text("age\n1\n")
    body = deepcopy(experiment | change)
    if "path" in body["source"]:
        body["source"]["path"] = body["source"]["path"].replace("DATA", str(data))
    with pytest.raises(BadRequest, match=reason) as refused:
        call("PUT", "experiments/other", body)
    assert [problem.pointer for problem in refused.value.problems] == [pointer]


def test_foreign_folders_are_refused(call: Call, data: Path, tmp_path: Path) -> None:
    for path in ("/", "/etc/passwd", str(data / ".." / "store.db"), "../store.db"):
        with pytest.raises(BadRequest):
            call("POST", "inspect", {"path": path})


def test_relative_path_is_below_a_permitted_folder(call: Call, data: Path) -> None:
    assert call("POST", "inspect", {"path": "churn.csv"})["source"]["path"] == str(data / "churn.csv")


def test_experiments_end_with_their_namespace(call: Call, experiment: dict[str, Any], catalog: Catalog) -> None:
    catalog.namespaces.delete_namespace_and_content_in_background("sales", ADA)
    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        call("GET", "experiments")
    catalog.namespaces.delete_remaining_content_now("sales")
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert call("GET", "experiments") == {"experiments": []}


def test_parameters_have_schemas_that_their_defaults_satisfy(call: Call, data: Path) -> None:
    listed = call("GET", "algorithms")["algorithms"]
    assert {"logistic-regression", "random-forest-regressor"} < {algorithm["name"] for algorithm in listed}
    for algorithm in listed:
        defaults = ALGORITHMS[algorithm["name"]].parse_parameters({})
        assert jsonschema_rs.is_valid(algorithm["schema"], defaults)
    forest = ALGORITHMS["random-forest-classifier"]
    for parameters, pointer in (
        ({"numTrees": 0}, "numTrees"),
        ({"a/b~": 1}, "a~1b~0"),
        ({"maxDepth": 2.5}, "maxDepth"),
    ):
        with pytest.raises(BadRequest) as refused:
            forest.parse_parameters(parameters)
        assert refused.value.problems[0].pointer == f"/parameters/{pointer}"


def test_metrics_are_those_of_the_confusion_matrix() -> None:
    metrics = compute_class_metrics([[50, 10], [5, 35]])
    assert metrics["accuracy"] == pytest.approx(0.85)
    assert metrics["precision"] == pytest.approx(0.6 * 50 / 55 + 0.4 * 35 / 45)
    assert metrics["recall"] == pytest.approx(0.85)
    points, area = compute_curve([(0.9, 0, 2), (0.5, 1, 1), (0.1, 2, 0)])
    assert area == pytest.approx((2 * 3 + 1 * (2 + 0.5)) / 9)
    assert (points[0], points[-1]) == ({"fpr": 0.0, "tpr": 0.0}, {"fpr": 1.0, "tpr": 1.0})


def test_parts_are_compared_by_statistical_tests() -> None:
    # The tail of the chi-squared distribution with two degrees of freedom is exp(-x / 2).
    found = compute_chi_squared([10, 20, 30], [20, 20, 20])
    assert found is not None
    assert found["pValue"] == pytest.approx(math.exp(-found["statistic"] / 2))
    same, other = compute_kolmogorov_smirnov([50, 50], [50, 50]), compute_kolmogorov_smirnov([90, 10], [10, 90])
    assert same is not None
    assert other is not None
    assert (same["statistic"], same["similar"], other["similar"]) == (0.0, True, False)
    assert other["statistic"] == pytest.approx(0.8)
    assert compute_kolmogorov_smirnov([0, 0], [1, 1]) is None


def test_split_of_a_process_that_ended_has_failed(call: Call, experiment: dict[str, Any], catalog: Catalog) -> None:
    row = {
        **{"context": "sales", "experiment": "churn", "name": "half", "job": "ended", "state": "running"},
        **{"progress": "reading the data", "problem": "", "lineage_problem": "", "settings": "{}", "created_ms": 1},
    }
    catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_analytics_splits").upsert(row))
    split = call("GET", "experiments/churn/splits/half")
    assert (split["state"], split["progress"], split["statistics"]) == ("failed", "", None)
    assert split["problem"] == "the process that ran it has ended: start it again"
    # Its experiment can be deleted, and it has no statistics in a list.
    assert "statistics" not in call("GET", "experiments/churn/splits")["splits"][0]
    call("DELETE", "experiments/churn")


def test_columns_of_an_experiment_with_splits_cannot_change(
    call: Call, experiment: dict[str, Any], catalog: Catalog
) -> None:
    row = {"context": "sales", "experiment": "churn", "name": "half", "job": "", "state": "failed", "settings": "{}"}
    catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_analytics_splits").upsert(row))
    assert call("PUT", "experiments/churn", experiment | {"description": "Who leaves?"})["splits"] == 1
    with pytest.raises(AlreadyExists, match="split of the experiment 'churn' already exists"):
        call("PUT", "experiments/churn", experiment | {"predictors": experiment["predictors"][:1]})


def test_split_that_completes_while_it_is_read_has_not_failed(
    call: Call, experiment: dict[str, Any], catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = {"context": "sales", "experiment": "churn", "name": "half"}
    row = {**key, "job": "ends", "state": "running", "problem": "", "lineage_problem": "", "settings": "{}"}
    catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_analytics_splits").upsert(row | {"created_ms": 1}))

    def end_job(jobs: AppJobs, job: JobName) -> bool:
        done = {**key, "state": "complete"}
        catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_analytics_splits").update(done))
        return False

    # The interleaving: the row is read, the job completes it and ends, and then the job is looked for.
    monkeypatch.setattr(AppJobs, "is_job_running", end_job)
    assert call("GET", "experiments/churn/splits/half")["state"] == "complete"
