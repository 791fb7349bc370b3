"""Statistics of the entities and changes of a catalog, as DataFrames by name."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from jupyter_colophon.core.model.vocabulary import CONTRIBUTIONS, list_descriptors_of_value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DESCRIPTORS = "ARRAY<STRUCT<kind: STRING, key: STRING, text: STRING>>"
#: Number of most changed entities that are listed.
MAX_MOST_CHANGED = 100


def compute_statistics(spark: "SparkSession", options: Mapping[str, str]) -> "dict[str, DataFrame]":
    """Return the number of entities by type, key, tag and day of creation."""
    entities = _read_table(spark, "entities", options)
    described = _expand_descriptors(
        _read_table(spark, "aspects", {**options, "aspect": ",".join(CONTRIBUTIONS)})
    ).cache()
    by_kind = entities.groupBy("namespace", "type", "platform").count()
    keys = described.where("kind != 'tag'").select("urn", "namespace", "type", "key").distinct()
    tags = described.where("kind = 'tag'").selectExpr("urn", "namespace", "type", "text AS tag").distinct()
    growth = entities.selectExpr("namespace", "type", "to_date(created) AS day").groupBy("namespace", "type", "day")
    return {
        "types": by_kind.orderBy("namespace", "type", "platform"),
        "keys": _order_by_count(keys.groupBy("namespace", "type", "key").count()),
        "tags": _order_by_count(tags.groupBy("namespace", "type", "tag").count()),
        "growth": growth.count().orderBy("day", "namespace", "type"),
    }


def compute_activity(spark: "SparkSession", options: Mapping[str, str]) -> "dict[str, DataFrame]":
    """Return the number of changes by day and actor, and the entities with the most changes."""
    changes = _read_table(spark, "changes", options).cache()
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
        "most_changed": _order_by_count(named).limit(MAX_MOST_CHANGED),
    }


def _read_table(spark: "SparkSession", table: str, options: Mapping[str, str]) -> "DataFrame":
    return spark.read.format("colophon").options(**options, table=table).load()


def _expand_descriptors(aspects: "DataFrame") -> "DataFrame":
    """Return a row for each descriptor that an aspect contributes to its own entity, not to fields."""
    from pyspark.sql.functions import explode, udf

    expanded = aspects.select(
        "urn", "namespace", "type", explode(udf(_list_descriptors, _DESCRIPTORS)("aspect", "value"))
    )
    return expanded.select("urn", "namespace", "type", "col.*")


def _list_descriptors(aspect: str, value: str | None) -> list[tuple[str, str, str]]:
    """Return kind, key and text of each descriptor. The scope of an aspect affects only descriptors of fields."""
    described = list_descriptors_of_value(aspect, "USER", json.loads(value)) if value else ()
    return [
        (descriptor.kind, descriptor.key, descriptor.text)
        for descriptor in described
        if not descriptor.column and descriptor.kind != "field"
    ]


def _order_by_count(counted: "DataFrame") -> "DataFrame":
    """Order by descending count, then by the other columns."""
    return counted.orderBy(counted["count"].desc(), *(name for name in counted.columns if name != "count"))
