"""Count the runs of an edge without declarations of the same edge, which have no end while they are valid."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.core.model.declared_lineage import is_version_mark
from jupyter_colophon.storage.lineage.edges_as_of import EdgesAsOf, LineageEdges
from jupyter_colophon.storage.lineage.run_accesses import read_run_rows
from jupyter_colophon.storage.spi import Edge, Row, TableContext

#: How many runs of an edge with declarations are examined, newest first.
_RUNS_MAX = 100
#: How many edges are examined together: each may have `_RUNS_MAX` runs.
_EDGES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class RunEdges:
    """Reads the number, the start and the end of the runs of edges that are declared, too."""

    tx: TableContext
    edges: LineageEdges
    window: TimeWindow

    def exclude_declarations(self, edges: Sequence[Edge]) -> list[Edge]:
        """Return the edges with the number and times of their runs; edges without runs are returned unchanged."""
        mixed = [edge for edge in edges if _may_have_both(edge)]
        changed: dict[Edge, Edge] = {}
        for at in range(0, len(mixed), _EDGES_AT_ONCE):
            part = mixed[at : at + _EDGES_AT_ONCE]
            changed.update(zip(part, self._exclude_declarations_of_part(part), strict=True))
        return [changed.get(edge, edge) for edge in edges] if changed else list(edges)

    def _exclude_declarations_of_part(self, edges: Sequence[Edge]) -> Iterator[Edge]:
        rows = self._read_rows(edges)
        ended = [edge for edge in edges if not self._is_any_running(_list_rows(edge, rows))]
        triples = [(edge.data, edge.program, edge.mode) for edge in ended]
        examined = dict(zip(ended, self.edges.read_edges(triples, self.window, _RUNS_MAX), strict=True))
        rows |= self._read_rows(examined.values())
        for edge in edges:
            yield self._count_runs(edge, examined.get(edge), rows)

    def _count_runs(self, edge: Edge, examined: Edge | None, rows: Mapping[str, Row]) -> Edge:
        """Return an edge without its declarations; `examined` has more of its runs, unless one of them is running."""
        if examined is None:
            return edge._replace(run_count=edge.run_count - sum(map(is_version_mark, edge.runs)))
        runs = _list_rows(examined, rows)
        if not runs:
            return edge
        return edge._replace(
            run_count=edge.run_count - sum(map(is_version_mark, examined.runs)),
            start=min(row["start"] for row in runs),
            stop=None if self._is_any_running(runs) else max(row["stop"] for row in runs),
        )

    def _read_rows(self, edges: Iterable[Edge]) -> dict[str, Row]:
        return read_run_rows(self.tx, (run for edge in edges for run in edge.runs), ["start", "stop"])

    def _is_any_running(self, rows: Iterable[Row]) -> bool:
        """Return whether one of these runs is running, or was at the time as of which edges are read."""
        time = self.edges.time if isinstance(self.edges, EdgesAsOf) else None
        return any(row["stop"] is None or (time is not None and row["stop"] > time) for row in rows)


def _list_rows(edge: Edge, rows: Mapping[str, Row]) -> list[Row]:
    """Return the rows of the runs of an edge; declarations have none."""
    return [rows[run] for run in edge.runs if run in rows]


def _may_have_both(edge: Edge) -> bool:
    """Return whether an edge with runs may have declarations: among its newest runs, or before them."""
    if edge.run_count <= 1:
        # Most edges: one run or one declaration.
        return False
    declarations = sum(map(is_version_mark, edge.runs))
    has_older = edge.stop is None and edge.run_count > len(edge.runs)
    return declarations < len(edge.runs) and (declarations > 0 or has_older)
