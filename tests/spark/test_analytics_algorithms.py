"""Each algorithm of the application analytics learns from the same few rows."""

from typing import Any

import pytest
from jupyter_colophon.apps.analytics.algorithms import ALGORITHMS, find_algorithm
from jupyter_colophon.apps.analytics.training import fit_and_evaluate, name_predictors
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

PREDICTORS = [{"name": "age", "type": "numeric"}, {"name": "city", "type": "categorical"}]
#: Fewer steps than by default, of those algorithms that have them.
FEW = {"maxIter": 10, "numTrees": 3}


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> Any:
    """Customers who leave if they live in Oslo, and whose spending grows with their age; one age is missing."""
    cities = ("Rome", "Oslo", "Bern")
    data = [(20.0 + 7 * at % 60, cities[at % 3], str(at % 3 == 1), 10.0 + 2 * (7 * at % 60)) for at in range(90)]
    return spark.createDataFrame(
        [*data, (None, "Rome", "False", 50.0)], "age double, city string, leaves string, spend double"
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithm_learns(rows: Any, name: str) -> None:
    algorithm = find_algorithm(name)
    is_classification = algorithm.problem_type == "classification"
    outcome = col("leaves" if is_classification else "spend")
    part = name_predictors(rows, PREDICTORS, outcome.alias("outcome"), outcome.alias("label"))
    few = {key: value for key, value in FEW.items() if key in algorithm.parameters}
    reported: list[str] = []
    model, result = fit_and_evaluate(
        algorithm, algorithm.parse_parameters(few), PREDICTORS, {"train": part, "test": part}, reported.append
    )
    assert reported == ["training the model", "evaluating the model"]
    if is_classification:
        assert result["metrics"]["accuracy"] > 0.95
        assert result["evaluation"]["classes"] == ["False", "True"]
        assert sum(map(sum, result["evaluation"]["confusion"])) == 91
    else:
        assert result["metrics"]["r2"] > 0.7
    if result["importances"] is not None:
        assert result["importances"][0]["feature"].split("=")[0] == ("city" if is_classification else "age")
    assert model.transform(part).count() == 91
