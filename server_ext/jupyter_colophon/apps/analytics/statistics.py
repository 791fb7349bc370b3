"""Statistics of each column in both parts of a split, and how similar they are."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.apps.analytics.names import PARTS

_QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
#: The bins of a shown histogram, and how many of those that are counted each one unites.
_BINS, _FINE = 10, 20
_TOP_SHOWN, _TOP_COUNTED = 10, 50
_SIMILAR: Final = 0.05
Statistics = list[dict[str, Any]]


def compute_statistics(data: Any, columns: Sequence[Mapping[str, str]]) -> Statistics:
    """Return the statistics of rows whose column `part` has their part; the columns are `c0`, `c1`, …"""
    sums = {row["part"]: row.asDict() for row in data.groupBy("part").agg(*_list_aggregates(columns)).collect()}
    limits = {
        at: (min(lows), max(highs))
        for at, column in enumerate(columns)
        if column["type"] == "numeric"
        and (lows := [sums[part][f"min{at}"] for part in PARTS if sums[part][f"min{at}"] is not None])
        and (highs := [sums[part][f"max{at}"] for part in PARTS if sums[part][f"max{at}"] is not None])
    }
    bins = _count_bins(data, limits)
    values = _count_values(data, [at for at, column in enumerate(columns) if column["type"] == "categorical"])
    return [
        _describe_numeric(column, at, sums, limits, bins)
        if column["type"] == "numeric"
        else _describe_categorical(column, at, sums, values)
        for at, column in enumerate(columns)
    ]


def compute_kolmogorov_smirnov(train: Sequence[int], test: Sequence[int]) -> dict[str, Any] | None:
    """Compare the counts of two samples in the same bins."""
    n, m = sum(train), sum(test)
    if not n or not m:
        return None
    distance, in_train, in_test = 0.0, 0, 0
    for a, b in zip(train, test, strict=True):
        in_train, in_test = in_train + a, in_test + b
        distance = max(distance, abs(in_train / n - in_test / m))
    size = math.sqrt(n * m / (n + m))
    at = (size + 0.12 + 0.11 / size) * distance
    tail = 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * at * at) for k in range(1, 101)) if at > 0.2 else 1.0
    return _build_similarity("Kolmogorov-Smirnov", distance, tail)


def compute_chi_squared(train: Sequence[int], test: Sequence[int]) -> dict[str, Any] | None:
    """Compare the counts of two samples in the same categories."""
    n, m = sum(train), sum(test)
    pairs = [(a, b) for a, b in zip(train, test, strict=True) if a + b]
    if not n or not m:
        return None
    statistic = 0.0
    for a, b in pairs:
        for count, size in ((a, n), (b, m)):
            expected = (a + b) * size / (n + m)
            statistic += (count - expected) ** 2 / expected
    degrees = len(pairs) - 1
    return _build_similarity(
        "chi-squared", statistic, _compute_chi_squared_tail(statistic, degrees) if degrees else 1.0
    )


def _build_similarity(test: str, statistic: float, p_value: float) -> dict[str, Any]:
    p_value = min(1.0, max(0.0, p_value))
    return {"test": test, "statistic": statistic, "pValue": p_value, "similar": p_value >= _SIMILAR}


def _compute_chi_squared_tail(statistic: float, degrees: int) -> float:
    """Return the probability of a larger statistic: the regularised upper incomplete gamma function."""
    a, x = degrees / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for k in range(1, 1_000):
            term *= x / (a + k)
            total += term
        return 1 - total * scale
    # A continued fraction, by Lentz's method.
    b = x + 1 - a
    c, d = 1e300, 1 / b
    h = d
    for k in range(1, 1_000):
        factor = -k * (k - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        h *= d * c
    return h * scale


def _list_aggregates(columns: Sequence[Mapping[str, str]]) -> list[Any]:
    from pyspark.sql import functions as F

    aggregates = [F.count("*").alias("rows")]
    for at, column in enumerate(columns):
        aggregates.append(F.count(f"c{at}").alias(f"count{at}"))
        if column["type"] == "numeric":
            aggregates += [
                F.min(f"c{at}").alias(f"min{at}"),
                F.max(f"c{at}").alias(f"max{at}"),
                F.avg(f"c{at}").alias(f"mean{at}"),
                F.stddev(f"c{at}").alias(f"stddev{at}"),
                F.approx_count_distinct(f"c{at}").alias(f"distinct{at}"),
                F.percentile_approx(f"c{at}", [*_QUANTILES]).alias(f"quantiles{at}"),
            ]
    return aggregates


def _count_bins(data: Any, limits: Mapping[int, tuple[float, float]]) -> Mapping[tuple[int, str], list[int]]:
    """Return how many values each of many bins of each numeric column has, by column and part."""
    from pyspark.sql import functions as F

    counts: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0] * _BINS * _FINE)
    items = []
    for at, (low, high) in limits.items():
        share = (F.col(f"c{at}") - low) / ((high - low) or 1.0)
        last = _BINS * _FINE - 1
        place = F.when(share >= 1, last).otherwise(F.floor(share * (last + 1)))
        items.append(F.struct(F.lit(at).alias("at"), place.cast("int").alias("bin")))
    if items:
        exploded = data.select("part", F.explode(F.array(*items)).alias("item")).where("item.bin IS NOT NULL")
        for row in exploded.groupBy("part", "item.at", "item.bin").count().collect():
            counts[row["at"], row["part"]][row["bin"]] = row["count"]
    return counts


def _count_values(data: Any, positions: Sequence[int]) -> Mapping[int, list[Any]]:
    """Return the most frequent values of each categorical column, with their numbers in the parts and of values."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    counts: dict[int, list[Any]] = defaultdict(list)
    if not positions:
        return counts
    items = [F.struct(F.lit(at).alias("at"), F.col(f"c{at}").alias("value")) for at in positions]
    exploded = data.select("part", F.explode(F.array(*items)).alias("item")).where("item.value IS NOT NULL")
    in_parts = [F.sum((F.col("part") == part).cast("long")).alias(part) for part in PARTS]
    grouped = exploded.groupBy("item.at", "item.value").agg(F.count("*").alias("total"), *in_parts)
    by_column = Window.partitionBy("at")
    of_column = [F.sum((F.col(part) > 0).cast("long")).over(by_column).alias(f"{part}_distinct") for part in PARTS]
    rank = F.row_number().over(by_column.orderBy(F.col("total").desc(), "value")).alias("rank")
    for row in (
        grouped.select("*", *of_column, rank).where(F.col("rank") <= _TOP_COUNTED).orderBy("at", "rank").collect()
    ):
        counts[row["at"]].append(row)
    return counts


def _describe_numeric(
    column: Mapping[str, str],
    at: int,
    sums: Mapping[str, Mapping[str, Any]],
    limits: Mapping[int, tuple[float, float]],
    bins: Mapping[tuple[int, str], list[int]],
) -> dict[str, Any]:
    low, high = limits.get(at, (0.0, 0.0))
    width = (high - low) / _BINS
    parts = {}
    for part in PARTS:
        counts, of_part = bins[at, part], sums[part]
        histogram = [
            {
                "from": low + number * width,
                "to": low + (number + 1) * width,
                "count": sum(counts[number * _FINE : (number + 1) * _FINE]),
            }
            for number in range(_BINS)
        ]
        parts[part] = {
            "count": of_part[f"count{at}"],
            "nulls": of_part["rows"] - of_part[f"count{at}"],
            **{name: of_part[f"{name}{at}"] for name in ("distinct", "min", "max", "mean", "stddev")},
            "quantiles": of_part[f"quantiles{at}"],
            "histogram": histogram if at in limits else [],
        }
    similarity = compute_kolmogorov_smirnov(bins[at, "train"], bins[at, "test"])
    return {"column": column["name"], "type": "numeric", **parts, "similarity": similarity}


def _describe_categorical(
    column: Mapping[str, str], at: int, sums: Mapping[str, Mapping[str, Any]], values: Mapping[int, list[Any]]
) -> dict[str, Any]:
    rows = values[at]
    parts = {}
    for part in PARTS:
        count = sums[part][f"count{at}"]
        top = sorted((row for row in rows if row[part]), key=lambda row: -row[part])[:_TOP_SHOWN]
        parts[part] = {
            "count": count,
            "nulls": sums[part]["rows"] - count,
            "distinct": rows[0][f"{part}_distinct"] if rows else 0,
            "topValues": [{"value": row["value"], "count": row[part]} for row in top],
        }
    in_parts = [[*(row[part] for row in rows), parts[part]["count"] - sum(row[part] for row in rows)] for part in PARTS]
    return {"column": column["name"], "type": "categorical", **parts, "similarity": compute_chi_squared(*in_parts)}
