"""Compare verifying a SQLite catalog and computing its statistics with Spark, on one and two executors, with one process.

`python bench/jobs.py CATALOG [--rounds 3]` prints a table; `bench/growth_curves.py` fills such a catalog. The cluster is a
standalone one of this machine, whose executors have one core and one process for Python each. The start of Spark and of its workers is not measured. CPU seconds are those
of all processes of a side; the sides take turns.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.maintenance import Maintenance
from jupyter_colophon.spark.jobs.statistics import compute_statistics
from jupyter_colophon.spark.source.queries import list_entity_descriptors
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.store_jobs.integrity import verify_store
from jupyter_colophon.store_jobs.source import register_store_source
from jupyter_colophon.store_jobs.store_address import StoreAddress

SIDES, PARTITIONS = (0, 1, 2), 16
_TICKS = os.sysconf("SC_CLK_TCK")
_EXPECTED = ("description", "owner", "tag", "domain")


def main() -> None:
    """Measure all sides, or one of them in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalog", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--executors", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.executors is not None:
        print(json.dumps(_measure_side(options.catalog, options.executors)))
        return
    rounds = [{side: _measure_in_process(options.catalog, side) for side in SIDES} for _ in range(options.rounds)]
    print("| work | side | seconds | CPU seconds | speed-up |\n|---|---|---|---|---|")
    for work in rounds[0][0]:
        alone = statistics.median(figures[0][work]["wall"] for figures in rounds)
        for side in SIDES:
            wall = statistics.median(figures[side][work]["wall"] for figures in rounds)
            cpu = statistics.median(figures[side][work]["cpu"] for figures in rounds)
            name = "one process, without Spark" if side == 0 else f"Spark, {side} executor{'s' * (side > 1)}"
            print(f"| {work} | {name} | {wall:.1f} | {cpu:.1f} | {alone / wall:.2f}x |")
    print(f"\nLoad {os.getloadavg()[0]:.0f}, {os.cpu_count()} cores, medians of {options.rounds} rounds.")


def _measure_in_process(catalog: Path, executors: int) -> dict[str, dict[str, float]]:
    command = [sys.executable, __file__, str(catalog), f"--executors={executors}"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    figures: dict[str, dict[str, float]] = json.loads(output.splitlines()[-1])
    return figures


def _measure_side(catalog: Path, executors: int) -> dict[str, dict[str, float]]:
    """Return wall and CPU seconds by work; no executors means one process without Spark."""
    address = StoreAddress.from_choice(choose_sqlite_store(catalog), None)
    if executors == 0:
        maintenance = address.open()
        return {
            "verify": _measure(lambda: _verify_alone(maintenance)),
            "statistics": _measure(lambda: _count_alone(maintenance)),
        }
    with _run_cluster(executors) as spark:
        return {
            "verify": _measure(lambda: _require_sound(verify_store(spark, address, PARTITIONS, 100, lambda _: None))),
            "statistics": _measure(lambda: _count_with_spark(spark, address)),
        }


@contextmanager
def _run_cluster(executors: int) -> Iterator[Any]:
    """Run a cluster, and yield a session whose Python workers have imported what tasks need."""
    from jupyter_colophon.spark.java import ensure_java
    from jupyter_colophon.spark.session import get_session

    ensure_java()
    with ExitStack() as stack:
        settings = {"spark.executor.memory": "700m", "spark.sql.shuffle.partitions": "4"}
        spark = get_session("bench", **settings, **{"spark.master": _start_cluster(executors, stack)})
        try:
            tasks = spark.sparkContext.parallelize(range(executors * 4), executors * 4)
            while len(set(tasks.map(_import_modules).collect())) < executors:
                # The other executor has not started yet.
                continue
            yield spark
        finally:
            spark.stop()


def _start_cluster(executors: int, stack: ExitStack) -> str:
    """Start a master and workers, and return the URL of the master; the stack stops them."""
    import pyspark

    home, port = Path(pyspark.__file__).parent, _find_free_port()
    master, deploy = f"spark://127.0.0.1:{port}", "org.apache.spark.deploy"
    worker = [f"{deploy}.worker.Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0", master]
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    commands += [worker] * executors
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    environment = {"SPARK_HOME": str(home), "SPARK_WORKER_DIR": folder, "SPARK_LOCAL_IP": "127.0.0.1"}
    environment |= {"SPARK_DAEMON_MEMORY": "256m", "PYSPARK_PYTHON": sys.executable}
    for command in commands:
        process = subprocess.Popen(
            [home / "bin" / "spark-class", *command],
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait)
        stack.callback(process.terminate)
    return master


def _find_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _import_modules(_: int) -> int:
    """Import, and return the process that serves the worker: one for each executor."""
    import jupyter_colophon.store_jobs.source  # noqa: F401  its import is part of the start

    time.sleep(0.5)
    return os.getppid()


def _measure(work: Callable[[], object]) -> dict[str, float]:
    began, began_cpu = time.perf_counter(), _read_cpu_s()
    work()
    return {"wall": time.perf_counter() - began, "cpu": _read_cpu_s() - began_cpu}


def _read_cpu_s() -> float:
    """Return the CPU seconds of this process and of all that it started, ended ones included."""
    parents, ticks = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)], ticks[int(stat.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))

    def is_mine(pid: int) -> bool:
        while pid not in (0, os.getpid()):
            pid = parents.get(pid, 0)
        return pid != 0

    return sum(count for pid, count in ticks.items() if is_mine(pid)) / _TICKS


def _verify_alone(maintenance: Maintenance) -> None:
    _require_sound(list(maintenance.create_integrity_checker().find_issues()))


def _require_sound(issues: list[Any]) -> None:
    assert issues == [], issues[:3]


def _count_with_spark(spark: Any, address: StoreAddress) -> None:
    read = register_store_source(spark, address, PARTITIONS)
    for frame in compute_statistics(read).values():
        assert frame.collect() is not None


def _count_alone(maintenance: Maintenance) -> None:
    """Count what the statistics of Spark count, in one pass."""
    counts: Counter[tuple[object, ...]] = Counter()
    after, registry = "", maintenance.registry
    while page := maintenance.provider.tx_runner.run(
        lambda tx, after=after: sources_of_truth.list_stored_entities_after(tx, after),  # type: ignore[misc]
        read_only=True,
    ):
        for stored in page:
            if not stored.entity["deleted"]:
                _count_entity(counts, registry, stored)
        after = page[-1].entity["urn"]
    assert counts


def _count_entity(counts: Counter[tuple[object, ...]], registry: Any, stored: sources_of_truth.StoredEntity) -> None:
    entity = stored.entity
    place = entity["namespace"], entity["type"]
    counts["types", *place, entity["platform"]] += 1
    counts["growth", *place, entity["created"] // 86_400_000] += 1
    found: set[tuple[object, ...]] = set()
    for name, aspect in stored.aspects.items():
        spec = registry.get_aspect_or_unregistered(entity["type"], name)
        if aspect["value"] is None or spec.key or spec.managed_by:
            continue
        counts["sizes", *place, name] += len(aspect["value"].encode())
        for descriptor in list_entity_descriptors(name, json.loads(aspect["value"])):
            if descriptor.kind in ("tag", "owner"):
                found.add((descriptor.kind, *place, descriptor.text))
            if descriptor.kind in _EXPECTED:
                found.add(("completeness", *place, descriptor.kind))
            if descriptor.kind != "tag":
                found.add(("keys", *place, descriptor.key))
    counts.update(found)


if __name__ == "__main__":
    main()
