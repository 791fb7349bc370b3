"""Measure the cost of capture: CPU of JVM and Python for 100 small jobs and for plans of 500 columns, without capture,
with ours and with the OpenLineage agent.

Without capture and with ours take turns in one process, a few jobs each, so that load on the machine and compilation by
the JVM affect both. The agent cannot be removed again, so it has its own process.
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
#: Fewer small jobs for a shared machine; the goal is for a hundred.
JOBS = int(os.environ.get("COLOPHON_BENCH_JOBS", "100"))
#: By kind of job: warm-up runs (class loading and compilation), turns of each side, runs per turn.
TURNS = {"small": (20, JOBS // 10, 10), "wide": (4, 16, 1)}
WIDTH = 500
GOALS = {"small": 1.05, "wide": 1.10}
WHAT = {"small": f"{JOBS} small jobs", "wide": f"16 plans of {WIDTH} columns"}

Measurements = dict[str, dict[str, list[float]]]
"""CPU seconds by side and kind of job, turn by turn."""


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    without: dict[str, list[float]] = {}
    for sides in PROCESSES:
        measured = _run_measurement_process(sides)
        without = measured.pop("none", without)
        for side, result in measured.items():
            for kind, costs in result.items():
                yield _format_row(side, kind, costs, without[kind])


def _format_row(side: str, kind: str, costs: list[float], without: list[float]) -> tuple[str, ...]:
    ratios = sorted(item / other for item, other in zip(costs, without, strict=True))
    return (
        f"capture ({side}), {WHAT[kind]}, CPU",
        f"{sum(costs):.1f} s",
        f"{sum(without):.1f} s without",
        f"{sum(costs) / sum(without):.3f}x (turns {ratios[0]:.2f} to {ratios[-1]:.2f})",
        f"<= {GOALS[kind]}" if side == "ours" else "",
    )


def _run_measurement_process(sides: tuple[str, ...]) -> Measurements:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, folder, *sides],
            env=os.environ | {"JUPYTER_DATA_DIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    result: Measurements = json.loads(done.stdout.splitlines()[-1])
    return result


class CpuMeter:
    """Measures CPU of this process and of the JVM."""

    def __init__(self, spark: Any) -> None:
        self._jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
        self._context = spark.sparkContext._jsc.sc()

    def measure_cost(self, job: Callable[[], None], times: int) -> float:
        """Return the CPU seconds of a number of runs of a job, including its listeners."""
        from jupyter_colophon.spark.capture.attach import wait_for_listener_bus

        began = self._read_cpu_s()
        for _ in range(times):
            job()
            wait_for_listener_bus(self._context, 60_000)
        return self._read_cpu_s() - began

    def _read_cpu_s(self) -> float:
        ticks = Path(f"/proc/{self._jvm}/stat").read_text().rpartition(")")[2].split()[11:13]
        own = os.times()
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") + own.user + own.system


def measure_jobs(folder: str, *sides: str) -> Measurements:
    """Run both kinds of jobs as a notebook would, waiting for the listeners after each."""
    from jupyter_colophon.spark.session import get_session

    small = {"spark.master": "local[1]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "1"}
    spark = get_session("bench", **small, **(_get_agent_settings(folder) if "agent" in sides else {}))
    spark.range(1000).selectExpr("id", "id % 7 AS k", "id * 1.5D AS v").write.parquet(f"{folder}/in")
    spark.range(1000).selectExpr(*(f"id + {n} AS c{n}" for n in range(WIDTH))).write.parquet(f"{folder}/wide")
    meter = CpuMeter(spark)
    result: Measurements = {side: {kind: [] for kind in TURNS} for side in sides}
    for (kind, (before, turns, times)), job in zip(TURNS.items(), (run_small_job, run_wide_job), strict=True):
        work = partial(job, spark, folder)
        for side in sides:
            with _enable_capture(spark, side, before):
                meter.measure_cost(work, before)
        for number in range(turns):
            for side in sides[:: -1 if number % 2 else 1]:
                with _enable_capture(spark, side, times):
                    result[side][kind].append(meter.measure_cost(work, times))
    spark.stop()
    return result


@contextmanager
def _enable_capture(spark: Any, side: str, writes: int) -> Iterator[None]:
    """Enable our capture for its side, and check that it captures each write."""
    from jupyter_colophon.spark.capture.attach import attach_listener

    seen: list[Any] = []
    capture = attach_listener(spark, seen.append) if side == "ours" else None
    yield
    if capture is not None:
        capture.detach()
        if sum(bool(item.writes and item.columns) for item in seen) != writes:
            raise SystemExit(f"{len(seen)} observations of {writes} writes")


def run_small_job(spark: Any, folder: str) -> None:
    """Read, filter, sum and write."""
    created = spark.read.parquet(f"{folder}/in").where("id > 3").groupBy("k").agg({"v": "sum"}).toDF("k", "s")
    created.write.mode("overwrite").parquet(f"{folder}/out")


def run_wide_job(spark: Any, folder: str) -> None:
    """Derive each of many columns from another."""
    created = spark.read.parquet(f"{folder}/wide").selectExpr(*(f"c{n} * 2 AS d{n}" for n in range(WIDTH)))
    created.write.mode("overwrite").parquet(f"{folder}/wider")


def _get_agent_settings(folder: str) -> dict[str, str]:
    return {
        "spark.jars.packages": "io.openlineage:openlineage-spark_2.13:1.53.0",
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": f"{folder}/events.jsonl",
    }


if __name__ == "__main__":
    print(json.dumps(measure_jobs(*sys.argv[1:])))
