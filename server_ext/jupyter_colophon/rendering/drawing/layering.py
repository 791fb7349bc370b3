"""Assign the nodes of a directed graph to layers, from left to right. Nodes are numbers from 0; cycles are allowed."""

from collections.abc import Iterator, Sequence

Edges = Sequence[tuple[int, int]]

_UNVISITED, _ON_PATH, _DONE = range(3)


def find_back_edges(count: int, edges: Edges) -> list[bool]:
    """Return for each edge whether it closes a cycle in a depth-first search; without recursion: chains are long."""
    outgoing = _list_outgoing_edges(count, edges)
    backward = [source == target for source, target in edges]
    state = [_UNVISITED] * count
    for root in _sort_entries_first(count, edges):
        stack: list[tuple[int, Iterator[int]]] = []
        if state[root] == _UNVISITED:
            state[root] = _ON_PATH
            stack.append((root, iter(outgoing[root])))
        while stack:
            node, rest = stack[-1]
            edge = next(rest, None)
            if edge is None:
                state[node] = _DONE
                stack.pop()
                continue
            target = edges[edge][1]
            if state[target] == _ON_PATH:
                backward[edge] = True
            elif state[target] == _UNVISITED:
                state[target] = _ON_PATH
                stack.append((target, iter(outgoing[target])))
    return backward


def reverse_edges(edges: Edges, backward: Sequence[bool]) -> Edges:
    """Return the edges without cycles: backward ones reversed, and none from a node to itself."""
    turned = [(b, a) if is_back else (a, b) for (a, b), is_back in zip(edges, backward, strict=True)]
    return [(a, b) for a, b in turned if a != b]


def assign_layers(count: int, edges: Edges) -> list[int]:
    """Return the layer of each node of an acyclic graph: one more than the last of its predecessors. A node without
    predecessors is directly before its first successor.
    """
    outgoing = _list_outgoing_edges(count, edges)
    remaining = [0] * count
    for _, target in edges:
        remaining[target] += 1
    has_incoming = [number > 0 for number in remaining]
    layers = [0] * count
    ready = [node for node in range(count) if not remaining[node]]
    for node in ready:
        for edge in outgoing[node]:
            target = edges[edge][1]
            layers[target] = max(layers[target], layers[node] + 1)
            remaining[target] -= 1
            if not remaining[target]:
                ready.append(target)
    return [
        layer
        if has_incoming[node] or not outgoing[node]
        else max(layer, min(layers[edges[edge][1]] for edge in outgoing[node]) - 1)
        for node, layer in enumerate(layers)
    ]


def _list_outgoing_edges(count: int, edges: Edges) -> list[list[int]]:
    outgoing: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(edges):
        outgoing[source].append(index)
    return outgoing


def _sort_entries_first(count: int, edges: Edges) -> list[int]:
    """Return the nodes without incoming edges, then the others: a search from there reverses the fewest edges."""
    has_incoming = {target for source, target in edges if source != target}
    return sorted(range(count), key=has_incoming.__contains__)
