"""Lineage access by access, with the ids of runs: what `/colophon/v3` gathers into relations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.relations import Met
from jupyter_colophon.core.identity.names import Urn, program_of
from jupyter_colophon.core.lineage.graph import LineageQuestion, Node
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, take_page
from jupyter_colophon.service.lineage.lineage import Asking, LineageReader
from jupyter_colophon.service.lineage.lineage_response import Drawing
from jupyter_colophon.service.lineage.lineage_traversal import Walk
from jupyter_colophon.storage.lineage import run_accesses
from jupyter_colophon.storage.lineage.edges_as_of import edges_at
from jupyter_colophon.storage.lineage.statements import access_mode
from jupyter_colophon.storage.spi import Edge, Row

#: Runs that are told of one edge and of all, at most.
_RUNS_OF_EDGE, _RUNS = 1_000, 50_000
_RUNS_LEAST = 10
#: About what the members of a relation take beside its texts.
_RELATION_BYTES = 150
#: A run's parent may have a parent: so far up a workflow is looked for.
_PARENTS = 8


@dataclass(frozen=True, slots=True)
class Related:
    """What was met, newest runs first; `nodes` are all that it names. A part of the runs may be left out: `truncated`."""

    met: tuple[Met, ...]
    nodes: Mapping[str, Node]
    frontier: tuple[str, ...]
    truncated: bool


def related(reader: LineageReader, question: LineageQuestion, principal: Principal, *, rollup: bool) -> Related:
    """The accesses around data; with `rollup`, what ran in a workflow is told as the workflow's. Raises NotFound."""
    return reader.ask(
        question.urn,
        principal,
        question.as_of,
        lambda asking: _answer(asking, question, asking.walk(question).fold(), rollup),
    )


def _answer(asking: Asking, question: LineageQuestion, walked: Walk, rollup: bool) -> Related:
    edges, complete = _edges(asking, question, walked)
    found = list(run_accesses.of_edges(asking.tx, edges, question.as_of))
    runs = run_accesses.runs_named(asking.tx, (one.run for one in found))
    met = [Met(one.data, one.program, access_mode(one.mode), _run_id(runs, one.run), one.component) for one in found]
    if rollup:
        over = _workflows(asking, runs)
        met = [
            replace(one, program=over[touch.run]["program"], run=over[touch.run]["run_id"])
            if touch.run in over
            else one
            for one, touch in zip(met, found, strict=True)
        ]
    told = list(take_page(met, _measure, LIST_BYTES_MAX))
    complete, met = complete and len(told) == len(met), told
    drawing = asking.drawing
    drawn = drawing.nodes(question, walked)
    return Related(
        met=tuple(met),
        nodes=_named(drawing, question, drawn, met),
        frontier=drawing.frontier(drawn, question, walked),
        truncated=walked.truncated or not complete,
    )


def _measure(one: Met) -> int:
    """Return about how many bytes an access takes in an answer where it is a relation of its own."""
    return _RELATION_BYTES + len(one.data) + len(one.program) + len(one.run) + 2 * len(one.component)


def _run_id(runs: Mapping[str, Row], run: str) -> str:
    """The id of a run; declared lineage has none."""
    if declared_lineage.parse_version_mark(run) is not None:
        return ""
    return str(runs[run]["run_id"]) if run in runs else run


def _edges(asking: Asking, question: LineageQuestion, walked: Walk) -> tuple[list[Edge], bool]:
    triples = sorted(walked.triples)
    most = max(_RUNS_LEAST, min(_RUNS_OF_EDGE, _RUNS // max(1, len(triples))))
    edges = edges_at(asking.tx, asking.as_of).details(triples, question.window, most)
    return edges, all(edge.complete and len(edge.runs) == edge.run_count for edge in edges)


def _workflows(asking: Asking, runs: Mapping[str, Row]) -> dict[str, Row]:
    """The workflow's run in which each of these was, where there is one that may be seen."""
    known, rim = dict(runs), set(runs)
    for _ in range(_PARENTS):
        parents = {known[urn]["parent"] for urn in rim if urn in known and known[urn]["parent"]} - known.keys()
        if not parents:
            break
        known |= run_accesses.runs_named(asking.tx, parents)
        rim = parents
    found = {urn: row for urn in runs if (row := _workflow(known, urn)) is not None}
    shown = asking.nodes.shown({row["program"] for row in found.values()})
    return {urn: row for urn, row in found.items() if row["program"] in shown}


def _workflow(known: Mapping[str, Row], urn: str) -> Row | None:
    row = known.get(known[urn]["parent"] or "")
    for _ in range(_PARENTS):
        if row is None:
            return None
        program = program_of(Urn.parse(row["program"]))
        if program is not None and program[2] == "workflows":
            return row
        row = known.get(row["parent"] or "")
    return None


def _named(
    drawing: Drawing, question: LineageQuestion, drawn: Iterable[Node], met: Iterable[Met]
) -> Mapping[str, Node]:
    """The nodes that relations name; of a workflow nothing was walked, so it is drawn here."""
    nodes = {node.urn: node for node in drawn}
    named = {end for one in met for end in (one.data, one.program)}
    more = drawing.nodes(question, Walk(dict.fromkeys(sorted(named - nodes.keys()), 0)))
    return {urn: node for urn, node in (nodes | {node.urn: node for node in more}).items() if urn in named}
