"""Where the nodes of a small directed graph go: layers from left to right, edges crossing little. Cycles are fine."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Edge: TypeAlias = tuple[str, str]

#: Passes over the layers in which each node moves towards its neighbours.
SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Grid:
    """The layers, left to right, each a column of nodes from top to bottom."""

    columns: tuple[tuple[str, ...], ...]

    def places(self) -> dict[str, tuple[int, float]]:
        """Column and row of each node; columns are centred on the longest one."""
        longest = max((len(column) for column in self.columns), default=0)
        return {
            node: (index, row + (longest - len(column)) / 2)
            for index, column in enumerate(self.columns)
            for row, node in enumerate(column)
        }


def grid(nodes: Sequence[str], edges: Iterable[Edge]) -> Grid:
    """Lays out a graph; edges whose ends are not among the nodes count for nothing."""
    known = set(nodes)
    forward = _without_cycles(nodes, [(a, b) for a, b in edges if a in known and b in known and a != b])
    layers = _layers(nodes, forward)
    columns: list[list[str]] = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for node in nodes:
        columns[layers[node]].append(node)
    return Grid(tuple(tuple(column) for column in _untangled(columns, forward)))


def _neighbours(edges: Iterable[Edge]) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    after: dict[str, list[str]] = defaultdict(list)
    before: dict[str, list[str]] = defaultdict(list)
    for a, b in edges:
        after[a].append(b)
        before[b].append(a)
    return after, before


def _without_cycles(nodes: Sequence[str], edges: list[Edge]) -> list[Edge]:
    """The edges with every one that closes a cycle turned round (depth first, without recursion: chains are long)."""
    after, _ = _neighbours(edges)
    entered: set[str] = set()
    path: set[str] = set()
    forward: list[Edge] = []
    for root in nodes:
        if root in entered:
            continue
        entered.add(root)
        path.add(root)
        stack = [(root, iter(after.get(root, ())))]
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                path.discard(node)
                stack.pop()
                continue
            forward.append((following, node) if following in path else (node, following))
            if following not in entered:
                entered.add(following)
                path.add(following)
                stack.append((following, iter(after.get(following, ()))))
    return forward


def _layers(nodes: Sequence[str], edges: list[Edge]) -> dict[str, int]:
    """The length of the longest path to each node; a node that nothing leads to stands just before what it leads to."""
    after, before = _neighbours(edges)
    waiting = {node: len(before.get(node, ())) for node in nodes}
    ready = [node for node in nodes if not waiting[node]]
    layers = dict.fromkeys(nodes, 0)
    for node in ready:  # grows while we walk
        for following in after.get(node, ()):
            layers[following] = max(layers[following], layers[node] + 1)
            waiting[following] -= 1
            if not waiting[following]:
                ready.append(following)
    for node in nodes:
        if not before.get(node) and after.get(node):
            layers[node] = min(layers[following] for following in after[node]) - 1
    return layers


def _untangled(columns: list[list[str]], edges: list[Edge]) -> list[list[str]]:
    after, before = _neighbours(edges)
    for sweep in range(SWEEPS):
        beside = before if sweep % 2 == 0 else after
        rows = {node: row for column in columns for row, node in enumerate(column)}
        for column in columns:
            column.sort(key=lambda node: _middle(node, beside, rows))
            rows.update({node: row for row, node in enumerate(column)})
    return columns


def _middle(node: str, beside: Mapping[str, list[str]], rows: Mapping[str, int]) -> float:
    others = beside.get(node)
    return sum(rows[other] for other in others) / len(others) if others else rows[node]
