"""The commands of Spark that write data, and where in a plan they stand."""

from jupyter_colophon.spark.tree import Node

LABELS = {
    "InsertIntoHadoopFsRelationCommand": "insert",
    "InsertIntoDataSourceCommand": "insert",
    "InsertIntoDataSourceDirCommand": "insert directory",
    "InsertIntoHiveTable": "insert",
    "InsertIntoHiveDirCommand": "insert directory",
    "AppendData": "insert",
    "OverwriteByExpression": "insert",
    "OverwritePartitionsDynamic": "insert",
    "CreateDataSourceTableAsSelectCommand": "create table as select",
    "CreateHiveTableAsSelectCommand": "create table as select",
    "CreateTableAsSelect": "create table as select",
    "ReplaceTableAsSelect": "create table as select",
    "SaveAsV1TableCommand": "create table as select",
    "SaveIntoDataSourceCommand": "save",
    "CreateDataSourceTableCommand": "create table",
    "CreateViewCommand": "create view",
    "AlterViewAsCommand": "create view",
}
"""What each command is called in an observation."""

CHANGES_ROWS = {
    "DeleteFromTable": "delete",
    "DeleteFromTableWithFilters": "delete",
    "DeleteCommand": "delete",
    "UpdateTable": "update",
    "UpdateCommand": "update",
    "MergeIntoTable": "merge",
    "MergeIntoCommand": "merge",
    "ReplaceData": "rows changed",
    "WriteDelta": "rows changed",
}
"""Commands of Spark, Delta and Iceberg that change rows in place, and what they are called: said to be unseen."""

SET_VARIABLE = "set variable"
"""What the statement is called that gives a session's variable its value."""

CREATES_TABLE = frozenset({"CreateDataSourceTableAsSelectCommand"})
"""Commands that write by another execution, of a function of INNER_WRITES, which comes first and knows the path alone."""

WRAPPERS = frozenset({"SaveAsV1TableCommand", "InsertIntoDataSourceDirCommand", "CreateHiveTableAsSelectCommand"})
"""Commands that have another command do their work, which is observed by itself."""

INNER_WRITES = frozenset({"file source write", "inner data writing for CTAS/RTAS"})
COMMAND_FUNCTIONS = INNER_WRITES | {
    "command",
    "multi-commands",
    "create",
    "replace",
    "append",
    "overwrite",
    "overwritePartitions",
}
"""Spark's names of executions that are commands; all other names are actions on DataFrames."""


def is_command(node: Node) -> bool:
    """Whether a node is a command, or the result of one: nothing below it is read when it is."""
    return node.kind in LABELS or node.kind.endswith("Command") or node.kind == "CommandResult"


def commands(root: Node) -> tuple[Node, ...]:
    """Give the writing commands of a plan, in order; an INSERT of several tables is a union of them."""
    found = root.children if root.kind == "Union" else (root,)
    return tuple(node for node in found if node.kind in LABELS)


def is_writing(root: Node) -> bool:
    """Whether a plan is, or consists of, commands that write data."""
    return bool(commands(root))


def query_of(command: Node) -> Node | None:
    """Give the query whose rows a command writes."""
    return command.tree("query") or command.tree("plan") or (command.children[-1] if command.children else None)
