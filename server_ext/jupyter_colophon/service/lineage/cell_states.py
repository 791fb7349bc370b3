"""Find which cells of a notebook are stale: what their newest run read was written since, or comes from a stale cell.

A variable belongs to the cell that set it, so another cell that sets a variable of the same name changes nothing, unless
the first one was deleted. A cell is never stale because of its own writes, nor because of files and tables that cells wrote
from its own results: to run it again would only make it stale again.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import (
    Urn,
    is_variable_urn,
    parse_notebook_program_urn,
    parse_variable_urn,
)
from jupyter_colophon.core.lineage.cell_state import CellFreshness, CellState, ChangedInput
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.service.lineage.runs import RunReader
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.storage.lineage.later_writes import LaterWrite, LaterWrites, list_later_writes
from jupyter_colophon.storage.lineage.runs import read_program_titles
from jupyter_colophon.storage.spi import TableContext

#: How many datasets are examined for one notebook.
_DATA_MOST = 500
_NOT_EXAMINED = LaterWrites((), is_complete=False)


@dataclass(slots=True)
class _Cell:
    """The newest run of a cell: when it read data first, when it wrote data last, and what changed."""

    id: str
    run: Run
    reads: dict[str, int] = field(default_factory=dict)
    writes: dict[str, int] = field(default_factory=dict)
    changes: list[ChangedInput] = field(default_factory=list)
    #: The programs whose writes made it stale, directly or through other cells.
    causes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for access in self.run.accesses:
            if access.mode != "write":
                self.reads[access.data] = min(access.first, self.reads.get(access.data, access.first))
            if access.mode in ("write", "both"):
                self.writes[access.data] = max(access.last, self.writes.get(access.data, access.last))


class _Notebook:
    """The cells of a notebook by what they read and wrote; `order` has the ids of its cells from top to bottom, if they are known."""

    def __init__(self, newest: Iterable[Run], order: Sequence[str] | None) -> None:
        self._places = None if order is None else {id_: place for place, id_ in enumerate(order)}
        cells = [_Cell(_get_cell_id(run.program), run) for run in newest if run.accesses]
        kept = [cell for cell in cells if cell.id and not self._is_deleted(cell.id)]
        self.cells = sorted(kept, key=lambda cell: ((self._places or {}).get(cell.id, 0), cell.run.start))
        self._readers: dict[str, list[_Cell]] = defaultdict(list)
        self._writers: dict[str, list[_Cell]] = defaultdict(list)
        self._setters: dict[str, list[tuple[_Cell, int]]] = defaultdict(list)
        for cell in self.cells:
            for data in cell.reads:
                self._readers[data].append(cell)
            for data, time in cell.writes.items():
                self._writers[data].append(cell)
                if (variable := parse_variable_urn(data)) is not None:
                    self._setters[variable[1]].append((cell, time))

    def add_changes(self, later: Mapping[str, LaterWrites]) -> None:
        """Add to each cell the inputs that make it stale; cells that ran earlier come first, since others depend on them."""
        for cell in sorted(self.cells, key=lambda cell: cell.run.start):
            for data, read in cell.reads.items():
                write = self._find_write(cell, data, later[data].writes) or self._find_other_setter(cell, data)
                if write is not None:
                    cell.changes.append(ChangedInput(data, "written", read, write.time, write.program, write.run))
                    cell.causes.add(write.program)
                elif (source := self._find_stale_source(cell, data)) is not None:
                    cell.changes.append(ChangedInput(data, "stale", read, None, source.run.program, source.run.urn))
                    cell.causes |= source.causes

    def _find_write(self, cell: _Cell, data: str, writes: Iterable[LaterWrite]) -> LaterWrite | None:
        """Return the newest write after the cell read data, unless it is a result of the cell."""
        results: set[str] | None = None
        for write in writes:
            if write.time <= cell.reads[data] or write.program == cell.run.program:
                continue
            if is_variable_urn(data):
                return write
            results = self._list_programs_after(cell) if results is None else results
            if write.program not in results:
                return write
        return None

    def _list_programs_after(self, cell: _Cell) -> set[str]:
        """Return the programs of the cells that read, at any distance, what the newest run of `cell` had written."""
        found, waiting = {cell.run.program}, [cell]
        while waiting:
            for data, time in waiting.pop().writes.items():
                for reader in self._readers[data]:
                    if reader.reads[data] >= time and reader.run.program not in found:
                        found.add(reader.run.program)
                        waiting.append(reader)
        return found

    def _find_stale_source(self, cell: _Cell, data: str) -> _Cell | None:
        """Return a stale cell that had written an input of `cell` before it was read, unless `cell` itself made it stale."""
        for writer in self._writers[data]:
            if writer.causes - {cell.run.program} and writer.writes[data] <= cell.reads[data] and writer is not cell:
                return writer
        return None

    def _find_other_setter(self, cell: _Cell, data: str) -> LaterWrite | None:
        """Return how the nearest cell above set a variable of this name later, if the cell that set this one was deleted."""
        variable, places = parse_variable_urn(data), self._places
        if variable is None or places is None or not self._is_deleted(variable[0]):
            return None
        above = [(setter, time) for setter, time in self._setters[variable[1]] if places[setter.id] < places[cell.id]]
        if not above or above[-1][1] <= cell.reads[data]:
            return None
        setter, time = above[-1]
        return LaterWrite(setter.run.program, setter.run.urn, time)

    def _is_deleted(self, cell_id: str) -> bool:
        return self._places is not None and cell_id not in self._places


@dataclass(frozen=True, slots=True)
class CellStateReader:
    """Reads the states of cells."""

    runs: RunReader

    @audit_reads_of_method("runs", lambda states: _list_entities(states), lambda reader: reader.runs.read_policy.audit)
    def list_cell_states(self, notebook: Urn, order: Sequence[str] | None, principal: Principal) -> list[CellState]:
        """Return the states of the cells of a notebook that accessed data, as their newest runs left them.

        `order` has the ids of the notebook's cells from top to bottom: cells that it does not contain were deleted. Without
        it, cells are in the order in which they ran. Data and programs that the principal may not read are left out.
        """
        known = _Notebook(self.runs.list_cell_runs(notebook, principal), order)

        def find_states(tx: TableContext) -> list[CellState]:
            later = _list_writes_of_inputs(tx, known.cells)
            known.add_changes(later)
            titles = self._read_visible_titles(tx, known.cells, principal)
            return [_build_state(cell, later, titles) for cell in known.cells]

        return self.runs.provider.tx_runner.run(find_states, read_only=True)

    def _read_visible_titles(self, tx: TableContext, cells: Iterable[_Cell], principal: Principal) -> dict[str, str]:
        """Return the titles of the programs that the principal may read, "" for those without one."""
        programs = list(dict.fromkeys(change.program for cell in cells for change in cell.changes if change.program))
        visible = self.runs.read_policy.filter_visible(tx, principal, programs, lambda urn: (Urn.parse(urn), None))
        return dict.fromkeys(visible, "") | read_program_titles(tx, visible)


def _list_writes_of_inputs(tx: TableContext, cells: Iterable[_Cell]) -> dict[str, LaterWrites]:
    """Return the writes of each input after it was read first."""
    since: dict[str, int] = {}
    for cell in cells:
        for data, time in cell.reads.items():
            since[data] = min(time, since.get(data, time))
    return {
        data: list_later_writes(tx, data, time) if at < _DATA_MOST else _NOT_EXAMINED
        for at, (data, time) in enumerate(since.items())
    }


def _build_state(cell: _Cell, later: Mapping[str, LaterWrites], titles: Mapping[str, str]) -> CellState:
    """Return the state of a cell; programs without a title entry are hidden from the caller."""
    run, is_complete = cell.run, all(later[data].is_complete for data in cell.reads)
    changes = [
        replace(change, title=titles[change.program])
        if change.program is not None and change.program in titles
        else replace(change, program=None, run=None)
        for change in cell.changes
    ]
    state: CellFreshness = "stale" if changes else "fresh" if is_complete else "unknown"
    return CellState(cell.id, run.program, run.urn, run.start, state, tuple(changes))


def _get_cell_id(program: str) -> str:
    """Return the id of the cell that is this program, "" for the program of a notebook."""
    _, cell_id = parse_notebook_program_urn(Urn.parse(program)) or ("", None)
    return cell_id or ""


def _list_entities(states: Iterable[CellState]) -> Iterator[str]:
    for state in states:
        yield state.program
        for change in state.changes:
            yield change.data
            if change.program is not None:
                yield change.program
