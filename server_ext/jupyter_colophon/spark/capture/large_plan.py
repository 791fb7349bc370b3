"""Facts about a plan that is too large to read completely: its commands without their queries, and the tables at its leaves."""

from itertools import islice
from typing import Any

from jupyter_colophon.capture.observation import DataRef, MissingDetail, describe_unknown_node, merge_refs
from jupyter_colophon.spark.capture.jvm_calls import (
    find_command_queries,
    find_datasets_outside_catalog,
    find_write_targets,
    iterate_leaves,
)
from jupyter_colophon.spark.plans.datasets_from_jvm import create_table_ref, get_table_description
from jupyter_colophon.spark.plans.jvm_facts import JvmFacts
from jupyter_colophon.spark.plans.plan_nodes import Reads, get_plan_node, is_known_leaf
from jupyter_colophon.spark.plans.plan_reader import PlanReader
from jupyter_colophon.spark.plans.plan_tree import TreeNode

MAX_LEAVES = 200
"""Maximum number of leaves that are inspected, each with a few py4j calls."""


def fetch_outline_facts(reader: PlanReader, execution: Any, plan: Any, root: TreeNode) -> JvmFacts:
    """Return the targets of a large plan's commands, and the tables that its queries read."""
    targets = find_write_targets(execution, plan, root)
    leaves_by_query = [
        list(islice(iterate_leaves(query), MAX_LEAVES + 1)) for query in find_command_queries(plan, root)
    ]
    inspected = [[_inspect_leaf(reader, leaf) for leaf in leaves[:MAX_LEAVES]] for leaves in leaves_by_query]
    reads = tuple(merge_refs(ref for refs, _ in leaves for ref in refs) for leaves in inspected)
    over_limit = [MissingDetail.PLACES] if any(len(leaves) > MAX_LEAVES for leaves in leaves_by_query) else []
    details = dict.fromkeys(words for leaves in inspected for _, words in leaves if words)
    return JvmFacts(targets=targets, outline=reads, missing=(MissingDetail.COLUMNS, *over_limit, *details))


def _inspect_leaf(reader: PlanReader, leaf: Any) -> tuple[tuple[DataRef, ...], str]:
    """Return what a leaf reads, and a description of what is missing."""
    node = reader.read_root_node(leaf)
    table = get_table_description(node)
    if table is not None:
        ref = create_table_ref(table)
        return (ref,) if ref else (), ""
    refs = find_datasets_outside_catalog(leaf)
    if not is_known_leaf(node.kind):
        return refs, describe_unknown_node(node.kind)
    return refs, MissingDetail.SOURCE if get_plan_node(node.kind).reads is Reads.RELATION and not refs else ""
