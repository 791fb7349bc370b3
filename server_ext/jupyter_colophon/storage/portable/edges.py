"""Lineage on structured tables (`spi.EdgeIndex`): each access in three orders, and neighbours from both sides."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Literal

from jupyter_colophon.core.lineage.graph import COMPONENTS_MAX, TimeWindow
from jupyter_colophon.storage.portable.tables import DATA_RUNS, EDGE_RUNS, NEIGHBOURS, RUN_ACCESSES
from jupyter_colophon.storage.spi import AccessLink, Edge, Range, Row, StructuredTable

Side = Literal["data", "program"]
Triple = tuple[str, str, str]
_KNOWN = ("both", "read", "write", "statement-read", "statement-write")
_IN_EACH_ORDER = (EDGE_RUNS, DATA_RUNS, RUN_ACCESSES)


class PortableEdges:
    """Lineage inside one transaction."""

    def __init__(self, table: Callable[[str], StructuredTable]) -> None:
        self._table = table

    def record_access(
        self, data: str, program: str, mode: str, run: str, component: str, start: int, stop: int | None
    ) -> None:
        """Record that a run accessed data. Recording it again only changes `stop`."""
        row = {"data": data, "program": program, "mode": mode, "run": run, "component": component}
        for spec in _IN_EACH_ORDER:
            self._table(spec.id).upsert({**row, "past": -start, "stop": stop})
        for neighbour in _build_neighbour_keys((data, program, mode)):
            self._table(NEIGHBOURS.id).upsert(dict(zip(NEIGHBOURS.primary_key, neighbour, strict=True)))

    def set_run_stop(self, run: str, stop: int | None) -> None:
        """Set the end of a run; None means that it is running."""
        for row in list(self._table(RUN_ACCESSES.id).scan(Range.prefix(run))):
            for spec in _IN_EACH_ORDER:
                self._table(spec.id).update({**row, "stop": stop})

    def find_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> list[Triple]:
        """Return at most `limit` triples (data, program, mode) with one end in `keys`."""
        triples = (
            triple for key in sorted(set(keys)) for triple in self._iterate_neighbour_triples(side, key, modes, window)
        )
        return list(islice(triples, limit))

    def count_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, cap: int
    ) -> dict[str, int]:
        """Return the number of distinct neighbours of each of these keys, counted up to `cap`."""
        return {key: self._count_key_neighbours(side, key, modes, window, cap) for key in keys}

    def _count_key_neighbours(self, side: Side, key: str, modes: Sequence[str], window: TimeWindow, cap: int) -> int:
        other = 1 if side == "data" else 0
        # The triples of one neighbour are consecutive.
        partners = groupby(self._iterate_neighbour_triples(side, key, modes, window), key=lambda triple: triple[other])
        return sum(1 for _ in islice(partners, cap))

    def read_edges(self, triples: Sequence[Triple], window: TimeWindow, runs: int) -> list[Edge]:
        """Return these edges in this order, each with its newest `runs` runs."""
        return [self._read_edge(*triple, window, runs) for triple in triples]

    def _read_edge(self, data: str, program: str, mode: str, window: TimeWindow, runs: int) -> Edge:
        rows = list(self._iterate_counted_accesses((data, program, mode), window))
        if not rows:
            return Edge(data, program, mode)
        ends = [row["stop"] for row in rows]
        components = sorted({row["component"] for row in rows if row["component"]})
        return Edge(
            data,
            program,
            mode,
            tuple(run for _, run in islice(_iterate_newest_first(rows), runs)),
            len({row["run"] for row in rows}),
            -rows[-1]["past"],
            None if None in ends else max(ends),
            # One more than an answer has, to know whether there are more.
            tuple(components[: COMPONENTS_MAX + 1]),
        )

    def list_runs_of_data(
        self, data: str, window: TimeWindow, limit: int, before: tuple[int, str] | None
    ) -> list[tuple[int, str]]:
        """Return (start, run) of the runs that accessed data, newest first, after the position `before`."""
        # Runs with the same start are stored oldest first, so all of them are read.
        within = Range((data, -before[0]) if before else (data,), (data,))
        rows = (row for row in self._table(DATA_RUNS.id).scan(within) if _is_row_in_window(row, window))
        positions = (place for place in _iterate_newest_first(rows) if before is None or place < before)
        return list(islice(positions, limit))

    def list_links_of_run(self, run: str) -> set[AccessLink]:
        """Return all links of a run."""
        return {
            AccessLink(row["data"], row["program"], row["mode"], run, row["component"], -row["past"], row["stop"])
            for row in self._table(RUN_ACCESSES.id).scan(Range.prefix(run))
        }

    def list_runs_after(self, run: str, limit: int) -> list[str]:
        """Return the runs that have links, by URN, after this one."""
        rows = self._table(RUN_ACCESSES.id).scan(Range((run,), begin_inclusive=False))
        return [urn for urn, _ in islice(groupby(rows, key=lambda row: str(row["run"])), limit)]

    def delete_run_links(self, run: str) -> None:
        """Delete a run with all its links."""
        rows = list(self._table(RUN_ACCESSES.id).scan(Range.prefix(run)))
        for row in rows:
            for spec in _IN_EACH_ORDER:
                self._table(spec.id).delete(tuple(row[name] for name in spec.primary_key))
        for triple in {_get_triple_of_row(row) for row in rows}:
            self.rebuild_roll_up(*triple)

    def rename_node(self, side: Side, old: str, new: str) -> None:
        """Replace `old` by `new` in all links, merging them with existing links of `new`."""
        for neighbour in list(self._table(NEIGHBOURS.id).scan(Range.prefix(side, old))):
            other, mode = neighbour["other"], neighbour["mode"]
            before, after = ((old, other), (new, other)) if side == "data" else ((other, old), (other, new))
            for row in list(self._table(EDGE_RUNS.id).scan(Range.prefix(*before, mode))):
                for spec in _IN_EACH_ORDER:
                    self._table(spec.id).delete(tuple(row[name] for name in spec.primary_key))
                    self._table(spec.id).upsert({**row, side: new})
            for ends in (before, after):
                self.rebuild_roll_up(ends[0], ends[1], mode)

    def find_stale_roll_ups(self, limit: int) -> list[Triple]:
        """Return at most `limit` triples that are neighbours without an access, or have accesses and are not
        neighbours.
        """
        return list(islice(dict.fromkeys(self._iterate_stale_triples()), limit))

    def rebuild_roll_up(self, data: str, program: str, mode: str) -> None:
        """Store a triple as neighbours if and only if it has accesses."""
        table, is_accessed = self._table(NEIGHBOURS.id), self._has_accesses((data, program, mode))
        for key in _build_neighbour_keys((data, program, mode)):
            if is_accessed:
                table.upsert(dict(zip(NEIGHBOURS.primary_key, key, strict=True)))
            else:
                table.delete(key)

    def _iterate_neighbour_triples(
        self, side: Side, key: str, modes: Sequence[str], window: TimeWindow
    ) -> Iterator[Triple]:
        for row in self._table(NEIGHBOURS.id).scan(Range.prefix(side, key)):
            ends = (key, row["other"]) if side == "data" else (row["other"], key)
            triple = (*ends, row["mode"])
            if row["mode"] in modes and self._is_in_window(triple, window):
                yield triple

    def _is_in_window(self, triple: Triple, window: TimeWindow) -> bool:
        if window.is_unbounded and triple[2] != "unknown":
            return True
        return next(self._iterate_counted_accesses(triple, window), None) is not None

    def _iterate_counted_accesses(self, triple: Triple, window: TimeWindow) -> Iterator[Row]:
        """Yield the accesses of an edge in a window that count, newest first."""
        begin = triple if window.end is None else (*triple, -window.end)
        rows = self._table(EDGE_RUNS.id).scan(Range(begin, triple, begin_inclusive=window.end is None))
        return (row for row in rows if _is_row_in_window(row, window) and self._is_access_counted(row))

    def _is_access_counted(self, row: Row) -> bool:
        """Return whether an access counts: one of unknown mode does only if the run and component have no known mode
        (spec LINEAGE-5).
        """
        if row["mode"] != "unknown":
            return True
        place = (row["past"], row["run"], row["component"])
        known_keys = [(row["data"], row["program"], mode, *place) for mode in _KNOWN]
        return not self._table(EDGE_RUNS.id).read_many(known_keys)

    def _has_accesses(self, triple: Triple) -> bool:
        return any(True for _ in self._table(EDGE_RUNS.id).scan(Range.prefix(*triple), 1))

    def _iterate_stale_triples(self) -> Iterator[Triple]:
        neighbours = self._table(NEIGHBOURS.id)
        for row in neighbours.scan(Range()):
            ends = (row["key"], row["other"]) if row["side"] == "data" else (row["other"], row["key"])
            if not self._has_accesses((*ends, row["mode"])):
                yield (*ends, row["mode"])
        for triple, _ in groupby(self._table(EDGE_RUNS.id).scan(Range()), key=_get_triple_of_row):
            if len(neighbours.read_many(_build_neighbour_keys(triple))) < 2:
                yield triple


def _get_triple_of_row(row: Row) -> Triple:
    return row["data"], row["program"], row["mode"]


def _build_neighbour_keys(triple: Triple) -> list[tuple[str, ...]]:
    """Return the two keys of an edge among the neighbours."""
    data, program, mode = triple
    return [("data", data, program, mode), ("program", program, data, mode)]


def _is_row_in_window(row: Row, window: TimeWindow) -> bool:
    """Return whether a run is in a window: it began before the window's end and had not stopped before its start (spec
    LINEAGE-2).
    """
    begun = window.end is None or -row["past"] < window.end
    return begun and (row["stop"] is None or window.start is None or row["stop"] >= window.start)


def _iterate_newest_first(rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
    """Yield (start, run) of rows sorted by start, newest first; runs with the same start by name, in descending order."""
    for past, moment in groupby(rows, key=lambda row: int(row["past"])):
        for run in sorted({str(row["run"]) for row in moment}, reverse=True):
            yield -past, run
