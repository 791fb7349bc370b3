"""The commands of Spark that write data, and their positions in a plan."""

from jupyter_colophon.spark.plans.plan_nodes import get_command, get_plan_node
from jupyter_colophon.spark.plans.plan_tree import TreeNode

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


def is_command(node: TreeNode) -> bool:
    """Return whether a node is a command or its result, whose inputs are not read with it."""
    return _is_write_command(node) or node.kind.endswith("Command") or node.kind == "CommandResult"


def list_write_commands_at_root(root: TreeNode) -> tuple[TreeNode, ...]:
    """Return the writing commands of a plan, in order; a multi-table INSERT is a union of them."""
    nodes = root.children if root.kind == "Union" else (root,)
    return tuple(node for node in nodes if _is_write_command(node))


def has_only_write_commands(root: TreeNode) -> bool:
    """Return whether a plan consists of commands that write data."""
    return bool(list_write_commands_at_root(root))


def get_command_label(node: TreeNode) -> str:
    """Return the label of a command's statement."""
    command = get_plan_node(node.kind).command
    return command.label if command else ""


def get_command_query(node: TreeNode) -> TreeNode | None:
    """Return the query whose rows a command writes."""
    command = get_plan_node(node.kind).command
    query = node.get_only_tree(command.query) if command and command.query else None
    return query or (node.children[-1] if node.children else None)


def _is_write_command(node: TreeNode) -> bool:
    return get_command(node.kind) is not None
