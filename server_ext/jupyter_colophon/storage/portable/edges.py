"""Lineage on structured tables (`spi.EdgeIndex`): each access in three orders, and the neighbours of both sides."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Literal

from jupyter_colophon.core.lineage.graph import COMPONENTS_MAX, Window
from jupyter_colophon.storage.portable.tables import DATA_RUNS, EDGE_RUNS, NEIGHBOURS, RUN_ACCESSES
from jupyter_colophon.storage.spi import Edge, Link, Range, Row, StructuredTable

Side = Literal["data", "program"]
Triple = tuple[str, str, str]
_KNOWN = ("both", "read", "write", "statement-read", "statement-write")
_IN_EACH_ORDER = (EDGE_RUNS, DATA_RUNS, RUN_ACCESSES)


class PortableEdges:
    """Lineage inside one transaction."""

    def __init__(self, table: Callable[[str], StructuredTable]) -> None:
        self._table = table

    def add(self, data: str, program: str, mode: str, run: str, component: str, start: int, stop: int | None) -> None:
        """Record that a run touched data. Recording it again changes nothing but `stop`."""
        row = {"data": data, "program": program, "mode": mode, "run": run, "component": component}
        for spec in _IN_EACH_ORDER:
            self._table(spec.id).upsert({**row, "past": -start, "stop": stop})
        for neighbour in _seen((data, program, mode)):
            self._table(NEIGHBOURS.id).upsert(dict(zip(NEIGHBOURS.primary_key, neighbour, strict=True)))

    def stop(self, run: str, stop: int | None) -> None:
        """A run ended (or, with None, goes on)."""
        for row in list(self._table(RUN_ACCESSES.id).scan(Range.prefix(run))):
            for spec in _IN_EACH_ORDER:
                self._table(spec.id).update({**row, "stop": stop})

    def around(self, side: Side, keys: Sequence[str], modes: Sequence[str], window: Window, limit: int) -> list[Triple]:
        """At most `limit` triples (data, program, mode) one of whose ends is in `keys`."""
        found = (triple for key in sorted(set(keys)) for triple in self._neighbours(side, key, modes, window))
        return list(islice(found, limit))

    def degrees(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: Window, cap: int
    ) -> dict[str, int]:
        """How many different partners each of these keys has, counted no further than `cap`."""
        return {key: self._degree(side, key, modes, window, cap) for key in keys}

    def _degree(self, side: Side, key: str, modes: Sequence[str], window: Window, cap: int) -> int:
        other = 1 if side == "data" else 0
        # One partner's triples come one after the other.
        partners = groupby(self._neighbours(side, key, modes, window), key=lambda triple: triple[other])
        return sum(1 for _ in islice(partners, cap))

    def details(self, triples: Sequence[Triple], window: Window, runs: int) -> list[Edge]:
        """These edges in this order, each with its newest `runs` runs."""
        return [self._detailed(*triple, window, runs) for triple in triples]

    def _detailed(self, data: str, program: str, mode: str, window: Window, runs: int) -> Edge:
        rows = list(self._accesses((data, program, mode), window))
        if not rows:
            return Edge(data, program, mode)
        ends = [row["stop"] for row in rows]
        components = sorted({row["component"] for row in rows if row["component"]})
        return Edge(
            data,
            program,
            mode,
            tuple(run for _, run in islice(_newest(rows), runs)),
            len({row["run"] for row in rows}),
            -rows[-1]["past"],
            None if None in ends else max(ends),
            # One more than an answer has shows that there are more.
            tuple(components[: COMPONENTS_MAX + 1]),
        )

    def runs_of(self, data: str, window: Window, limit: int, before: tuple[int, str] | None) -> list[tuple[int, str]]:
        """(start, run) of the runs that touched data, newest first, after the position `before`."""
        # Runs of one moment come newest last, so all of that moment are looked at.
        within = Range((data, -before[0]) if before else (data,), (data,))
        rows = (row for row in self._table(DATA_RUNS.id).scan(within) if _is_in(row, window))
        positions = (place for place in _newest(rows) if before is None or place < before)
        return list(islice(positions, limit))

    def of_run(self, run: str) -> set[Link]:
        """Everything that is known of a run."""
        return {
            Link(row["data"], row["program"], row["mode"], run, row["component"], -row["past"], row["stop"])
            for row in self._table(RUN_ACCESSES.id).scan(Range.prefix(run))
        }

    def runs_after(self, run: str, limit: int) -> list[str]:
        """The runs of which anything is known, by URN, from the first after this one on."""
        rows = self._table(RUN_ACCESSES.id).scan(Range((run,), begin_inclusive=False))
        return [urn for urn, _ in islice(groupby(rows, key=lambda row: str(row["run"])), limit)]

    def forget(self, run: str) -> None:
        """Forget a run with all that it touched."""
        rows = list(self._table(RUN_ACCESSES.id).scan(Range.prefix(run)))
        for row in rows:
            for spec in _IN_EACH_ORDER:
                self._table(spec.id).delete(tuple(row[name] for name in spec.primary_key))
        for triple in {_triple(row) for row in rows}:
            self.renew(*triple)

    def rename(self, side: Side, old: str, new: str) -> None:
        """Put `new` in the place of `old` in all that is known of it, beside what is known of `new` already."""
        for neighbour in list(self._table(NEIGHBOURS.id).scan(Range.prefix(side, old))):
            other, mode = neighbour["other"], neighbour["mode"]
            before, after = ((old, other), (new, other)) if side == "data" else ((other, old), (other, new))
            for row in list(self._table(EDGE_RUNS.id).scan(Range.prefix(*before, mode))):
                for spec in _IN_EACH_ORDER:
                    self._table(spec.id).delete(tuple(row[name] for name in spec.primary_key))
                    self._table(spec.id).upsert({**row, side: new})
            for ends in (before, after):
                self.renew(ends[0], ends[1], mode)

    def stale(self, limit: int) -> list[Triple]:
        """At most `limit` triples that are neighbours without an access, or have accesses and are no neighbours."""
        return list(islice(dict.fromkeys(self._stale()), limit))

    def renew(self, data: str, program: str, mode: str) -> None:
        """Make one triple neighbours just when there are accesses."""
        table, there = self._table(NEIGHBOURS.id), self._is_accessed((data, program, mode))
        for key in _seen((data, program, mode)):
            if there:
                table.upsert(dict(zip(NEIGHBOURS.primary_key, key, strict=True)))
            else:
                table.delete(key)

    def _neighbours(self, side: Side, key: str, modes: Sequence[str], window: Window) -> Iterator[Triple]:
        for row in self._table(NEIGHBOURS.id).scan(Range.prefix(side, key)):
            ends = (key, row["other"]) if side == "data" else (row["other"], key)
            triple = (*ends, row["mode"])
            if row["mode"] in modes and self._shows(triple, window):
                yield triple

    def _shows(self, triple: Triple, window: Window) -> bool:
        if window.unbounded and triple[2] != "unknown":
            return True
        return next(self._accesses(triple, window), None) is not None

    def _accesses(self, triple: Triple, window: Window) -> Iterator[Row]:
        """The accesses of an edge in a window, newest first, those that stand."""
        begin = triple if window.end is None else (*triple, -window.end)
        rows = self._table(EDGE_RUNS.id).scan(Range(begin, triple, begin_inclusive=window.end is None))
        return (row for row in rows if _is_in(row, window) and self._stands(row))

    def _stands(self, row: Row) -> bool:
        """An access of unknown kind counts only where the same run and component has none of a known kind (5.4)."""
        if row["mode"] != "unknown":
            return True
        place = (row["past"], row["run"], row["component"])
        known = [(row["data"], row["program"], mode, *place) for mode in _KNOWN]
        return not self._table(EDGE_RUNS.id).multi_read(known)

    def _is_accessed(self, triple: Triple) -> bool:
        return any(True for _ in self._table(EDGE_RUNS.id).scan(Range.prefix(*triple), 1))

    def _stale(self) -> Iterator[Triple]:
        neighbours = self._table(NEIGHBOURS.id)
        for row in neighbours.scan(Range()):
            ends = (row["key"], row["other"]) if row["side"] == "data" else (row["other"], row["key"])
            if not self._is_accessed((*ends, row["mode"])):
                yield (*ends, row["mode"])
        for triple, _ in groupby(self._table(EDGE_RUNS.id).scan(Range()), key=_triple):
            if len(neighbours.multi_read(_seen(triple))) < 2:
                yield triple


def _triple(row: Row) -> Triple:
    return row["data"], row["program"], row["mode"]


def _seen(triple: Triple) -> list[tuple[str, ...]]:
    """The two keys of an edge among the neighbours."""
    data, program, mode = triple
    return [("data", data, program, mode), ("program", program, data, mode)]


def _is_in(row: Row, window: Window) -> bool:
    """A run is in a window that began before its end and had not stopped before its start (spec LINEAGE-2)."""
    begun = window.end is None or -row["past"] < window.end
    return begun and (row["stop"] is None or window.start is None or row["stop"] >= window.start)


def _newest(rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
    """(start, run) of rows that come by start, newest first; of one moment, the last name first."""
    for past, moment in groupby(rows, key=lambda row: int(row["past"])):
        for run in sorted({str(row["run"]) for row in moment}, reverse=True):
            yield -past, run
