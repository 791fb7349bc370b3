"""Compare the profile of a crawl with `df.summary()` and counts of nulls and distinct values, on the same Parquet, in
CPU time of JVM and Python. Both run on a small table first; then ours goes first, so that remaining compilation counts
against it.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_colophon.spark.crawl.profile import Profile, compute_profile
from jupyter_colophon.spark.session import get_session

_ROWS, _FIRST = 5_000_000, 50_000
_GOAL = 0.6
_TICKS = os.sysconf("SC_CLK_TCK")
#: The error bounds of the sketches: the standard error of distinct counts (three of them are tolerated), and of ranks.
_DISTINCT, _RANK = 3 * 0.016, 0.0165


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table. COLOPHON_BENCH_ROWS sets another number of rows."""
    size = int(os.environ.get("COLOPHON_BENCH_ROWS", _ROWS))
    with TemporaryDirectory() as folder:
        os.environ.setdefault("JUPYTER_DATA_DIR", folder)
        spark = get_session("bench", **{"spark.master": "local[2]", "spark.driver.memory": "3g"})
        try:
            yield from _compare_profilers(spark, Path(folder), size)
        finally:
            spark.stop()


def _compare_profilers(spark: Any, folder: Path, size: int) -> Iterator[tuple[str, ...]]:
    for count in (_FIRST, size):
        _create_table(spark, count).write.parquet(f"{folder}/{count}")
    for side in (_profile_with_colophon, _profile_with_spark):
        side(spark.read.parquet(f"{folder}/{_FIRST}"))
    data = spark.read.parquet(f"{folder}/{size}")
    (ours, *mine), (theirs, *other) = (
        _measure_cpu_and_wall_s(spark, partial(side, data)) for side in (_profile_with_colophon, _profile_with_spark)
    )
    what = f"profile of {size:,} rows of {len(data.columns)} columns"
    for unit, item, two, goal in zip(("CPU s", "s"), mine, other, (f"<= {_GOAL}", ""), strict=True):
        yield f"{what}, {unit}", f"{item:.1f}", f"{two:.1f} (summary and counts)", f"{item / two:.2f}", goal
    yield from _compare_results(data, ours, *theirs)


def _create_table(spark: Any, size: int) -> Any:
    """Create twenty columns: eight integers, four fractions and six strings, some with nulls; a date and a timestamp."""
    whole = [f"xxhash64(id, {at}) % {10 ** (at + 1)} AS l{at}" for at in range(6)]
    whole += [f"CAST(xxhash64(id, {at}) % {10**at} AS int) AS i{at}" for at in (3, 6)]
    parts = [f"IF(id % 10 = {at}, NULL, rand({at}) * 1000) AS d{at}" for at in range(4)]
    text = "CONCAT('v', CAST(ABS(xxhash64(id, {0}) % {1}) AS string))"
    texts = [f"IF(id % 7 = {at}, NULL, {text.format(at + 20, 10 ** (at + 1))}) AS s{at}" for at in range(6)]
    moments = [
        "date_add(date'2020-01-01', CAST(ABS(xxhash64(id, 52)) % 3000 AS int)) AS dt",
        "timestamp_micros(1600000000000000 + ABS(xxhash64(id, 53)) % 100000000000000) AS ts",
    ]
    return spark.range(0, size, 1, 4).selectExpr(*whole, *parts, *texts, *moments)


def _profile_with_colophon(data: Any) -> Profile:
    return compute_profile(data)


def _profile_with_spark(data: Any) -> tuple[list[Any], Any]:
    nulls = [f"count_if({name} IS NULL) AS n_{name}" for name in data.columns]
    distinct = [f"approx_count_distinct({name}) AS u_{name}" for name in data.columns]
    return data.summary().collect(), data.selectExpr(*nulls, *distinct).first()


def _measure_cpu_and_wall_s(spark: Any, work: Callable[[], Any]) -> tuple[Any, float, float]:
    jvm = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    before, begun = _read_cpu_s(jvm), time.monotonic()
    result = work()
    return result, _read_cpu_s(jvm) - before, time.monotonic() - begun


def _read_cpu_s(jvm: int) -> float:
    fields = Path(f"/proc/{jvm}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS + time.process_time()


def _compare_results(data: Any, ours: Profile, summary: list[Any], counts: Any) -> Iterator[tuple[str, ...]]:
    """Yield the differences between the figures of both sides and the exact ones."""
    summary_rows = {row["summary"]: row for row in summary}
    wrong, off, ranks = 0, 0.0, 0.0
    exact = data.selectExpr(*(f"count(DISTINCT {name}) AS {name}" for name in ("l0", "i3", "s2", "dt"))).first()
    for item in ours.columns:
        name = item.field.path
        wrong += ours.rows - item.filled != counts[f"n_{name}"]
        if name in summary[0].asDict():
            wrong += item.filled != int(summary_rows["count"][name])
            wrong += _parse_text(item.least) != _parse_text(summary_rows["min"][name]) or _parse_text(
                item.most
            ) != _parse_text(summary_rows["max"][name])
            wrong += item.mean is not None and not _is_close(item.mean, summary_rows["mean"][name])
            wrong += item.deviation is not None and not _is_close(item.deviation, summary_rows["stddev"][name])
        if name in exact.asDict():
            off = max(off, abs((item.distinct or 0) / exact[name] - 1))
        if item.quantiles and name[0] in "lid" and name != "dt":
            options = [f"avg(IF({name} <= {value}, 1D, 0D))" for value in item.quantiles.values()]
            at = data.where(f"{name} IS NOT NULL").selectExpr(*options).first()
            minimum = (
                data.where(f"{name} IS NOT NULL").selectExpr(*(item.replace("<=", "<") for item in options)).first()
            )
            for rank, low, high in zip(map(float, item.quantiles), minimum, at, strict=True):
                ranks = max(ranks, low - rank, rank - high)
    yield "counts, nulls, minima, maxima, means and deviations that differ", str(wrong), "", "", "0"
    yield "distinct values, greatest error", f"{off:.4f}", "0 (exact)", "", f"<= {_DISTINCT}"
    yield "quantiles, greatest error of a rank", f"{ranks:.4f}", "0 (exact)", "", f"<= {_RANK}"


def _parse_text(value: str | None) -> object:
    try:
        return float(value or "")
    except ValueError:
        return value


def _is_close(one: str, other: str) -> bool:
    return abs(float(one) - float(other)) <= 1e-9 * max(abs(float(one)), 1e-300) + 1e-9
