"""All shortest paths through a directed graph, computed in memory."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

Arrow = tuple[str, str]


class ShortestPaths:
    """The shortest paths from one node to another."""

    def __init__(self, source: str, target: str, arrows: Iterable[Arrow]) -> None:
        self.source, self.target = source, target
        self._predecessors = _predecessors(source, target, arrows)

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self.source == self.target or self.target in self._predecessors

    def arrows(self) -> set[Arrow]:
        """Return all edges on any of the paths."""
        found: set[Arrow] = set()
        layer = {self.target}
        while layer:
            step = {(one, node) for node in layer for one in self._predecessors.get(node, ())}
            layer = {one for one, _ in step}
            found |= step
        return found

    def count(self) -> int:
        """Return the number of paths."""
        counts: dict[str, int] = {self.source: 1}
        for node in self._in_order():
            counts[node] = sum(counts[one] for one in self._predecessors[node])
        return counts.get(self.target, 0)

    def first_paths(self, limit: int) -> tuple[tuple[str, ...], ...]:
        """Return the first paths, by name."""
        found: list[tuple[str, ...]] = []
        for path in self._walk_back(self.target):
            if len(found) == limit:
                break
            found.append(path)
        return tuple(found)

    def _walk_back(self, node: str) -> Iterator[tuple[str, ...]]:
        """Yield the paths, depth first, with an explicit stack: a path may exceed Python's recursion limit."""
        stack: list[tuple[str, ...]] = [(node,)] if self.found else []
        while stack:
            tail = stack.pop()
            if tail[0] == self.source:
                yield tail
            else:
                stack += [(one, *tail) for one in reversed(self._predecessors[tail[0]])]

    def _in_order(self) -> Iterator[str]:
        """Yield the nodes on the paths in topological order."""
        layers: list[set[str]] = [{self.target}] if self.found else []
        while layers and self.source not in layers[-1]:
            layers.append({one for node in layers[-1] for one in self._predecessors[node]})
        for layer in reversed(layers[:-1]):
            yield from sorted(layer)


def _predecessors(source: str, target: str, arrows: Iterable[Arrow]) -> Mapping[str, Sequence[str]]:
    """Return the predecessors of each node on shortest paths, up to the distance of the target."""
    after: dict[str, set[str]] = defaultdict(set)
    for start, end in arrows:
        after[start].add(end)
    before: dict[str, list[str]] = {}
    layer = {source}
    while layer and target not in layer:
        step: dict[str, list[str]] = defaultdict(list)
        for node in sorted(layer):
            for one in after[node]:
                if one != source and one not in before:
                    step[one].append(node)
        before |= step
        layer = set(step)
    return before
