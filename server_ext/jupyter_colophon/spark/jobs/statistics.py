"""What a catalog holds and how it changes, as DataFrames by name."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from jupyter_colophon.core.model.vocabulary import CONTRIBUTIONS, describe

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DESCRIPTORS = "ARRAY<STRUCT<kind: STRING, key: STRING, text: STRING>>"
#: How many of the entities that change most are told.
HOT = 100


def statistics(spark: "SparkSession", options: Mapping[str, str]) -> "dict[str, DataFrame]":
    """How much of each kind there is, with which keys and tags, and since when."""
    entities = _table(spark, "entities", options)
    described = _described(_table(spark, "aspects", {**options, "aspect": ",".join(CONTRIBUTIONS)})).cache()
    by_kind = entities.groupBy("namespace", "type", "platform").count()
    keys = described.where("kind != 'tag'").select("urn", "namespace", "type", "key").distinct()
    tags = described.where("kind = 'tag'").selectExpr("urn", "namespace", "type", "text AS tag").distinct()
    growth = entities.selectExpr("namespace", "type", "to_date(created) AS day").groupBy("namespace", "type", "day")
    return {
        "types": by_kind.orderBy("namespace", "type", "platform"),
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
        "most_changed": _most(named).limit(HOT),
    }


def _table(spark: "SparkSession", what: str, options: Mapping[str, str]) -> "DataFrame":
    return spark.read.format("colophon").options(**options, table=what).load()


def _described(aspects: "DataFrame") -> "DataFrame":
    """Return what aspects contribute to the vocabulary of their own entity, without fields."""
    from pyspark.sql.functions import explode, udf

    found = aspects.select("urn", "namespace", "type", explode(udf(_descriptors, _DESCRIPTORS)("aspect", "value")))
    return found.select("urn", "namespace", "type", "col.*")


def _descriptors(aspect: str, value: str | None) -> list[tuple[str, str, str]]:
    """Return kind, key and text of each descriptor. The scope of an aspect changes none of these but fields."""
    described = describe(aspect, "USER", json.loads(value)) if value else ()
    return [(one.kind, one.key, one.text) for one in described if not one.column and one.kind != "field"]


def _most(counted: "DataFrame") -> "DataFrame":
    """The largest counts first; what counts alike in an order that does not change."""
    return counted.orderBy(counted["count"].desc(), *(name for name in counted.columns if name != "count"))
