"""The calls over py4j that learn what a plan's JSON does not say. Few: none for tables of the catalog, some for each relation of files."""

from collections.abc import Iterator
from typing import Any

from jupyter_colophon.spark.commands import commands
from jupyter_colophon.spark.facts import Facts
from jupyter_colophon.spark.observation import DataRef
from jupyter_colophon.spark.places import files, jdbc, v2
from jupyter_colophon.spark.plan import unnamed
from jupyter_colophon.spark.targets import target
from jupyter_colophon.spark.tree import Node


def ask(execution: Any, plan: Any, root: Node) -> Facts:
    """Ask the JVM about the analysed plan of an execution, from which `root` was read."""
    nodes = commands(root)
    if root.kind == "Union" and nodes:
        plans = [plan.children().apply(position) for position in range(len(nodes))]
    else:
        plans = [plan] * len(nodes)
    targets = tuple(target(execution, each, node) for each, node in zip(plans, nodes, strict=True))
    wanted = unnamed(root)
    if not wanted:
        return Facts({}, targets)
    queries = [_query(each, node) for each, node in zip(plans, nodes, strict=True)] or [plan]
    return Facts({column: refs for query in queries for column, refs in _relations(query, wanted)}, targets)


def _query(plan: Any, command: Node) -> Any:
    return plan.plan() if "plan" in command.trees and "query" not in command.trees else plan.query()


def _relations(query: Any, wanted: frozenset[int]) -> Iterator[tuple[int, tuple[DataRef, ...]]]:
    subqueries = query.subqueriesAll()
    plans = [query, *(subqueries.apply(position) for position in range(subqueries.length()))]
    for plan in plans:
        leaves = plan.collectLeaves()
        for position in range(leaves.length()):
            leaf = leaves.apply(position)
            output = leaf.output()
            column = output.head().exprId().id() if output.nonEmpty() else None
            if column in wanted:
                yield column, _refs(leaf)


def _refs(leaf: Any) -> tuple[DataRef, ...]:
    if leaf.getClass().getSimpleName() != "LogicalRelation":
        return v2(leaf)
    relation = leaf.relation()
    match relation.getClass().getSimpleName():
        case "HadoopFsRelation":
            return files(relation)
        case "JDBCRelation":
            options = relation.jdbcOptions()
            return jdbc(options.url(), options.tableOrQuery())
    return ()
