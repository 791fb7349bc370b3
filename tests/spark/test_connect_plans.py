"""The data and columns of Spark Connect plans, as a client builds them; there is no server (`tests/cluster/connect_lineage.py` has one)."""

from collections.abc import Callable
from typing import Any

import pytest
import zstandard
from jupyter_colophon.capture.calls import CallContext, LibraryCall
from jupyter_colophon.capture.sql.statements import SqlStatement
from jupyter_colophon.spark.connect.expressions import RelationData
from jupyter_colophon.spark.connect.plan_messages import get_root
from jupyter_colophon.spark.connect.relations import RelationReader
from jupyter_colophon.spark.connect.schemas import PlanSchemas
from jupyter_colophon.spark.connect.tables import SessionTables
from pyspark.sql.connect import functions as F
from pyspark.sql.connect.proto import Plan
from pyspark.sql.connect.session import SparkSession

#: Nothing listens there.
URL = "sc://127.0.0.1:1"


@pytest.fixture(scope="module")
def session() -> SparkSession:
    return SparkSession(URL)


def read_plan(frame: Any, tables: SessionTables) -> RelationData:
    call = LibraryCall(CallContext(lambda: None, lambda: 0), "collect", (), {})
    return RelationReader(call, tables, PlanSchemas()).read_plan(frame._plan.plan(frame._session.client))


def list_columns(frame: RelationData, *names: str) -> set[tuple[str, str, str]]:
    """Return the lineage of columns: the source column, the column, and the transformation; "?" for an unknown source."""
    return {
        ("?" if each.source is None else each.column, name, str(each.transformation))
        for name in names
        for each in frame.columns.find_sources(name) | frame.columns.controls
    }


def list_names(frame: RelationData) -> list[str]:
    return [each.urn.partition(",")[2].removesuffix(",PROD)") or each.location for each in frame.sources]  # type: ignore[union-attr]


ORDERS = "shop.orders"
PLANS: dict[str, tuple[Callable[[Any], Any], list[str], set[tuple[str, str, str]]]] = {
    "filter and select": (
        lambda spark: spark.table(ORDERS).filter("day > 1").select("id", (F.col("amount") * 2).alias("x")),
        [ORDERS],
        {
            ("id", "id", "identity"),
            ("day", "id", "filter"),
            ("amount", "x", "transformation"),
            ("day", "x", "filter"),
        },
    ),
    "names without regard to case": (
        lambda spark: spark.table(ORDERS).select(F.col("Amount").alias("Total")).select(F.col("TOTAL").alias("x")),
        [ORDERS],
        {("Amount", "x", "identity")},
    ),
    "aggregate": (
        lambda spark: spark.table(ORDERS).groupBy("id").agg(F.sum("amount").alias("x")),
        [ORDERS],
        {("id", "id", "identity"), ("id", "id", "group_by"), ("amount", "x", "aggregation"), ("id", "x", "group_by")},
    ),
    "pivot": (
        lambda spark: spark.table(ORDERS).groupBy("id").pivot("day").agg(F.sum("amount")),
        [ORDERS],
        {
            ("id", "id", "identity"),
            ("id", "id", "group_by"),
            ("amount", "monday", "aggregation"),
            ("day", "monday", "conditional"),
            ("id", "monday", "group_by"),
        },
    ),
    "unpivot": (
        lambda spark: spark.table(ORDERS).unpivot("id", ["amount", "tax"], "kind", "value"),
        [ORDERS],
        {
            ("id", "id", "identity"),
            ("amount", "value", "transformation"),
            ("tax", "value", "transformation"),
        },
    ),
    "renamed columns": (
        lambda spark: spark.table(ORDERS).withColumnsRenamed({"Amount": "x", "day": "y"}).select("x", "y"),
        [ORDERS],
        {("Amount", "x", "identity"), ("day", "y", "identity")},
    ),
    "join by the columns of DataFrames": (
        lambda spark: join_by_dataframes(spark),
        [ORDERS, "shop.customers"],
        {
            ("name", "x", "identity"),
            ("customer", "x", "join"),
            ("id", "x", "join"),
        },
    ),
    "join by aliases": (
        lambda spark: (
            spark.table(ORDERS)
            .alias("o")
            .join(spark.table("shop.customers").alias("c"), F.expr("o.customer = c.id"))
            .select(F.col("c.name").alias("x"))
        ),
        [ORDERS, "shop.customers"],
        {("name", "x", "identity"), ("customer", "x", "join"), ("id", "x", "join")},
    ),
    "columns of a join whose names are unknown": (
        lambda spark: spark.table(ORDERS).crossJoin(spark.table("shop.customers")).select(F.col("name").alias("x")),
        [ORDERS, "shop.customers"],
        {("?", "x", "identity")},
    ),
    "expressions in SQL": (
        lambda spark: spark.table(ORDERS).selectExpr("upper(day) AS x", "`id`"),
        [ORDERS],
        {("day", "x", "transformation"), ("id", "id", "identity")},
    ),
    "changed columns": (
        lambda spark: (
            spark.table(ORDERS)
            .withColumn("x", F.when(F.col("day") == 1, F.col("amount")).otherwise(F.lit(0)))
            .withColumnRenamed("id", "number")
            .drop("day")
        ),
        [ORDERS],
        {("amount", "x", "transformation"), ("day", "x", "conditional"), ("id", "number", "identity")},
    ),
    "union by name": (
        lambda spark: spark.table(ORDERS).unionByName(spark.table("shop.old")).select(F.col("id").alias("x")),
        [ORDERS, "shop.old"],
        {("id", "x", "identity")},
    ),
    "a window": (
        lambda spark: spark.table(ORDERS).select(F.expr("rank() OVER (ORDER BY amount)").alias("x")),
        [ORDERS],
        {("amount", "x", "window")},
    ),
    "files": (
        lambda spark: spark.read.parquet("hdfs://nn/data/day=1", "s3a://b/k").select(F.col("a").alias("x")),
        ["hdfs://nn/data/day=1", "s3a://b/k"],
        {("?", "x", "identity")},
    ),
    "tables over JDBC": (
        lambda spark: spark.read.jdbc("jdbc:postgresql://me:secret@prod/shop", "public.orders").select(
            F.col("a").alias("x")
        ),
        ["prod:5432/shop.public.orders"],
        {("a", "x", "identity")},
    ),
    "rows of the program": (lambda spark: spark.range(3).select(F.col("id").alias("x")), [], set()),
}


def join_by_dataframes(spark: Any) -> Any:
    orders, customers = spark.table(ORDERS), spark.table("shop.customers")
    return orders.join(customers, orders.customer == customers.id).select(customers.name.alias("x"))


@pytest.mark.parametrize(("build", "sources", "columns"), PLANS.values(), ids=PLANS)
def test_plan_is_followed_to_its_data_by_column(
    session: SparkSession, build: Any, sources: list[str], columns: set[tuple[str, str, str]]
) -> None:
    frame = read_plan(build(session), SessionTables(session.client))
    assert list_names(frame) == sources
    assert list_columns(frame, *{name for _, name, _ in columns}) == columns


@pytest.mark.parametrize(
    "build",
    [
        lambda spark: spark.read.option("versionAsOf", 3).table(ORDERS),
        lambda spark: spark.read.format("delta").option("versionAsOf", 3).load("file:/lake"),
        lambda spark: spark.read.option("snapshot-id", 3).table("lake.orders"),
    ],
)
def test_read_of_a_version_by_its_number_has_the_version(session: SparkSession, build: Any) -> None:
    (source,) = read_plan(build(session), SessionTables(session.client)).sources
    assert source.version == "3"  # type: ignore[union-attr]


def test_query_of_a_version_has_the_version(session: SparkSession) -> None:
    call = LibraryCall(CallContext(lambda: None, lambda: 0), "sql", (), {})
    tables = SessionTables(session.client)
    texts = ("3", "'3'", "'branch'", "")
    queries = [f"SELECT a FROM {ORDERS}{text and f' VERSION AS OF {text}'}" for text in texts]
    found = [SqlStatement(call, query, "spark", tables).list_sources() for query in queries]
    assert [source.version for (source,) in found] == ["3", "3", "", ""]  # type: ignore[union-attr]


def test_path_without_scheme_has_no_name_without_server(session: SparkSession) -> None:
    frame = read_plan(session.read.parquet("/data/x"), SessionTables(session.client))
    assert frame.sources == ()
    assert frame.missing == {"data that was read by a query or a format that does not name a dataset"}


def test_deep_and_wide_plans_are_read_to_their_tables(session: SparkSession) -> None:
    data = session.table(ORDERS)
    for number in range(200):
        data = data.withColumn(f"c{number}", F.col("amount") + number)
    frame = read_plan(data, SessionTables(session.client))
    assert list_columns(frame, "c199") == {("amount", "c199", "transformation")}
    everything = session.table("shop.t0")
    for number in range(1, 40):
        everything = everything.unionByName(session.table(f"shop.t{number}"))
    assert len(list_names(read_plan(everything, SessionTables(session.client)))) == 40


def test_compressed_plan_is_read(session: SparkSession) -> None:
    text = session.table(ORDERS)._plan.plan(session.client).SerializeToString()
    plan = Plan()
    plan.compressed_operation.data = zstandard.compress(text)
    root = get_root(plan)
    assert root is not None
    assert root.SerializeToString() == text
    for damaged in (b"", b"no frame", zstandard.compress(text)[:-4]):
        plan.compressed_operation.data = damaged
        assert get_root(plan) is None
