"""What a catalog holds and how it changes, as DataFrames by name."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The aspects that hold properties and tags, and how they are read.
_ANNOTATED = ("businessMetadata", "technicalMetadata")
_METADATA = "STRUCT<properties: MAP<STRING, STRING>, tags: ARRAY<STRING>>"
#: How many of the entities that change most are told.
HOT = 100


def statistics(spark: "SparkSession", options: Mapping[str, str]) -> "dict[str, DataFrame]":
    """How much of each kind there is, with which keys and tags, and since when."""
    entities = _table(spark, "entities", options)
    said = _said(_table(spark, "aspects", {**options, "aspect": ",".join(_ANNOTATED)})).cache()
    by_kind = entities.groupBy("namespace", "type", "platform").count()
    keys = said.selectExpr("namespace", "type", "explode(map_keys(said.properties)) AS key")
    tags = said.selectExpr("namespace", "type", "explode(said.tags) AS tag")
    growth = entities.selectExpr("namespace", "type", "to_date(created) AS day").groupBy("namespace", "type", "day")
    return {
        "kinds": by_kind.orderBy("namespace", "type", "platform"),
        "keys": _most(keys.groupBy("namespace", "type", "key").count()),
        "tags": _most(tags.groupBy("namespace", "type", "tag").count()),
        "growth": growth.count().orderBy("day", "namespace", "type"),
    }


def activity(spark: "SparkSession", options: Mapping[str, str]) -> "dict[str, DataFrame]":
    """Who changed how much on which day, and which entities changed most."""
    changes = _table(spark, "changes", options).cache()
    days = changes.selectExpr("to_date(time) AS day", "actor", "via IS NOT NULL AS by_kernel", "operation", "urn")
    by_day = days.groupBy("day", "actor", "by_kernel", "operation")
    hot = changes.groupBy("urn", "type", "namespace").agg(
        {"seq": "count", "actor": "approx_count_distinct", "time": "max"}
    )
    named = hot.selectExpr(
        "urn",
        "type",
        "namespace",
        "`count(seq)` AS count",
        "`approx_count_distinct(actor)` AS actors",
        "`max(time)` AS newest",
    )
    return {
        "changes": by_day.count().orderBy("day", "actor", "by_kernel", "operation"),
        "hot": _most(named).limit(HOT),
    }


def _table(spark: "SparkSession", what: str, options: Mapping[str, str]) -> "DataFrame":
    return spark.read.format("colophon").options(**options, what=what).load()


def _said(aspects: "DataFrame") -> "DataFrame":
    return aspects.selectExpr("namespace", "type", f"from_json(value, '{_METADATA}') AS said")


def _most(counted: "DataFrame") -> "DataFrame":
    """The largest counts first; what counts alike in an order that does not change."""
    return counted.orderBy(counted["count"].desc(), *(name for name in counted.columns if name != "count"))
