"""What the catalog says of a DataFrame before it is written: `confidential` fields are found behind whatever was done to them."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pandas
import pytest
from jupyter_colophon import metadata
from jupyter_colophon.client.api.current_connection import current
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType
from support.servers import catalog, server

__all__ = ["catalog", "server"]

SECRET = "confidential"


@pytest.fixture(scope="module", autouse=True)
def told(server: Any, spark: SparkSession) -> Iterator[None]:
    """A catalog that knows which fields are confidential."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLOPHON_URL", server.url)
        patch.setenv("COLOPHON_TOKEN", server.token)
        current.use(None)
        owner = server.catalog()
        owner.submit_proposals(
            {
                "proposals": [
                    {
                        "urn": "urn:li:namespace:shop",
                        "aspect": "status",
                        "operation": "upsert",
                        "value": {"removed": False},
                    }
                ]
            }
        )
        owner.close()
        metadata.tag("shop.customers", SECRET, field="name")
        metadata.tag("shop.orders", "money", field="amount")
        metadata.tag("shop.orders", "sales")
        yield
        current.use(None)


def joined(spark: SparkSession) -> DataFrame:
    orders, customers = spark.table("shop.orders"), spark.table("shop.customers")
    return orders.join(customers, orders.customer == customers.id).select(orders.id, "name", "amount")


def viewed(spark: SparkSession) -> DataFrame:
    joined(spark).createOrReplaceTempView("seen")
    return spark.sql("SELECT name AS who, id FROM seen")


def cached(spark: SparkSession) -> DataFrame:
    kept = spark.table("shop.customers").cache()
    kept.count()
    return kept.select(F.col("name").alias("who"))


CASES: dict[str, tuple[Callable[[SparkSession], DataFrame], list[str]]] = {
    "a join": (joined, ["name"]),
    "a renamed column": (lambda spark: spark.table("shop.customers").withColumnRenamed("name", "x"), ["x"]),
    "an aggregate": (lambda spark: joined(spark).groupBy("id").agg(F.max("name").alias("last")), ["last"]),
    "an array that is unfolded": (
        lambda spark: spark.table("shop.customers").select(F.explode(F.split("name", "d")).alias("part"), "city"),
        ["part"],
    ),
    "a temporary view": (viewed, ["who"]),
    "a view of the catalog": (lambda spark: spark.table("shop.named"), ["who"]),
    "a cached table": (cached, ["who"]),
    "a UDF": (
        lambda spark: spark.table("shop.customers").select(F.udf(str.upper, StringType())("name").alias("loud"), "id"),
        ["loud"],
    ),
    "a struct": (lambda spark: spark.table("shop.customers").select(F.struct("name", "id").alias("s"), "id"), ["s"]),
    "a union": (
        lambda spark: (
            spark.table("shop.items").select(F.lit("a").alias("v")).union(spark.sql("SELECT name FROM shop.customers"))
        ),
        ["v"],
    ),
    "a column that was dropped": (lambda spark: spark.table("shop.customers").drop("name"), []),
    "a filter alone": (lambda spark: spark.table("shop.customers").where("name = 'Ada'").select("id"), []),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_confidential_is_found_behind(case: str, spark: SparkSession) -> None:
    make, columns = CASES[case]
    assert metadata.tags_of(make(spark)).columns_with(SECRET) == columns


def test_tags_tell_from_where_and_those_of_the_datasets_stand_apart(spark: SparkSession) -> None:
    found = metadata.tags_of(joined(spark))
    assert dict(found) == {"id": (), "name": (SECRET,), "amount": ("money",)}
    assert found.sources("name", SECRET) == ["shop.customers#name"]
    assert found.sources("name", "money") == []
    assert {urn.split(",")[1]: tags for urn, tags in found.datasets.items()} == {
        "shop.orders": ("sales",),
        "shop.customers": (),
    }
    assert metadata.tags_of(joined(spark), "SYSTEM").columns_with(SECRET) == []


def test_fields_and_datasets_are_told_without_a_server(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLOPHON_URL")
    data = joined(spark).where("amount > 1").select(F.concat("name", F.lit("!")).alias("x"))
    customers, orders = (metadata.MetadataEntity.of_dataset(f"shop.{name}") for name in ("customers", "orders"))
    assert metadata.fields_of(data) == {"x": (customers.append("field", "name"),)}
    assert set(metadata.sources_of(data)) == {orders, customers}
    assert metadata.fields_of(spark.range(3)) == {"id": ()}
    assert metadata.sources_of(spark.range(3)) == ()


def test_files_and_what_the_catalog_never_heard_of_have_no_tags(spark: SparkSession, folder: Any) -> None:
    found = metadata.tags_of(spark.read.parquet(f"{folder}/numbers"))
    assert dict(found) == {"id": ()}
    assert list(found.datasets.values()) == [()]


def test_what_is_no_dataframe_of_spark_says_so(spark: SparkSession) -> None:
    with pytest.raises(TypeError, match=r"ask before toPandas\(\)"):
        metadata.tags_of(pandas.DataFrame({"a": [1]}))
    with pytest.raises(TypeError, match="a str is no DataFrame of Spark"):
        metadata.fields_of("shop.orders")


def test_asking_imports_nothing_of_spark() -> None:
    script = "import sys; from jupyter_colophon import metadata; metadata.tags_of; print('pyspark' in sys.modules, 'py4j' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
