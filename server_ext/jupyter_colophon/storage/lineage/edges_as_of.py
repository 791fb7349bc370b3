"""Lineage as the catalog knew it at a time (`asOf`): only accesses that had been recorded by then.

Each edge is looked at through its runs, newest first; nearly always the first ones were known, so this asks little more.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from jupyter_colophon.core.lineage.graph import Window
from jupyter_colophon.storage.lineage import run_accesses
from jupyter_colophon.storage.lineage.run_accesses import Touch, Triple, clipped
from jupyter_colophon.storage.spi import Edge, TableContext

Side = Literal["data", "program"]
#: How many runs of an edge are looked at for whether it was known, and how many are counted.
_FIRST, _COUNTED = 10, 1_000
#: So many times more are looked at where none of these was known.
_GROWTH = 100


class Edges(Protocol):
    """What a walk and a drawing ask of lineage (`spi.EdgeIndex`)."""

    def around(self, side: Side, keys: Sequence[str], modes: Sequence[str], window: Window, limit: int) -> list[Triple]:
        """At most `limit` triples (data, program, mode) one of whose ends is in `keys`."""

    def degrees(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: Window, cap: int
    ) -> Mapping[str, int]:
        """How many different partners each of these keys has, counted no further than `cap`."""

    def details(self, triples: Sequence[Triple], window: Window, runs: int) -> list[Edge]:
        """These edges in this order, each with its newest `runs` runs."""


@dataclass(frozen=True, slots=True)
class KnownEdges:
    """What was known at a time."""

    tx: TableContext
    time: int

    def around(self, side: Side, keys: Sequence[str], modes: Sequence[str], window: Window, limit: int) -> list[Triple]:
        """At most `limit` triples one of whose ends is in `keys`."""
        asked = limit
        while True:
            found = self.tx.edges.around(side, keys, modes, clipped(window, self.time), asked)
            touched, _ = self._touches(found, window, _FIRST)
            known = {(one.data, one.program, one.mode) for one in touched}
            kept = [triple for triple in found if triple in known]
            if len(kept) >= limit or len(found) < asked:
                return kept[:limit]
            asked *= 4

    def degrees(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: Window, cap: int
    ) -> Mapping[str, int]:
        """How many different partners each of these keys has."""
        at = 1 if side == "data" else 0
        partners = {
            key: {triple[at] for triple in self.around(side, [key], modes, window, cap * len(modes))} for key in keys
        }
        return {key: min(cap, len(found)) for key, found in partners.items()}

    def details(self, triples: Sequence[Triple], window: Window, runs: int) -> list[Edge]:
        """These edges with the runs that were known; of those that have stopped since then, no stop.

        An edge with more than `_COUNTED` runs is not complete.
        """
        by_triple: dict[Triple, list[Touch]] = defaultdict(list)
        touched, incomplete = self._touches(triples, window, _COUNTED)
        for one in touched:
            by_triple[one.data, one.program, one.mode].append(one)
        spans = self._spans(one.run for found in by_triple.values() for one in found)
        edges = (self._edge(triple, by_triple[triple], spans, runs) for triple in triples)
        return [replace(edge, complete=triple not in incomplete) for edge, triple in zip(edges, triples, strict=True)]

    def _edge(
        self, triple: Triple, found: Sequence[Touch], spans: dict[str, tuple[int, int | None]], runs: int
    ) -> Edge:
        names = list(dict.fromkeys(one.run for one in found))
        if not names:
            return Edge(*triple)
        stops = [spans[name][1] for name in names]
        ended = [stop for stop in stops if stop is not None and stop <= self.time]
        components = tuple(sorted({one.component for one in found if one.component}))
        stop = max(ended) if len(ended) == len(stops) else None
        return Edge(*triple, tuple(names[:runs]), len(names), min(spans[one][0] for one in names), stop, components)

    def _spans(self, runs: Iterable[str]) -> dict[str, tuple[int, int | None]]:
        spans = {}
        for run in set(runs):
            link = next(iter(self.tx.edges.of_run(run)))
            spans[run] = link.start, link.stop
        return spans

    def _touches(self, triples: Sequence[Triple], window: Window, most: int) -> tuple[list[Touch], set[Triple]]:
        """Return what was known of the newest runs of these edges, and the edges that have more runs than `most`.

        Something of each edge is returned where anything was known of it.
        """
        edges = self.tx.edges.details(triples, clipped(window, self.time), most)
        found = list(run_accesses.of_edges(self.tx, edges, self.time))
        known = {(one.data, one.program, one.mode) for one in found}
        incomplete = {(edge.data, edge.program, edge.mode) for edge in edges if edge.run_count > most}
        if unknown := sorted(incomplete - known):
            older, still_incomplete = self._touches(unknown, window, most * _GROWTH)
            return found + older, incomplete & known | still_incomplete
        return found, incomplete


def edges_at(tx: TableContext, time: int | None) -> Edges:
    """Lineage as it is, or as it was known at a time."""
    return tx.edges if time is None else KnownEdges(tx, time)
