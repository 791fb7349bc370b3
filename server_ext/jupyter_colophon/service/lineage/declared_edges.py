"""Declared lineage in the answers for people: an edge from data to data (docs/api.md).

Where an aspect names no program, the store shows its edges through one that stands for who declares them
(core/model/declared_lineage.py). Only CDAP's clients need a program there; here it is left out.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jupyter_colophon.core.lineage.graph import LineageEdge, Node


def join_declared(edges: Sequence[LineageEdge], stand_ins: frozenset[str]) -> tuple[LineageEdge, ...]:
    """Return the edges with one from data to data for each pair that lead into and out of a stand-in for a program."""
    reads: dict[str, list[LineageEdge]] = defaultdict(list)
    kept: list[LineageEdge] = []
    for edge in edges:
        if edge.target in stand_ins:
            reads[edge.target].append(edge)
        elif edge.source not in stand_ins:
            kept.append(edge)
    declared: dict[tuple[str, str], LineageEdge] = {}
    for write in edges:
        for read in reads.get(write.source, ()):
            declared.setdefault((read.source, write.target), _join(read, write))
    return (*kept, *declared.values())


def _join(read: LineageEdge, write: LineageEdge) -> LineageEdge:
    ends = [edge.end for edge in (read, write) if edge.end is not None]
    return replace(
        write,
        source=read.source,
        access="declared",
        start=max(read.start, write.start),
        end=min(ends) if ends else None,
    )


def hand_over_hidden(nodes: Iterable[Node], edges: Sequence[LineageEdge]) -> tuple[Node, ...]:
    """Return the nodes without stand-ins; what those hide is hidden by the data beside them."""
    found = list(nodes)
    stand_ins = {node.urn: node for node in found if node.declared}
    upstream: dict[str, int] = defaultdict(int)
    downstream: dict[str, int] = defaultdict(int)
    at_least: set[str] = set()
    for edge in edges:
        for stand_in, data, side, count in (
            (edge.source, edge.target, upstream, "hidden_upstream"),
            (edge.target, edge.source, downstream, "hidden_downstream"),
        ):
            if stand_in in stand_ins:
                side[data] += getattr(stand_ins[stand_in], count)
                at_least |= {data} if stand_ins[stand_in].hidden_at_least else set()
    return tuple(
        replace(
            node,
            hidden_upstream=node.hidden_upstream + upstream[node.urn],
            hidden_downstream=node.hidden_downstream + downstream[node.urn],
            hidden_at_least=node.hidden_at_least or node.urn in at_least,
        )
        for node in found
        if node.urn not in stand_ins
    )


def hand_over_frontier(frontier: Iterable[str], edges: Sequence[LineageEdge], stand_ins: frozenset[str]) -> set[str]:
    """Return the frontier with the data beside a stand-in in its place."""
    rim = set(frontier)
    beside = {edge.target for edge in edges if edge.source in stand_ins & rim}
    beside |= {edge.source for edge in edges if edge.target in stand_ins & rim}
    return (rim - stand_ins) | beside
