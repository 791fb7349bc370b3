"""Changes of Delta and Iceberg tables, in a session of the newest PySpark for which both are published.

`make long-table-formats` runs it.
"""

import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from jupyter_colophon.capture.observation import Observation
from jupyter_colophon.spark.capture.attach import Capture, attach_listener
from jupyter_colophon.spark.java import ensure_java
from pyspark.sql import SparkSession
from support.captured_notebook import run_captured_notebook

JARS = Path(__file__).parents[2] / "build" / "table-formats"
TIMEOUT_MS = 120_000
#: A table of each format, with its name in the catalog.
TABLES = {"delta": "shop.delta", "iceberg": "ice.shop.iceberg"}
NAMES = {"delta": "shop.delta", "iceberg": "ice/shop.iceberg"}


class TableSession:
    """A session with a table of each format; runs statements and returns what was observed."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder, self._seen = spark, folder, list[Observation]()
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
        yield TableSession(spark, folder)
        spark.stop()


def list_flows(observations: list[Observation]) -> set[tuple[str, str, str]]:
    """Return the writes: the statement, what it read, and what it wrote."""
    return {
        (each.function, read, get_name(write.urn))
        for each in observations
        for write in each.writes
        for read in [get_name(ref.urn) for ref in each.reads] or [""]
    }


def list_columns(observations: list[Observation]) -> set[tuple[str, str, str]]:
    return {
        (edge.source_field, edge.target_field, str(edge.transformation))
        for edge in next(each for each in reversed(observations) if each.writes).columns
    }


def get_name(urn: str) -> str:
    return urn.split(",")[1]


@pytest.mark.parametrize("format_", TABLES)
def test_changes_of_rows_have_their_table_and_what_it_was_compared_with(session: TableSession, format_: str) -> None:
    table, name = TABLES[format_], NAMES[format_]
    for mode in ("copy-on-write", "merge-on-read"):
        session.spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.merge.mode' = '{mode}')")
        merge = (
            f"MERGE INTO {table} t USING (SELECT id, amount AS price, amount > 2 AS high FROM shop.new) s ON t.id = s.id"
            " WHEN MATCHED AND s.high THEN UPDATE SET amount = s.price + t.amount WHEN MATCHED AND s.id = 9 THEN DELETE"
            " WHEN NOT MATCHED THEN INSERT (amount, id) VALUES (7, s.id)"
        )
        merged = session.observe(merge)
        assert list_flows(merged) == {("merge", "shop.new", name)}
        assert [each.missing for each in merged if each.writes] == [()]
        assert list_columns(merged) == {
            ("id", "id", "identity"),
            ("id", "amount", "join"),
            ("amount", "id", "filter"),
            ("amount", "amount", "transformation"),
        }
    assert list_flows(session.observe(f"UPDATE {table} SET amount = 7 WHERE id = 1")) == {("update", "", name)}
    assert list_flows(session.observe(f"DELETE FROM {table} WHERE amount = 7")) == {("delete", "", name)}
    appended = session.observe(f"INSERT INTO {table} SELECT id + 10, amount FROM shop.new")
    assert list_flows(appended) == {("insert", "shop.new", name)}
    assert list_columns(appended) == {("id", "id", "transformation"), ("amount", "amount", "identity")}


def test_update_of_iceberg_follows_the_columns_of_a_subquery(session: TableSession) -> None:
    set_amount = "SET amount = (SELECT max(amount) FROM shop.new) WHERE id = 1"
    updated = session.observe(f"UPDATE ice.shop.iceberg {set_amount}")
    assert list_flows(updated) == {("update", "shop.new", NAMES["iceberg"])}
    assert list_columns(updated) == {("amount", "amount", "aggregation")}


def list_versions(observations: list[Observation], mode: str) -> set[tuple[str, tuple[str, ...]]]:
    """Return the versions of the tables of each format that were read or written."""
    refs = [ref for each in observations for ref in (each.reads if mode == "read" else each.writes)]
    return {(get_name(ref.urn), ref.versions) for ref in refs if get_name(ref.urn) in NAMES.values()}


def read_newest_version(session: TableSession, format_: str) -> str:
    if format_ == "delta":
        history = session.spark.sql("DESCRIBE HISTORY shop.delta").select("version")
        return str(max(row[0] for row in history.collect()))
    snapshots = session.spark.sql("SELECT snapshot_id FROM ice.shop.iceberg.snapshots ORDER BY committed_at DESC")
    return str(snapshots.first()[0])


@pytest.mark.parametrize("format_", TABLES)
def test_accesses_have_the_version_that_was_created_or_read(session: TableSession, format_: str) -> None:
    table, name = TABLES[format_], NAMES[format_]
    versions = []
    for statement in (
        f"INSERT INTO {table} SELECT id + 20, amount FROM shop.new",
        f"UPDATE {table} SET amount = 8 WHERE id = 21",
        f"MERGE INTO {table} t USING shop.new s ON t.id = s.id WHEN MATCHED THEN UPDATE SET amount = s.amount",
        f"DELETE FROM {table} WHERE id = 20",
    ):
        written = list_versions(session.observe(statement), "write")
        newest = read_newest_version(session, format_)
        assert written == {(name, (newest,))}, statement
        versions.append(newest)
    assert len(set(versions)) == len(versions)
    frame = session.spark.table(table)
    assert list_versions(session.observe(frame.collect), "read") == {(name, (versions[-1],))}
    copied = session.observe(f"CREATE TABLE shop.copy_of_{format_} AS SELECT * FROM {table}")
    assert list_versions(copied, "read") == {(name, (versions[-1],))}
    doubled = session.observe(f"INSERT INTO {table} SELECT * FROM {table} VERSION AS OF {versions[0]}")
    newest = read_newest_version(session, format_)
    assert list_versions(doubled, "read") == {(name, (versions[0],))}
    assert list_versions(doubled, "write") == {(name, (newest,))}
    both = session.spark.sql(f"SELECT * FROM {table} VERSION AS OF {versions[1]} UNION ALL SELECT * FROM {table}")
    assert list_versions(session.observe(both.collect), "read") == {(name, (versions[1], newest))}


@pytest.mark.parametrize("format_", TABLES)
def test_version_at_a_time_is_that_of_the_time(session: TableSession, format_: str) -> None:
    spark, table, version = session.spark, TABLES[format_], read_newest_version(session, format_)
    time.sleep(1.1)
    at = datetime.now().astimezone().replace(microsecond=0)
    # Delta refuses a time after its newest version.
    spark.sql(f"INSERT INTO {table} SELECT id + 30, amount FROM shop.new")
    options = {"timestampAsOf": str(at)} if format_ == "delta" else {"as-of-timestamp": int(at.timestamp() * 1000)}
    clause = "TIMESTAMP AS OF" if format_ == "delta" else "FOR SYSTEM_TIME AS OF"
    for frame in (spark.read.options(**options).table(table), spark.sql(f"SELECT * FROM {table} {clause} '{at}'")):
        assert list_versions(session.observe(frame.collect), "read") == {(NAMES[format_], (version,))}


def test_delta_table_in_a_folder_is_the_folder(session: TableSession) -> None:
    path = str(Path("folder").resolve())
    written = session.observe(lambda: session.spark.table("shop.new").write.format("delta").save(path))
    assert list_flows(written) == {("save", "shop.new", path)}
    assert [ref.format for each in written for ref in each.writes] == ["delta"]
    merged = session.observe(f"MERGE INTO delta.`{path}` t USING shop.new s ON t.id = s.id WHEN MATCHED THEN DELETE")
    assert list_flows(merged) == {("merge", "shop.new", path)}
    earlier = session.spark.read.format("delta").option("versionAsOf", 0).load(path)
    at_version = session.spark.sql(f"SELECT * FROM delta.`{path}@v0`")
    for frame in (earlier, at_version):
        read = session.observe(frame.collect)
        assert {(get_name(ref.urn), ref.format, ref.versions) for each in read for ref in each.reads} == {
            (path, "delta", ("0",))
        }


def test_tables_of_other_libraries_are_those_of_spark(session: TableSession, tmp_path: Path) -> None:
    with run_captured_notebook(tmp_path) as notebook:
        code = "import pyarrow as pa\nfrom deltalake import write_deltalake\nwrite_deltalake(f'{folder}/lake', pa.table({'id': [1]}))"
        assert notebook.run("delta", code).error is None
        (metadata,) = session.folder.glob("ice/shop/iceberg/metadata/v1.metadata.json")
        code = (
            "from pyiceberg.catalog.sql import SqlCatalog\n"
            "catalog = SqlCatalog('ice', uri=f'sqlite:///{folder}/catalog.db', warehouse=f'file://{folder}')\n"
            f"catalog.create_namespace('shop')\ncatalog.register_table('shop.iceberg', 'file://{metadata}').scan().to_arrow()"
        )
        assert notebook.run("iceberg", code).error is None
        notebook.list_flows()
        accessed = [
            ref.urn for cell in notebook.runs for each in cell.observations for ref in (*each.reads, *each.writes)
        ]
    lake = session.spark.read.format("delta").load(f"{tmp_path}/lake")
    table = session.spark.table(TABLES["iceberg"])
    read = [ref.urn for data in (lake, table) for each in session.observe(data.collect) for ref in each.reads]
    assert list(dict.fromkeys(read)) == accessed


@pytest.mark.parametrize("format_", TABLES)
def test_table_that_is_created_again_without_rows_is_named(session: TableSession, format_: str) -> None:
    table, name = f"{TABLES[format_]}_again", f"{NAMES[format_]}_again"
    create = f"CREATE TABLE {table} (id BIGINT) USING {format_}"
    for statement in (create, f"CREATE OR REPLACE TABLE {table} (n BIGINT) USING {format_}"):
        seen = session.observe(statement)
        assert [get_name(urn) for each in seen for urn in each.created] == [name]
        assert list_flows(seen) == set()
    dropped = session.observe(f"DROP TABLE {table}")
    assert [get_name(urn) for each in dropped for urn in each.dropped] == [name]
