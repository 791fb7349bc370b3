"""The rules by which a command names what it writes to, and with which schema. `plan_nodes.py` says which command has which."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.datasets_from_jvm import catalog_table, file, jdbc, table_ref, topics, v2
from jupyter_colophon.spark.plans.jvm_facts import Target
from jupyter_colophon.spark.plans.observation import DataRef, Field, Kind
from jupyter_colophon.spark.plans.plan_tree import Node

Rule = Callable[[Any, Any, Node], Target]
"""Makes the target of an execution's command, whose JSON is the node."""


UNNAMED = Target(is_unnamed=True)


def _schema_of(plan: Any) -> tuple[Field, ...]:
    """Return the schema of a query, in one answer however wide it is."""
    return schema.fields(json.loads(plan.schema().json()))


def write_files(execution: Any, command: Any, node: Node) -> Target:
    """Return the table or the folder that files are written to."""
    fields, location = _schema_of(command.query()), command.outputPath().toString()
    untouched = command.mode().toString() == "Ignore" and not _wrote_files(execution.executedPlan().metrics())
    table = node.attrs.get("catalogTable")
    if isinstance(table, dict):
        return Target(table_ref(table, location=location), fields, is_untouched=untouched)
    ref = file(location, command.fileFormat().toString().lower())
    return Target(ref.having(fields) if ref else None, fields, is_untouched=untouched)


def _wrote_files(metrics: Any) -> bool:
    return not metrics.contains("numFiles") or metrics.apply("numFiles").value() > 0


def create_described(field: str) -> Rule:
    """Return the rule of a command that creates the table that one of its fields describes."""

    def rule(_: Any, command: Any, node: Node) -> Target:
        fields = _schema_of(command.query())
        ref = table_ref(node.attrs[field])
        return Target(replace(ref, fields=fields) if ref else None, fields)

    return rule


def create_table_as_select(execution: Any, command: Any, node: Node) -> Target:
    """Return the table that is created. IF NOT EXISTS may leave it as it was: only the writing of its files, an execution of its own, says that it is not."""
    return replace(
        create_described("table")(execution, command, node), is_untouched=command.mode().toString() == "Ignore"
    )


def write_hive_table(_: Any, command: Any, node: Node) -> Target:
    """Return the table of Hive that is inserted into."""
    return Target(table_ref(node.attrs["table"]), _schema_of(command.query()))


def write_hive_directory(_: Any, command: Any, node: Node) -> Target:
    """Return the folder that Hive writes to."""
    place, fields = command.storage().locationUri(), _schema_of(command.query())
    ref = None if place.isEmpty() else file(write_path(place.get()), "hive")
    return Target(ref.having(fields) if ref else None, fields)


def write_path(place: Any) -> str:
    """Write a `java.net.URI` as Hadoop's `Path` does, not percent-encoded."""
    authority = f"//{place.getAuthority()}" if place.getAuthority() else ""
    return f"{place.getScheme() or 'file'}:{authority}{place.getPath()}"


def create_external_table(execution: Any, command: Any, node: Node) -> Target:
    """Return the table that is laid over files; one without a location has no data yet."""
    catalog = execution.sparkSession().sessionState().catalog()
    if command.table().storage().locationUri().isEmpty() or not catalog.tableExists(command.table().identifier()):
        return Target()
    table = catalog.getTableMetadata(command.table().identifier())
    fields = schema.fields(json.loads(table.schema().json()))
    location = write_path(table.location())
    files, ref = file(location, node.attrs["table"].get("provider")), table_ref(node.attrs["table"], location=location)
    if ref is None or files is None:
        return Target()
    return Target(replace(ref, fields=fields), fields, files.having(fields))


def create_view(execution: Any, command: Any, node: Node) -> Target:
    """Return the view that is created; a temporary one leaves no dataset."""
    if command.viewType().toString() != "PersistedView":
        return Target()
    return _view(execution, command, command.plan(), node)


def alter_view(execution: Any, command: Any, node: Node) -> Target:
    """Return the view that gets another query."""
    return _view(execution, command, command.query(), node)


def _view(execution: Any, command: Any, query: Any, node: Node) -> Target:
    ref = table_ref({"identifier": node.attrs["name"], "schema": {"fields": []}}, Kind.VIEW)
    fields = _view_fields(execution.sparkSession(), query, command.name())
    return Target(replace(ref, fields=fields) if ref else None, fields)


def _view_fields(session: Any, query: Any, name: Any) -> tuple[Field, ...]:
    """Ask the catalog, since the view may name its columns otherwise than its query; it may also be gone again."""
    catalog = session.sessionState().catalog()
    if not catalog.tableExists(name):
        return _schema_of(query)
    return schema.fields(json.loads(catalog.getTableMetadata(name).schema().json()))


def save_source(_: Any, command: Any, node: Node) -> Target:
    """Return what a data source that is saved to by its options stands for."""
    kind, options = command.dataSource().getClass().getSimpleName(), command.options()
    if "Jdbc" in kind and (values := _options(options, "url", "dbtable")):
        return _at(jdbc(*values), _schema_of(command.query()))
    if "Kafka" in kind and (values := _options(options, "topic")):
        return _at(topics(*values), _schema_of(command.query()))
    return UNNAMED


def _options(options: Any, *names: str) -> list[str]:
    """Return the values of a command's options; none where one of them is not set."""
    values = [options.get(name) for name in names]
    return [] if any(value.isEmpty() for value in values) else [str(value.get()) for value in values]


def write_source(_: Any, command: Any, node: Node) -> Target:
    """Return the table of a data source that is inserted into."""
    relation = node.tree("logicalRelation")
    table = relation.attrs.get("catalogTable") if relation else None
    if isinstance(table, dict):
        return Target(table_ref(table), _schema_of(command.query()))
    inner = command.logicalRelation().relation()
    if inner.getClass().getSimpleName() != "JDBCRelation":
        return UNNAMED
    return _at(jdbc(inner.jdbcOptions().url(), inner.jdbcOptions().tableOrQuery()), _schema_of(command.query()))


def write_v2(_: Any, command: Any, node: Node) -> Target:
    """Return the table of a catalog plug-in that is written to."""
    return _at(v2(command.table()), _schema_of(command.query()))


def create_v2(_: Any, command: Any, node: Node) -> Target:
    """Return the table of a catalog plug-in that is created."""
    ref = catalog_table(command.name().catalog(), command.name().identifier())
    return _at((ref,) if ref else (), _schema_of(command.query()))


def _at(refs: tuple[DataRef, ...], fields: tuple[Field, ...]) -> Target:
    return Target(replace(refs[0], fields=fields), fields) if refs else UNNAMED
