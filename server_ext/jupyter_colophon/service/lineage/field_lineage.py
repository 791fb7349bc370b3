"""Lineage of fields in a time window: the column edges that a run in the window produced."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.lineage.field_lineage import Ends, FieldEdge, FieldLineage, FieldQuestion
from jupyter_colophon.core.lineage.graph import MAX_RELATIONS, Window
from jupyter_colophon.service.lineage.lineage import LineageQuery, LineageReader
from jupyter_colophon.service.lineage.lineage_traversal import WRITE, is_data
from jupyter_colophon.storage.lineage.assertions import columns_in_force, spans
from jupyter_colophon.storage.lineage.run_accesses import runs_named
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: How many runs of a program are examined first, and at most, for edges that its newest run did not produce.
_RUNS_FIRST, _RUNS_MAX = 50, 5_000
#: Target field, source, source field.
_Pair = tuple[str, str, str]


def field_lineage(reader: LineageReader, question: FieldQuestion, principal: Principal) -> FieldLineage:
    """Return the incoming and outgoing lineage of the fields of a dataset. Raises NotFound."""
    return reader.ask(question.urn, principal, None, lambda lineage_query: _answer(lineage_query, question))


def _answer(lineage_query: LineageQuery, question: FieldQuestion) -> FieldLineage:
    tx, urn = lineage_query.tx, str(question.urn)
    into = Range.prefix(urn, question.field) if question.field else Range.prefix(urn)
    incoming = list(islice(tx.table("column_edges").scan(into), MAX_RELATIONS + 1)) if question.incoming else []
    outgoing = list(islice(_from(tx, question), MAX_RELATIONS + 1)) if question.outgoing else []
    found, is_complete = zip(
        *(
            _edges_in_window(tx, _filter_visible_rows(lineage_query, rows[:MAX_RELATIONS]), question.window)
            for rows in (incoming, outgoing)
        ),
        strict=True,
    )
    named = {urn} | {end for edges in found for one in edges for end in (one.source, one.target, one.program)}
    return FieldLineage(
        incoming=found[0],
        outgoing=found[1],
        ends=_ends(lineage_query, named),
        truncated=max(len(incoming), len(outgoing)) > MAX_RELATIONS or not all(is_complete),
    )


def _from(tx: TableContext, question: FieldQuestion) -> Iterator[Row]:
    for row in tx.table("column_edges").scan_index("source", str(question.urn)):
        if question.field in ("", row["source_field"]):
            yield row


def _filter_visible_rows(lineage_query: LineageQuery, rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose ends and program the principal may see."""
    ends = ("source", "target", "program")
    shown = lineage_query.nodes.visible({row[end] for row in rows for end in ends})
    return [row for row in rows if all(row[end] in shown for end in ends)]


def _edges_in_window(tx: TableContext, rows: Sequence[Row], window: Window) -> tuple[list[FieldEdge], bool]:
    """Return the edges that a run in the window produced, and whether these are all.

    The last run that produced an edge is nearly always in the window, so it is checked first.
    """
    found: list[FieldEdge] = []
    is_complete = True
    run_urns = {row["run"] for row in rows}
    runs = runs_named(tx, run_urns) | spans(tx, run_urns)
    older: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        run = runs.get(row["run"])
        if run is not None and _is_in(run, window):
            found.append(_edge(row, row["transformation"], run["start"]))
        else:
            older[row["target"], row["program"]].append(row)
    for (target, program), those in older.items():
        produced, is_complete_for = _ProducedEdges(tx, target, program, window).newest({_pair(row) for row in those})
        found += [_edge(row, *produced[_pair(row)]) for row in those if _pair(row) in produced]
        is_complete = is_complete and is_complete_for
    return found, is_complete


@dataclass(frozen=True, slots=True)
class _ProducedEdges:
    """Finds column edges that the runs of a program in a window produced for one target."""

    tx: TableContext
    target: str
    program: str
    window: Window

    def newest(self, pairs: set[_Pair]) -> tuple[Mapping[_Pair, tuple[str, int]], bool]:
        """Return the transformation and start (ms) of the newest run that produced each of these, and whether all were found."""
        found: dict[_Pair, tuple[str, int]] = {}
        is_complete_for = False
        for most in (_RUNS_FIRST, _RUNS_MAX):
            named, is_complete = self._runs(most)
            runs = runs_named(self.tx, named) | spans(self.tx, named)
            keys = [(self.target, self.program, run) for run in runs]
            produced = {row["run"]: stored(row["edges"]) for row in self.tx.table("column_runs").multi_read(keys)}
            produced |= {run: list(self._declared(run)) for run in runs if run not in produced}
            for run in sorted(produced, key=lambda one: int(runs[one]["start"]), reverse=True):
                for field, source, source_field, how in produced[run]:
                    found.setdefault((field, source, source_field), (how, runs[run]["start"]))
            is_complete_for = is_complete or pairs <= found.keys()
            if is_complete_for:
                break
        return found, is_complete_for

    def _declared(self, run: str) -> Iterator[tuple[str, str, str, str]]:
        for (target, field, source, source_field), how in columns_in_force(self.tx, run).items():
            if target == self.target:
                yield field, source, source_field, how

    def _runs(self, most: int) -> tuple[list[str], bool]:
        triples = [(self.target, self.program, mode) for mode in WRITE]
        edges = self.tx.edges.details(triples, self.window, most)
        return [run for edge in edges for run in edge.runs], all(edge.run_count <= most for edge in edges)


def _is_in(run: Row, window: Window) -> bool:
    begun = window.end is None or run["start"] < window.end
    return begun and (run["stop"] is None or window.start is None or run["stop"] >= window.start)


def _pair(row: Row) -> _Pair:
    return row["target_field"], row["source"], row["source_field"]


def _edge(row: Row, transformation: str, start: int) -> FieldEdge:
    return FieldEdge(
        source=row["source"],
        source_field=row["source_field"],
        target=row["target"],
        target_field=row["target_field"],
        program=row["program"],
        transformation=transformation,
        start=start,
    )


def _ends(lineage_query: LineageQuery, urns: Iterable[str]) -> dict[str, Ends]:
    rows = lineage_query.nodes.rows(sorted(urns))
    schemas = lineage_query.tx.table("aspects").multi_read([(urn, "schemaMetadata") for urn in rows if is_data(urn)])
    fields = {row["urn"]: _fields(row) for row in schemas if row["value"] is not None}
    return {urn: Ends(urn, row["namespace"], fields.get(urn, ())) for urn, row in rows.items()}


def _fields(row: Row) -> tuple[str, ...]:
    return tuple(one["fieldPath"] for one in stored(row["value"]).get("fields", ()))
