"""Reading or writing a partition folder is attributed to its dataset."""

from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.capture.observation import DataRef, Observation
from jupyter_colophon.capture.report_documents import build_written_data_proposals


@pytest.fixture(scope="module")
def days(watch: Any) -> Path:
    """Create a dataset partitioned by day and hour."""
    root: Path = watch.folder / "days"
    rows = [(number, "mon" if number % 2 else "tue", number % 3) for number in range(30)]
    watch.spark.createDataFrame(rows, "n long, day string, hour int").write.partitionBy("day", "hour").parquet(
        str(root)
    )
    return root


@pytest.mark.parametrize(
    ("paths", "options", "columns"),
    [
        (["day=mon"], {}, None),
        (["day=mon/"], {}, None),
        (["day=mon/hour=1"], {}, None),
        (["day=mon/hour=1", "day=tue/hour=1"], {}, None),
        (["day=mon", "day=tue"], {"basePath": "/days"}, ["n", "day", "hour"]),
        (["day=*"], {"basePath": "/days"}, ["n", "day", "hour"]),
        (["day=*/hour=*"], {}, None),
        (["day=mon/hour=1/*.parquet"], {}, None),
        (["day=mon/hour=1"], {"basePath": "/days/day=mon"}, None),
        (["day=mon"], {"basePath": "/days"}, ["n", "day", "hour"]),
        ([""], {}, ["n", "day", "hour"]),
    ],
)
def test_reading_partition_folder_reads_dataset(
    watch: Any, days: Path, paths: list[str], options: dict[str, str], columns: list[str] | None
) -> None:
    placed = {name: f"{watch.folder}{value}" for name, value in options.items()}
    frame = watch.spark.read.options(**placed).parquet(*(f"{days}/{path}" for path in paths))
    written = one(watch.run_and_observe(lambda: frame.write.parquet(str(watch.folder / watch.create_table_name()))))
    (ref,) = written.reads
    assert watch.shorten_urn(ref.urn) == "/days"
    assert columns == (None if ref.fields is None else [field.path for field in ref.fields])
    assert ("n", "n") in {
        (edge.source_field, edge.target_field) for edge in written.columns if edge.source_urn == ref.urn
    }


def test_writing_partition_folder_keeps_dataset_schema_and_location(watch: Any) -> None:
    root = watch.folder / "kept"

    def write() -> None:
        some = watch.spark.range(3).selectExpr("id AS n", "'mon' AS day")
        some.write.partitionBy("day").parquet(str(root))
        watch.spark.range(2).selectExpr("id AS n").write.mode("overwrite").parquet(f"{root}/day=mon")
        watch.spark.sql(f"INSERT OVERWRITE DIRECTORY '{root}/day=tue' USING parquet SELECT id AS n FROM shop.orders")

    seen = [ref for each in watch.run_and_observe(write) for ref in each.writes]
    assert {watch.shorten_urn(ref.urn) for ref in seen} == {"/kept"}
    assert [aspects(ref) for ref in seen] == [["schemaMetadata", "technicalMetadata"], *[["technicalMetadata"]] * 2]
    assert {ref.location for ref in seen} == {f"file:{root}"}


def test_key_value_names_of_other_paths_are_not_partitions(watch: Any) -> None:
    root = watch.folder / "odd=name"
    (root / "plain").mkdir(parents=True)
    for name in ("plain/x.json", "a=b.json"):
        (root / name).write_text('{"a": 1}\n', encoding="utf-8")
    for name in ("plain", "plain/x.json", "a=b.json"):
        seen = watch.run_and_observe(
            lambda name=name: watch.spark.read.schema("a int").json(f"{root}/{name}").collect()
        )
        assert [watch.shorten_urn(ref.urn) for ref in seen[-1].reads] == [f"/odd=name/{name}"]


def test_table_located_on_partition_reads_dataset(watch: Any, days: Path) -> None:
    table = watch.create_table_name()
    made = one(
        watch.run_and_observe(lambda: watch.spark.sql(f"CREATE TABLE {table} USING parquet LOCATION '{days}/day=mon'"))
    )
    assert [(watch.shorten_urn(ref.urn), ref.fields) for ref in made.reads] == [("/days", None)]
    (ref,) = made.writes
    assert (watch.shorten_urn(ref.urn), ref.location) == (table, f"file:{days}/day=mon")


def test_stream_from_partition_reads_dataset(watch: Any, days: Path) -> None:
    def run() -> None:
        stream = watch.spark.readStream.schema("n long").parquet(f"{days}/day=mon/hour=1").writeStream
        stream = stream.option("checkpointLocation", f"{watch.folder}/checkpoints/partition")
        stream.trigger(availableNow=True).format("parquet").start(f"{watch.folder}/of-days").awaitTermination()

    seen = one([each for each in watch.run_and_observe(run) if each.writes])
    assert [(watch.shorten_urn(ref.urn), ref.fields) for ref in seen.reads] == [("/days", None)]


def aspects(ref: DataRef) -> list[str]:
    return [each["aspect"] for each in build_written_data_proposals(ref, "urn:li:dataProcessInstance:x")]


def one(seen: list[Observation]) -> Observation:
    assert len(seen) == 1, seen
    return seen[0]
