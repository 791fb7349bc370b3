"""Lineage as the catalog knew it at a time (`asOf`): only accesses that had been recorded by then.

Each edge is checked through its runs, newest first; nearly always the first ones had been recorded, so this reads
little more.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.storage.lineage import run_accesses
from jupyter_colophon.storage.lineage.run_accesses import RunAccess, Triple, clip_window_to_recorded_time
from jupyter_colophon.storage.spi import Edge, TableContext

Side = Literal["data", "program"]
#: The number of runs of an edge that are checked for whether the edge was known, and that are counted.
_FIRST, _COUNTED = 10, 1_000
#: How many times more are checked if none of these was known.
_GROWTH = 100


class LineageEdges(Protocol):
    """The part of lineage that a traversal reads (`spi.EdgeIndex`)."""

    def find_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> list[Triple]:
        """Return at most `limit` triples (data, program, mode) with one end in `keys`."""

    def count_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, cap: int
    ) -> Mapping[str, int]:
        """Return the number of distinct neighbours of each of these keys, counted up to `cap`."""

    def read_edges(self, triples: Sequence[Triple], window: TimeWindow, runs: int) -> list[Edge]:
        """Return these edges in this order, each with its newest `runs` runs."""


@dataclass(frozen=True, slots=True)
class EdgesAsOf:
    """Lineage as it was recorded at a time."""

    tx: TableContext
    time: int

    def find_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> list[Triple]:
        """Return at most `limit` triples with one end in `keys`."""
        read_limit = limit
        while True:
            triples = self.tx.edges.find_neighbours(
                side, keys, modes, clip_window_to_recorded_time(window, self.time), read_limit
            )
            touched, _ = self._find_newest_accesses(triples, window, _FIRST)
            recorded = {(access.data, access.program, access.mode) for access in touched}
            matching = [triple for triple in triples if triple in recorded]
            if len(matching) >= limit or len(triples) < read_limit:
                return matching[:limit]
            read_limit *= 4

    def count_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, cap: int
    ) -> Mapping[str, int]:
        """Return the number of distinct neighbours of each of these keys."""
        at = 1 if side == "data" else 0
        partners = {
            key: {triple[at] for triple in self.find_neighbours(side, [key], modes, window, cap * len(modes))}
            for key in keys
        }
        return {key: min(cap, len(neighbours)) for key, neighbours in partners.items()}

    def read_edges(self, triples: Sequence[Triple], window: TimeWindow, runs: int) -> list[Edge]:
        """Return these edges with the runs that had been recorded; a run that stopped later has no stop.

        An edge with more than `_COUNTED` runs is not complete.
        """
        by_triple: dict[Triple, list[RunAccess]] = defaultdict(list)
        touched, incomplete = self._find_newest_accesses(triples, window, _COUNTED)
        for access in touched:
            by_triple[access.data, access.program, access.mode].append(access)
        spans = self._read_run_times(access.run for accesses in by_triple.values() for access in accesses)
        edges = (self._build_edge_of_accesses(triple, by_triple[triple], spans, runs) for triple in triples)
        return [edge._replace(complete=triple not in incomplete) for edge, triple in zip(edges, triples, strict=True)]

    def _build_edge_of_accesses(
        self, triple: Triple, accesses: Sequence[RunAccess], spans: dict[str, tuple[int, int | None]], runs: int
    ) -> Edge:
        names = list(dict.fromkeys(access.run for access in accesses))
        if not names:
            return Edge(*triple)
        stops = [spans[name][1] for name in names]
        ended = [stop for stop in stops if stop is not None and stop <= self.time]
        components = tuple(sorted({access.component for access in accesses if access.component}))
        stop = max(ended) if len(ended) == len(stops) else None
        return Edge(
            *triple, tuple(names[:runs]), len(names), min(spans[access][0] for access in names), stop, components
        )

    def _read_run_times(self, runs: Iterable[str]) -> dict[str, tuple[int, int | None]]:
        spans = {}
        for run in set(runs):
            link = next(iter(self.tx.edges.list_links_of_run(run)))
            spans[run] = link.start, link.stop
        return spans

    def _find_newest_accesses(
        self, triples: Sequence[Triple], window: TimeWindow, maximum: int
    ) -> tuple[list[RunAccess], set[Triple]]:
        """Return what had been recorded of the newest runs of these edges, and the edges that have more runs than
        `maximum`.

        An edge of which anything had been recorded has at least one access.
        """
        edges = self.tx.edges.read_edges(triples, clip_window_to_recorded_time(window, self.time), maximum)
        accesses = list(run_accesses.iterate_run_accesses(self.tx, edges, self.time))
        recorded = {(access.data, access.program, access.mode) for access in accesses}
        incomplete = {(edge.data, edge.program, edge.mode) for edge in edges if edge.run_count > maximum}
        if unknown := sorted(incomplete - recorded):
            older, still_incomplete = self._find_newest_accesses(unknown, window, maximum * _GROWTH)
            return accesses + older, incomplete & recorded | still_incomplete
        return accesses, incomplete


def get_lineage_edges_at(tx: TableContext, time: int | None) -> LineageEdges:
    """Return the present lineage, or lineage as it was recorded at a time."""
    return tx.edges if time is None else EdgesAsOf(tx, time)
