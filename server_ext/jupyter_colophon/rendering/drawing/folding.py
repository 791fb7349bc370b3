"""Fold a lineage graph to the part that is drawn: of a wide fan, a few nodes and a cluster of the others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from re import split
from typing import Any

from jupyter_colophon.rendering.drawing.labels import name_cells

Document = Mapping[str, Any]

#: The number of nodes of a fan that are drawn, and the fewest others that a cluster replaces.
FIRST_PAGE, MIN_CLUSTER = 12, 5


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges in the format of the API. A cluster is a node of the type `group` with `members`."""

    nodes: Sequence[Document]
    edges: Sequence[Document]
    #: The number of runs of each program, which is drawn as one node.
    run_counts: Mapping[str, int]


def fold_lineage(document: Document) -> Graph:
    """Return what is drawn of `Lineage`: what edges connect with its entity."""
    named = name_cells(sorted(document["nodes"], key=_get_order), document["edges"])
    nodes = {node["urn"]: node for node in named}
    edges = _merge_edges(edge for edge in document["edges"] if edge["source"] in nodes and edge["target"] in nodes)
    drawn, clusters = _visit_nodes(document["urn"], list(nodes), edges)
    ends = {urn: urn for urn in drawn} | {member: urn for urn, members in clusters.items() for member in members}
    folded = _merge_edges(
        {**edge, "source": ends[edge["source"]], "target": ends[edge["target"]]}
        for edge in edges
        if edge["source"] in ends and edge["target"] in ends and not drawn.isdisjoint((edge["source"], edge["target"]))
    )
    groups = [_create_cluster(urn, [nodes[member] for member in members]) for urn, members in clusters.items()]
    return Graph([*(node for urn, node in nodes.items() if urn in drawn), *groups], folded, _count_runs(nodes, edges))


def _get_order(node: Document) -> tuple[list[tuple[int, str]], str]:
    """Return a key that sorts `table_2` before `table_10`, and equal names by URN."""
    parts = split(r"(\d+)", node["name"].casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts if part], node["urn"]


def _merge_edges(edges: Iterable[Document]) -> list[Document]:
    """Combine edges with the same ends; different kinds of access are both."""
    merged: dict[tuple[str, str], Document] = {}
    for edge in edges:
        ends = edge["source"], edge["target"]
        before = merged.get(ends)
        merged[ends] = edge if before is None or before["access"] == edge["access"] else {**before, "access": "both"}
    return list(merged.values())


def _count_runs(nodes: Mapping[str, Document], edges: Iterable[Document]) -> dict[str, int]:
    """Return the number of runs of each program: that of its most frequent edge."""
    counts: defaultdict[str, int] = defaultdict(int)
    for edge in edges:
        for urn in (edge["source"], edge["target"]):
            if nodes[urn]["type"] == "dataJob":
                counts[urn] = max(counts[urn], edge["runCount"])
    return counts


def _visit_nodes(focus: str, order: Sequence[str], edges: Iterable[Document]) -> tuple[set[str], dict[str, list[str]]]:
    """Return the drawn nodes, and the members of clusters: a traversal does not continue from them."""
    ranks = {urn: rank for rank, urn in enumerate(order)}
    sides: dict[str, defaultdict[str, set[str]]] = {"upstream": defaultdict(set), "downstream": defaultdict(set)}
    for edge in edges:
        sides["upstream"][edge["target"]].add(edge["source"])
        sides["downstream"][edge["source"]].add(edge["target"])
    drawn, queue = {focus}, [focus]
    clusters: dict[str, list[str]] = {}
    clustered: set[str] = set()
    for urn in queue:
        for side, neighbours in sides.items():
            fresh = sorted(neighbours[urn] - drawn - clustered, key=ranks.__getitem__)
            rest = fresh[FIRST_PAGE:]
            if len(rest) >= MIN_CLUSTER:
                clusters[f"cluster:{side} {urn}"] = rest
                clustered.update(rest)
                fresh = fresh[:FIRST_PAGE]
            drawn.update(fresh)
            queue += fresh
    return drawn, clusters


def _create_cluster(urn: str, members: Sequence[Document]) -> Document:
    not_shown = {"upstream": 0, "downstream": 0}
    return {"urn": urn, "type": "group", "members": members, "deleted": False, "notShown": not_shown}
