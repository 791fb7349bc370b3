"""What capture costs: CPU of JVM and Python for 100 small jobs, and for plans of 500 columns, without any, with ours, with OpenLineage's agent.

Without and with ours take turns in one process, a few jobs each, so that a busy minute and what the JVM has compiled by then are
both's. The agent cannot be taken off again: it has a process of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

#: What one process measures, in turns.
PROCESSES = (("none", "ours"), ("agent",))
#: Fewer small jobs for a machine that others share; the goal is for a hundred.
JOBS = int(os.environ.get("COLOPHON_BENCH_JOBS", "100"))
#: By kind of job: its runs before anything is measured (classes are loaded, code is compiled), turns of each side, runs in a turn.
TURNS = {"small": (20, JOBS // 10, 10), "wide": (4, 16, 1)}
WIDTH = 500
GOALS = {"small": 1.05, "wide": 1.10}
WHAT = {"small": f"{JOBS} small jobs", "wide": f"16 plans of {WIDTH} columns"}

Found = dict[str, dict[str, list[float]]]
"""CPU seconds by side and kind of job, turn by turn."""


def rows() -> Iterator[tuple[str, ...]]:
    """The table's rows."""
    without: dict[str, list[float]] = {}
    for sides in PROCESSES:
        measured = _run(sides)
        without = measured.pop("none", without)
        for side, found in measured.items():
            for kind, costs in found.items():
                yield _row(side, kind, costs, without[kind])


def _row(side: str, kind: str, costs: list[float], without: list[float]) -> tuple[str, ...]:
    ratios = sorted(one / other for one, other in zip(costs, without, strict=True))
    return (
        f"capture ({side}), {WHAT[kind]}, CPU",
        f"{sum(costs):.1f} s",
        f"{sum(without):.1f} s without",
        f"{sum(costs) / sum(without):.3f}x (turns {ratios[0]:.2f} to {ratios[-1]:.2f})",
        f"<= {GOALS[kind]}" if side == "ours" else "",
    )


def _run(sides: tuple[str, ...]) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, folder, *sides],
            env=os.environ | {"JUPYTER_DATA_DIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    found: Found = json.loads(done.stdout.splitlines()[-1])
    return found


class Meter:
    """CPU of this process and of the JVM."""

    def __init__(self, spark: Any) -> None:
        self._jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
        self._context = spark.sparkContext._jsc.sc()

    def cost(self, job: Callable[[], None], times: int) -> float:
        """CPU seconds of some runs of a job, with all that listeners make of them."""
        from jupyter_colophon.spark.capture.attach import wait_until_heard

        began = self._cpu_s()
        for _ in range(times):
            job()
            wait_until_heard(self._context, 60_000)
        return self._cpu_s() - began

    def _cpu_s(self) -> float:
        ticks = Path(f"/proc/{self._jvm}/stat").read_text().rpartition(")")[2].split()[11:13]
        own = os.times()
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") + own.user + own.system


def measure(folder: str, *sides: str) -> Found:
    """Run both kinds of jobs as a notebook would: after each the listeners are waited for."""
    from jupyter_colophon.spark.session import session

    small = {"spark.master": "local[1]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "1"}
    spark = session("bench", **small, **(_agent(folder) if "agent" in sides else {}))
    spark.range(1000).selectExpr("id", "id % 7 AS k", "id * 1.5D AS v").write.parquet(f"{folder}/in")
    spark.range(1000).selectExpr(*(f"id + {n} AS c{n}" for n in range(WIDTH))).write.parquet(f"{folder}/wide")
    meter = Meter(spark)
    found: Found = {side: {kind: [] for kind in TURNS} for side in sides}
    for (kind, (before, turns, times)), job in zip(TURNS.items(), (small_job, wide_job), strict=True):
        work = partial(job, spark, folder)
        for side in sides:
            with _watched(spark, side, before):
                meter.cost(work, before)
        for number in range(turns):
            for side in sides[:: -1 if number % 2 else 1]:
                with _watched(spark, side, times):
                    found[side][kind].append(meter.cost(work, times))
    spark.stop()
    return found


@contextmanager
def _watched(spark: Any, side: str, writes: int) -> Iterator[None]:
    """With our capture at work, where that is the side; it must see each write."""
    from jupyter_colophon.spark.capture.attach import attach

    seen: list[Any] = []
    capture = attach(spark, seen.append) if side == "ours" else None
    yield
    if capture is not None:
        capture.detach()
        if sum(bool(one.writes and one.columns) for one in seen) != writes:
            raise SystemExit(f"{len(seen)} observations of {writes} writes")


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
