"""A plan that is too large to be taken whole: its commands without their queries, and the tables at its leaves."""

from itertools import islice
from typing import Any

from jupyter_colophon.spark.capture.jvm_calls import leaves_of, queries_of, refs_of, targets_of
from jupyter_colophon.spark.plans.datasets_from_jvm import described, table_ref
from jupyter_colophon.spark.plans.jvm_facts import Facts
from jupyter_colophon.spark.plans.observation import DataRef, Unseen, united, unknown
from jupyter_colophon.spark.plans.plan_nodes import Reads, declaration, is_known_leaf
from jupyter_colophon.spark.plans.plan_reader import PlanReader
from jupyter_colophon.spark.plans.plan_tree import Node

MOST_LEAVES = 200
"""A plan's first leaves, each some calls over py4j; no more are looked at."""


def ask_outline(reader: PlanReader, execution: Any, plan: Any, root: Node) -> Facts:
    """Ask the JVM for the targets of an outlined plan's commands, and the tables that its queries read."""
    targets = targets_of(execution, plan, root)
    found = [list(islice(leaves_of(query), MOST_LEAVES + 1)) for query in queries_of(plan, root)]
    looked_at = [[_look(reader, leaf) for leaf in leaves[:MOST_LEAVES]] for leaves in found]
    reads = tuple(united(ref for refs, _ in leaves for ref in refs) for leaves in looked_at)
    many = [Unseen.PLACES] if any(len(leaves) > MOST_LEAVES for leaves in found) else []
    lost = dict.fromkeys(words for leaves in looked_at for _, words in leaves if words)
    return Facts(targets=targets, outlined=reads, unseen=(Unseen.COLUMNS, *many, *lost))


def _look(reader: PlanReader, leaf: Any) -> tuple[tuple[DataRef, ...], str]:
    """Give what a leaf reads, and what of that is not seen."""
    node = reader.top(leaf)
    table = described(node)
    if table is not None:
        ref = table_ref(table)
        return (ref,) if ref else (), ""
    refs = refs_of(leaf)
    if not is_known_leaf(node.kind):
        return refs, unknown(node.kind)
    return refs, Unseen.SOURCE if declaration(node.kind).reads is Reads.RELATION and not refs else ""
