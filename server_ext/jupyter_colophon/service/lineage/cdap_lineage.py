"""Lineage as single accesses with run ids, from which `/colophon/v3` builds relations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.relations import ProgramAccess
from jupyter_colophon.core.identity.names import Urn, parse_program_urn
from jupyter_colophon.core.lineage.graph import LineageNode, LineageRequest
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.service.lineage.lineage import LineageQuery, LineageReader
from jupyter_colophon.service.lineage.lineage_response import LineageBuilder
from jupyter_colophon.service.lineage.lineage_traversal import LineageWalk
from jupyter_colophon.storage.lineage import run_accesses
from jupyter_colophon.storage.lineage.edges_as_of import get_lineage_edges_at
from jupyter_colophon.storage.lineage.statements import to_access_mode_of_index
from jupyter_colophon.storage.spi import Edge, Row

#: How many runs of one edge, and of all edges, are returned.
_RUNS_OF_EDGE, _RUNS = 1_000, 50_000
_RUNS_LEAST = 10
#: The approximate size of a relation without its texts.
_RELATION_BYTES = 150
#: How many levels of parents are searched for a workflow.
_PARENTS = 8
#: What is read of a run.
_RUN_COLUMNS = ("program", "run_id", "parent")


@dataclass(frozen=True, slots=True)
class AccessLineage:
    """The accesses, newest runs first, with all nodes that they refer to; `truncated` if runs are missing."""

    accesses: tuple[ProgramAccess, ...]
    nodes: Mapping[str, LineageNode]
    frontier: tuple[str, ...]
    truncated: bool


def find_accesses_around_data(
    reader: LineageReader, request: LineageRequest, principal: Principal, *, rollup: bool
) -> AccessLineage:
    """Return the accesses around data; with `rollup`, runs in a workflow are attributed to it. Raises NotFound."""
    return reader.run_query_about_node(
        request.urn,
        principal,
        request.as_of,
        lambda lineage_query: _build_access_lineage(
            lineage_query, request, lineage_query.walk_visible_graph(request).to_walk_without_flows(), rollup
        ),
    )


def _build_access_lineage(
    lineage_query: LineageQuery, request: LineageRequest, walk: LineageWalk, rollup: bool
) -> AccessLineage:
    edges, complete = _read_edges_of_walk(lineage_query, request, walk)
    accesses = list(run_accesses.iterate_run_accesses(lineage_query.tx, edges, request.as_of))
    runs = run_accesses.read_run_rows(lineage_query.tx, (access.run for access in accesses), _RUN_COLUMNS)
    met = [
        ProgramAccess(
            access.data,
            access.program,
            to_access_mode_of_index(access.mode),
            _get_run_id_or_empty(runs, access.run),
            access.component,
        )
        for access in accesses
    ]
    if rollup:
        workflow_runs = _find_visible_workflow_runs(lineage_query, runs)
        met = [
            replace(program_access, program=workflow_runs[touch.run]["program"], run=workflow_runs[touch.run]["run_id"])
            if touch.run in workflow_runs
            else program_access
            for program_access, touch in zip(met, accesses, strict=True)
        ]
    page = list(limit_items_to_page_bytes(met, _measure_access_bytes, LIST_BYTES_MAX))
    complete, met = complete and len(page) == len(met), page
    builder = lineage_query.builder
    nodes = builder.build_nodes(request, walk)
    return AccessLineage(
        accesses=tuple(met),
        nodes=_collect_nodes(builder, request, nodes, met),
        frontier=builder.find_frontier(nodes, request, walk),
        truncated=walk.truncated or not complete,
    )


def _measure_access_bytes(access: ProgramAccess) -> int:
    """Return the approximate size of an access in a response, as a relation of its own."""
    return _RELATION_BYTES + len(access.data) + len(access.program) + len(access.run) + 2 * len(access.component)


def _get_run_id_or_empty(runs: Mapping[str, Row], run: str) -> str:
    """Return the id of a run; "" for declared lineage."""
    if declared_lineage.parse_version_mark(run) is not None:
        return ""
    return str(runs[run]["run_id"]) if run in runs else run


def _read_edges_of_walk(
    lineage_query: LineageQuery, request: LineageRequest, walk: LineageWalk
) -> tuple[list[Edge], bool]:
    triples = sorted(walk.triples)
    most = max(_RUNS_LEAST, min(_RUNS_OF_EDGE, _RUNS // max(1, len(triples))))
    edges = get_lineage_edges_at(lineage_query.tx, lineage_query.as_of).read_edges(triples, request.window, most)
    return edges, all(edge.complete and len(edge.runs) == edge.run_count for edge in edges)


def _find_visible_workflow_runs(lineage_query: LineageQuery, runs: Mapping[str, Row]) -> dict[str, Row]:
    """Return the visible workflow run that contains each of these runs."""
    known_runs, rim = dict(runs), set(runs)
    for _ in range(_PARENTS):
        parents = {
            known_runs[urn]["parent"] for urn in rim if urn in known_runs and known_runs[urn]["parent"]
        } - known_runs.keys()
        if not parents:
            break
        known_runs |= run_accesses.read_run_rows(lineage_query.tx, parents, _RUN_COLUMNS)
        rim = parents
    workflow_runs = {urn: row for urn in runs if (row := _find_workflow_run(known_runs, urn)) is not None}
    visible_programs = lineage_query.nodes.filter_visible_nodes({row["program"] for row in workflow_runs.values()})
    return {urn: row for urn, row in workflow_runs.items() if row["program"] in visible_programs}


def _find_workflow_run(known_runs: Mapping[str, Row], urn: str) -> Row | None:
    row = known_runs.get(known_runs[urn]["parent"] or "")
    for _ in range(_PARENTS):
        if row is None:
            return None
        program = parse_program_urn(Urn.parse(row["program"]))
        if program is not None and program[2] == "workflows":
            return row
        row = known_runs.get(row["parent"] or "")
    return None


def _collect_nodes(
    builder: LineageBuilder,
    request: LineageRequest,
    known_nodes: Iterable[LineageNode],
    accesses: Iterable[ProgramAccess],
) -> Mapping[str, LineageNode]:
    """Return the nodes that the relations name; workflows were not part of the walk, so they are added."""
    nodes = {node.urn: node for node in known_nodes}
    named = {end for access in accesses for end in (access.data, access.program)}
    more = builder.build_nodes(request, LineageWalk(dict.fromkeys(sorted(named - nodes.keys()), 0)))
    return {urn: node for urn, node in (nodes | {node.urn: node for node in more}).items() if urn in named}
