"""Lineage of fields in a window: which of the known edges between columns a run in the window made."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.lineage.field_lineage import Ends, FieldEdge, FieldLineage, FieldQuestion
from jupyter_colophon.core.lineage.graph import MAX_RELATIONS, Window
from jupyter_colophon.service.lineage.lineage import Asking, LineageReader
from jupyter_colophon.service.lineage.lineage_traversal import WRITE, is_data
from jupyter_colophon.storage.lineage.assertions import columns_in_force, spans
from jupyter_colophon.storage.lineage.run_accesses import runs_named
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: How many runs of a program are looked at first, and at most, for edges that its newest run did not make.
_FIRST, _MOST = 50, 5_000
#: Target field, source, source field.
_Pair = tuple[str, str, str]


def field_lineage(reader: LineageReader, question: FieldQuestion, principal: Principal) -> FieldLineage:
    """What the fields of data are made of, and what of them. Raises NotFound."""
    return reader.ask(question.urn, principal, None, lambda asking: _answer(asking, question))


def _answer(asking: Asking, question: FieldQuestion) -> FieldLineage:
    tx, urn = asking.tx, str(question.urn)
    into = Range.prefix(urn, question.field) if question.field else Range.prefix(urn)
    incoming = list(islice(tx.table("column_edges").scan(into), MAX_RELATIONS + 1)) if question.incoming else []
    outgoing = list(islice(_from(tx, question), MAX_RELATIONS + 1)) if question.outgoing else []
    found, are_all = zip(
        *(_within(tx, _readable(asking, rows[:MAX_RELATIONS]), question.window) for rows in (incoming, outgoing)),
        strict=True,
    )
    named = {urn} | {end for edges in found for one in edges for end in (one.source, one.target, one.program)}
    return FieldLineage(
        incoming=found[0],
        outgoing=found[1],
        ends=_ends(asking, named),
        truncated=max(len(incoming), len(outgoing)) > MAX_RELATIONS or not all(are_all),
    )


def _from(tx: TableContext, question: FieldQuestion) -> Iterator[Row]:
    for row in tx.table("column_edges").scan_index("source", str(question.urn)):
        if question.field in ("", row["source_field"]):
            yield row


def _readable(asking: Asking, rows: Sequence[Row]) -> list[Row]:
    """Those whose ends and program the principal may see."""
    ends = ("source", "target", "program")
    shown = asking.nodes.shown({row[end] for row in rows for end in ends})
    return [row for row in rows if all(row[end] in shown for end in ends)]


def _within(tx: TableContext, rows: Sequence[Row], window: Window) -> tuple[list[FieldEdge], bool]:
    """Return the edges that a run in the window made, and whether these are all.

    Nearly always the run that made an edge last is in it.
    """
    found: list[FieldEdge] = []
    are_all = True
    named = {row["run"] for row in rows}
    runs = runs_named(tx, named) | spans(tx, named)
    older: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        run = runs.get(row["run"])
        if run is not None and _is_in(run, window):
            found.append(_edge(row, row["transformation"], run["start"]))
        else:
            older[row["target"], row["program"]].append(row)
    for (target, program), those in older.items():
        made, is_all = _Made(tx, target, program, window).newest({_pair(row) for row in those})
        found += [_edge(row, *made[_pair(row)]) for row in those if _pair(row) in made]
        are_all = are_all and is_all
    return found, are_all


@dataclass(frozen=True, slots=True)
class _Made:
    """What the runs of a program in a window made of the columns of what it wrote."""

    tx: TableContext
    target: str
    program: str
    window: Window

    def newest(self, wanted: set[_Pair]) -> tuple[Mapping[_Pair, tuple[str, int]], bool]:
        """Return how and when (start, ms) a run made each of these, and whether all runs were looked at for them.

        The newest run that made one counts.
        """
        found: dict[_Pair, tuple[str, int]] = {}
        is_all = False
        for most in (_FIRST, _MOST):
            named, are_all = self._runs(most)
            runs = runs_named(self.tx, named) | spans(self.tx, named)
            keys = [(self.target, self.program, run) for run in runs]
            made = {row["run"]: stored(row["edges"]) for row in self.tx.table("column_runs").multi_read(keys)}
            made |= {run: list(self._declared(run)) for run in runs if run not in made}
            for run in sorted(made, key=lambda one: int(runs[one]["start"]), reverse=True):
                for field, source, source_field, how in made[run]:
                    found.setdefault((field, source, source_field), (how, runs[run]["start"]))
            is_all = are_all or wanted <= found.keys()
            if is_all:
                break
        return found, is_all

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


def _ends(asking: Asking, urns: Iterable[str]) -> dict[str, Ends]:
    rows = asking.nodes.rows(sorted(urns))
    schemas = asking.tx.table("aspects").multi_read([(urn, "schemaMetadata") for urn in rows if is_data(urn)])
    fields = {row["urn"]: _fields(row) for row in schemas if row["value"] is not None}
    return {urn: Ends(urn, row["namespace"], fields.get(urn, ())) for urn, row in rows.items()}


def _fields(row: Row) -> tuple[str, ...]:
    return tuple(one["fieldPath"] for one in stored(row["value"]).get("fields", ()))
