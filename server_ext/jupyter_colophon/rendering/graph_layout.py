"""Lay out a small directed graph in columns from left to right with few crossings. Cycles are allowed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter

Edge = tuple[str, str]

#: Passes over the columns in which each node moves towards its neighbours.
SWEEPS = 6


def arrange_nodes(nodes: Sequence[str], edges: Iterable[Edge]) -> dict[str, tuple[int, float]]:
    """Return column and row of each node; columns are centred on the longest one. Edges to other nodes are ignored."""
    node_set = set(nodes)
    after, before = _build_acyclic_neighbours(
        nodes, [(a, b) for a, b in edges if a in node_set and b in node_set and a != b]
    )
    columns: dict[int, list[str]] = defaultdict(list)
    for node, column in _assign_columns(nodes, after, before).items():
        columns[column].append(node)
    _reduce_crossings([columns[at] for at in sorted(columns)], after, before)
    longest = max(map(len, columns.values()), default=0)
    return {
        node: (at, row + (longest - len(column)) / 2)
        for at, column in columns.items()
        for row, node in enumerate(column)
    }


def _build_acyclic_neighbours(
    nodes: Sequence[str], edges: list[Edge]
) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """Return successors and predecessors, each edge that closes a cycle reversed; without recursion: chains are long."""
    targets: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    before: dict[str, list[str]] = defaultdict(list)
    for a, b in edges:
        targets[a].append(b)
    entered: set[str] = set()
    path: set[str] = set()
    for root in nodes:
        stack = [(root, iter(targets[root]))] if root not in entered else []
        while stack:
            node, rest = stack[-1]
            entered.add(node)
            path.add(node)
            following = next(rest, None)
            if following is None:
                path.discard(node)
                stack.pop()
                continue
            a, b = (following, node) if following in path else (node, following)
            after[a].append(b)
            before[b].append(a)
            if following not in entered:
                stack.append((following, iter(targets[following])))
    return after, before


def _assign_columns(
    nodes: Sequence[str], after: Mapping[str, list[str]], before: Mapping[str, list[str]]
) -> dict[str, int]:
    """Return the length of the longest path to each node; a node without predecessors is placed directly before its
    successors.
    """
    columns = dict.fromkeys(nodes, 0)
    for node in TopologicalSorter({node: before.get(node, ()) for node in nodes}).static_order():
        columns[node] = max((columns[other] + 1 for other in before.get(node, ())), default=0)
    for node in nodes:
        if not before.get(node) and after.get(node):
            columns[node] = min(columns[other] for other in after[node]) - 1
    return columns


def _reduce_crossings(
    columns: list[list[str]], after: Mapping[str, list[str]], before: Mapping[str, list[str]]
) -> None:
    """Sort each column by the mean row of its neighbours, in turn those before and those after."""
    rows = {node: float(row) for column in columns for row, node in enumerate(column)}
    for sweep in range(SWEEPS):
        beside = before if sweep % 2 == 0 else after
        for column in columns:
            means = {
                node: _calculate_mean([rows[other] for other in beside.get(node, ())], rows[node]) for node in column
            }
            column.sort(key=means.__getitem__)
            rows |= {node: row for row, node in enumerate(column)}


def _calculate_mean(numbers: list[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default
