"""The calls over py4j that learn what a plan's JSON does not say. Few: none for tables of the catalog, some for each relation of files."""

from collections.abc import Callable, Iterator
from typing import Any

from jupyter_colophon.spark.plans.jvm_facts import Facts, Target
from jupyter_colophon.spark.plans.observation import DataRef
from jupyter_colophon.spark.plans.plan import has_rows, unnamed
from jupyter_colophon.spark.plans.plan_nodes import Reads, command, declaration
from jupyter_colophon.spark.plans.plan_tree import Node
from jupyter_colophon.spark.plans.write_commands import commands


def ask(execution: Any, plan: Any, root: Node) -> Facts:
    """Ask the JVM about the analysed plan of an execution, from which `root` was read."""
    targets = targets_of(execution, plan, root)
    wanted, has_memory = unnamed(root), has_rows(root)
    if not wanted and not has_memory:
        return Facts({}, targets)
    leaves = [leaf for query in queries_of(plan, root) for leaf in leaves_of(query)]
    found = {column: refs_of(leaf) for leaf in leaves if (column := _first(leaf)) in wanted} if wanted else {}
    return Facts(found, targets, has_memory and any(map(_is_made, leaves)))


def targets_of(execution: Any, plan: Any, root: Node) -> tuple[Target, ...]:
    """Return what each command of a plan writes to, in order."""
    return tuple(_target(execution, each, node) for each, node in _commands(plan, root))


def _target(execution: Any, plan: Any, node: Node) -> Target:
    """Return the target of a command; one without a `ref` for a command that leaves no dataset."""
    declared = command(node.kind)
    return declared.target(execution, plan, node) if declared and declared.target else Target()


def queries_of(plan: Any, root: Node) -> list[Any]:
    """Give the queries of a plan's commands, in order; of a plan without a command the plan itself."""
    return [_query(each, node) for each, node in _commands(plan, root)] or [plan]


def _commands(plan: Any, root: Node) -> list[tuple[Any, Node]]:
    nodes = commands(root)
    if root.kind == "Union" and nodes:
        return [(plan.children().apply(position), node) for position, node in enumerate(nodes)]
    return [(plan, node) for node in nodes]


def _query(plan: Any, node: Node) -> Any:
    declared = command(node.kind)
    return getattr(plan, declared.query)() if declared and declared.query else plan


def leaves_of(query: Any) -> Iterator[Any]:
    """Give the leaves of a query and of the queries in its expressions."""
    subqueries = query.subqueriesAll()
    for plan in (query, *(subqueries.apply(position) for position in range(subqueries.length()))):
        leaves = plan.collectLeaves()
        yield from (leaves.apply(position) for position in range(leaves.length()))


def named_leaves(query: Any, refs: Callable[[Any], tuple[DataRef, ...]]) -> Iterator[tuple[int, tuple[DataRef, ...]]]:
    """Give what the leaves of a query are to `refs`, and else to us, by their first columns."""
    for leaf in leaves_of(query):
        column = _first(leaf)
        if column is not None:
            yield column, refs(leaf) or refs_of(leaf)


def _first(leaf: Any) -> int | None:
    """Give the id of a leaf's first column."""
    output = leaf.output()
    return int(output.head().exprId().id()) if output.nonEmpty() else None


def _is_made(leaf: Any) -> bool:
    """Whether a program handed over a leaf's rows; those of VALUES stand in a query's text."""
    kind = leaf.getClass().getSimpleName()
    return declaration(kind).reads is Reads.MEMORY and (kind != "LocalRelation" or leaf.origin().sqlText().isEmpty())


def refs_of(leaf: Any) -> tuple[DataRef, ...]:
    """Return the data outside the catalog that a leaf reads."""
    datasets = declaration(leaf.getClass().getSimpleName()).datasets
    return datasets(leaf) if datasets else ()
