"""The application analytics over HTTP, in a server whose worker process has a Spark session: from data to predictions."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
from live import LiveServer, run_live_server
from support.waiting import wait_for

APP = "colophon/v3/namespaces/system/apps/analytics"
SPARK = "colophon/v3/namespaces/system/apps/ModelManagementApp/spark/ModelManagerService"

APPLICATION = "urn:li:dataFlow:(colophon,analytics-churn,sales)"
CELL = "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.prepare.ipynb#a1)"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Customers who leave if they are old and live in Oslo, mostly."""
    folder: Path = tmp_path_factory.mktemp("shared").resolve()
    rows = []
    for number in range(400):
        age, city = 20 + number * 7 % 60, ("Rome", "Oslo", "Bern")[number % 3]
        leaves = (age > 45 and city == "Oslo") != (number % 23 == 0)
        rows.append(f"{age},{city},{'yes' if leaves else 'no'},{age * 2 + number % 5}")
    (folder / "customers.csv").write_text("\n".join(["age,city,churned,spend", *rows, "x,,no,"]) + "\n")
    (folder / "new.csv").write_text("id,age,city\n1,70,Oslo\n2,25,Rome\n3,,Paris\n")
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Iterator[LiveServer]:
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")
    (home / "config").mkdir()
    (home / "config" / "jupyter_server_config.py").write_text(
        f"import os\nos.environ.update(COLOPHON_DATAPREP_FOLDERS={str(data)!r}, SPARK_CONF_DIR={str(home)!r})\n"
        "c.Colophon.shipped_system_apps = ['analytics']\n"
    )
    # Few tasks, for few rows.
    (home / "spark-defaults.conf").write_text("spark.sql.shuffle.partitions 1\nspark.driver.memory 1g\n")
    with run_live_server(root, home) as running:
        running.call("PUT", "colophon/v3/namespaces/sales", {})
        yield running


def test_data_is_split_and_models_are_trained_compared_and_applied(server: LiveServer, data: Path) -> None:
    def call(method: str, path: str, body: Any = None, prefix: str = f"{APP}/services/service") -> Any:
        return server.call(method, f"{prefix}/methods/v2/contexts/sales/experiments/{path}", body)

    def complete(path: str, body: Any, read: str) -> Any:
        """Start a job, and return what it created."""
        started = call("POST", path, body, SPARK)
        assert started["state"] == "running"
        return wait_for(lambda: call("GET", read), lambda found: found["state"] != "running")

    source = {"path": str(data / "customers.csv")}
    predictors = [{"name": "age", "type": "numeric"}, {"name": "city", "type": "categorical"}]
    call(
        "PUT",
        "churn",
        {"source": source, "outcome": {"name": "churned", "type": "categorical"}, "predictors": predictors},
    )
    _record_cell_that_writes(server, data / "customers.csv")
    split = complete("churn/splits", {"name": "half", "type": "stratified", "trainFraction": 0.5}, "churn/splits/half")
    assert split["state"] == "complete", split["problem"]
    assert split["lineageProblem"] == ""
    assert split["train"]["rows"] + split["test"]["rows"] == 401
    assert abs(split["train"]["rows"] - split["test"]["rows"]) <= 2
    outcome, age, city = split["statistics"]
    assert outcome["similarity"]["pValue"] > 0.9
    assert {item["value"] for item in city["train"]["topValues"]} == {"Rome", "Oslo", "Bern"}
    in_parts = [age["train"], age["test"]]
    assert sum(part["nulls"] for part in in_parts) == 1  # `x` is not a number
    assert min(part["min"] for part in in_parts) == 20
    assert [sum(each["count"] for each in part["histogram"]) for part in in_parts] == [
        part["count"] for part in in_parts
    ]

    trees = complete(
        "churn/models",
        {"name": "trees", "split": "half", "algorithm": "random-forest-classifier", "parameters": {"numTrees": 5}},
        "churn/models/trees",
    )
    assert trees["state"] == "complete", trees["problem"]
    linear = complete(
        "churn/models", {"name": "linear", "split": "half", "algorithm": "logistic-regression"}, "churn/models/linear"
    )
    assert linear["state"] == "complete", linear["problem"]
    assert trees["metrics"]["accuracy"] > 0.85
    assert trees["metrics"]["auc"] > 0.8
    assert trees["evaluation"]["classes"] == ["no", "yes"]
    assert sum(map(sum, trees["evaluation"]["confusion"])) == split["test"]["rows"]
    assert trees["evaluation"]["roc"][-1] == {"fpr": 1.0, "tpr": 1.0}
    assert {item["feature"] for item in trees["importances"]} == {"age", "city"}
    assert {item["feature"] for item in linear["importances"]} == {"age", "city=Rome", "city=Oslo", "city=Bern"}
    compared = [model["name"] for model in call("GET", "churn/models?sort=accuracy")["models"]]
    worse_first = sorted((trees, linear), key=lambda model: model["metrics"]["accuracy"])
    assert compared[-1] == worse_first[0]["name"]

    target = data / "predicted.csv"
    body = {"name": "new", "source": {"path": str(data / "new.csv")}, "target": str(target), "format": "csv"}
    predicted = complete("churn/models/trees/apply", body, "churn/models/trees/predictions/new")
    assert (predicted["state"], predicted["rows"]) == ("complete", 3), predicted["problem"]
    (file,) = target.glob("part-*.csv")
    lines = file.read_text().splitlines()
    assert lines[0] == "id,age,city,prediction,probability"
    assert [line.split(",")[3] for line in lines[1:3]] == ["yes", "no"]

    _require_lineage_to_the_cell(server, data, predicted["dataset"], trees["entity"], split)
    _require_described_model(server, trees, split)

    # A model that is trained again under its name has nothing of the deleted one.
    call("DELETE", "churn/models/linear")
    assert not _is_entity(server, linear["entity"])
    body = {"name": "linear", "split": "half", "algorithm": "logistic-regression", "parameters": {"maxIter": 1}}
    again = complete("churn/models", body, "churn/models/linear")
    properties = _read_aspects(server, again["entity"])["mlModelProperties"]
    assert {"name": "maxIter", "value": "1"} in properties["hyperParams"]
    assert properties["trainingMetrics"][0]["value"] == str(again["metrics"]["accuracy"])

    spend = [{"name": "spend", "type": "numeric"}]
    call("PUT", "spend", {"source": source, "outcome": spend[0], "predictors": predictors})
    complete("spend/splits", {"name": "all", "folder": str(data)}, "spend/splits/all")
    assert (data / "spend-all-test.parquet" / "_SUCCESS").exists()
    line = complete(
        "spend/models", {"name": "line", "split": "all", "algorithm": "linear-regression"}, "spend/models/line"
    )
    assert line["metrics"]["r2"] > 0.95, line["problem"]
    assert len(line["evaluation"]["points"]) > 50
    call("DELETE", "churn")
    call("DELETE", "spend")
    assert not any(_is_entity(server, urn) for urn in (trees["entity"], split["train"]["dataset"], APPLICATION))
    # The predictions are files that stay.
    assert _is_entity(server, predicted["dataset"])


def _record_cell_that_writes(server: LiveServer, path: Path) -> None:
    run = server.call("POST", "colophon/api/runs", {"program": CELL, "runId": "r1", "start": "2026-11-20T12:00:00Z"})
    access = {"data": f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)", "mode": "write"}
    server.call("POST", f"colophon/api/runs/{quote(run['urn'], safe='')}/accesses", {"accesses": [access]})


def _require_lineage_to_the_cell(
    server: LiveServer, data: Path, predicted: str, model: str, split: dict[str, Any]
) -> None:
    """From the predictions back to the model, the split, and the notebook's cell that wrote the data; with columns."""
    query = f"urn={quote(predicted, safe='')}&direction=upstream&levels=10&columns=true"
    lineage = server.call("GET", f"colophon/api/lineage?{query}")
    edges = {(edge["source"], edge["target"]) for edge in lineage["edges"]}
    train, customers = split["train"]["dataset"], f"urn:li:dataset:(urn:li:dataPlatform:file,{data}/customers.csv,PROD)"
    splitting, training, applying = (
        f"urn:li:dataJob:({APPLICATION},spark.{name})" for name in ("split-half", "model-trees", "apply-trees-new")
    )
    path = [CELL, customers, splitting, train, training, model, applying, predicted]
    assert set(pairwise(path)) <= edges
    columns = {
        (edge["source"], edge["sourceField"], edge["target"], edge["targetField"]) for edge in lineage["columns"]
    }
    assert {
        (customers, "age", train, "age"),
        (train, "age", model, "prediction"),
        (model, "prediction", predicted, "prediction"),
    } <= columns
    # Downstream of the cell, with the model itself in the middle.
    downstream = server.call("GET", f"colophon/api/lineage?urn={quote(model, safe='')}&direction=both&levels=5")
    assert {CELL, predicted} <= {node["urn"] for node in downstream["nodes"]}


def _require_described_model(server: LiveServer, model: dict[str, Any], split: dict[str, Any]) -> None:
    """The entity has the parameters, the metrics and the data, is found by its type, and its run has read the split."""
    assert model["entity"] == "urn:li:mlModel:(urn:li:dataPlatform:colophon,sales.churn.trees,PROD)"
    entity = server.call("GET", f"colophon/api/entities/{quote(model['entity'], safe='')}")
    assert (entity["type"], entity["namespace"], entity["name"]) == ("mlModel", "sales", "churn.trees")
    aspects = _read_aspects(server, model["entity"])
    properties = aspects["mlModelProperties"]
    assert (properties["name"], properties["type"]) == ("trees", "random-forest-classifier")
    assert {"name": "numTrees", "value": "5"} in properties["hyperParams"]
    metrics = {metric["name"]: metric["value"] for metric in properties["trainingMetrics"]}
    assert metrics["f1"] == str(model["metrics"]["f1"])
    assert metrics["train_f1"] == str(model["trainMetrics"]["f1"])
    assert aspects["mlModelTrainingData"]["trainingData"] == [{"dataset": split["train"]["dataset"]}]
    assert properties["customProperties"]["metric.f1"] == metrics["f1"]
    for query in ("trees", "parameter.numTrees:5"):
        found = server.call("GET", f"colophon/api/search?q={quote(query)}&type=mlModel")
        assert [hit["urn"] for hit in found["hits"]] == [model["entity"]]
    (program,) = properties["trainingJobs"]
    (run,) = server.call("GET", f"colophon/api/runs?program={quote(program, safe='')}")["runs"]
    assert run["status"] == "succeeded"
    assert run["arguments"]["split"] == "half"
    assert {(access["data"], access["mode"]) for access in run["accesses"]} == {
        (split["train"]["dataset"], "read"),
        (split["test"]["dataset"], "read"),
        (model["entity"], "write"),
    }


def _read_aspects(server: LiveServer, urn: str) -> dict[str, Any]:
    entity = server.call("GET", f"colophon/api/entities/{quote(urn, safe='')}")
    return {name: aspect["value"] for name, aspect in entity["aspects"].items()}


def _is_entity(server: LiveServer, urn: str) -> bool:
    try:
        return server.call("GET", f"colophon/api/entities/{quote(urn, safe='')}")["urn"] == urn
    except HTTPError as error:
        if error.code != 404:
            raise
        return False
