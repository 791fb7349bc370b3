"""Count the runs of an edge without declarations of the same edge, which have no end while they are valid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.core.model.declared_lineage import is_version_mark
from jupyter_colophon.storage.lineage.edges_as_of import EdgesAsOf, LineageEdges
from jupyter_colophon.storage.lineage.run_accesses import read_run_rows
from jupyter_colophon.storage.spi import Edge, Row, TableContext

#: How many runs of an edge with declarations are examined, newest first.
_RUNS_MAX = 100


@dataclass(frozen=True, slots=True)
class RunEdges:
    """Reads the number, the start and the end of the runs of edges that are declared, too."""

    tx: TableContext
    edges: LineageEdges
    window: TimeWindow

    def exclude_declarations(self, edges: Sequence[Edge]) -> list[Edge]:
        """Return the edges with the number and times of their runs; edges without runs are returned unchanged."""
        return [self._exclude_declarations_of_edge(edge) if _may_have_both(edge) else edge for edge in edges]

    def _exclude_declarations_of_edge(self, edge: Edge) -> Edge:
        if self._is_any_running(self._read_rows(edge.runs)):
            return replace(edge, run_count=edge.run_count - sum(map(is_version_mark, edge.runs)))
        triple = (edge.data, edge.program, edge.mode)
        (examined,) = self.edges.read_edges([triple], self.window, _RUNS_MAX)
        rows = self._read_rows(examined.runs)
        if not rows:
            return edge
        return replace(
            edge,
            run_count=edge.run_count - sum(map(is_version_mark, examined.runs)),
            start=min(row["start"] for row in rows),
            stop=None if self._is_any_running(rows) else max(row["stop"] for row in rows),
        )

    def _read_rows(self, runs: Sequence[str]) -> list[Row]:
        return list(read_run_rows(self.tx, runs).values())

    def _is_any_running(self, rows: Iterable[Row]) -> bool:
        """Return whether one of these runs is running, or was at the time as of which edges are read."""
        time = self.edges.time if isinstance(self.edges, EdgesAsOf) else None
        return any(row["stop"] is None or (time is not None and row["stop"] > time) for row in rows)


def _may_have_both(edge: Edge) -> bool:
    """Return whether an edge with runs may have declarations: among its newest runs, or before them."""
    if edge.run_count <= 1:
        # Most edges: one run or one declaration.
        return False
    declarations = sum(map(is_version_mark, edge.runs))
    has_older = edge.stop is None and edge.run_count > len(edge.runs)
    return declarations < len(edge.runs) and (declarations > 0 or has_older)
