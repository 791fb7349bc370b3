"""The rows that a MERGE or UPDATE writes, as a query, so that its columns are followed like those of any query."""

from collections.abc import Iterator

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
    instructions = {
        field: tuple(_build_instructions(command.get_trees(clauses)))
        for field, clauses in zip(MERGE_INSTRUCTIONS, _DELTA_CLAUSES, strict=True)
    }
    if any(len(each.children) - 1 not in (0, len(names)) for rows in instructions.values() for each in rows):
        return None
    joined = TreeNode("Join", True, {}, {"condition": (condition,)}, (source,))
    return TreeNode("MergeRows", True, {}, {**instructions, "output": output}, (joined,))


def _build_instructions(clauses: tuple[TreeNode, ...]) -> Iterator[TreeNode]:
    for clause in clauses:
        actions = [child for child in clause.children if child.kind == "DeltaMergeAction"]
        conditions = [child for child in clause.children if child.kind != "DeltaMergeAction"]
        values = (action.children[0] for action in actions)
        yield TreeNode("MergeRows$Keep", False, {}, {}, (conditions[0] if conditions else _ALWAYS, *values))


def _find_leaf(plan: TreeNode) -> TreeNode:
    while plan.children:
        plan = plan.children[0]
    return plan
