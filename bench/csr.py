"""The reference for lineage: the same accesses in memory, as compressed sparse rows, traversed with numpy."""

from dataclasses import dataclass

import corpus
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AccessIndex:
    """The accesses of each node by its number: those of `node` are `edges[at[node] : at[node + 1]]`."""

    at: Numbers
    edges: Numbers

    @classmethod
    def from_nodes(cls, nodes: Numbers, count: int) -> "AccessIndex":
        """Create the index of accesses by the nodes at one of their ends."""
        return cls(
            np.searchsorted(nodes, np.arange(count + 1), sorter=(order := np.argsort(nodes, kind="stable"))), order
        )

    def list_accesses(self, nodes: Numbers) -> Numbers:
        """Return the accesses of all given nodes."""
        begins, sizes = self.at[nodes], self.at[nodes + 1] - self.at[nodes]
        if not sizes.sum():
            return self.edges[:0]
        jumps = np.repeat(begins - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes)
        return self.edges[np.arange(sizes.sum()) + jumps]


class AccessGraph:
    """A graph of accesses in memory."""

    def __init__(self, count: int) -> None:
        rows = [(item.data, item.program, item.mode == "write", item.start) for item in corpus.generate_accesses(count)]
        self._data, self._program, written, self._start = np.array(rows, dtype=np.int64).T
        self._written = written.astype(bool)
        self._nodes = count + 5
        self._by_data, self._by_program = (
            AccessIndex.from_nodes(self._data, self._nodes),
            AccessIndex.from_nodes(self._program, self._nodes),
        )

    def find_reachable(self, focus: int, levels: int, start: int, end: int, limit: int) -> set[int]:
        """Return the data and programs around data, upstream and downstream, over at most `limit` accesses."""
        met = np.zeros(len(self._data), dtype=bool)
        result = {focus}
        for enters_writes in (True, False):
            seen = np.zeros(self._nodes, dtype=bool)
            data = np.array([focus])
            seen[data] = True
            for _ in range(levels):
                programs = self._take_step(self._by_data, data, enters_writes, start, end, met, seen, self._program)
                data = self._take_step(self._by_program, programs, not enters_writes, start, end, met, seen, self._data)
                result.update(programs.tolist(), data.tolist())
                if not len(data) or met.sum() > limit:
                    break
        return result

    def _take_step(
        self,
        side: AccessIndex,
        nodes: Numbers,
        written: bool,
        start: int,
        end: int,
        met: NDArray[np.bool_],
        seen: NDArray[np.bool_],
        others: Numbers,
    ) -> Numbers:
        edges = side.list_accesses(nodes)
        starts = self._start[edges]
        edges = edges[(starts < end) & (starts + corpus.RUN_MS >= start) & (self._written[edges] == written)]
        met[edges] = True
        partners = np.unique(others[edges])
        fresh: Numbers = partners[~seen[partners]]
        seen[fresh] = True
        return fresh
