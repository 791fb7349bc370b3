"""Find the edges that exist at two times, but differ: in their access, their statements, their columns or the program's
code.

The newest run before each time is compared: an edge without a new run has not changed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.lineage.answers import EdgeChange
from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.service.lineage.lineage_traversal import READ, WRITE
from jupyter_colophon.service.lineage.path_steps import is_placeholder_program
from jupyter_colophon.storage.lineage.edges_as_of import LineageEdges
from jupyter_colophon.storage.lineage.run_accesses import Triple, read_run_rows
from jupyter_colophon.storage.lineage.statements import read_access_statements, to_access_mode_of_index
from jupyter_colophon.storage.spi import Range, TableContext

#: The ends of a directed edge.
Ends = tuple[str, str]
Changes = Mapping[Ends, set[EdgeChange]]
#: The facts of a run that identify the code of its program. The source is compared without a hash only: it may not be
#: recorded.
_CODE_FACTS: Final = ("sourceHash", "source", "artifact")
#: How many edges with a newer run are compared in detail.
_COMPARED_MAX: Final = 1_000
#: A column edge of a run: target field, source, source field, transformation.
_Column = tuple[str, ...]


def group_modes_by_ends(triples: Iterable[Triple]) -> dict[Ends, set[str]]:
    """Return the modes of the accesses of each directed edge between data and a program."""
    modes: dict[Ends, set[str]] = defaultdict(set)
    for triple in triples:
        for ends in list_ends(triple):
            modes[ends].add(triple[2])
    return modes


def list_ends(triple: Triple) -> list[Ends]:
    """Return the directed edges of an access: none for declared lineage, which has no program."""
    data, program, mode = triple
    if is_placeholder_program(program):
        return []
    return [*([(data, program)] if mode in READ else []), *([(program, data)] if mode in WRITE else [])]


@dataclass(frozen=True, slots=True)
class EdgeComparison:
    """Compares edges at two times: `windows` are those before each of them."""

    tx: TableContext
    edges: LineageEdges
    windows: tuple[TimeWindow, TimeWindow]

    def find_changes(self, before: set[Triple], after: set[Triple]) -> tuple[Changes, bool]:
        """Return what differs of the edges that exist both before and after, and whether all of them were compared."""
        old_modes, new_modes = group_modes_by_ends(before), group_modes_by_ends(after)
        changes: dict[Ends, set[EdgeChange]] = defaultdict(set)
        for ends in old_modes.keys() & new_modes.keys():
            if _to_accesses(old_modes[ends]) != _to_accesses(new_modes[ends]):
                changes[ends].add("access")
            elif old_modes[ends] != new_modes[ends]:
                changes[ends].add("statements")
        newer = self._find_newer_runs(sorted(before & after))
        compared = newer[:_COMPARED_MAX]
        for (triple, _), found in zip(compared, self._compare_runs(compared), strict=True):
            for ends in list_ends(triple) if found else ():
                changes[ends] |= found
        return changes, len(compared) == len(newer)

    def _find_newer_runs(self, triples: Sequence[Triple]) -> list[tuple[Triple, Ends]]:
        """Return the accesses whose newest run is another one at the second time, with both runs."""
        old, new = (self.edges.read_edges(triples, window, 1) for window in self.windows)
        runs = (
            (triple, (first.runs[0], second.runs[0]))
            for triple, first, second in zip(triples, old, new, strict=True)
            if first.runs and second.runs and not is_placeholder_program(triple[1])
        )
        return [(triple, pair) for triple, pair in runs if pair[0] != pair[1]]

    def _compare_runs(self, compared: Sequence[tuple[Triple, Ends]]) -> list[set[EdgeChange]]:
        """Return what differs between the two runs of each access."""
        rows = read_run_rows(self.tx, {run for _, pair in compared for run in pair}, ["facts"])
        facts = {urn: parse_stored_json(row["facts"]) for urn, row in rows.items()}
        columns = self._read_columns({(program, run) for (_, program, _), pair in compared for run in pair})
        results: list[set[EdgeChange]] = []
        for triple, pair in compared:
            found: set[EdgeChange] = set()
            if not _has_same_code(*(facts.get(run, {}) for run in pair)):
                found.add("program")
            if not _are_equal(self._read_statements(triple, run) for run in pair):
                found.add("statements")
            if not _are_equal(_select_columns(triple, columns[triple[1], run]) for run in pair):
                found.add("columns")
            results.append(found)
        return results

    def _read_statements(self, triple: Triple, run: str) -> set[str]:
        data, _, mode = triple
        return read_access_statements(self.tx, [(run, data, to_access_mode_of_index(mode))])

    def _read_columns(self, runs: Iterable[Ends]) -> dict[Ends, dict[str, set[_Column]]]:
        """Return the column edges of runs of programs, by target."""
        columns: dict[Ends, dict[str, set[_Column]]] = {}
        for program, run in sorted(runs):
            targets = sorted({row["data"] for row in self.tx.get_table("accesses").scan(Range.prefix(run))})
            rows = self.tx.get_table("column_runs").read_many([(target, program, run) for target in targets])
            columns[program, run] = {
                row["target"]: {tuple(column) for column in parse_stored_json(row["edges"])} for row in rows
            }
        return columns


def _to_accesses(modes: Iterable[str]) -> set[str]:
    return {to_access_mode_of_index(mode) for mode in modes}


def _are_equal(pair: Iterable[object]) -> bool:
    before, after = pair
    return before == after


def _has_same_code(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether no fact about the code differs; a fact that one of the runs lacks is not compared."""
    names = [name for name in _CODE_FACTS if name in before and name in after]
    has_hash = "sourceHash" in names
    return all(before[name] == after[name] for name in names if name != "source" or not has_hash)


def _select_columns(triple: Triple, columns: Mapping[str, set[_Column]]) -> set[_Column]:
    """Return the column edges of a run that belong to an access: those into data that it writes, or from data that it
    reads.
    """
    data, _, mode = triple
    written = {(data, *column) for column in columns.get(data, ())} if mode in WRITE else set()
    read = {(target, *column) for target, all_ in columns.items() for column in all_ if column[1] == data}
    return written | (read if mode in READ else set())
