"""The commands of Spark that write data, and where in a plan they stand."""

from jupyter_colophon.spark.plans.plan_nodes import command, declaration
from jupyter_colophon.spark.plans.plan_tree import Node

INNER_WRITES = frozenset({"file source write", "inner data writing for CTAS/RTAS"})
"""Spark's names of the executions that write the files of a table for a command that creates it."""

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
    """Return whether a node is a command, or the result of one: nothing below it is read when it is."""
    return _writes(node) or node.kind.endswith("Command") or node.kind == "CommandResult"


def commands(root: Node) -> tuple[Node, ...]:
    """Return the writing commands of a plan, in order; an INSERT of several tables is a union of them."""
    nodes = root.children if root.kind == "Union" else (root,)
    return tuple(node for node in nodes if _writes(node))


def is_writing(root: Node) -> bool:
    """Return whether a plan is, or consists of, commands that write data."""
    return bool(commands(root))


def label_of(node: Node) -> str:
    """Return what the statement of a command is called."""
    found = declaration(node.kind).command
    return found.label if found else ""


def query_of(node: Node) -> Node | None:
    """Return the query whose rows a command writes."""
    found = declaration(node.kind).command
    query = node.tree(found.query) if found and found.query else None
    return query or (node.children[-1] if node.children else None)


def _writes(node: Node) -> bool:
    return command(node.kind) is not None
