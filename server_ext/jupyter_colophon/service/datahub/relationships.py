"""Relationships between entities, queried from either end."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.datahub.expectations_as_assertions import DerivedAssertions
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.lineage import relationships
from jupyter_colophon.storage.lineage.relationships import RelationshipRow
from jupyter_colophon.storage.spi import Key, StorageProvider, TableContext

#: How many rows one query scans.
LOOKED_AT_MAX = 10_000


@dataclass(frozen=True, slots=True)
class RelationshipFilter:
    """A filter of edges: by kinds, source and target types, and source and target entities (empty: any)."""

    kinds: frozenset[str] = frozenset()
    source_types: frozenset[str] = frozenset()
    target_types: frozenset[str] = frozenset()
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationshipReader:
    """Reads the table of relationships. An edge is visible to readers of both of its ends."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    cursors: CursorCodec

    def list_visible_edges_page(
        self, urn: Urn, incoming: bool, kinds: frozenset[str], start: int, limit: int, principal: Principal
    ) -> tuple[list[RelationshipRow], int]:
        """Return a part of the incoming or outgoing edges of an entity, and their number."""
        visible = self._list_visible_edges(urn, incoming, kinds, principal)
        return visible[start : start + limit], len(visible)

    def list_visible_edges_to(self, urn: Urn, principal: Principal) -> list[RelationshipRow]:
        """Return the visible edges that refer to an entity."""
        return self._list_visible_edges(urn, True, frozenset(), principal)

    def _list_visible_edges(
        self, urn: Urn, incoming: bool, kinds: frozenset[str], principal: Principal
    ) -> list[RelationshipRow]:
        self.read_policy.require_readable_entity(principal, urn)
        edges = self.provider.tx_runner.run(
            lambda tx: self._read_all_edges_of(tx, urn, incoming, kinds, principal), read_only=True
        )
        return [edge for edge in edges if self._is_edge_visible(edge, principal)]

    @audit_reads_of_method("relationships", lambda page: (urn for edge in page[0] for urn in (edge.target, edge.urn)))
    def scroll_relationships(
        self, edges: RelationshipFilter, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[RelationshipRow], str | None]:
        """Return a page of edges, by target, and the next cursor; the page may be short. Raises InvalidQuery."""
        request_key = [sorted(edges.kinds), sorted(edges.sources), sorted(edges.targets)]
        place: Key = ()
        if cursor:
            *same, position = self.cursors.decode_cursor("relationships", cursor)
            if same != request_key:
                raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "scrollId")
            place = tuple(position)
        scanned = self.provider.tx_runner.run(lambda tx: self._read_edges_after(tx, edges, place), read_only=True)
        matching = (edge for edge in scanned if _matches_filter(edge, edges) and self._is_edge_visible(edge, principal))
        page = list(islice(matching, limit))
        if len(page) == limit:
            last = page[-1]
        elif len(scanned) == LOOKED_AT_MAX:
            last = scanned[-1]
        else:
            return page, None
        return page, self.cursors.encode_cursor("relationships", [*request_key, list(last)])

    @audit_reads_of_method(
        "relationships", lambda page: (urn for edge, *_ in page[0] for urn in (edge.target, edge.urn))
    )
    def scroll_lineage(
        self, urns: Sequence[str], kinds: frozenset[str], flow: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[tuple[RelationshipRow, str, str]], str | None]:
        """Return a page of lineage edges of entities, each with its upstream and downstream end, and the next cursor.

        `flow` limits them to edges to the entities (UPSTREAM) or from them (DOWNSTREAM). Raises InvalidQuery.
        """
        request_key = [sorted(urns), sorted(kinds), flow]
        start = 0
        if cursor:
            *same, start = self.cursors.decode_cursor("lineage edges", cursor)
            if same != request_key:
                raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "scrollId")
        edges = self.provider.tx_runner.run(lambda tx: self._read_edges_around(tx, urns), read_only=True)
        anchors = set(urns)
        directed_edges = [
            (edge, *ends)
            for edge in edges
            if (not kinds or edge.kind in kinds)
            and (ends := self._get_lineage_ends(edge)) is not None
            and self._is_edge_visible(edge, principal)
            and (not flow or ends[flow == "UPSTREAM"] in anchors)
        ]
        page = directed_edges[start : start + limit]
        more = start + limit < len(directed_edges)
        return page, self.cursors.encode_cursor("lineage edges", [*request_key, start + limit]) if more else None

    def _read_edges_around(self, tx: TableContext, urns: Sequence[str]) -> list[RelationshipRow]:
        """Return the edges that have one of these entities as an end."""
        edges: set[RelationshipRow] = set()
        for urn in urns:
            edges.update(relationships.list_relationships_to(tx, urn, frozenset(), (), None))
            edges.update(relationships.list_relationships_from(tx, self.registry, Urn.parse(urn)))
        return sorted(edges)

    def _get_lineage_ends(self, edge: RelationshipRow) -> tuple[str, str] | None:
        """Return the upstream and the downstream end of an edge; None unless it is lineage."""
        spec = self.registry.get_aspect(Urn.parse(edge.urn).type, edge.aspect)
        lineage_relationship = next(
            (
                relationship
                for relationship in spec.relationships
                if relationship.name == edge.kind and relationship.is_lineage
            ),
            None,
        )
        if lineage_relationship is None:
            return None
        return (edge.target, edge.urn) if lineage_relationship.is_upstream else (edge.urn, edge.target)

    def _read_all_edges_of(
        self, tx: TableContext, urn: Urn, incoming: bool, kinds: frozenset[str], principal: Principal
    ) -> list[RelationshipRow]:
        stored = (
            relationships.list_relationships_to(tx, str(urn), kinds, (), None)
            if incoming
            else relationships.list_relationships_from(tx, self.registry, urn)
        )
        derived = DerivedAssertions(tx, self.registry, NodeCache(tx, self.read_policy, principal))
        edges = dict.fromkeys((*stored, *derived.derive_relationships(urn, incoming=incoming)))
        return [edge for edge in edges if not kinds or edge.kind in kinds]

    def _read_edges_after(self, tx: TableContext, edges: RelationshipFilter, after_key: Key) -> list[RelationshipRow]:
        if edges.targets:
            rows = [row for urn in sorted(edges.targets) for row in self._read_edges_to(tx, urn, edges, after_key)]
        elif edges.sources:
            named = (relationships.list_relationships_from(tx, self.registry, Urn.parse(urn)) for urn in edges.sources)
            rows = sorted({row for some in named for row in some if tuple(row) > after_key})
        else:
            rows = relationships.list_relationships_after(tx, after_key, LOOKED_AT_MAX)
        return rows[:LOOKED_AT_MAX]

    def _read_edges_to(
        self, tx: TableContext, urn: str, edges: RelationshipFilter, after_key: Key
    ) -> Sequence[RelationshipRow]:
        if after_key and after_key[0] > urn:
            return ()
        return relationships.list_relationships_to(
            tx, urn, edges.kinds, after_key if after_key and after_key[0] == urn else (), LOOKED_AT_MAX
        )

    def _is_edge_visible(self, edge: RelationshipRow, principal: Principal) -> bool:
        ends = [Urn.parse(edge.target), Urn.parse(edge.urn)]
        return self.read_policy.filter_visible_entities(principal, ends) == ends


def _matches_filter(edge: RelationshipRow, edges: RelationshipFilter) -> bool:
    if edges.kinds and edge.kind not in edges.kinds:
        return False
    if edges.sources and edge.urn not in edges.sources:
        return False
    if edges.source_types and Urn.parse(edge.urn).type not in edges.source_types:
        return False
    return not edges.target_types or Urn.parse(edge.target).type in edges.target_types
