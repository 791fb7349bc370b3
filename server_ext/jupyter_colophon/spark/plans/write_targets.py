"""Rules for the targets of commands, with the schema of the written data. `plan_nodes.py` assigns them to commands."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import DataRef, DatasetKind, SchemaField
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.datasets_from_jvm import (
    create_catalog_ref,
    create_file_ref,
    create_jdbc_refs,
    create_table_ref,
    create_topic_refs,
    find_v2_refs,
)
from jupyter_colophon.spark.plans.jvm_facts import WriteTarget
from jupyter_colophon.spark.plans.plan_tree import TreeNode

TargetRule = Callable[[Any, Any, TreeNode], WriteTarget]
"""Returns the target of an execution's command; the node is its JSON."""


NO_DATASET = WriteTarget(has_no_dataset=True)


def _read_schema(plan: Any) -> tuple[SchemaField, ...]:
    """Return the schema of a query, in one call however wide it is."""
    return schema.parse_fields(json.loads(plan.schema().json()))


def get_files_target(execution: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the table or folder that files are written to."""
    fields, location = _read_schema(command.query()), command.outputPath().toString()
    unchanged = command.mode().toString() == "Ignore" and not _has_written_files(execution.executedPlan().metrics())
    table = node.attrs.get("catalogTable")
    if isinstance(table, dict):
        return WriteTarget(create_table_ref(table, location=location), fields, is_unchanged=unchanged)
    ref = create_file_ref(location, command.fileFormat().toString().lower())
    return WriteTarget(ref.with_fields(fields) if ref else None, fields, is_unchanged=unchanged)


def _has_written_files(metrics: Any) -> bool:
    return not metrics.contains("numFiles") or metrics.apply("numFiles").value() > 0


def create_described_table_rule(field: str) -> TargetRule:
    """Return the rule for a command that creates the table described by one of its fields."""

    def resolve(_: Any, command: Any, node: TreeNode) -> WriteTarget:
        fields = _read_schema(command.query())
        ref = create_table_ref(node.attrs[field])
        return WriteTarget(replace(ref, fields=fields) if ref else None, fields)

    return resolve


def get_table_as_select_target(execution: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the created table. With IF NOT EXISTS it may be unchanged: only the execution that writes its files shows that it was written."""
    return replace(
        create_described_table_rule("table")(execution, command, node),
        is_unchanged=command.mode().toString() == "Ignore",
    )


def get_hive_table_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the Hive table that is inserted into."""
    return WriteTarget(create_table_ref(node.attrs["table"]), _read_schema(command.query()))


def get_hive_directory_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the folder that Hive writes to."""
    place, fields = command.storage().locationUri(), _read_schema(command.query())
    ref = None if place.isEmpty() else create_file_ref(format_hadoop_path(place.get()), "hive")
    return WriteTarget(ref.with_fields(fields) if ref else None, fields)


def format_hadoop_path(hadoop_path: Any) -> str:
    """Return a `java.net.URI` in the syntax of Hadoop's `Path`, not percent-encoded."""
    authority = f"//{hadoop_path.getAuthority()}" if hadoop_path.getAuthority() else ""
    return f"{hadoop_path.getScheme() or 'file'}:{authority}{hadoop_path.getPath()}"


def get_external_table_target(execution: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the external table; a table without a location has no data yet."""
    catalog = execution.sparkSession().sessionState().catalog()
    if command.table().storage().locationUri().isEmpty():
        return get_empty_table_target(execution, command, node)
    if not catalog.tableExists(command.table().identifier()):
        return WriteTarget()
    table = catalog.getTableMetadata(command.table().identifier())
    fields = schema.parse_fields(json.loads(table.schema().json()))
    location = format_hadoop_path(table.location())
    files, ref = (
        create_file_ref(location, node.attrs["table"].get("provider")),
        create_table_ref(node.attrs["table"], location=location),
    )
    if ref is None or files is None:
        return WriteTarget()
    return WriteTarget(replace(ref, fields=fields), fields, files.with_fields(fields))


def get_empty_table_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the table that is created without rows, with its description in the field `table`."""
    return WriteTarget(create_table_ref(node.attrs["table"]), is_empty=True)


def get_empty_copy_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the table that is created like another one; one with a location may have rows, which are not known."""
    urn = dataset_names.build_table_urn(node.attrs["targetTable"])
    return WriteTarget(DataRef(urn, DatasetKind.TABLE) if urn else None, is_empty=True)


def get_empty_v2_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the table of a catalog plug-in that is created without rows."""
    return WriteTarget(create_catalog_ref(command.name().catalog(), command.name().identifier()), is_empty=True)


def get_created_view_target(execution: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the created view; a temporary one is not a dataset."""
    if command.viewType().toString() != "PersistedView":
        return WriteTarget()
    return _build_view_target(execution, command, command.plan(), node)


def get_changed_view_target(execution: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the view whose query is replaced."""
    return _build_view_target(execution, command, command.query(), node)


def _build_view_target(execution: Any, command: Any, query: Any, node: TreeNode) -> WriteTarget:
    ref = create_table_ref({"identifier": node.attrs["name"], "schema": {"fields": []}}, DatasetKind.VIEW)
    fields = _read_view_fields(execution.sparkSession(), query, command.name())
    return WriteTarget(replace(ref, fields=fields) if ref else None, fields)


def _read_view_fields(session: Any, query: Any, name: Any) -> tuple[SchemaField, ...]:
    """Return the columns from the catalog, since the view may rename those of its query; it may have been dropped again."""
    catalog = session.sessionState().catalog()
    if not catalog.tableExists(name):
        return _read_schema(query)
    return schema.parse_fields(json.loads(catalog.getTableMetadata(name).schema().json()))


def get_saved_source_target(execution: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the dataset that is written through a data source with options."""
    kind, options = command.dataSource().getClass().getSimpleName(), command.options()
    if "Jdbc" in kind and (values := _get_option_values(options, "url", "dbtable")):
        return _create_target(create_jdbc_refs(*values), _read_schema(command.query()))
    if "Kafka" in kind and (values := _get_option_values(options, "topic")):
        return _create_target(create_topic_refs(*values), _read_schema(command.query()))
    if "Delta" in kind and (values := _get_option_values(options, "path")):
        ref = create_file_ref(_complete_path(execution, values[0]), "delta")
        return _create_target((ref,) if ref else (), _read_schema(command.query()))
    return NO_DATASET


def _complete_path(execution: Any, path: str) -> str:
    """Return a path with the default file system, if it has none."""
    if not path.startswith("/"):
        return path
    default = str(execution.sparkSession().sparkContext().hadoopConfiguration().get("fs.defaultFS", "file:///"))
    return f"{default.rstrip('/')}{path}"


def _get_option_values(options: Any, *names: str) -> list[str]:
    """Return the values of a command's options; empty if one is not set."""
    values = [options.get(name) for name in names]
    return [] if any(value.isEmpty() for value in values) else [str(value.get()) for value in values]


def get_inserted_source_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the data source table that is inserted into."""
    relation = node.get_only_tree("logicalRelation")
    table = relation.attrs.get("catalogTable") if relation else None
    if isinstance(table, dict):
        return WriteTarget(create_table_ref(table), _read_schema(command.query()))
    inner = command.logicalRelation().relation()
    if inner.getClass().getSimpleName() != "JDBCRelation":
        return NO_DATASET
    return _create_target(
        create_jdbc_refs(inner.jdbcOptions().url(), inner.jdbcOptions().tableOrQuery()), _read_schema(command.query())
    )


def get_written_v2_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the table of a catalog plug-in that is written to."""
    return _create_target(find_v2_refs(command.table()), _read_schema(command.query()))


def get_created_v2_target(_: Any, command: Any, node: TreeNode) -> WriteTarget:
    """Return the table of a catalog plug-in that is created."""
    ref = create_catalog_ref(command.name().catalog(), command.name().identifier())
    return _create_target((ref,) if ref else (), _read_schema(command.query()))


def _create_target(refs: tuple[DataRef, ...], fields: tuple[SchemaField, ...]) -> WriteTarget:
    return WriteTarget(replace(refs[0], fields=fields), fields) if refs else NO_DATASET
