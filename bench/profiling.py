"""The profile of a crawl beside `df.summary()` and counts of nulls and distinct values, on the same Parquet, in CPU time of the
JVM and of Python. Both run on a small table first; then ours goes first, so that what is left to compile is ours to pay.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_colophon.spark.crawl.profile import Profile, profile
from jupyter_colophon.spark.session import session

_ROWS, _FIRST = 5_000_000, 50_000
_GOAL = 0.6
_TICKS = os.sysconf("SC_CLK_TCK")
#: What the sketches promise: a standard error of distinct counts (three of them are seen here), and an error of ranks.
_DISTINCT, _RANK = 3 * 0.016, 0.0165


def rows() -> Iterator[tuple[str, ...]]:
    """The rows of the table. COLOPHON_BENCH_ROWS is another number of rows."""
    size = int(os.environ.get("COLOPHON_BENCH_ROWS", _ROWS))
    with TemporaryDirectory() as folder:
        os.environ.setdefault("JUPYTER_DATA_DIR", folder)
        spark = session("bench", **{"spark.master": "local[2]", "spark.driver.memory": "3g"})
        try:
            yield from _compared(spark, Path(folder), size)
        finally:
            spark.stop()


def _compared(spark: Any, folder: Path, size: int) -> Iterator[tuple[str, ...]]:
    for count in (_FIRST, size):
        _table(spark, count).write.parquet(f"{folder}/{count}")
    for side in (_ours, _theirs):
        side(spark.read.parquet(f"{folder}/{_FIRST}"))
    data = spark.read.parquet(f"{folder}/{size}")
    (ours, *mine), (theirs, *other) = (_spent(spark, partial(side, data)) for side in (_ours, _theirs))
    what = f"profile of {size:,} rows of {len(data.columns)} columns"
    for unit, one, two, goal in zip(("CPU s", "s"), mine, other, (f"<= {_GOAL}", ""), strict=True):
        yield f"{what}, {unit}", f"{one:.1f}", f"{two:.1f} (summary and counts)", f"{one / two:.2f}", goal
    yield from _equal(data, ours, *theirs)


def _table(spark: Any, size: int) -> Any:
    """Twenty columns: eight of whole numbers, four of fractions and six of texts, some with nulls; a date and a moment."""
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


def _ours(data: Any) -> Profile:
    return profile(data)


def _theirs(data: Any) -> tuple[list[Any], Any]:
    nulls = [f"count_if({name} IS NULL) AS n_{name}" for name in data.columns]
    distinct = [f"approx_count_distinct({name}) AS u_{name}" for name in data.columns]
    return data.summary().collect(), data.selectExpr(*nulls, *distinct).first()


def _spent(spark: Any, work: Callable[[], Any]) -> tuple[Any, float, float]:
    jvm = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    before, begun = _cpu(jvm), time.monotonic()
    found = work()
    return found, _cpu(jvm) - before, time.monotonic() - begun


def _cpu(jvm: int) -> float:
    told = Path(f"/proc/{jvm}/stat").read_text().rpartition(") ")[2].split()
    return (int(told[11]) + int(told[12])) / _TICKS + time.process_time()


def _equal(data: Any, ours: Profile, summary: list[Any], counts: Any) -> Iterator[tuple[str, ...]]:
    """How far the figures of both sides, and the exact ones, are from each other."""
    told = {row["summary"]: row for row in summary}
    wrong, off, ranks = 0, 0.0, 0.0
    exact = data.selectExpr(*(f"count(DISTINCT {name}) AS {name}" for name in ("l0", "i3", "s2", "dt"))).first()
    for one in ours.columns:
        name = one.field.path
        wrong += ours.rows - one.filled != counts[f"n_{name}"]
        if name in summary[0].asDict():
            wrong += one.filled != int(told["count"][name])
            wrong += _text(one.least) != _text(told["min"][name]) or _text(one.most) != _text(told["max"][name])
            wrong += one.mean is not None and not _close(one.mean, told["mean"][name])
            wrong += one.deviation is not None and not _close(one.deviation, told["stddev"][name])
        if name in exact.asDict():
            off = max(off, abs((one.distinct or 0) / exact[name] - 1))
        if one.quantiles and name[0] in "lid" and name != "dt":
            asked = [f"avg(IF({name} <= {value}, 1D, 0D))" for value in one.quantiles.values()]
            at = data.where(f"{name} IS NOT NULL").selectExpr(*asked).first()
            least = data.where(f"{name} IS NOT NULL").selectExpr(*(one.replace("<=", "<") for one in asked)).first()
            for rank, low, high in zip(map(float, one.quantiles), least, at, strict=True):
                ranks = max(ranks, low - rank, rank - high)
    yield "counts, nulls, minima, maxima, means and deviations that differ", str(wrong), "", "", "0"
    yield "distinct values, greatest error", f"{off:.4f}", "0 (exact)", "", f"<= {_DISTINCT}"
    yield "quantiles, greatest error of a rank", f"{ranks:.4f}", "0 (exact)", "", f"<= {_RANK}"


def _text(value: str | None) -> object:
    try:
        return float(value or "")
    except ValueError:
        return value


def _close(one: str, other: str) -> bool:
    return abs(float(one) - float(other)) <= 1e-9 * max(abs(float(one)), 1e-300) + 1e-9
