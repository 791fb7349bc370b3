"""A plan that is too large to be taken whole: its commands without their queries, and the tables at its leaves."""

from itertools import islice
from typing import Any

from jupyter_colophon.spark.facts import Facts
from jupyter_colophon.spark.jvm import leaves_of, queries_of, refs_of, targets_of
from jupyter_colophon.spark.observation import DataRef, Unseen, united
from jupyter_colophon.spark.plan import described, table_ref
from jupyter_colophon.spark.reading import PlanReader
from jupyter_colophon.spark.tree import Node

MOST_LEAVES = 200
"""A plan's first leaves, each some calls over py4j; no more are looked at."""


def ask_outline(reader: PlanReader, execution: Any, plan: Any, root: Node) -> Facts:
    """Ask the JVM for the targets of an outlined plan's commands, and the tables that its queries read."""
    targets = targets_of(execution, plan, root)
    found = [list(islice(leaves_of(query), MOST_LEAVES + 1)) for query in queries_of(plan, root)]
    unseen = (Unseen.COLUMNS, *([Unseen.PLACES] if any(len(leaves) > MOST_LEAVES for leaves in found) else []))
    reads = tuple(_reads(reader, leaves[:MOST_LEAVES]) for leaves in found)
    return Facts(targets=targets, outlined=reads, unseen=unseen)


def _reads(reader: PlanReader, leaves: list[Any]) -> tuple[DataRef, ...]:
    return united(ref for leaf in leaves for ref in _refs(reader, leaf))


def _refs(reader: PlanReader, leaf: Any) -> tuple[DataRef, ...]:
    table = described(reader.top(leaf))
    if table is None:
        return refs_of(leaf)
    ref = table_ref(table)
    return (ref,) if ref else ()
