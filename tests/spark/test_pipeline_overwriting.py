"""A pipeline never overwrites data that it has not read yet."""

from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from jupyter_colophon.pipelines.runner import PipelineOutcome, run_pipeline
from pyspark.sql import SparkSession
from support.servers import catalog, known, server

__all__ = ["catalog", "known", "server"]
pytestmark = pytest.mark.usefixtures("known")


@pytest.fixture
def place(tmp_path: Path, spark: SparkSession) -> Path:
    """Create a folder with numbers, plain and partitioned by day."""
    folder = tmp_path.resolve()
    spark.range(3).write.parquet(str(folder / "numbers"))
    days = spark.range(3).selectExpr("id", "if(id = 0, 'mon', 'tue') AS day")
    days.write.partitionBy("day").parquet(str(folder / "days"))
    return folder


def run_copy(spark: SparkSession, source: Path, *sinks: tuple[str, str], **more: Any) -> PipelineOutcome:
    """Run a pipeline that copies a source to sinks, given by folder and mode."""
    written = [{"name": f"sink{at}", "type": "sink", "plugin": "file", "properties": {"path": path, "mode": mode}} for at, (path, mode) in enumerate(sinks)]  # fmt: skip
    read = {"name": "read", "type": "source", "plugin": "file", "properties": {"path": str(source)}}
    few = {"name": "few", "type": "transform", "plugin": "projection", "properties": {"keep": ["id"]}}
    pairs = [("read", "few"), *(("few", one["name"]) for one in written)]
    connections = [{"from": one, "to": other} for one, other in pairs]
    metadata = {"namespace": "shop", "stages": [read, few, *written], "connections": connections, **more}
    return run_pipeline(check_and_prepare_pipeline("copies", {"metadata": metadata}, load_plugins()), spark)


def rows(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.read.parquet(str(path)).collect()))


def test_overwriting_own_source_fails_before_any_write(spark: SparkSession, place: Path) -> None:
    numbers = place / "numbers"
    outcome = run_copy(spark, numbers, (str(place / "first"), "error"), (f"{numbers}/", "overwrite"), retries=2)
    assert (outcome.status, "would be overwritten before it is read" in outcome.error) == ("failed", True)
    assert [one.status for one in outcome.stages] == ["succeeded", "succeeded", "waiting", "failed"]
    assert not (place / "first").exists()
    assert rows(spark, numbers) == [(0,), (1,), (2,)]


@pytest.mark.parametrize(
    ("read", "written", "status"),
    [
        ("days/day=tue", "days/day=tue", "failed"),
        ("days", "days/day=tue", "failed"),
        ("days/day=tue", "days", "failed"),
        ("days/day=mon", "days/day=tue", "succeeded"),
    ],
)
def test_partition_can_be_overwritten_from_another_partition_only(
    read: str, written: str, status: str, spark: SparkSession, place: Path
) -> None:
    assert run_copy(spark, place / read, (str(place / written), "overwrite")).status == status
    kept = [(1, "tue"), (2, "tue")] if status == "failed" else [(0, "tue")]
    assert rows(spark, place / "days") == sorted([(0, "mon"), *kept])
