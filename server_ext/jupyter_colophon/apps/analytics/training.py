"""The job that trains a model with Spark ML, and evaluates it."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.apps import Urn
from jupyter_colophon.apps.analytics.algorithms import Algorithm
from jupyter_colophon.apps.analytics.evaluation import evaluate_classification, evaluate_regression
from jupyter_colophon.apps.analytics.frames import convert_column, quote_column, select_typed, store_model
from jupyter_colophon.apps.analytics.job_rows import JobRow
from jupyter_colophon.apps.analytics.names import (
    PARTS,
    get_path_in_folder,
    make_model_entity_urn,
    name_model_file,
    name_part_file,
)
from jupyter_colophon.apps.analytics.outputs import WrittenModel

_IMPORTANCES_MAX: Final = 100
Columns = Sequence[Mapping[str, str]]
_MODULES: Final = {"classification": "pyspark.ml.classification", "regression": "pyspark.ml.regression"}


def name_predictors(data: Any, predictors: Columns, *kept: Any) -> Any:
    """Return the predictors with their types as `p0`, `p1`, …, and other columns."""
    columns = [convert_column(column).alias(f"p{at}") for at, column in enumerate(predictors)]
    return data.select(*columns, *kept)


def train_model(
    row: JobRow,
    experiment: Mapping[str, Any],
    split: Mapping[str, Any],
    algorithm: Algorithm,
    settings: Mapping[str, Any],
) -> None:
    """Train a model on one part of a split, evaluate it on both, and store it."""
    row.report("starting Spark")
    spark = row.context.spark
    row.report("reading the split")
    parts = {part: _read_part(row, spark, experiment, split, part) for part in PARTS}
    model, result = fit_and_evaluate(algorithm, settings["parameters"], experiment["predictors"], parts, row.report)
    row.report("storing the model")
    store_model(row.context, model, name_model_file(row.key[1], row.key[2]))
    problem = _record(row, experiment, split, settings, result)
    row.finish({**result, "entity": str(make_model_entity_urn(row.key))}, problem)


def fit_and_evaluate(
    algorithm: Algorithm,
    parameters: Mapping[str, Any],
    predictors: Columns,
    parts: Mapping[str, Any],
    report: Callable[[str], None],
) -> tuple[Any, dict[str, Any]]:
    """Return a model that is trained on the part `train`, and its evaluation on both parts.

    The parts have the columns of `name_predictors`, and the outcome as `outcome` and `label`.
    """
    parts, classes = _index_classes(parts) if algorithm.problem_type == "classification" else (parts, [])
    parts["train"].cache()
    try:
        report("training the model")
        model = _create_pipeline(algorithm, parameters, predictors).fit(parts["train"])
        report("evaluating the model")
        predicted = {part: model.transform(data) for part, data in parts.items()}
        result = evaluate_classification(predicted, classes) if classes else evaluate_regression(predicted)
        importances, kind = _list_importances(model.stages[-1], predicted["train"], predictors)
    finally:
        parts["train"].unpersist()
    return model, {**result, "importances": importances, "importanceKind": kind}


def _index_classes(parts: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the parts with the number of the outcome's class as label, and the classes of the train part."""
    from pyspark.ml.feature import StringIndexer

    indexer = StringIndexer(
        inputCol="outcome", outputCol="class", handleInvalid="skip", stringOrderType="alphabetAsc"
    ).fit(parts["train"])
    indexed = {
        part: indexer.transform(data).drop("label").withColumnRenamed("class", "label") for part, data in parts.items()
    }
    return indexed, [*indexer.labels]


def _create_pipeline(algorithm: Algorithm, parameters: Mapping[str, Any], predictors: Columns) -> Any:
    from pyspark.ml import Pipeline

    estimator = getattr(importlib.import_module(_MODULES[algorithm.problem_type]), algorithm.class_name)(
        featuresCol="features", labelCol="label", **parameters
    )
    return Pipeline(stages=[*_list_feature_stages(predictors, is_tree=algorithm.is_tree), estimator])


def _read_part(row: JobRow, spark: Any, experiment: Mapping[str, Any], split: Mapping[str, Any], part: str) -> Any:
    path = get_path_in_folder(row.key[1], split, part) or str(
        row.context.files.get_path(name_part_file(row.key[1], split["name"], part))
    )
    columns = [experiment["outcome"], *experiment["predictors"]]
    data = select_typed(spark.read.parquet(path), columns)
    outcome = quote_column(experiment["outcome"]["name"])
    return name_predictors(data, experiment["predictors"], outcome.alias("outcome"), outcome.alias("label"))


def _list_feature_stages(predictors: Columns, *, is_tree: bool) -> list[Any]:
    """Return the stages that make the vector `features`: missing numbers are the median, unknown values a category."""
    from pyspark.ml.feature import Imputer, OneHotEncoder, StringIndexer, VectorAssembler

    numbers = [f"p{at}" for at, column in enumerate(predictors) if column["type"] == "numeric"]
    texts = [f"p{at}" for at, column in enumerate(predictors) if column["type"] == "categorical"]
    stages: list[Any] = []
    if numbers:
        stages.append(Imputer(strategy="median", inputCols=numbers, outputCols=[f"{name}_f" for name in numbers]))
    if texts:
        indexed = [f"{name}_f" if is_tree else f"{name}_i" for name in texts]
        stages.append(StringIndexer(inputCols=texts, outputCols=indexed, handleInvalid="keep"))
        if not is_tree:
            # The last category, for unknown values, has no column.
            stages.append(OneHotEncoder(inputCols=indexed, outputCols=[f"{name}_f" for name in texts]))
    features = [f"p{at}_f" for at in range(len(predictors))]
    return [*stages, VectorAssembler(inputCols=features, outputCol="features", handleInvalid="keep")]


def _list_importances(model: Any, predicted: Any, predictors: Columns) -> tuple[list[dict[str, Any]] | None, str]:
    """Return the importance or coefficient of each feature, by its absolute value, and which of both it is."""
    if hasattr(model, "featureImportances"):
        values, kind = model.featureImportances.toArray().tolist(), "importance"
    elif hasattr(model, "coefficientMatrix"):
        matrix = model.coefficientMatrix.toArray()
        values, kind = (matrix[0] if len(matrix) == 1 else abs(matrix).mean(axis=0)).tolist(), "coefficient"
    elif hasattr(model, "coefficients"):
        values, kind = model.coefficients.toArray().tolist(), "coefficient"
    else:
        return None, ""
    groups = predicted.schema["features"].metadata.get("ml_attr", {}).get("attrs", {})
    names = {item["idx"]: item.get("name", "") for group in groups.values() for item in group}
    found = [
        {"feature": _name_feature(names.get(at, ""), predictors) or str(at), "value": value}
        for at, value in enumerate(values)
    ]
    return sorted(found, key=lambda item: -abs(item["value"]))[:_IMPORTANCES_MAX], kind


def _name_feature(name: str, predictors: Columns) -> str:
    """Return `city=Rome` for `p1_f_Rome`, and `age` for `p0_f`."""
    position, _, value = name.removeprefix("p").partition("_f")
    column = predictors[int(position)]["name"] if position.isdecimal() else ""
    return f"{column}={value.removeprefix('_')}" if value else column


def _record(
    row: JobRow,
    experiment: Mapping[str, Any],
    split: Mapping[str, Any],
    settings: Mapping[str, Any],
    result: Mapping[str, Any],
) -> str:
    outcome, entity = experiment["outcome"], make_model_entity_urn(row.key)
    train, test = (Urn.parse(split[part]["dataset"]) for part in PARTS)
    model = WrittenModel(
        urn=entity,
        name=row.key[2],
        description=settings["description"]
        or f"Predicts {outcome['name']}: {settings['algorithm']} of the experiment {row.key[1]}",
        algorithm=settings["algorithm"],
        parameters=settings["parameters"],
        metrics=result["metrics"],
        train_metrics=result["trainMetrics"],
        train_dataset=str(train),
        test_dataset=str(test),
        program=row.run.program,
        user=row.context.principal.user,
        properties={"experiment": row.key[1], "split": split["name"], "outcome": outcome["name"]},
    )
    used = [(train, column["name"]) for column in (outcome, *experiment["predictors"])]
    return row.run.record_success([train, test], [model], {(entity, "prediction"): used})
