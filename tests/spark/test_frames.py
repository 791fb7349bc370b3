"""Tags of the source fields of a DataFrame's columns, through all transformations, before anything is written."""

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
def tagged_fields(server: Any, spark: SparkSession) -> Iterator[None]:
    """Tag confidential fields in the catalog of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLOPHON_URL", server.url)
        patch.setenv("COLOPHON_TOKEN", server.token)
        current.use_server(None)
        owner = server.create_client()
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
        current.use_server(None)


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
    "an exploded array": (
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
    "a dropped column": (lambda spark: spark.table("shop.customers").drop("name"), []),
    "a filter only": (lambda spark: spark.table("shop.customers").where("name = 'Ada'").select("id"), []),
}


@pytest.mark.parametrize("case", CASES)
def test_confidential_tag_is_found_through(case: str, spark: SparkSession) -> None:
    make, columns = CASES[case]
    assert metadata.tags_of(make(spark)).columns_with(SECRET) == columns


def test_tags_have_sources_and_separate_dataset_tags(spark: SparkSession) -> None:
    found = metadata.tags_of(joined(spark))
    assert dict(found) == {"id": (), "name": (SECRET,), "amount": ("money",)}
    assert found.sources("name", SECRET) == ["shop.customers#name"]
    assert found.sources("name", "money") == []
    assert {urn.split(",")[1]: tags for urn, tags in found.datasets.items()} == {
        "shop.orders": ("sales",),
        "shop.customers": (),
    }
    assert metadata.tags_of(joined(spark), "SYSTEM").columns_with(SECRET) == []


def test_fields_and_sources_need_no_server(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLOPHON_URL")
    data = joined(spark).where("amount > 1").select(F.concat("name", F.lit("!")).alias("x"))
    customers, orders = (metadata.MetadataEntity.of_dataset(f"shop.{name}") for name in ("customers", "orders"))
    assert metadata.fields_of(data) == {"x": (customers.append("field", "name"),)}
    assert set(metadata.sources_of(data)) == {orders, customers}
    assert metadata.fields_of(spark.range(3)) == {"id": ()}
    assert metadata.sources_of(spark.range(3)) == ()


def test_unknown_datasets_have_no_tags(spark: SparkSession, folder: Any) -> None:
    found = metadata.tags_of(spark.read.parquet(f"{folder}/numbers"))
    assert dict(found) == {"id": ()}
    assert list(found.datasets.values()) == [()]


def test_objects_other_than_spark_dataframes_are_rejected(spark: SparkSession) -> None:
    with pytest.raises(TypeError, match="has no known lineage"):
        metadata.tags_of(pandas.DataFrame({"a": [1]}))
    with pytest.raises(TypeError, match="a str is not a DataFrame"):
        metadata.fields_of("shop.orders")


def test_tag_functions_do_not_import_spark() -> None:
    script = "import sys; from jupyter_colophon import metadata; metadata.tags_of; print('pyspark' in sys.modules, 'py4j' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
