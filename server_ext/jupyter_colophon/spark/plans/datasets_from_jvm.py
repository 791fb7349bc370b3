"""The datasets that Spark's tables and relations are, from their descriptions or asked of Spark's objects over py4j."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from jupyter_colophon.spark.names import dataset_names
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.observation import MOST_PATHS, DataRef, Kind, united
from jupyter_colophon.spark.plans.plan_tree import Node

PART_FILE = re.compile(r"/part-\d{5}[-.][^/]*$")
"""A file that Spark wrote as one of many; its folder is the dataset. Spark reads one to infer a schema."""

#: The topics in the words of Spark's relation of Kafka, which has no method for them.
_SUBSCRIBED = re.compile(r"strategy=Subscribe\[([^\]]*)\]")


def relation(leaf: Any) -> tuple[DataRef, ...]:
    """Return the data outside the catalog that a `LogicalRelation` reads."""
    relation = leaf.relation()
    match relation.getClass().getSimpleName():
        case "HadoopFsRelation":
            return files(relation)
        case "JDBCRelation":
            options = relation.jdbcOptions()
            return jdbc(options.url(), options.tableOrQuery())
        case "KafkaRelation":
            subscribed = _SUBSCRIBED.search(relation.toString())
            return topics(subscribed[1]) if subscribed else ()
    return ()


def files(relation: Any) -> tuple[DataRef, ...]:
    """Give the files or folders of a `HadoopFsRelation`: what was asked for, not the part files found there.

    A list or a glob of files is each file, however many there are; one more than MOST_PATHS at most.
    """
    text = relation.location().rootPaths().mkString("\0")
    paths = dict.fromkeys(PART_FILE.sub("", path) for path in text.split("\0") if path)
    format_ = relation.toString().lower()
    refs = (ref for path in paths if (ref := file(path, format_)) is not None)
    return tuple(islice(united(refs), MOST_PATHS + 1))


def file(location: str, format_: str | None) -> DataRef | None:
    """Give the dataset that a location is, or is a part of."""
    place, part = dataset_names.whole(dataset_names.without_credentials(location) or "")
    urn = dataset_names.file(place) if place else None
    return DataRef(urn, Kind.FILE, format=format_, location=place, parts=(part,) if part else ()) if urn else None


def jdbc(url: str, table: str) -> tuple[DataRef, ...]:
    """Give the table behind JDBC; none for a query. The URL may hold a password, so it is not kept."""
    urn = dataset_names.jdbc(url, table.strip())
    return (DataRef(urn, Kind.JDBC, format="jdbc"),) if urn else ()


def topics(names: str) -> tuple[DataRef, ...]:
    """Give the topics of Kafka of these names, with commas between them."""
    urns = (dataset_names.dataset("kafka", name.strip()) for name in names.split(","))
    return tuple(DataRef(urn, Kind.TOPIC, format="kafka") for urn in urns if urn)


def v2_scan(scan: Any) -> tuple[DataRef, ...]:
    """Return the table that a `DataSourceV2ScanRelation` reads."""
    return v2(scan.relation())


def v2(relation: Any) -> tuple[DataRef, ...]:
    """Return the table that a relation of a catalog plug-in is; none for a source without a catalog."""
    if relation.getClass().getSimpleName() != "DataSourceV2Relation":
        return ()
    catalog, identifier = relation.catalog(), relation.identifier()
    if catalog.isEmpty() or identifier.isEmpty():
        return ()
    ref = catalog_table(catalog.get(), identifier.get())
    return (ref,) if ref else ()


def catalog_table(catalog: Any, identifier: Any) -> DataRef | None:
    """Name a table by the plug-in of its catalog and its identifier there."""
    database = ".".join(identifier.namespace())
    urn = dataset_names.table({"catalog": catalog.name(), "database": database, "table": identifier.name()})
    return DataRef(urn, Kind.TABLE) if urn else None


def described(node: Node) -> Mapping[str, Any] | None:
    """Return the description of the catalog's table that a leaf reads; None for other leaves."""
    found = node.attrs.get("catalogTable") or node.attrs.get("tableMeta")
    return found if isinstance(found, dict) else None


def table_ref(table: Mapping[str, Any], kind: Kind = Kind.TABLE, location: str | None = None) -> DataRef | None:
    """Return the dataset that a `CatalogTable`'s JSON describes; None where its name fits none."""
    urn = dataset_names.table(table["identifier"])
    if urn is None:
        return None
    if table.get("tableType", {}).get("name") == "VIEW":
        kind = Kind.VIEW
    place = dataset_names.without_credentials(location) if location else None
    return DataRef(urn, kind, schema.fields(table["schema"]) or None, table.get("provider"), place)
