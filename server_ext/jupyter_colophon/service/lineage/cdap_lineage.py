"""Lineage as single accesses with run ids, from which `/colophon/v3` builds relations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.relations import Met
from jupyter_colophon.core.identity.names import Urn, program_of
from jupyter_colophon.core.lineage.graph import LineageQuestion, Node
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, take_page
from jupyter_colophon.service.lineage.lineage import LineageQuery, LineageReader
from jupyter_colophon.service.lineage.lineage_response import LineageBuilder
from jupyter_colophon.service.lineage.lineage_traversal import Walk
from jupyter_colophon.storage.lineage import run_accesses
from jupyter_colophon.storage.lineage.edges_as_of import edges_at
from jupyter_colophon.storage.lineage.statements import access_mode
from jupyter_colophon.storage.spi import Edge, Row

#: How many runs of one edge, and of all edges, are returned.
_RUNS_OF_EDGE, _RUNS = 1_000, 50_000
_RUNS_LEAST = 10
#: The approximate size of a relation without its texts.
_RELATION_BYTES = 150
#: How many levels of parents are searched for a workflow.
_PARENTS = 8


@dataclass(frozen=True, slots=True)
class AccessLineage:
    """The accesses, newest runs first, with all nodes that they refer to; `truncated` if runs are missing."""

    met: tuple[Met, ...]
    nodes: Mapping[str, Node]
    frontier: tuple[str, ...]
    truncated: bool


def find_accesses(
    reader: LineageReader, question: LineageQuestion, principal: Principal, *, rollup: bool
) -> AccessLineage:
    """Return the accesses around data; with `rollup`, runs in a workflow are attributed to it. Raises NotFound."""
    return reader.ask(
        question.urn,
        principal,
        question.as_of,
        lambda lineage_query: _answer(lineage_query, question, lineage_query.walk(question).fold(), rollup),
    )


def _answer(lineage_query: LineageQuery, question: LineageQuestion, walked: Walk, rollup: bool) -> AccessLineage:
    edges, complete = _edges(lineage_query, question, walked)
    found = list(run_accesses.of_edges(lineage_query.tx, edges, question.as_of))
    runs = run_accesses.runs_named(lineage_query.tx, (one.run for one in found))
    met = [Met(one.data, one.program, access_mode(one.mode), _run_id(runs, one.run), one.component) for one in found]
    if rollup:
        workflow_runs = _workflows(lineage_query, runs)
        met = [
            replace(one, program=workflow_runs[touch.run]["program"], run=workflow_runs[touch.run]["run_id"])
            if touch.run in workflow_runs
            else one
            for one, touch in zip(met, found, strict=True)
        ]
    page = list(take_page(met, _measure, LIST_BYTES_MAX))
    complete, met = complete and len(page) == len(met), page
    builder = lineage_query.builder
    nodes = builder.nodes(question, walked)
    return AccessLineage(
        met=tuple(met),
        nodes=_named_nodes(builder, question, nodes, met),
        frontier=builder.frontier(nodes, question, walked),
        truncated=walked.truncated or not complete,
    )


def _measure(one: Met) -> int:
    """Return the approximate size of an access in a response, as a relation of its own."""
    return _RELATION_BYTES + len(one.data) + len(one.program) + len(one.run) + 2 * len(one.component)


def _run_id(runs: Mapping[str, Row], run: str) -> str:
    """The id of a run; declared lineage has none."""
    if declared_lineage.parse_version_mark(run) is not None:
        return ""
    return str(runs[run]["run_id"]) if run in runs else run


def _edges(lineage_query: LineageQuery, question: LineageQuestion, walked: Walk) -> tuple[list[Edge], bool]:
    triples = sorted(walked.triples)
    most = max(_RUNS_LEAST, min(_RUNS_OF_EDGE, _RUNS // max(1, len(triples))))
    edges = edges_at(lineage_query.tx, lineage_query.as_of).details(triples, question.window, most)
    return edges, all(edge.complete and len(edge.runs) == edge.run_count for edge in edges)


def _workflows(lineage_query: LineageQuery, runs: Mapping[str, Row]) -> dict[str, Row]:
    """Return the visible workflow run that contains each of these runs."""
    known, rim = dict(runs), set(runs)
    for _ in range(_PARENTS):
        parents = {known[urn]["parent"] for urn in rim if urn in known and known[urn]["parent"]} - known.keys()
        if not parents:
            break
        known |= run_accesses.runs_named(lineage_query.tx, parents)
        rim = parents
    found = {urn: row for urn in runs if (row := _workflow(known, urn)) is not None}
    shown = lineage_query.nodes.visible({row["program"] for row in found.values()})
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


def _named_nodes(
    builder: LineageBuilder, question: LineageQuestion, drawn: Iterable[Node], met: Iterable[Met]
) -> Mapping[str, Node]:
    """Return the nodes that the relations name; workflows were not part of the walk, so they are added."""
    nodes = {node.urn: node for node in drawn}
    named = {end for one in met for end in (one.data, one.program)}
    more = builder.nodes(question, Walk(dict.fromkeys(sorted(named - nodes.keys()), 0)))
    return {urn: node for urn, node in (nodes | {node.urn: node for node in more}).items() if urn in named}
