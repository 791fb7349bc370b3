"""Changes of Delta and Iceberg tables, in a session of the newest PySpark for which both are published.

`make long-table-formats` runs it.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_colophon.capture.observation import MissingDetail, Observation
from jupyter_colophon.spark.capture.attach import Capture, attach_listener
from jupyter_colophon.spark.java import ensure_java
from pyspark.sql import SparkSession

JARS = Path(__file__).parents[2] / "build" / "table-formats"
TIMEOUT_MS = 120_000
#: A table of each format, with its name in the catalog.
TABLES = {"delta": "shop.delta", "iceberg": "ice.shop.iceberg"}
NAMES = {"delta": "shop.delta", "iceberg": "ice/shop.iceberg"}


class TableSession:
    """A session with a table of each format; runs statements and returns what was observed."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark, self._seen = spark, list[Observation]()
        self.capture: Capture = attach_listener(spark, self._seen.append)

    def observe(self, action: str | Callable[[], object]) -> list[Observation]:
        assert self.capture.wait_for_observations(TIMEOUT_MS)
        self._seen.clear()
        self.spark.sql(action) if isinstance(action, str) else action()
        assert self.capture.wait_for_observations(TIMEOUT_MS)
        return list(self._seen)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableSession]:
    folder = tmp_path_factory.mktemp("tables").resolve()
    ensure_java()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings = {
            "spark.master": "local[1]",
            "spark.jars": ",".join(map(str, JARS.glob("*.jar"))),
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": str(folder / "ice"),
        }
        spark = SparkSession.builder.config(map=settings).getOrCreate()
        spark.sql("CREATE DATABASE shop")
        spark.sql("CREATE TABLE shop.new AS SELECT id, id * 2 AS amount FROM range(5)")
        for format_, table in TABLES.items():
            spark.sql(f"CREATE TABLE {table} USING {format_} AS SELECT id, amount FROM shop.new")
        yield TableSession(spark)
        spark.stop()


def list_flows(observations: list[Observation]) -> set[tuple[str, str, str]]:
    """Return the writes: the statement, what it read, and what it wrote."""
    return {
        (each.function, read, get_name(write.urn))
        for each in observations
        for write in each.writes
        for read in [get_name(ref.urn) for ref in each.reads] or [""]
    }


def get_name(urn: str) -> str:
    return urn.split(",")[1]


@pytest.mark.parametrize("format_", TABLES)
def test_changes_of_rows_have_their_table_and_what_it_was_compared_with(session: TableSession, format_: str) -> None:
    table, name = TABLES[format_], NAMES[format_]
    merge = (
        f"MERGE INTO {table} t USING shop.new s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET amount = s.amount WHEN NOT MATCHED THEN INSERT *"
    )
    merged = session.observe(merge)
    assert list_flows(merged) == {("merge", "shop.new", name)}
    assert [each.missing for each in merged if each.writes] == [(MissingDetail.CHANGED_COLUMNS,)]
    assert list_flows(session.observe(f"UPDATE {table} SET amount = 7 WHERE id = 1")) == {("update", "", name)}
    assert list_flows(session.observe(f"DELETE FROM {table} WHERE amount = 7")) == {("delete", "", name)}
    appended = session.observe(f"INSERT INTO {table} SELECT id + 10, amount FROM shop.new")
    assert list_flows(appended) == {("insert", "shop.new", name)}
    assert {(edge.source_field, edge.target_field, str(edge.transformation)) for edge in appended[-1].columns} == {
        ("id", "id", "transformation"),
        ("amount", "amount", "identity"),
    }


@pytest.mark.parametrize("format_", TABLES)
def test_earlier_version_of_a_table_is_a_read_of_the_table(session: TableSession, format_: str) -> None:
    version = 0
    if format_ == "iceberg":
        version = session.spark.sql("SELECT snapshot_id FROM ice.shop.iceberg.snapshots").collect()[0][0]
    query = session.spark.sql(f"SELECT * FROM {TABLES[format_]} VERSION AS OF {version}")
    reads = {get_name(ref.urn) for each in session.observe(query.collect) for ref in each.reads}
    assert reads == {NAMES[format_]}


def test_delta_table_in_a_folder_is_the_folder(session: TableSession) -> None:
    path = str(Path("folder").resolve())
    written = session.observe(lambda: session.spark.table("shop.new").write.format("delta").save(path))
    assert list_flows(written) == {("save", "shop.new", path)}
    assert [ref.format for each in written for ref in each.writes] == ["delta"]
    merged = session.observe(f"MERGE INTO delta.`{path}` t USING shop.new s ON t.id = s.id WHEN MATCHED THEN DELETE")
    assert list_flows(merged) == {("merge", "shop.new", path)}
    earlier = session.spark.read.format("delta").option("versionAsOf", 0).load(path)
    read = session.observe(earlier.collect)
    assert {(get_name(ref.urn), ref.format) for each in read for ref in each.reads} == {(path, "delta")}
