"""Dependencies of expressions and rows: value columns, and control columns of joins, filters, groups, sorts and windows.

As in OpenLineage, values flow *directly* from column to column, and columns of conditions influence *indirectly* which
values flow. Of several uses of a column the strongest counts; direct uses are stronger.
"""

from collections.abc import Iterator
from typing import Protocol

from jupyter_colophon.spark.plans.plan_nodes import ColumnRule, Inputs, get_expression_node, get_plan_node
from jupyter_colophon.spark.plans.plan_tree import TreeNode, find_lateral_plans, get_expr_id, list_merge_instructions
from jupyter_colophon.spark.plans.session_variables import derive_variable_id
from jupyter_colophon.spark.plans.transformations import FILTER, IDENTITY, TRANSFORMED, Reference, combine_column_uses


class PlanLookup(Protocol):
    """The plan information that expressions need."""

    def get_output(self, node: TreeNode) -> tuple[int, ...]:
        """Return the ids of a node's output columns, in order."""

    def find_common_table(self, node: TreeNode) -> TreeNode | None:
        """Return the common table expression that a node refers to."""


def find_references(root: TreeNode, plans: PlanLookup) -> Iterator[Reference]:
    """Yield the columns that an expression depends on, with their kind of use."""
    waiting = [(root, IDENTITY)]
    while waiting:
        node, rank = waiting.pop()
        if node.kind == "AttributeReference":
            column = get_expr_id(node)
            if column is not None:
                yield column, rank
        elif node.kind == "VariableReference":
            yield derive_variable_id(node.attrs["variable"]), combine_column_uses(rank, TRANSFORMED)
        elif node.kind == "OuterReference":
            waiting.extend((inner, rank) for inner in node.get_trees("e"))
        elif "plan" in node.trees:
            yield from (
                (column, combine_column_uses(rank, how)) for column, how in _find_subquery_references(node, plans)
            )
        else:
            waiting.extend(
                (below, combine_column_uses(rank, how)) for below, how in get_expression_node(node.kind).uses(node)
            )


def _find_subquery_references(node: TreeNode, plans: PlanLookup) -> Iterator[Reference]:
    """Yield the columns that a subquery in an expression depends on; for EXISTS only those of conditions."""
    for plan in node.get_trees("plan"):
        if node.kind != "Exists":
            yield from ((column, TRANSFORMED) for column in plans.get_output(plan))
        yield from find_control_references(plan, plans)


def find_control_references(plan: TreeNode, plans: PlanLookup) -> Iterator[Reference]:
    """Yield the columns that control all output rows of a plan."""
    waiting, seen = [plan], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield from _find_node_controls(node, plans)
        waiting.extend(_list_inputs(node, plans))


def _is_from_random_split(sort: TreeNode, plans: PlanLookup) -> bool:
    """Return whether a sort below a sample belongs to `randomSplit`, which sorts by all columns to keep its parts disjoint."""
    if sort.kind != "Sort" or sort.attrs.get("global") is not False:
        return False
    keys = [next(find_references(order, plans), (None, 0))[0] for order in sort.get_trees("order")]
    output = iter(plans.get_output(sort.children[0]))
    # Columns without an order (maps) are left out; the others are in order.
    return all(key is not None and key in output for key in keys)


def _find_node_controls(node: TreeNode, plans: PlanLookup) -> Iterator[Reference]:
    declared = get_plan_node(node.kind)
    for field, how in declared.controls:
        for condition in node.get_trees(field):
            yield from ((column, how) for column, _ in find_references(condition, plans))
    if declared.compared is not None:
        children, how = declared.compared
        yield from ((column, how) for child in node.children[children] for column in plans.get_output(child))
    if declared.column_rule is ColumnRule.MERGED_ROWS:
        for instruction in list_merge_instructions(node):
            yield from ((column, FILTER) for column, _ in find_references(instruction.children[0], plans))


def _list_inputs(node: TreeNode, plans: PlanLookup) -> tuple[TreeNode, ...]:
    """Return the plans from which a plan reads rows, including common table expressions."""
    match get_plan_node(node.kind).inputs:
        case Inputs.COMMON_TABLE:
            table = plans.find_common_table(node)
            return (table,) if table is not None else ()
        case Inputs.LAST_CHILD:
            return node.children[-1:]
        case Inputs.SAMPLED if _is_from_random_split(node.children[0], plans):
            return node.children[0].children
        case Inputs.LATERAL:
            return (*node.children, *find_lateral_plans(node))
    return node.children
