"""What capture costs: CPU of JVM and Python for 100 small jobs, and for plans of 500 columns, without any, with ours, with OpenLineage's agent.

Each side is a process of its own, in rotated order. Figures are medians over the rounds, since others share the machine.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

SIDES = ("none", "ours", "agent")
ROUNDS = 3
SMALL_JOBS, WIDE_JOBS, WIDTH = 100, 5, 500
GOALS = {"small": 1.05, "wide": 1.10}
WHAT = {"small": f"{SMALL_JOBS} small jobs", "wide": f"{WIDE_JOBS} plans of {WIDTH} columns"}
#: A job that every side does before it is measured: classes are loaded, code is compiled.
WARM_UP = 10


def rows() -> Iterator[tuple[str, ...]]:
    """The table's rows."""
    measured: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    for number in range(ROUNDS):
        for side in SIDES[number % len(SIDES) :] + SIDES[: number % len(SIDES)]:
            measured[side].append(_run(side))
    for kind, goal in GOALS.items():
        medians = {side: statistics.median(one[kind] for one in measured[side]) for side in SIDES}
        spans = {side: " ".join(f"{one[kind]:.1f}" for one in measured[side]) for side in SIDES}
        for side, aim in (("ours", f"<= {goal}"), ("agent", "")):
            yield (
                f"capture ({side}), {WHAT[kind]}, CPU",
                f"{medians[side]:.1f} s ({spans[side]})",
                f"{medians['none']:.1f} s without ({spans['none']})",
                f"{medians[side] / medians['none']:.3f}x",
                aim,
            )


def _run(side: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, side, folder],
            env=os.environ | {"JUPYTER_DATA_DIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


class Meter:
    """CPU of this process and of the JVM."""

    def __init__(self, spark: Any) -> None:
        self._jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
        self._context = spark.sparkContext._jsc.sc()

    def cost(self, job: Callable[[], None], times: int) -> float:
        """CPU seconds of some runs of a job, with all that listeners make of them."""
        from jupyter_colophon.spark.capture import wait_until_heard

        began = self._cpu_s()
        for _ in range(times):
            job()
            wait_until_heard(self._context, 60_000)
        return self._cpu_s() - began

    def _cpu_s(self) -> float:
        ticks = Path(f"/proc/{self._jvm}/stat").read_text().rpartition(")")[2].split()[11:13]
        own = os.times()
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") + own.user + own.system


def measure(side: str, folder: str) -> dict[str, float]:
    """Run both kinds of jobs as a notebook would: after each the listeners are waited for."""
    from jupyter_colophon.spark.capture import attach
    from jupyter_colophon.spark.session import session

    small = {"spark.master": "local[1]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "1"}
    spark = session("bench", **small, **(_agent(folder) if side == "agent" else {}))
    spark.range(1000).selectExpr("id", "id % 7 AS k", "id * 1.5D AS v").write.parquet(f"{folder}/in")
    spark.range(1000).selectExpr(*(f"id + {n} AS c{n}" for n in range(WIDTH))).write.parquet(f"{folder}/wide")
    seen: list[Any] = []
    if side == "ours":
        attach(spark, seen.append)
    meter = Meter(spark)
    found = {}
    for kind, job, before, times in (("small", small_job, WARM_UP, SMALL_JOBS), ("wide", wide_job, 1, WIDE_JOBS)):
        one = partial(job, spark, folder)
        meter.cost(one, before)
        found[kind] = meter.cost(one, times)
    if side == "ours" and len(seen) != WARM_UP + SMALL_JOBS + WIDE_JOBS + 1:
        raise SystemExit(f"{len(seen)} observations")
    spark.stop()
    return found


def small_job(spark: Any, folder: str) -> None:
    """Read, filter, sum, write."""
    made = spark.read.parquet(f"{folder}/in").where("id > 3").groupBy("k").agg({"v": "sum"}).toDF("k", "s")
    made.write.mode("overwrite").parquet(f"{folder}/out")


def wide_job(spark: Any, folder: str) -> None:
    """Make each of many columns of another."""
    made = spark.read.parquet(f"{folder}/wide").selectExpr(*(f"c{n} * 2 AS d{n}" for n in range(WIDTH)))
    made.write.mode("overwrite").parquet(f"{folder}/wider")


def _agent(folder: str) -> dict[str, str]:
    return {
        "spark.jars.packages": "io.openlineage:openlineage-spark_2.13:1.53.0",
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": f"{folder}/events.jsonl",
    }


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
