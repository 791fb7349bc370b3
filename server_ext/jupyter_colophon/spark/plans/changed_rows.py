"""The rows that a MERGE or UPDATE writes, as a query, so that its columns are followed like those of any query."""

from jupyter_colophon.spark.plans.plan_tree import MERGE_INSTRUCTIONS, TreeNode

#: The clauses of Delta's command, in the order of the instructions of Spark's `MergeRows`.
_DELTA_CLAUSES = ("matchedClauses", "notMatchedClauses", "notMatchedBySourceClauses")
_ALWAYS = TreeNode("Literal", False, {}, {}, ())


def build_changed_rows(command: TreeNode) -> TreeNode | None:
    """Return the query of the rows that a command writes, with named columns; None if the plan does not show them."""
    if command.kind == "MergeIntoCommand":
        return _build_rows_of_delta_merge(command)
    query = command.children[-1] if command.children else None
    return query if query is not None and list_column_names(query) else None


def list_column_names(query: TreeNode) -> tuple[str, ...]:
    """Return the names of the columns of a query that `build_changed_rows` returned, in order."""
    return tuple(str(item.attrs["name"]) for field in ("output", "projectList") for item in query.get_trees(field))


def _build_rows_of_delta_merge(command: TreeNode) -> TreeNode | None:
    """Return Delta's command as the query that Spark has for other tables.

    Each action of a clause assigns a column of the table, in the order of its columns, unless the command adds columns.
    The rows have ids of their own: an expression may use the columns of the table as they were.
    """
    source, target, condition = (command.get_only_tree(name) for name in ("source", "target", "condition"))
    if source is None or target is None or condition is None:
        return None
    names = [str(item.attrs["name"]) for item in _find_leaf(target).get_trees("output")]
    output = tuple(
        TreeNode("AttributeReference", False, {"name": name, "exprId": ~at}, {}, ()) for at, name in enumerate(names)
    )
    clauses = [command.get_trees(name) for name in _DELTA_CLAUSES]
    if any(len(clause.children) - _count_values(clause, names) not in (0, 1) for each in clauses for clause in each):
        return None
    instructions = {
        field: tuple(_build_instruction(clause, _count_values(clause, names)) for clause in each)
        for field, each in zip(MERGE_INSTRUCTIONS, clauses, strict=True)
    }
    joined = TreeNode("Join", True, {}, {"condition": (condition,)}, (source,))
    return TreeNode("MergeRows", True, {}, {**instructions, "output": output}, (joined,))


def _count_values(clause: TreeNode, names: list[str]) -> int:
    """Return how many columns a clause assigns: all, or none if it deletes rows."""
    return 0 if "Delete" in clause.kind else len(names)


def _build_instruction(clause: TreeNode, value_count: int) -> TreeNode:
    """Return a clause, whose children are its condition, if it has one, and its actions, as an instruction."""
    at = len(clause.children) - value_count
    values = (action.children[0] for action in clause.children[at:])
    return TreeNode("MergeRows$Keep", False, {}, {}, (*(clause.children[:at] or (_ALWAYS,)), *values))


def _find_leaf(plan: TreeNode) -> TreeNode:
    while plan.children:
        plan = plan.children[0]
    return plan
