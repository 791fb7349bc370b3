"""What each command writes to, and with which schema: one function a kind of command, in a table."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from jupyter_colophon.spark import schema
from jupyter_colophon.spark.facts import Target
from jupyter_colophon.spark.observation import DataRef, Field, Kind
from jupyter_colophon.spark.places import catalog_table, file, jdbc, topics, v2
from jupyter_colophon.spark.plan import table_ref
from jupyter_colophon.spark.tree import Node

Rule = Callable[[Any, Any, Node], Target]
"""Makes the target of an execution's command, whose JSON is the node."""


UNNAMED = Target(is_unnamed=True)


def target(execution: Any, command: Any, node: Node) -> Target:
    """Give the target of a command; one without a `ref` for a command that leaves no dataset."""
    rule = RULES.get(node.kind)
    return rule(execution, command, node) if rule else Target()


def _written(plan: Any) -> tuple[Field, ...]:
    """The schema of a query, in one answer however wide it is."""
    return schema.fields(json.loads(plan.schema().json()))


def _files(execution: Any, command: Any, node: Node) -> Target:
    fields, location = _written(command.query()), command.outputPath().toString()
    untouched = command.mode().toString() == "Ignore" and not _wrote_files(execution.executedPlan().metrics())
    table = node.attrs.get("catalogTable")
    if isinstance(table, dict):
        return Target(table_ref(table, location=location), fields, is_untouched=untouched)
    ref = file(location, command.fileFormat().toString().lower())
    return Target(ref.having(fields) if ref else None, fields, is_untouched=untouched)


def _wrote_files(metrics: Any) -> bool:
    return not metrics.contains("numFiles") or metrics.apply("numFiles").value() > 0


def _created(field: str) -> Rule:
    def rule(_: Any, command: Any, node: Node) -> Target:
        fields = _written(command.query())
        ref = table_ref(node.attrs[field])
        return Target(replace(ref, fields=fields) if ref else None, fields)

    return rule


def _table_as_select(execution: Any, command: Any, node: Node) -> Target:
    """IF NOT EXISTS lets a table be as it was: only the writing of its files, an execution of its own, says that it is not."""
    return replace(_created("table")(execution, command, node), is_untouched=command.mode().toString() == "Ignore")


def _hive(_: Any, command: Any, node: Node) -> Target:
    return Target(table_ref(node.attrs["table"]), _written(command.query()))


def _directory(_: Any, command: Any, node: Node) -> Target:
    place, fields = command.storage().locationUri(), _written(command.query())
    ref = None if place.isEmpty() else file(write_path(place.get()), "hive")
    return Target(ref.having(fields) if ref else None, fields)


def write_path(place: Any) -> str:
    """Write a `java.net.URI` as Hadoop's `Path` does, not percent-encoded."""
    authority = f"//{place.getAuthority()}" if place.getAuthority() else ""
    return f"{place.getScheme() or 'file'}:{authority}{place.getPath()}"


def _external(execution: Any, command: Any, node: Node) -> Target:
    """A table laid over files; one without a location has no data yet."""
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


def _view(execution: Any, command: Any, node: Node) -> Target:
    query = command.plan() if node.kind == "CreateViewCommand" else command.query()
    if node.kind == "CreateViewCommand" and command.viewType().toString() != "PersistedView":
        return Target()
    ref = table_ref({"identifier": node.attrs["name"], "schema": {"fields": []}}, Kind.VIEW)
    fields = _view_fields(execution.sparkSession(), query, command.name())
    return Target(replace(ref, fields=fields) if ref else None, fields)


def _view_fields(session: Any, query: Any, name: Any) -> tuple[Field, ...]:
    """Ask the catalog, since the view may name its columns otherwise than its query; it may also be gone again."""
    catalog = session.sessionState().catalog()
    if not catalog.tableExists(name):
        return _written(query)
    return schema.fields(json.loads(catalog.getTableMetadata(name).schema().json()))


def _save(_: Any, command: Any, node: Node) -> Target:
    kind, options = command.dataSource().getClass().getSimpleName(), command.options()
    if "Jdbc" in kind and (told := _options(options, "url", "dbtable")):
        return _at(jdbc(*told), _written(command.query()))
    if "Kafka" in kind and (told := _options(options, "topic")):
        return _at(topics(*told), _written(command.query()))
    return UNNAMED


def _options(options: Any, *names: str) -> list[str]:
    """The values of a command's options; none where one of them is not said."""
    found = [options.get(name) for name in names]
    return [] if any(one.isEmpty() for one in found) else [str(one.get()) for one in found]


def _source(_: Any, command: Any, node: Node) -> Target:
    relation = node.tree("logicalRelation")
    table = relation.attrs.get("catalogTable") if relation else None
    if isinstance(table, dict):
        return Target(table_ref(table), _written(command.query()))
    inner = command.logicalRelation().relation()
    if inner.getClass().getSimpleName() != "JDBCRelation":
        return UNNAMED
    return _at(jdbc(inner.jdbcOptions().url(), inner.jdbcOptions().tableOrQuery()), _written(command.query()))


def _appended(_: Any, command: Any, node: Node) -> Target:
    return _at(v2(command.table()), _written(command.query()))


def _v2_created(_: Any, command: Any, node: Node) -> Target:
    ref = catalog_table(command.name().catalog(), command.name().identifier())
    return _at((ref,) if ref else (), _written(command.query()))


def _at(refs: tuple[DataRef, ...], fields: tuple[Field, ...]) -> Target:
    return Target(replace(refs[0], fields=fields), fields) if refs else UNNAMED


RULES: Mapping[str, Rule] = {
    "InsertIntoHadoopFsRelationCommand": _files,
    "CreateDataSourceTableCommand": _external,
    "CreateViewCommand": _view,
    "AlterViewAsCommand": _view,
    "CreateDataSourceTableAsSelectCommand": _table_as_select,
    "CreateHiveTableAsSelectCommand": _created("tableDesc"),
    "SaveAsV1TableCommand": _created("tableDesc"),
    "InsertIntoHiveTable": _hive,
    "InsertIntoHiveDirCommand": _directory,
    "InsertIntoDataSourceCommand": _source,
    "SaveIntoDataSourceCommand": _save,
    "AppendData": _appended,
    "OverwriteByExpression": _appended,
    "OverwritePartitionsDynamic": _appended,
    "CreateTableAsSelect": _v2_created,
    "ReplaceTableAsSelect": _v2_created,
}
