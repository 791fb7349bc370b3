"""Build lineage responses from a walk: nodes with hidden counts, edges with their runs, and column edges."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse
from types import MappingProxyType
from typing import NamedTuple

from jupyter_colophon.core.lineage.graph import (
    COMPONENTS_MAX,
    MAX_RELATIONS,
    ColumnLineage,
    Direction,
    EdgeAccess,
    Lineage,
    LineageEdge,
    LineageNode,
    LineageRequest,
    TimeWindow,
)
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.service.lineage.declared_edges import (
    join_edges_of_placeholders,
    move_hidden_counts_to_data,
    replace_placeholders_in_frontier,
)
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.lineage.lineage_traversal import (
    MODES,
    READ,
    WALKED,
    WRITE,
    LineageWalk,
    WalkDirection,
    is_data_node,
)
from jupyter_colophon.service.lineage.run_edges import RunEdges
from jupyter_colophon.storage.entities.deleting_namespaces import list_namespaces_being_deleted
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.lineage.assertions import read_declaring_actors
from jupyter_colophon.storage.lineage.edges_as_of import EdgesAsOf, LineageEdges, Side
from jupyter_colophon.storage.lineage.run_accesses import Triple, read_run_rows, read_versions_of_edges
from jupyter_colophon.storage.lineage.statements import (
    PROGRAM_READ,
    PROGRAM_WRITE,
    read_access_statements,
    to_access_mode_of_index,
)
from jupyter_colophon.storage.lineage.table_versions import VERSIONS_MAX
from jupyter_colophon.storage.spi import Edge, Row, TableContext

_RUNS_SHOWN = 10
#: The approximate size of an edge without its texts.
_EDGE_BYTES = 200
#: The count limit of hidden neighbours of a node, and that of a few hubs on each side.
_HIDDEN_CAP, _HUB_CAP, _HUBS_MAX = 1_000, 10_000, 20
#: For how many runs statements are looked up that a walk did not visit.
_STATEMENTS_LOOKED_AT = 2_000
#: For how many edges, and for how many of their runs in total, the versions of tables are looked up.
_VERSIONS_LOOKED_AT = 500
#: How many column edges are examined for visible ends.
_COLUMNS_LOOKED_AT = 2 * MAX_RELATIONS
_SIDES: tuple[tuple[Side, str], ...] = tuple((side, way) for side, way in MODES if way != "undirected")


class HiddenCounts(NamedTuple):
    """The number of hidden neighbours by URN on each side; a lower bound for `capped` nodes."""

    upstream: dict[str, int]
    downstream: dict[str, int]
    capped: set[str]


@dataclass(frozen=True, slots=True)
class LineageBuilder:
    """Builds a lineage response from a walk over these edges."""

    tx: TableContext
    edges: LineageEdges
    node_cache: NodeCache

    def build_lineage(self, request: LineageRequest, walk: LineageWalk) -> Lineage:
        """Build the response: flows are replaced by their programs, and declared edges go from data to data."""
        walked = walk.to_walk_without_flows()
        nodes = self.build_nodes(request, walked)
        placeholders = frozenset(node.urn for node in nodes if node.declared)
        edges, has_all = self._read_edges_and_is_complete(
            walked.triples, request.window, walk.group_statements_by_relation()
        )
        frontier_urns = replace_placeholders_in_frontier(
            self.find_frontier(nodes, request, walked), edges, placeholders
        )
        remaining_nodes = move_hidden_counts_to_data(nodes, edges)
        columns, are_all = (
            self._read_visible_column_edges(walked.levels, placeholders) if request.columns else ([], True)
        )
        return Lineage(
            nodes=remaining_nodes,
            edges=join_edges_of_placeholders(edges, placeholders),
            columns=tuple(columns),
            truncated=walked.truncated or not (are_all and has_all),
            frontier=tuple(node.urn for node in remaining_nodes if node.urn in frontier_urns),
        )

    def build_nodes(self, request: LineageRequest, walk: LineageWalk) -> tuple[LineageNode, ...]:
        """Return the visited nodes, starting with the focus."""
        rows = self.node_cache.get_or_create_node_rows(walk.levels)
        hidden = self._count_hidden_neighbours(request.window, rows, walk)
        deleted_namespaces, time, titles = (
            list_namespaces_being_deleted(self.tx),
            request.as_of,
            self.node_cache.read_program_titles(walk.levels),
        )
        return tuple(
            [
                _create_lineage_node(rows[urn], level, titles.get(urn, ""), hidden, deleted_namespaces, time)
                for urn, level in walk.levels.items()
            ]
        )

    def build_edges(
        self,
        triples: Iterable[Triple],
        window: TimeWindow,
        statements: Mapping[Triple, set[str]] = MappingProxyType({}),
    ) -> tuple[tuple[LineageEdge, ...], bool]:
        """Return the edges of these triples with their newest runs, and whether they are complete.

        Declared edges go from data to data.
        """
        edges, has_all = self._read_edges_and_is_complete(triples, window, statements)
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        placeholders = frozenset(urn for urn in ends if declared_lineage.parse_placeholder_source(urn) is not None)
        return join_edges_of_placeholders(edges, placeholders), has_all

    def _read_edges_and_is_complete(
        self, triples: Iterable[Triple], window: TimeWindow, statements: Mapping[Triple, set[str]]
    ) -> tuple[tuple[LineageEdge, ...], bool]:
        """Return the edges, and whether all of their runs and components are included."""
        run_edges = RunEdges(self.tx, self.edges, window)
        stored_edges = run_edges.exclude_declarations(self.edges.read_edges(sorted(triples), window, _RUNS_SHOWN))
        reporters = self._read_reporters(stored_edges)
        statements_by_triple = {**self._read_statements(stored_edges, statements), **statements}
        versions = self._read_table_versions(stored_edges)
        merged: dict[tuple[str, str, str], LineageEdge] = {}
        for stored_edge, reporter in zip(stored_edges, reporters, strict=True):
            triple = stored_edge[:3]
            for edge in _create_directed_edges(
                stored_edge, reporter, statements_by_triple.get(triple, ()), versions.get(triple, ())
            ):
                key = (edge.source, edge.target, edge.access)
                merged[key] = _merge_edges_of_same_access(merged[key], edge) if key in merged else edge
        edges, has_all = _limit_edges_to_response_size(merged.values())
        return edges, has_all and all(stored_edge.complete for stored_edge in stored_edges)

    def _read_reporters(self, edges: Sequence[Edge]) -> list[str]:
        """Return who reported each edge: the source of a declaration, or the actor of the newest run."""
        programs = {edge.program for edge in edges}
        sources = {program: declared_lineage.parse_placeholder_source(program) for program in programs}
        newest = [edge.runs[0] for edge in edges if edge.runs and not sources[edge.program]]
        actors = {urn: row["actor"] for urn, row in read_run_rows(self.tx, newest, ["actor"]).items()}
        actors |= read_declaring_actors(self.tx, newest)
        return [sources[edge.program] or (actors.get(edge.runs[0], "") if edge.runs else "") for edge in edges]

    def _read_statements(
        self, edges: Sequence[Edge], statements_by_triple: Mapping[Triple, set[str]]
    ) -> Mapping[Triple, set[str]]:
        """Return the statements of the newest runs, for edges of programs where the walk started."""
        edges_to_query = [
            edge
            for edge in edges
            if edge.mode in (PROGRAM_READ, PROGRAM_WRITE) and edge[:3] not in statements_by_triple
        ]
        runs_per_edge = max(1, _STATEMENTS_LOOKED_AT // max(1, len(edges_to_query)))
        return {
            edge[:3]: read_access_statements(
                self.tx, [(run, edge.data, to_access_mode_of_index(edge.mode)) for run in edge.runs[:runs_per_edge]]
            )
            for edge in edges_to_query
        }

    def _read_table_versions(self, edges: Sequence[Edge]) -> Mapping[Triple, tuple[str, ...]]:
        """Return the versions of tables that the newest runs accessed; none of earlier times, or of very many edges."""
        if isinstance(self.edges, EdgesAsOf) or len(edges) > _VERSIONS_LOOKED_AT:
            return {}
        runs_per_edge = _VERSIONS_LOOKED_AT // max(1, len(edges))
        return read_versions_of_edges(self.tx, [edge._replace(runs=edge.runs[:runs_per_edge]) for edge in edges])

    def find_frontier(
        self, nodes: Sequence[LineageNode], request: LineageRequest, walk: LineageWalk
    ) -> tuple[str, ...]:
        """Return the nodes from which a walk can continue: to neighbours, or over more edges to visited ones."""
        open_sides = list(_find_unexpanded_directions(nodes, request.direction, walk))
        frontier_urns = {node.urn for node, _, hidden in open_sides if hidden > 0}
        # Over other modes a program is both entered and left, or left over one of several statements, so data may have
        # further edges to it that were not queried.
        one_way = ("read", "write")
        two_way_data = {data for data, _, mode in walk.triples if mode not in one_way}
        sides: tuple[WalkDirection, ...] = ("upstream", "downstream")
        for side in sides:
            urns = sorted(
                two_way_data.intersection(node.urn for node, way, hidden in open_sides if way == side and not hidden)
            )
            if urns:
                more = self.edges.find_neighbours("data", urns, WALKED["data", side], request.window, request.limit + 1)
                frontier_urns |= {triple[0] for triple in more if triple not in walk.unfolded}
        return tuple(node.urn for node in nodes if node.urn in frontier_urns)

    def _count_hidden_neighbours(self, window: TimeWindow, rows: Mapping[str, Row], walk: LineageWalk) -> HiddenCounts:
        """Count the hidden neighbours of each node, upstream and downstream."""
        shown_upstream, shown_downstream = _count_neighbours(walk.triples)
        most_shown = max([*shown_upstream.values(), *shown_downstream.values()], default=0)
        hidden = HiddenCounts({}, {}, set())
        fully_expanded = {
            key for key in walk.fully_expanded if is_data_node(key[0])
        } | self._find_fully_expanded_programs(window, walk)
        nodes: dict[Side, list[str]] = {"data": [], "program": []}
        for urn in rows:
            nodes["data" if is_data_node(urn) else "program"].append(urn)
        for side, way in _SIDES:
            urns = [urn for urn in nodes[side] if (urn, way) not in fully_expanded]
            shown, counts = (
                (shown_upstream, hidden.upstream) if way == "upstream" else (shown_downstream, hidden.downstream)
            )
            for urn, (count, is_capped) in self._count_neighbours_up_to_cap(
                side, way, urns, window, most_shown
            ).items():
                counts[urn] = max(0, count - shown[urn])
                if is_capped:
                    hidden.capped.add(urn)
        # A stand-in is one of the hidden writers.
        data = sorted(urn for urn, count in hidden.upstream.items() if count and is_data_node(urn))
        for urn, more, is_capped in self._count_hidden_declared_sources(window, data, walk):
            hidden.upstream[urn] += more
            if is_capped:
                hidden.capped.add(urn)
        return hidden

    def _count_neighbours_up_to_cap(
        self, side: Side, way: str, urns: Sequence[str], window: TimeWindow, shown_count: int
    ) -> dict[str, tuple[int, bool]]:
        """Return how many neighbours each node has on a side, and whether the count stopped at a cap."""
        modes = MODES[side, way]  # type: ignore[index]  # of _SIDES
        cap, hub_cap = _HIDDEN_CAP + shown_count, _HUB_CAP + shown_count
        counts = {
            urn: (count, count >= cap)
            for urn, count in self.edges.count_neighbours(side, urns, modes, window, cap).items()
        }
        hubs = [urn for urn, (_, is_capped) in counts.items() if is_capped][:_HUBS_MAX]
        if hubs:
            counted = self.edges.count_neighbours(side, hubs, modes, window, hub_cap)
            counts |= {urn: (count, count >= hub_cap) for urn, count in counted.items()}
        return counts

    def _find_fully_expanded_programs(self, window: TimeWindow, walk: LineageWalk) -> set[tuple[str, str]]:
        """Return the programs and sides whose data were all visited; with statements, some may not have been."""
        fully_expanded = {key for key in walk.fully_expanded if not is_data_node(key[0])}
        programs = sorted({urn for urn, _ in fully_expanded})
        modes = (PROGRAM_READ, PROGRAM_WRITE)
        triples = self.edges.find_neighbours("program", programs, modes, window, MAX_RELATIONS) if programs else []
        with_statements = {program for _, program, _ in triples}
        return (
            set() if len(triples) == MAX_RELATIONS else {key for key in fully_expanded if key[0] not in with_statements}
        )

    def _count_hidden_declared_sources(
        self, window: TimeWindow, data: Sequence[str], walk: LineageWalk
    ) -> Iterator[tuple[str, int, bool]]:
        """Yield additional hidden counts of data declared from several sources, since a stand-in was counted as one."""
        # Most catalogs have no declared lineage, and walks reach thousands of data with hidden writers.
        is_any_declared = bool(data) and declared_lineage.has_version_marks(self.tx.edges.list_runs_after)
        triples = self.edges.find_neighbours("data", data, ("write",), window, _HUB_CAP) if is_any_declared else []
        are_all = len(triples) < _HUB_CAP
        placeholders = {
            program: urn
            for urn, program, mode in triples
            if (urn, program, mode) not in walk.triples
            and declared_lineage.parse_placeholder_source(program) is not None
        }
        reads = (
            self.edges.count_neighbours("program", sorted(placeholders), ("read",), window, _HIDDEN_CAP)
            if placeholders
            else {}
        )
        return (
            (placeholders[program], count - 1, count >= _HIDDEN_CAP or not are_all) for program, count in reads.items()
        )

    def _read_visible_column_edges(
        self, levels: Mapping[str, int], placeholders: frozenset[str]
    ) -> tuple[list[ColumnLineage], bool]:
        """Return the column edges between visible nodes, and whether these are all."""
        targets = sorted(urn for urn in levels if is_data_node(urn))
        rows = stored_runs.list_column_rows_into(self.tx, targets, _COLUMNS_LOOKED_AT + 1)
        column_edges = [
            _create_column_lineage(row, placeholders) for row in rows[:_COLUMNS_LOOKED_AT] if row["source"] in levels
        ]
        columns = list(
            limit_items_to_page_bytes(column_edges[:MAX_RELATIONS], _measure_column_edge_bytes, LIST_BYTES_MAX)
        )
        return columns, len(rows) <= _COLUMNS_LOOKED_AT and len(columns) == len(column_edges)


def _count_neighbours(triples: Iterable[Triple]) -> tuple[Counter[str], Counter[str]]:
    """Return the number of visible neighbours of every node, upstream and downstream."""
    reads = {triple[:2] for triple in triples if triple[2] in READ}
    writes = {triple[:2] for triple in triples if triple[2] in WRITE}
    readers, writers = (Counter([data for data, _ in pairs]) for pairs in (reads, writes))
    readers.update([program for _, program in writes])
    writers.update([program for _, program in reads])
    return writers, readers


def _find_unexpanded_directions(
    nodes: Iterable[LineageNode], direction: Direction, walk: LineageWalk
) -> Iterator[tuple[LineageNode, WalkDirection, int]]:
    """Yield nodes and directions that a walk has not continued, with their hidden counts."""
    for node in nodes:
        for way, on_side, hidden in (
            ("upstream", node.level <= 0, node.hidden_upstream),
            ("downstream", node.level >= 0, node.hidden_downstream),
        ):
            # A fully queried node hides only what may not be shown.
            if (node.urn, way) in walk.queried:
                continue
            if direction == "undirected" or (on_side and direction in (way, "both")):
                yield node, way, hidden  # type: ignore[misc]  # one of the two


def _create_lineage_node(
    row: Row, level: int, title: str, hidden: HiddenCounts, deleted_namespaces: frozenset[str], time: int | None
) -> LineageNode:
    urn, namespace = row["urn"], row["namespace"]
    is_deleted = row["deleted"] and (time is None or row["updated"] <= time)
    # Keywords would take a third of the time, and an answer has thousands of nodes.
    return LineageNode(
        urn,
        row["type"],
        namespace,
        row["name"],
        row["platform"],
        level,
        is_deleted or namespace in deleted_namespaces,
        hidden.upstream.get(urn, 0),
        hidden.downstream.get(urn, 0),
        row.get("declared", False),
        title,
        urn in hidden.capped,
    )


def _create_column_lineage(row: Row, placeholders: frozenset[str]) -> ColumnLineage:
    return ColumnLineage(
        row["source"],
        row["source_field"],
        row["target"],
        row["target_field"],
        None if row["program"] in placeholders else row["program"],
        row["transformation"],
    )


def _merge_edges_of_same_access(first: LineageEdge, second: LineageEdge) -> LineageEdge:
    """Merge the edges of accesses with and without a statement."""
    newer, older = (first, second) if first.statements else (second, first)
    ends = [first.end, second.end]
    return replace(
        newer,
        runs=tuple(dict.fromkeys((*newer.runs, *older.runs)))[:_RUNS_SHOWN],
        run_count=first.run_count + second.run_count,
        start=min(first.start, second.start),
        end=None if None in ends else max(end for end in ends if end is not None),
        components=tuple(sorted({*first.components, *second.components})),
        declared=first.declared and second.declared,
        statements=tuple(sorted({*(first.statements or ("",)), *(second.statements or ("",))})),
        table_versions=tuple(dict.fromkeys((*newer.table_versions, *older.table_versions)))[:VERSIONS_MAX],
    )


def _limit_edges_to_response_size(edges: Collection[LineageEdge]) -> tuple[tuple[LineageEdge, ...], bool]:
    """Limit the edges and their components to the size of a response; return whether all are included."""
    size, has_all = 0, True
    page: list[LineageEdge] = []
    for edge in edges:
        if len(edge.components) > COMPONENTS_MAX:
            page.append(replace(edge, components=edge.components[:COMPONENTS_MAX]))
            has_all = False
        else:
            page.append(edge)
        size += _measure_edge_bytes(page[-1])
        if size > LIST_BYTES_MAX:
            break
    return tuple(page), has_all and len(page) == len(edges)


def _measure_edge_bytes(edge: LineageEdge) -> int:
    """Return the approximate size of an edge in a response."""
    ends = len(edge.source) + len(edge.target)
    texts = (*edge.runs, *edge.components, *edge.statements, *edge.table_versions)
    return _EDGE_BYTES + ends + sum(map(len, texts))


def _measure_column_edge_bytes(edge: ColumnLineage) -> int:
    """Return the approximate size of a column edge in a response."""
    texts = (edge.source, edge.source_field, edge.target, edge.target_field, edge.program or "")
    return _EDGE_BYTES + sum(map(len, texts))


def _create_directed_edges(
    edge: Edge, reporter: str, statements: Collection[str], table_versions: tuple[str, ...]
) -> list[LineageEdge]:
    """Return the directed edges of an access: a read from data to program, a write back, `both` as two."""
    data, program, index_mode, all_runs, run_count, start, stop, components, _ = edge
    runs = tuple(filterfalse(declared_lineage.is_version_mark, all_runs))
    is_declared = not runs and bool(all_runs)
    mode: EdgeAccess = to_access_mode_of_index(index_mode)  # type: ignore[assignment]  # the store holds only modes that were checked
    # Keywords would take a third of the time, and an answer has thousands of edges.
    details = (
        mode,
        runs,
        0 if is_declared else run_count,
        start,
        stop,
        components,
        reporter,
        is_declared,
        tuple(sorted(statements)) if statements else (),
        table_versions,
    )
    if mode == "both":
        return [LineageEdge(data, program, *details), LineageEdge(program, data, *details)]
    return [LineageEdge(program, data, *details) if mode == "write" else LineageEdge(data, program, *details)]
