"""The datasets of Spark's tables and relations, from their descriptions or from Spark's objects over py4j."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import MAX_PATHS, DataRef, DatasetKind, merge_refs
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.plan_tree import TreeNode

PART_FILE = re.compile(r"/part-\d{5}[-.][^/]*$")
"""A part file of Spark; its folder is the dataset. Spark reads one to infer a schema."""

#: The package of Delta's lists of files.
_DELTA = "org.apache.spark.sql.delta."

#: The topics in the text of Spark's Kafka relation, which has no method for them.
_SUBSCRIBED = re.compile(r"strategy=Subscribe\[([^\]]*)\]")


def find_relation_refs(leaf: Any) -> tuple[DataRef, ...]:
    """Return the data outside the catalog that a `LogicalRelation` reads."""
    relation = leaf.relation()
    class_ = relation.getClass()
    # Delta's relation is an anonymous subclass of that of files.
    match class_.getSimpleName() or class_.getSuperclass().getSimpleName():
        case "HadoopFsRelation":
            return find_file_refs(relation)
        case "JDBCRelation":
            options = relation.jdbcOptions()
            return create_jdbc_refs(options.url(), options.tableOrQuery())
        case "KafkaRelation":
            subscribed = _SUBSCRIBED.search(relation.toString())
            return create_topic_refs(subscribed[1]) if subscribed else ()
    return ()


def find_file_refs(relation: Any) -> tuple[DataRef, ...]:
    """Return the files or folders of a `HadoopFsRelation` as requested, not their part files.

    Each file of a list or glob is returned, up to MAX_PATHS + 1.
    """
    text = relation.location().rootPaths().mkString("\0")
    paths = dict.fromkeys(PART_FILE.sub("", path) for path in text.split("\0") if path)
    is_delta = relation.location().getClass().getName().startswith(_DELTA)
    format_ = "delta" if is_delta else relation.toString().lower()
    refs = (ref for path in paths if (ref := create_file_ref(path, format_)) is not None)
    return tuple(islice(merge_refs(refs), MAX_PATHS + 1))


def create_file_ref(location: str, format_: str | None) -> DataRef | None:
    """Return the dataset of a location, which may be a partition of it."""
    place, part = dataset_names.split_partition_folders(dataset_names.strip_credentials(location) or "")
    urn = dataset_names.build_file_urn(place) if place else None
    return (
        DataRef(urn, DatasetKind.FILE, format=format_, location=place, parts=(part,) if part else ()) if urn else None
    )


def create_jdbc_refs(url: str, table: str) -> tuple[DataRef, ...]:
    """Return the JDBC table; nothing for a query. The URL is not kept, since it may contain a password."""
    urn = dataset_names.build_jdbc_urn(url, table.strip())
    return (DataRef(urn, DatasetKind.JDBC, format="jdbc"),) if urn else ()


def create_topic_refs(names: str) -> tuple[DataRef, ...]:
    """Return the Kafka topics with these comma-separated names."""
    urns = (dataset_names.build_dataset_urn("kafka", name.strip()) for name in names.split(","))
    return tuple(DataRef(urn, DatasetKind.TOPIC, format="kafka") for urn in urns if urn)


def find_v2_scan_refs(scan: Any) -> tuple[DataRef, ...]:
    """Return the table that a `DataSourceV2ScanRelation` reads."""
    return find_v2_refs(scan.relation())


def find_v2_refs(relation: Any) -> tuple[DataRef, ...]:
    """Return the table of a catalog plug-in; nothing for a source without a catalog."""
    if relation.getClass().getSimpleName() != "DataSourceV2Relation":
        return ()
    catalog, identifier = relation.catalog(), relation.identifier()
    if catalog.isEmpty() or identifier.isEmpty():
        return ()
    ref = create_catalog_ref(catalog.get(), identifier.get())
    return (ref,) if ref else ()


def create_catalog_ref(catalog: Any, identifier: Any) -> DataRef | None:
    """Return a table by its catalog plug-in and its identifier there."""
    database = ".".join(identifier.namespace())
    urn = dataset_names.build_table_urn({"catalog": catalog.name(), "database": database, "table": identifier.name()})
    return DataRef(urn, DatasetKind.TABLE) if urn else None


def get_table_description(node: TreeNode) -> Mapping[str, Any] | None:
    """Return the description of the catalog table that a leaf reads; None for other leaves."""
    description = node.attrs.get("catalogTable") or node.attrs.get("tableMeta")
    return description if isinstance(description, dict) else None


def create_table_ref(
    table: Mapping[str, Any], kind: DatasetKind = DatasetKind.TABLE, location: str | None = None
) -> DataRef | None:
    """Return the dataset of a `CatalogTable`'s JSON; None for an invalid name."""
    urn = dataset_names.build_table_urn(table["identifier"])
    if urn is None:
        return None
    if table.get("tableType", {}).get("name") == "VIEW":
        kind = DatasetKind.VIEW
    place = dataset_names.strip_credentials(location) if location else None
    return DataRef(urn, kind, schema.parse_fields(table["schema"]) or None, table.get("provider"), place)
