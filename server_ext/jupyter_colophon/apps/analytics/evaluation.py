"""Compare what a model predicts with the outcome."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.apps.analytics.job_rows import JobFailed
from jupyter_colophon.apps.analytics.names import PARTS

_ROC_POINTS, _REGRESSION_POINTS = 101, 500
#: Scores of the second class are rounded to this many digits.
_SCORE_DIGITS: Final = 4
Matrix = list[list[int]]


def evaluate_classification(predicted: Mapping[str, Any], classes: Sequence[str]) -> dict[str, Any]:
    """Return metrics of both parts, and the confusion matrix and ROC curve of the test part. Raises JobFailed."""
    from pyspark.sql import functions as F

    data = _combine_parts(predicted)
    counted = data.groupBy("part", "label", "prediction").agg(F.count("*").alias("count")).collect()
    matrices = {part: [[0] * len(classes) for _ in classes] for part in PARTS}
    for row in counted:
        matrices[row["part"]][int(row["label"])][int(row["prediction"])] = row["count"]
    if not any(map(sum, matrices["test"])):
        raise JobFailed("the test part has no row with a class of the train part")
    metrics = {part: compute_class_metrics(matrix) for part, matrix in matrices.items()}
    curves = _compute_curves(data) if len(classes) == 2 else {}
    for part, (_, area) in curves.items():
        metrics[part]["auc"] = area
    evaluation = {
        "classes": [*classes],
        "confusion": matrices["test"],
        "roc": curves["test"][0] if "test" in curves else None,
    }
    return {"metrics": metrics["test"], "trainMetrics": metrics["train"], "evaluation": evaluation}


def evaluate_regression(predicted: Mapping[str, Any]) -> dict[str, Any]:
    """Return metrics of both parts, and pairs of actual and predicted values of the test part."""
    from pyspark.sql import functions as F

    error = F.col("prediction") - F.col("label")
    sums = (
        _combine_parts(predicted)
        .groupBy("part")
        .agg(
            F.avg(error * error).alias("square"), F.avg(F.abs(error)).alias("mae"), F.var_pop("label").alias("variance")
        )
    )
    metrics = {
        row["part"]: {
            "rmse": math.sqrt(row["square"]),
            "mae": row["mae"],
            "r2": 1 - row["square"] / row["variance"] if row["variance"] else 0.0,
        }
        for row in sums.collect()
    }
    rows = predicted["test"].select("label", "prediction").orderBy(F.rand(1)).limit(_REGRESSION_POINTS).collect()
    points = [{"actual": row["label"], "predicted": row["prediction"]} for row in rows]
    return {"metrics": metrics["test"], "trainMetrics": metrics["train"], "evaluation": {"points": points}}


def compute_class_metrics(confusion: Matrix) -> dict[str, float]:
    """Return accuracy, and precision, recall and F1 weighted by the rows of each class."""
    total = sum(map(sum, confusion)) or 1
    weighted: Counter[str] = Counter()
    for at, of_class in enumerate(confusion):
        right, actual, chosen = of_class[at], sum(of_class), sum(row[at] for row in confusion)
        precision, recall = right / chosen if chosen else 0.0, right / actual if actual else 0.0
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        for name, value in (("precision", precision), ("recall", recall), ("f1", f1)):
            weighted[name] += value * actual / total  # type: ignore[assignment]
    accuracy = sum(row[at] for at, row in enumerate(confusion)) / total
    return {"accuracy": accuracy, **{name: float(weighted[name]) for name in ("precision", "recall", "f1")}}


def compute_curve(counts: Sequence[tuple[float, int, int]]) -> tuple[list[dict[str, float]], float]:
    """Return the ROC curve and its area, from scores with how many negative and positive rows have them."""
    negatives, positives = sum(row[1] for row in counts) or 1, sum(row[2] for row in counts) or 1
    false, true, area = 0, 0, 0.0
    points = [(0.0, 0.0)]
    for _, negative, positive in sorted(counts, reverse=True):
        area += negative * (true + positive / 2)
        false, true = false + negative, true + positive
        points.append((false / negatives, true / positives))
    step = max(1, math.ceil((len(points) - 1) / (_ROC_POINTS - 1)))
    shown = [*points[:-1:step], points[-1]]
    return [{"fpr": x, "tpr": y} for x, y in shown], area / (negatives * positives)


def _compute_curves(data: Any) -> dict[str, tuple[list[dict[str, float]], float]]:
    from pyspark.sql import functions as F

    is_positive = F.col("label") == 1
    rows = (
        data.groupBy("part", F.round("score", _SCORE_DIGITS).alias("score"))
        .agg(F.sum((~is_positive).cast("long")).alias("negative"), F.sum(is_positive.cast("long")).alias("positive"))
        .collect()
    )
    return {
        part: compute_curve([(row["score"], row["negative"], row["positive"]) for row in rows if row["part"] == part])
        for part in PARTS
    }


def _combine_parts(predicted: Mapping[str, Any]) -> Any:
    """Return the labels and predictions of both parts, and the score of the second class."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F

    parts = []
    for part, data in predicted.items():
        score = F.lit(0.0)
        if "probability" in data.columns:
            score = vector_to_array(data["probability"])[1]
        elif "rawPrediction" in data.columns:
            # Its order is that of the values of the model.
            score = 1 / (1 + F.exp(-vector_to_array(data["rawPrediction"])[1]))
        parts.append(data.select(F.lit(part).alias("part"), "label", "prediction", score.alias("score")))
    return parts[0].unionByName(parts[1])
