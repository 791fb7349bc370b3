"""All shortest ways through a graph of edges that point forward; nothing is asked of a store."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

Arrow = tuple[str, str]


class Ways:
    """The shortest ways from one node to another."""

    def __init__(self, source: str, target: str, arrows: Iterable[Arrow]) -> None:
        self.source, self.target = source, target
        self._before = _before(source, target, arrows)

    @property
    def found(self) -> bool:
        """Whether there is one."""
        return self.source == self.target or self.target in self._before

    def arrows(self) -> set[Arrow]:
        """All edges that lie on one of them."""
        found: set[Arrow] = set()
        rim = {self.target}
        while rim:
            step = {(one, node) for node in rim for one in self._before.get(node, ())}
            rim = {one for one, _ in step}
            found |= step
        return found

    def count(self) -> int:
        """How many there are."""
        counts: dict[str, int] = {self.source: 1}
        for node in self._in_order():
            counts[node] = sum(counts[one] for one in self._before[node])
        return counts.get(self.target, 0)

    def some(self, most: int) -> tuple[tuple[str, ...], ...]:
        """The first of them, by name."""
        found: list[tuple[str, ...]] = []
        for path in self._walked(self.target):
            if len(found) == most:
                break
            found.append(path)
        return tuple(found)

    def _walked(self, node: str) -> Iterator[tuple[str, ...]]:
        """Depth first, with a stack of our own: a way may be longer than Python nests."""
        stack: list[tuple[str, ...]] = [(node,)] if self.found else []
        while stack:
            tail = stack.pop()
            if tail[0] == self.source:
                yield tail
            else:
                stack += [(one, *tail) for one in reversed(self._before[tail[0]])]

    def _in_order(self) -> Iterator[str]:
        """The nodes on the ways, each after those before it."""
        layers: list[set[str]] = [{self.target}] if self.found else []
        while layers and self.source not in layers[-1]:
            layers.append({one for node in layers[-1] for one in self._before[node]})
        for layer in reversed(layers[:-1]):
            yield from sorted(layer)


def _before(source: str, target: str, arrows: Iterable[Arrow]) -> Mapping[str, Sequence[str]]:
    """For each node as near to the source as it can be, those one step nearer; as far as the target."""
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
