"""The py4j calls for facts that a plan's JSON lacks: none for catalog tables, a few for each relation of files."""

from collections.abc import Callable, Iterator
from typing import Any

from jupyter_colophon.capture.observation import DataRef
from jupyter_colophon.spark.plans.jvm_facts import JvmFacts, WriteTarget
from jupyter_colophon.spark.plans.plan import find_unnamed_relations, has_in_memory_rows
from jupyter_colophon.spark.plans.plan_nodes import Reads, get_command, get_plan_node
from jupyter_colophon.spark.plans.plan_tree import TreeNode
from jupyter_colophon.spark.plans.write_commands import list_write_commands_at_root


def fetch_plan_facts(execution: Any, plan: Any, root: TreeNode) -> JvmFacts:
    """Return the facts about the analysed plan of an execution, from which `root` was read."""
    targets = find_write_targets(execution, plan, root)
    columns, has_memory = find_unnamed_relations(root), has_in_memory_rows(root)
    if not columns and not has_memory:
        return JvmFacts({}, targets)
    leaves = [leaf for query in find_command_queries(plan, root) for leaf in iterate_leaves(query)]
    relations = (
        {
            column: find_datasets_outside_catalog(leaf)
            for leaf in leaves
            if (column := _get_first_column(leaf)) in columns
        }
        if columns
        else {}
    )
    return JvmFacts(relations, targets, has_memory and any(map(_has_rows_from_program, leaves)))


def find_write_targets(execution: Any, plan: Any, root: TreeNode) -> tuple[WriteTarget, ...]:
    """Return what each command of a plan writes to, in order."""
    return tuple(_find_write_target(execution, each, node) for each, node in _list_commands(plan, root))


def _find_write_target(execution: Any, plan: Any, node: TreeNode) -> WriteTarget:
    """Return the target of a command; it has no `ref` if the command leaves no dataset."""
    declared = get_command(node.kind)
    return declared.target(execution, plan, node) if declared and declared.target else WriteTarget()


def find_command_queries(plan: Any, root: TreeNode) -> list[Any]:
    """Return the queries of a plan's commands in order; the plan itself if it has no command."""
    return [_get_command_query(each, node) for each, node in _list_commands(plan, root)] or [plan]


def _list_commands(plan: Any, root: TreeNode) -> list[tuple[Any, TreeNode]]:
    nodes = list_write_commands_at_root(root)
    if root.kind == "Union" and nodes:
        return [(plan.children().apply(position), node) for position, node in enumerate(nodes)]
    return [(plan, node) for node in nodes]


def _get_command_query(plan: Any, node: TreeNode) -> Any:
    declared = get_command(node.kind)
    return getattr(plan, declared.query)() if declared and declared.query else plan


def iterate_leaves(query: Any) -> Iterator[Any]:
    """Yield the leaves of a query and of the subqueries in its expressions."""
    subqueries = query.subqueriesAll()
    for plan in (query, *(subqueries.apply(position) for position in range(subqueries.length()))):
        leaves = plan.collectLeaves()
        yield from (leaves.apply(position) for position in range(leaves.length()))


def iterate_leaf_datasets(
    query: Any, refs: Callable[[Any], tuple[DataRef, ...]]
) -> Iterator[tuple[int, tuple[DataRef, ...]]]:
    """Yield the first column of each leaf with its datasets, from `refs` or else from the table of plan nodes."""
    for leaf in iterate_leaves(query):
        column = _get_first_column(leaf)
        if column is not None:
            yield column, refs(leaf) or find_datasets_outside_catalog(leaf)


def _get_first_column(leaf: Any) -> int | None:
    """Return the id of a leaf's first column, if it has any."""
    output = leaf.output()
    return int(output.head().exprId().id()) if output.nonEmpty() else None


def _has_rows_from_program(leaf: Any) -> bool:
    """Return whether a program supplied a leaf's rows; VALUES are part of the query's text."""
    kind = leaf.getClass().getSimpleName()
    return get_plan_node(kind).reads is Reads.MEMORY and (kind != "LocalRelation" or leaf.origin().sqlText().isEmpty())


def find_datasets_outside_catalog(leaf: Any) -> tuple[DataRef, ...]:
    """Return the data outside the catalog that a leaf reads."""
    datasets = get_plan_node(leaf.getClass().getSimpleName()).datasets
    return datasets(leaf) if datasets else ()
