"""Lineage of fields in a time window: the column edges that a run in the window produced."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.lineage.field_lineage import FieldEdge, FieldLineage, FieldLineageEnd, FieldLineageRequest
from jupyter_colophon.core.lineage.graph import MAX_RELATIONS, TimeWindow
from jupyter_colophon.service.lineage.lineage import LineageQuery, LineageReader
from jupyter_colophon.service.lineage.lineage_traversal import WRITE, is_data_node
from jupyter_colophon.storage.lineage.assertions import read_declared_columns, read_validity_times_of_versions
from jupyter_colophon.storage.lineage.run_accesses import read_run_rows
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: How many runs of a program are examined first, and at most, for edges that its newest run did not produce.
_RUNS_FIRST, _RUNS_MAX = 50, 5_000
#: What is read of a run.
_TIMES = ("start", "stop")
#: Target field, source, source field.
_Pair = tuple[str, str, str]


def read_field_lineage(reader: LineageReader, request: FieldLineageRequest, principal: Principal) -> FieldLineage:
    """Return the incoming and outgoing lineage of the fields of a dataset. Raises NotFound."""
    return reader.run_query_about_node(
        request.urn, principal, None, lambda lineage_query: _build_field_lineage(lineage_query, request)
    )


def _build_field_lineage(lineage_query: LineageQuery, request: FieldLineageRequest) -> FieldLineage:
    tx, urn = lineage_query.tx, str(request.urn)
    into = Range.prefix(urn, request.field) if request.field else Range.prefix(urn)
    incoming = list(islice(tx.get_table("column_edges").scan(into), MAX_RELATIONS + 1)) if request.incoming else []
    outgoing = list(islice(_iterate_outgoing_rows(tx, request), MAX_RELATIONS + 1)) if request.outgoing else []
    visible_edges, is_complete = zip(
        *(
            _find_edges_in_window(tx, _filter_visible_rows(lineage_query, rows[:MAX_RELATIONS]), request.window)
            for rows in (incoming, outgoing)
        ),
        strict=True,
    )
    named = {urn} | {
        end for edges in visible_edges for edge in edges for end in (edge.source, edge.target, edge.program)
    }
    return FieldLineage(
        incoming=visible_edges[0],
        outgoing=visible_edges[1],
        ends=_read_visible_ends(lineage_query, named),
        truncated=max(len(incoming), len(outgoing)) > MAX_RELATIONS or not all(is_complete),
    )


def _iterate_outgoing_rows(tx: TableContext, request: FieldLineageRequest) -> Iterator[Row]:
    for row in tx.get_table("column_edges").scan_index("source", str(request.urn)):
        if request.field in ("", row["source_field"]):
            yield row


def _filter_visible_rows(lineage_query: LineageQuery, rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose ends and program the principal may see."""
    ends = ("source", "target", "program")
    visible = lineage_query.nodes.filter_visible_nodes({row[end] for row in rows for end in ends})
    return [row for row in rows if all(row[end] in visible for end in ends)]


def _find_edges_in_window(tx: TableContext, rows: Sequence[Row], window: TimeWindow) -> tuple[list[FieldEdge], bool]:
    """Return the edges that a run in the window produced, and whether these are all.

    The last run that produced an edge is nearly always in the window, so it is checked first.
    """
    edges: list[FieldEdge] = []
    is_complete = True
    run_urns = {row["run"] for row in rows}
    runs = read_run_rows(tx, run_urns, _TIMES) | read_validity_times_of_versions(tx, run_urns)
    older: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        run = runs.get(row["run"])
        if run is not None and _is_run_in_window(run, window):
            edges.append(_create_field_edge(row, row["transformation"], run["start"]))
        else:
            older[row["target"], row["program"]].append(row)
    for (target, program), those in older.items():
        produced, is_complete_for = _ProducedEdges(tx, target, program, window).find_newest_producing_runs(
            {_get_column_pair(row) for row in those}
        )
        edges += [
            _create_field_edge(row, *produced[_get_column_pair(row)])
            for row in those
            if _get_column_pair(row) in produced
        ]
        is_complete = is_complete and is_complete_for
    return edges, is_complete


@dataclass(frozen=True, slots=True)
class _ProducedEdges:
    """Finds column edges that the runs of a program in a window produced for one target."""

    tx: TableContext
    target: str
    program: str
    window: TimeWindow

    def find_newest_producing_runs(self, pairs: set[_Pair]) -> tuple[Mapping[_Pair, tuple[str, int]], bool]:
        """Return the transformation and start (ms) of the newest run that produced each of these, and whether all were found."""
        newest: dict[_Pair, tuple[str, int]] = {}
        is_complete_for = False
        for most in (_RUNS_FIRST, _RUNS_MAX):
            named, is_complete = self._read_newest_runs_in_window(most)
            runs = read_run_rows(self.tx, named, _TIMES) | read_validity_times_of_versions(self.tx, named)
            keys = [(self.target, self.program, run) for run in runs]
            produced = {
                row["run"]: parse_stored_json(row["edges"]) for row in self.tx.get_table("column_runs").read_many(keys)
            }
            produced |= {run: list(self._read_declared_columns_of_mark(run)) for run in runs if run not in produced}
            for run in sorted(produced, key=lambda run_urn: int(runs[run_urn]["start"]), reverse=True):
                for field, source, source_field, how in produced[run]:
                    newest.setdefault((field, source, source_field), (how, runs[run]["start"]))
            is_complete_for = is_complete or pairs <= newest.keys()
            if is_complete_for:
                break
        return newest, is_complete_for

    def _read_declared_columns_of_mark(self, run: str) -> Iterator[tuple[str, str, str, str]]:
        for (target, field, source, source_field), how in read_declared_columns(self.tx, run).items():
            if target == self.target:
                yield field, source, source_field, how

    def _read_newest_runs_in_window(self, maximum: int) -> tuple[list[str], bool]:
        triples = [(self.target, self.program, mode) for mode in WRITE]
        edges = self.tx.edges.read_edges(triples, self.window, maximum)
        return [run for edge in edges for run in edge.runs], all(edge.run_count <= maximum for edge in edges)


def _is_run_in_window(run: Row, window: TimeWindow) -> bool:
    begun = window.end is None or run["start"] < window.end
    return begun and (run["stop"] is None or window.start is None or run["stop"] >= window.start)


def _get_column_pair(row: Row) -> _Pair:
    return row["target_field"], row["source"], row["source_field"]


def _create_field_edge(row: Row, transformation: str, start: int) -> FieldEdge:
    return FieldEdge(
        source=row["source"],
        source_field=row["source_field"],
        target=row["target"],
        target_field=row["target_field"],
        program=row["program"],
        transformation=transformation,
        start=start,
    )


def _read_visible_ends(lineage_query: LineageQuery, urns: Iterable[str]) -> dict[str, FieldLineageEnd]:
    rows = lineage_query.nodes.get_or_create_node_rows(sorted(urns))
    schemas = lineage_query.tx.get_table("aspects").read_many(
        [(urn, "schemaMetadata") for urn in rows if is_data_node(urn)]
    )
    fields = {row["urn"]: _parse_field_names(row) for row in schemas if row["value"] is not None}
    return {urn: FieldLineageEnd(urn, row["namespace"], fields.get(urn, ())) for urn, row in rows.items()}


def _parse_field_names(row: Row) -> tuple[str, ...]:
    return tuple(field["fieldPath"] for field in parse_stored_json(row["value"]).get("fields", ()))
