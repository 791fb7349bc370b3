"""Statistics of the entities and changes of a catalog, as DataFrames by name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Number of most changed entities that are listed.
MAX_MOST_CHANGED = 100
#: Reads columns of a table of the catalog: its name, and a schema with the columns.
ReadTable = Callable[[str, str], "DataFrame"]
#: What a complete entity has, by the kind of the descriptor.
_EXPECTED = {"description": "described", "owner": "owned", "tag": "tagged", "domain": "in_domain"}


def compute_statistics(read: ReadTable) -> "dict[str, DataFrame]":
    """Return the number of entities by type, key, owner, tag and day of creation, and how complete and large they are."""
    entities = read("entities", "urn STRING, type STRING, namespace STRING, platform STRING, created TIMESTAMP")
    described = read("descriptors", "urn STRING, type STRING, namespace STRING, kind STRING, key STRING, text STRING")
    sizes = read("aspects", "type STRING, namespace STRING, aspect STRING, bytes BIGINT")
    entities, described = entities.cache(), described.cache()
    keys = described.where("kind != 'tag'").select("urn", "namespace", "type", "key").distinct()
    growth = entities.selectExpr("namespace", "type", "to_date(created) AS day").groupBy("namespace", "type", "day")
    aspects = sizes.groupBy("namespace", "type", "aspect").agg({"*": "count", "bytes": "sum"})
    return {
        "types": _order(entities.groupBy("namespace", "type", "platform").count(), "namespace", "type", "platform"),
        "completeness": _order(_count_complete_entities(entities, described), "namespace", "type"),
        "keys": _order_by_count(keys.groupBy("namespace", "type", "key").count()),
        "owners": _count_texts(described, "owner"),
        "tags": _count_texts(described, "tag"),
        "sizes": _order(
            aspects.selectExpr("namespace", "type", "aspect", "`count(1)` AS count", "`sum(bytes)` AS bytes"),
            "namespace",
            "type",
            "aspect",
        ),
        "growth": _order(growth.count(), "day", "namespace", "type"),
    }


def compute_activity(read: ReadTable) -> "dict[str, DataFrame]":
    """Return the number of changes by day and actor, and the entities with the most changes."""
    changes = read(
        "changes",
        "seq BIGINT, time TIMESTAMP, urn STRING, type STRING, namespace STRING, operation STRING, actor STRING, via STRING",
    ).cache()
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
        "changes": _order(by_day.count(), "day", "actor", "by_kernel", "operation"),
        "most_changed": named.orderBy(*_list_count_order(named)).limit(MAX_MOST_CHANGED),
    }


def _count_complete_entities(entities: "DataFrame", described: "DataFrame") -> "DataFrame":
    """Count, by namespace and type, all entities and those with each kind of descriptor that a complete entity has."""
    from pyspark.sql.functions import expr

    has_kind = [expr(f"max(kind = '{kind}') AS {name}") for kind, name in _EXPECTED.items()]
    of_entity = described.groupBy("urn").agg(*has_kind)
    counted = entities.select("urn", "namespace", "type").join(of_entity, "urn", "left").groupBy("namespace", "type")
    return counted.agg(
        expr("count(*) AS entities"), *(expr(f"count_if({name}) AS {name}") for name in _EXPECTED.values())
    )


def _count_texts(described: "DataFrame", kind: str) -> "DataFrame":
    """Count the entities by the text of a kind of descriptor."""
    texts = described.where(f"kind = '{kind}'").selectExpr("urn", "namespace", "type", f"text AS {kind}").distinct()
    return _order_by_count(texts.groupBy("namespace", "type", kind).count())


def _order_by_count(counted: "DataFrame") -> "DataFrame":
    return _order(counted, *_list_count_order(counted))


def _list_count_order(counted: "DataFrame") -> "list[Column | str]":
    """Return the order by descending count, then by the other columns."""
    return [counted["count"].desc(), *(name for name in counted.columns if name != "count")]


def _order(counted: "DataFrame", *columns: "Column | str") -> "DataFrame":
    """Order counts in one task: there are few of them, and an order over several tasks needs another job for a sample."""
    return counted.coalesce(1).sortWithinPartitions(*columns)
