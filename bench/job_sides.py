"""The jobs that `jobs.py` measures, by name: on Spark, and the same work in one process without it.

All of them read the store with the same reader; without Spark, pyarrow counts rows and writes Parquet.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.spark.jobs.statistics import MAX_MOST_CHANGED, compute_activity, compute_statistics
from jupyter_colophon.spark.source.options import BATCH_ROWS, PARTITIONS, REQUEST_TIMEOUT_S
from jupyter_colophon.store_jobs.integrity import rebuild_derived_rows_of_store, verify_store
from jupyter_colophon.store_jobs.source import StoreReader, register_store_source
from jupyter_colophon.store_jobs.store_address import StoreAddress
from support.spark_cluster import SESSION_SETTINGS, build_cluster_environment, run_spark_cluster

if TYPE_CHECKING:
    from live import LiveServer

Jobs = Mapping[str, Callable[[], object]]
_LOAD: Final = "bench"
_EXPORTED: Final = "urn STRING, type STRING, namespace STRING, aspect STRING, value STRING"
_EXPECTED: Final = ("description", "owner", "tag", "domain")


def list_jobs_without_spark(address: StoreAddress, folder: Path) -> Jobs:
    """Return the jobs in this process; an export is written to `folder`."""
    maintenance = address.open()
    return {
        "verify": lambda: _require_nothing(list(maintenance.create_integrity_checker().find_issues())),
        "reindex": lambda: _require_nothing(range(maintenance.create_integrity_checker().rebuild_derived_rows())),
        "statistics": lambda: _compute_statistics(address),
        "activity": lambda: _compute_activity(address),
        "export": lambda: _export(address, folder / "export.parquet"),
    }


def list_spark_jobs(spark: Any, address: StoreAddress, parts: int, folder: Path) -> Jobs:
    """Return the jobs on Spark, with this number of parts of each table; an export is written below `folder`."""
    read = register_store_source(spark, address, parts)
    return {
        "verify": lambda: _require_nothing(verify_store(spark, address, parts, 100, _show_nothing)),
        "reindex": lambda: _require_nothing(range(rebuild_derived_rows_of_store(spark, address, parts, _show_nothing))),
        "statistics": lambda: _collect(compute_statistics(read)),
        "activity": lambda: _collect(compute_activity(read)),
        "export": lambda: read("aspects", _EXPORTED).write.parquet(str(folder / "export")),
    }


def start_spark(executors: int, parts: int, folder: Path, stack: ExitStack) -> Any:
    """Start a cluster, and return a session whose executors have a Python worker, and which divides what it groups into
    `parts`; the stack stops both.
    """
    from jupyter_colophon.spark.session import get_session

    def import_modules(_: int) -> int:
        """Import what tasks need, and return the process that starts the workers of an executor."""
        # Executors cannot import this module: a nested function is sent to them whole.
        import jupyter_colophon.store_jobs.source  # noqa: F401  its import is part of the start

        return os.getppid()

    os.environ |= build_cluster_environment(folder)
    # As the command sets it. Without the others, the first tasks would all run on the executor that registers first.
    settings = {
        "spark.sql.shuffle.partitions": str(parts),
        "spark.cores.max": str(executors),
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
    }
    master = stack.enter_context(run_spark_cluster(folder, executors))
    spark = get_session("bench", **SESSION_SETTINGS, **settings, **{"spark.master": master})
    stack.callback(spark.stop)
    workers = set(spark.sparkContext.parallelize(range(executors), executors).map(import_modules).collect())
    assert len(workers) == executors, f"{len(workers)} executors have a Python worker, not {executors}"
    return spark


def import_proposals(spark: Any, server: "LiveServer", proposals: Path) -> None:
    """Send proposals to a server: by tasks, or without Spark (None) in batches one after the other."""
    if spark is not None:
        options = {"url": server.url, "token": server.token, "jobId": _LOAD}
        spark.read.parquet(str(proposals)).write.format("colophon").options(**options).mode("append").save()
        return
    address = ServerAddress(server.url, server.token)
    with closing(Operations(Transport(address, timeout_s=REQUEST_TIMEOUT_S))) as catalog:
        catalog.open_load(_LOAD)
        for number, batch in enumerate(_iterate_batches(proposals)):
            result = catalog.load_batch(_LOAD, {"partition": 0, "number": number, "rows": batch})
            _require_nothing(result["rejected"])
        catalog.end_load(_LOAD, {"state": "committed"})


def _iterate_batches(proposals: Path) -> Iterator[list[dict[str, Any]]]:
    for file in sorted(proposals.glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(BATCH_ROWS):
            yield [{**row, "operation": "upsert", "value": json.loads(row["value"])} for row in batch.to_pylist()]


def _require_nothing(found: Any) -> None:
    assert len(found) == 0, found[:3]


def _show_nothing(_: str) -> None:
    """Show no progress."""


def _collect(frames: Mapping[str, Any]) -> None:
    for name, frame in frames.items():
        assert frame.collect() is not None, name


# In one process


def _compute_statistics(address: StoreAddress) -> None:
    """Count what `compute_statistics` counts."""
    entities = _read(address, "entities", "urn", "type", "namespace", "platform", "created")
    described = _read(address, "descriptors", "urn", "type", "namespace", "kind", "key", "text")
    sizes = _read(address, "aspects", "type", "namespace", "aspect", "bytes")
    place = ["namespace", "type"]
    keys = described.filter(pc.field("kind") != "tag")
    expected = described.filter(pc.field("kind").isin(_EXPECTED))
    results = [
        _count(entities, [*place, "platform"]),
        _count(_append_day(entities, "created"), [*place, "day"]),
        _count(_list_distinct(keys, ["urn", *place, "key"]), [*place, "key"]),
        _count(_list_distinct(expected, ["urn", *place, "kind"]), [*place, "kind"]),
        sizes.group_by([*place, "aspect"]).aggregate([([], "count_all"), ("bytes", "sum")]),
    ]
    for kind in ("owner", "tag"):
        texts = _list_distinct(described.filter(pc.field("kind") == kind), ["urn", *place, "text"])
        results.append(_count(texts, [*place, "text"]))
    assert all(result.num_rows for result in results[:5])


def _compute_activity(address: StoreAddress) -> None:
    """Count what `compute_activity` counts."""
    changes = _read(address, "changes", "seq", "time", "urn", "type", "namespace", "operation", "actor", "via")
    by_day = _append_day(changes, "time").append_column("by_kernel", pc.is_valid(changes["via"]))
    assert _count(by_day, ["day", "actor", "by_kernel", "operation"]).num_rows
    figures = [("seq", "count"), ("actor", "count_distinct"), ("time", "max")]
    by_entity = changes.group_by(["urn", "type", "namespace"]).aggregate(figures)
    assert by_entity.sort_by([("seq_count", "descending"), ("urn", "ascending")])[:MAX_MOST_CHANGED].num_rows


def _export(address: StoreAddress, path: Path) -> None:
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for batch in _read_batches(address, "aspects", "urn", "type", "namespace", "aspect", "value"):
            writer = writer or stack.enter_context(pq.ParquetWriter(path, batch.schema))
            writer.write_batch(batch)


def _read(address: StoreAddress, table: str, *columns: str) -> pa.Table:
    return pa.Table.from_batches(_read_batches(address, table, *columns))


def _read_batches(address: StoreAddress, table: str, *columns: str) -> Iterator[pa.RecordBatch]:
    reader = StoreReader(address, table, columns, PARTITIONS)
    return (batch for part in reader.partitions() for batch in reader.read(part))


def _append_day(rows: pa.Table, time: str) -> pa.Table:
    return rows.append_column("day", pc.floor_temporal(rows[time], unit="day"))


def _list_distinct(rows: pa.Table, columns: list[str]) -> pa.Table:
    return rows.group_by(columns).aggregate([])


def _count(rows: pa.Table, columns: list[str]) -> pa.Table:
    return rows.group_by(columns).aggregate([([], "count_all")])
