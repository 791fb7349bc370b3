"""All shortest paths through a directed graph, computed in memory."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

PathEdge = tuple[str, str]


class ShortestPaths:
    """The shortest paths from one node to another."""

    def __init__(self, source: str, target: str, arrows: Iterable[PathEdge]) -> None:
        self.source, self.target = source, target
        self._predecessors = _find_predecessors_on_shortest_paths(source, target, arrows)

    @property
    def is_found(self) -> bool:
        """Whether there is a path."""
        return self.source == self.target or self.target in self._predecessors

    def collect_edges(self) -> set[PathEdge]:
        """Return all edges on any of the paths."""
        edges: set[PathEdge] = set()
        layer = {self.target}
        while layer:
            step = {(predecessor, node) for node in layer for predecessor in self._predecessors.get(node, ())}
            layer = {predecessor for predecessor, _ in step}
            edges |= step
        return edges

    def count_paths(self) -> int:
        """Return the number of paths."""
        counts: dict[str, int] = {self.source: 1}
        for node in self._iterate_nodes_in_topological_order():
            counts[node] = sum(counts[predecessor] for predecessor in self._predecessors[node])
        return counts.get(self.target, 0)

    def list_first_paths(self, limit: int) -> tuple[tuple[str, ...], ...]:
        """Return the first paths, by name."""
        paths: list[tuple[str, ...]] = []
        for path in self._iterate_paths_to(self.target):
            if len(paths) == limit:
                break
            paths.append(path)
        return tuple(paths)

    def _iterate_paths_to(self, node: str) -> Iterator[tuple[str, ...]]:
        """Yield the paths, depth first, with an explicit stack: a path may exceed Python's recursion limit."""
        stack: list[tuple[str, ...]] = [(node,)] if self.is_found else []
        while stack:
            tail = stack.pop()
            if tail[0] == self.source:
                yield tail
            else:
                stack += [(predecessor, *tail) for predecessor in reversed(self._predecessors[tail[0]])]

    def _iterate_nodes_in_topological_order(self) -> Iterator[str]:
        """Yield the nodes on the paths in topological order."""
        layers: list[set[str]] = [{self.target}] if self.is_found else []
        while layers and self.source not in layers[-1]:
            layers.append({predecessor for node in layers[-1] for predecessor in self._predecessors[node]})
        for layer in reversed(layers[:-1]):
            yield from sorted(layer)


def _find_predecessors_on_shortest_paths(
    source: str, target: str, arrows: Iterable[PathEdge]
) -> Mapping[str, Sequence[str]]:
    """Return the predecessors of each node on shortest paths, up to the distance of the target."""
    after: dict[str, set[str]] = defaultdict(set)
    for start, end in arrows:
        after[start].add(end)
    before: dict[str, list[str]] = {}
    layer = {source}
    while layer and target not in layer:
        step: dict[str, list[str]] = defaultdict(list)
        for node in sorted(layer):
            for successor in after[node]:
                if successor != source and successor not in before:
                    step[successor].append(node)
        before |= step
        layer = set(step)
    return before
