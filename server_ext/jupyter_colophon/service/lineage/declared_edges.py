"""Declared lineage as edges from data to data (docs/api.md).

For an aspect without a program, the store has edges through a stand-in program for the declaring source
(core/model/declared_lineage.py). Only CDAP's clients need that program; here it is removed.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jupyter_colophon.core.lineage.graph import LineageEdge, LineageNode


def join_edges_of_placeholders(edges: Sequence[LineageEdge], placeholders: frozenset[str]) -> tuple[LineageEdge, ...]:
    """Return the edges, with each pair into and out of a stand-in program replaced by one from data to data."""
    reads: dict[str, list[LineageEdge]] = defaultdict(list)
    direct_edges: list[LineageEdge] = []
    for edge in edges:
        if edge.target in placeholders:
            reads[edge.target].append(edge)
        elif edge.source not in placeholders:
            direct_edges.append(edge)
    declared: dict[tuple[str, str], LineageEdge] = {}
    for write in edges:
        for read in reads.get(write.source, ()):
            declared.setdefault((read.source, write.target), _join_read_and_write(read, write))
    return (*direct_edges, *declared.values())


def _join_read_and_write(read: LineageEdge, write: LineageEdge) -> LineageEdge:
    ends = [edge.end for edge in (read, write) if edge.end is not None]
    # `replace` takes several times longer, and a graph may have thousands of these edges.
    return LineageEdge(
        source=read.source,
        target=write.target,
        access="declared",
        runs=write.runs,
        run_count=write.run_count,
        start=max(read.start, write.start),
        end=min(ends) if ends else None,
        components=write.components,
        reported_by=write.reported_by,
        declared=write.declared,
        statements=write.statements,
    )


def move_hidden_counts_to_data(nodes: Iterable[LineageNode], edges: Sequence[LineageEdge]) -> tuple[LineageNode, ...]:
    """Return the nodes without stand-ins, whose hidden counts are added to the adjacent data."""
    all_nodes = list(nodes)
    placeholders = {node.urn: node for node in all_nodes if node.declared}
    if not placeholders:
        return tuple(all_nodes)
    upstream: dict[str, int] = defaultdict(int)
    downstream: dict[str, int] = defaultdict(int)
    at_least: set[str] = set()
    for edge in edges:
        if (writer := placeholders.get(edge.source)) is not None:
            upstream[edge.target] += writer.hidden_upstream
            at_least |= {edge.target} if writer.hidden_at_least else set()
        if (reader := placeholders.get(edge.target)) is not None:
            downstream[edge.source] += reader.hidden_downstream
            at_least |= {edge.source} if reader.hidden_at_least else set()
    return tuple(
        replace(
            node,
            hidden_upstream=node.hidden_upstream + upstream[node.urn],
            hidden_downstream=node.hidden_downstream + downstream[node.urn],
            hidden_at_least=node.hidden_at_least or node.urn in at_least,
        )
        if upstream[node.urn] or downstream[node.urn] or node.urn in at_least
        else node
        for node in all_nodes
        if node.urn not in placeholders
    )


def replace_placeholders_in_frontier(
    frontier: Iterable[str], edges: Sequence[LineageEdge], placeholders: frozenset[str]
) -> set[str]:
    """Return the frontier with stand-ins replaced by the adjacent data."""
    frontier_urns = set(frontier)
    open_placeholders = placeholders & frontier_urns
    adjacent = {edge.target for edge in edges if edge.source in open_placeholders}
    adjacent |= {edge.source for edge in edges if edge.target in open_placeholders}
    return (frontier_urns - placeholders) | adjacent
