"""Lineage queries: a part of the graph, paths between two nodes, the impact of a change, and differences."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.descriptors_of import list_entity_descriptors
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import DATA_TYPES, Urn
from jupyter_colophon.core.lineage.answers import (
    ChangedEdge,
    Impact,
    LineageDiff,
    LineageDiffRequest,
    NodeLabels,
    PathRequest,
    Paths,
)
from jupyter_colophon.core.lineage.graph import (
    ALL_TIME,
    MAX_LEVELS,
    MAX_RELATIONS,
    Lineage,
    LineageEdge,
    LineageRequest,
    TimeWindow,
)
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import Descriptor, Kind, may_contribute_kind
from jupyter_colophon.service.lineage.changed_edges import EdgeComparison, group_modes_by_ends, list_ends
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.lineage.lineage_response import LineageBuilder
from jupyter_colophon.service.lineage.lineage_traversal import MODES, LineageWalk, LineageWalker, get_program_triple
from jupyter_colophon.service.lineage.path_steps import (
    PathSteps,
    is_placeholder_program,
    replace_flows_by_programs_in_path,
)
from jupyter_colophon.service.lineage.shortest_paths import ShortestPaths
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.retention import require_history_kept_at
from jupyter_colophon.storage.lineage.edges_as_of import Side, get_lineage_edges_at
from jupyter_colophon.storage.lineage.renames import build_not_found_or_renamed_error, is_left_by_rename
from jupyter_colophon.storage.lineage.run_accesses import Triple
from jupyter_colophon.storage.lineage.statements import get_program_of_node
from jupyter_colophon.storage.spi import Range, Row, StorageProvider, TableContext

T = TypeVar("T")
_PATHS_SHOWN = 100
#: The types that have lineage: data, programs, and external writers of streams.
_TYPES_WITH_LINEAGE = (*DATA_TYPES, "dataJob", "custom")


@dataclass(frozen=True, slots=True)
class LineageQuery:
    """One lineage query in its transaction: the edges as of its time, and the nodes visited so far."""

    tx: TableContext
    registry: Registry
    nodes: NodeCache
    clock: Callable[[], float]
    as_of: int | None

    def walk_visible_graph(self, request: LineageRequest, until: str = "") -> LineageWalk:
        """Traverse the graph, limited to visible nodes. Raises InvalidQuery if a frontier node cannot have lineage."""
        for urn in map(Urn.parse, request.frontier):
            if urn.type not in _TYPES_WITH_LINEAGE:
                raise InvalidQuery(f"contains {urn}, which cannot have lineage", "frontier")
        return LineageWalker(
            get_lineage_edges_at(self.tx, self.as_of), self.clock, self.nodes.filter_visible_nodes
        ).walk_graph(request, until)

    def find_visible_neighbours(self, side: Side, urns: Sequence[str], modes: Sequence[str]) -> list[Triple]:
        """Return the relations of these nodes in these modes whose ends are visible, up to MAX_RELATIONS."""
        edges = get_lineage_edges_at(self.tx, self.as_of)
        triples = edges.find_neighbours(side, urns, modes, ALL_TIME, MAX_RELATIONS) if urns else []
        ends = {end for data, node, _ in triples for end in (data, get_program_of_node(node))}
        visible = self.nodes.filter_visible_nodes(ends)
        return [triple for triple in triples if triple[0] in visible and get_program_of_node(triple[1]) in visible]

    @property
    def builder(self) -> LineageBuilder:
        """The builder of the response."""
        return LineageBuilder(self.tx, get_lineage_edges_at(self.tx, self.as_of), self.nodes)


@dataclass(frozen=True, slots=True)
class LineageReader:
    """Answers lineage queries. `clock` returns monotonic seconds."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    clock: Callable[[], float]

    def read_lineage(self, request: LineageRequest, principal: Principal) -> Lineage:
        """Return the graph around data or a program. Raises NotFound if it never existed, or not yet."""

        def answer(query: LineageQuery) -> Lineage:
            return query.builder.build_lineage(request, query.walk_visible_graph(request))

        return self.run_query_about_node(request.urn, principal, request.as_of, answer)

    def find_paths(self, request: PathRequest, principal: Principal) -> Paths:
        """Return all shortest paths on which data flows from one node to another. Raises NotFound for either."""
        self._require_readable(request.target, principal)
        walk_question = LineageRequest(
            request.source, "downstream", MAX_LEVELS, request.window, MAX_RELATIONS, as_of=request.as_of
        )

        def answer(query: LineageQuery) -> Paths:
            _require_known_node(query, request.target)
            return _find_shortest_paths(query, walk_question, str(request.target))

        return self.run_query_about_node(request.source, principal, request.as_of, answer)

    def count_impact(self, request: LineageRequest, principal: Principal) -> Impact:
        """Count what is downstream of data or a program. Raises NotFound."""

        def answer(query: LineageQuery) -> Impact:
            return _count_downstream_entities(query, request, query.walk_visible_graph(request))

        return self.run_query_about_node(request.urn, principal, request.as_of, answer)

    def diff_lineage(self, request: LineageDiffRequest, principal: Principal) -> LineageDiff:
        """Return the edges that were added, removed and changed between two times. Raises NotFound."""
        return self.run_query_about_node(
            request.urn, principal, None, lambda query: _diff_edges_between_times(query, request)
        )

    @audit_reads_of_method("lineage", lambda labels: (item.urn for item in labels))
    def read_node_labels(self, urns: Iterable[Urn], principal: Principal) -> tuple[NodeLabels, ...]:
        """Return the tags and owner of nodes; unknown and unreadable ones are omitted."""

        def run(tx: TableContext) -> tuple[NodeLabels, ...]:
            nodes = NodeCache(tx, self.read_policy, principal)
            requested = list(dict.fromkeys(str(urn) for urn in urns if urn.type in _TYPES_WITH_LINEAGE))
            visible = nodes.filter_visible_nodes(set(requested))
            query = LineageQuery(tx, self.registry, nodes, self.clock, None)
            return _read_node_labels(query, (urn for urn in requested if urn in visible))

        return self.provider.tx_runner.run(run, read_only=True)

    def run_query_about_node(
        self, urn: Urn, principal: Principal, as_of: int | None, answer: Callable[[LineageQuery], T]
    ) -> T:
        """Run a query about a node in one transaction. Raises NotFound if it never existed, or not yet."""
        self._require_readable(urn, principal)

        def run(tx: TableContext) -> tuple[T, list[str]]:
            require_history_kept_at(tx, as_of)
            query = LineageQuery(tx, self.registry, NodeCache(tx, self.read_policy, principal), self.clock, as_of)
            _require_known_node(query, urn)
            return answer(query), query.nodes.list_visible_nodes()

        result, nodes = self.provider.tx_runner.run(run, read_only=True)
        self.read_policy.record_audited_reads(principal, nodes, "lineage")
        return result

    def require_entity_in_namespace(self, urn: Urn, namespace: str, principal: Principal) -> None:
        """Raise NotFound unless an entity, deleted or not, is in this namespace; "" matches any."""
        self._require_readable(urn, principal)
        row = self.provider.tx_runner.run(lambda tx: tx.get_table("entities").read((str(urn),)), read_only=True)
        own = self.read_policy.identity.get_namespace(urn) if row is None else row["namespace"]
        if namespace not in ("", own):
            raise NotFound("entity", str(urn))

    def _require_readable(self, urn: Urn, principal: Principal) -> None:
        if urn.type not in (*DATA_TYPES, "dataJob"):
            raise InvalidQuery("only datasets, models and programs have lineage", "urn")
        self.read_policy.require_readable_entity(principal, urn)


def _require_known_node(query: LineageQuery, urn: Urn) -> None:
    """Raise NotFound for a URN that is and was no entity, and has no edges."""
    text, tx = str(urn), query.tx
    if _has_entity_existed(tx, urn, query.as_of):
        return
    side: Side = "data" if urn.type in DATA_TYPES else "program"
    if not get_lineage_edges_at(tx, query.as_of).find_neighbours(
        side, [text], MODES[side, "undirected"], TimeWindow(), 1
    ):
        raise build_not_found_or_renamed_error(tx, text)


def _has_entity_existed(tx: TableContext, urn: Urn, time: int | None) -> bool:
    if time is None:
        row = tx.get_table("entities").read((str(urn),))
        return row is not None and not is_left_by_rename(tx, row)
    versions = tx.get_table("aspect_versions").scan(Range.prefix(str(urn), f"{urn.type}Key"))
    first = next((row for row in versions if row["value"] is not None), None)
    return first is not None and int(first["time"]) <= time


def _find_shortest_paths(query: LineageQuery, request: LineageRequest, target: str) -> Paths:
    walked = query.walk_visible_graph(request, until=target)
    source = str(request.urn)
    steps = PathSteps(walked.triples, (source, target))
    shortest_paths = ShortestPaths(source, target, steps.list_all_steps())
    arrows_on_paths = shortest_paths.collect_edges()
    relations = steps.collect_relations_of_steps(arrows_on_paths)
    triples = {get_program_triple(triple) for triple in relations}
    folded_arrows = {replace_flows_by_programs_in_path(arrow) for arrow in arrows_on_paths}
    nodes_on_paths = {end for arrow in folded_arrows for end in arrow} | (
        {target} if shortest_paths.is_found else set()
    )
    walk_on_paths = LineageWalk({urn: level for urn, level in walked.levels.items() if urn in nodes_on_paths}, triples)
    builder = query.builder
    arrows, has_all = builder.build_edges(
        triples, request.window, LineageWalk({}, relations).group_statements_by_relation()
    )
    return Paths(
        levels=walked.levels[target] if shortest_paths.is_found else None,
        count=shortest_paths.count_paths(),
        paths=tuple(replace_flows_by_programs_in_path(path) for path in shortest_paths.list_first_paths(_PATHS_SHOWN)),
        nodes=builder.build_nodes(request, walk_on_paths),
        edges=tuple(
            edge for edge in arrows if edge.access == "declared" or (edge.source, edge.target) in folded_arrows
        ),
        truncated=(walked.truncated and not shortest_paths.is_found) or not has_all,
    )


def _count_downstream_entities(query: LineageQuery, request: LineageRequest, walk: LineageWalk) -> Impact:
    downstream = [urn for urn, level in walk.levels.items() if level > 0]
    rows = [row for row in query.nodes.get_or_create_node_rows(downstream).values() if not row.get("declared")]
    return Impact(
        total=len(rows),
        by_type=_count_most_frequent_first(row["type"] for row in rows),
        by_owner=_count_most_frequent_first(_read_first_owners(query, rows)),
        by_namespace=_count_most_frequent_first(row["namespace"] for row in rows),
        truncated=walk.truncated,
    )


def _count_most_frequent_first(values: Iterable[str]) -> dict[str, int]:
    """Count values, the most frequent first."""
    return dict(sorted(Counter(values).items(), key=lambda word_count: (-word_count[1], word_count[0])))


def _read_first_owners(query: LineageQuery, rows: Iterable[Row]) -> list[str]:
    """Return the first owner of each entity, user-assigned ones first; "" if there is none."""
    descriptors = _read_own_descriptors(query, rows, ("owner",))
    return [next((item.text for item in own), "") for own in descriptors.values()]


def _read_node_labels(query: LineageQuery, urns: Iterable[str]) -> tuple[NodeLabels, ...]:
    rows = [row for row in query.nodes.get_or_create_node_rows(urns).values() if not row.get("declared")]
    return tuple(
        NodeLabels(
            urn=urn,
            tags=tuple(sorted({item.text for item in own if item.kind == "tag"})),
            owner=next((item.text for item in own if item.kind == "owner"), None),
        )
        for urn, own in _read_own_descriptors(query, rows, ("owner", "tag")).items()
    )


def _read_own_descriptors(
    query: LineageQuery, rows: Iterable[Row], kinds: Sequence[Kind]
) -> dict[str, list[Descriptor]]:
    """Return the descriptors of some kinds of each entity itself, not of its columns."""
    types = {row["urn"]: query.registry.get_type_or_unregistered(row["type"]) for row in rows}
    keys = [
        (urn, spec.name)
        for urn, type_ in types.items()
        for spec in type_.aspects
        if any(may_contribute_kind(kind, spec.name, spec.contributes) for kind in kinds)
    ]
    values: dict[str, dict[str, Aspect]] = defaultdict(dict)
    for urn, aspect in aspects.iterate_aspects_of_keys(query.tx, query.registry, keys):
        values[urn][aspect.name] = aspect
    return {
        urn: [item for item in list_entity_descriptors(type_, values[urn]) if item.kind in kinds and not item.column]
        for urn, type_ in types.items()
    }


def _diff_edges_between_times(query: LineageQuery, diff_request: LineageDiffRequest) -> LineageDiff:
    windows = [
        TimeWindow(max(0, time - diff_request.window), time + 1) for time in (diff_request.source, diff_request.target)
    ]
    requests = [
        LineageRequest(diff_request.urn, diff_request.direction, diff_request.levels, window, diff_request.limit)
        for window in windows
    ]
    before, after = (query.walk_visible_graph(request).to_walk_without_flows() for request in requests)
    (added, has_all_added), (removed, has_all_removed) = (
        _find_edges_of_one_time(query, *walks) for walks in ((before, after, windows[1]), (after, before, windows[0]))
    )
    changed, has_all_changed = _find_changed_edges(query, before, after, (windows[0], windows[1]))
    edges = (*added, *removed, *(item.edge for item in changed))
    ends = {end for edge in edges for end in (edge.source, edge.target)} | {str(diff_request.urn)}
    levels = {urn: level for urn, level in (after.levels | before.levels).items() if urn in ends}
    both = LineageRequest(
        diff_request.urn, diff_request.direction, diff_request.levels, TimeWindow(windows[0].start, windows[1].end)
    )
    return LineageDiff(
        added=added,
        removed=removed,
        changed=changed,
        nodes=query.builder.build_nodes(both, LineageWalk(levels, after.triples ^ before.triples)),
        truncated=before.truncated or after.truncated or not (has_all_added and has_all_removed and has_all_changed),
    )


def _find_edges_of_one_time(
    query: LineageQuery, other_walk: LineageWalk, walk_with_edges: LineageWalk, window: TimeWindow
) -> tuple[tuple[LineageEdge, ...], bool]:
    """Return the edges that only one of two walks found, and whether these are complete."""
    fresh = walk_with_edges.triples - other_walk.triples
    programs = {program for _, program, _ in fresh}
    # Declared edges need both halves, even if only one of them is new.
    declared = {
        triple for triple in walk_with_edges.triples if triple[1] in programs and is_placeholder_program(triple[1])
    }
    edges, has_all = query.builder.build_edges(fresh | declared, window)
    others = group_modes_by_ends(other_walk.triples)
    return tuple(edge for edge in edges if (edge.source, edge.target) not in others), has_all


def _find_changed_edges(
    query: LineageQuery, before: LineageWalk, after: LineageWalk, windows: tuple[TimeWindow, TimeWindow]
) -> tuple[tuple[ChangedEdge, ...], bool]:
    """Return the edges that both walks found and that differ, and whether these are complete."""
    comparison = EdgeComparison(query.tx, get_lineage_edges_at(query.tx, query.as_of), windows)
    changes, are_all = comparison.find_changes(before.triples, after.triples)
    triples = {triple for triple in after.triples if not changes.keys().isdisjoint(list_ends(triple))}
    edges, has_all = query.builder.build_edges(triples, windows[1])
    return tuple(
        ChangedEdge(edge, tuple(sorted(changes[edge.source, edge.target])))
        for edge in edges
        if (edge.source, edge.target) in changes
    ), are_all and has_all
