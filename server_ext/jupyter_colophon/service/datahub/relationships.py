"""Relationships between entities, queried from either end."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.read_audit import audit_reads
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.lineage import relationships
from jupyter_colophon.storage.lineage.relationships import NamedEntity
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
    cursors: Cursors

    def list_edges(
        self, urn: Urn, incoming: bool, kinds: frozenset[str], start: int, limit: int, principal: Principal
    ) -> tuple[list[NamedEntity], int]:
        """Return a part of the incoming or outgoing edges of an entity, and their number."""
        visible = self._list_visible_edges(urn, incoming, kinds, principal)
        return visible[start : start + limit], len(visible)

    def list_references(self, urn: Urn, principal: Principal) -> list[NamedEntity]:
        """Return the visible edges that refer to an entity."""
        return self._list_visible_edges(urn, True, frozenset(), principal)

    def _list_visible_edges(
        self, urn: Urn, incoming: bool, kinds: frozenset[str], principal: Principal
    ) -> list[NamedEntity]:
        self.read_policy.require(principal, urn)
        edges = self.provider.tx_runner.run(lambda tx: self._read_edges(tx, urn, incoming, kinds), read_only=True)
        return [edge for edge in edges if self._is_visible(edge, principal)]

    @audit_reads("relationships", lambda page: (urn for edge in page[0] for urn in (edge.target, edge.urn)))
    def scroll(
        self, edges: RelationshipFilter, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[NamedEntity], str | None]:
        """Return a page of edges, by target, and the next cursor; the page may be short. Raises InvalidQuery."""
        request_key = [sorted(edges.kinds), sorted(edges.sources), sorted(edges.targets)]
        place: Key = ()
        if cursor:
            *same, position = self.cursors.read("relationships", cursor)
            if same != request_key:
                raise InvalidQuery("is not a cursor of this list", "scrollId")
            place = tuple(position)
        scanned = self.provider.tx_runner.run(lambda tx: self._read_edges_after(tx, edges, place), read_only=True)
        matching = (edge for edge in scanned if _fits(edge, edges) and self._is_visible(edge, principal))
        page = list(islice(matching, limit))
        if len(page) == limit:
            last = page[-1]
        elif len(scanned) == LOOKED_AT_MAX:
            last = scanned[-1]
        else:
            return page, None
        return page, self.cursors.write("relationships", [*request_key, list(last)])

    @audit_reads("relationships", lambda page: (urn for edge, *_ in page[0] for urn in (edge.target, edge.urn)))
    def scroll_lineage(
        self, urns: Sequence[str], kinds: frozenset[str], flow: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[tuple[NamedEntity, str, str]], str | None]:
        """Return a page of lineage edges of entities, each with its upstream and downstream end, and the next cursor.

        `flow` limits them to edges to the entities (UPSTREAM) or from them (DOWNSTREAM). Raises InvalidQuery.
        """
        request_key = [sorted(urns), sorted(kinds), flow]
        start = 0
        if cursor:
            *same, start = self.cursors.read("lineage edges", cursor)
            if same != request_key:
                raise InvalidQuery("is not a cursor of this list", "scrollId")
        edges = self.provider.tx_runner.run(lambda tx: self._read_edges_around(tx, urns), read_only=True)
        anchors = set(urns)
        directed_edges = [
            (edge, *ends)
            for edge in edges
            if (not kinds or edge.kind in kinds)
            and (ends := self._get_ends(edge)) is not None
            and self._is_visible(edge, principal)
            and (not flow or ends[flow == "UPSTREAM"] in anchors)
        ]
        page = directed_edges[start : start + limit]
        more = start + limit < len(directed_edges)
        return page, self.cursors.write("lineage edges", [*request_key, start + limit]) if more else None

    def _read_edges_around(self, tx: TableContext, urns: Sequence[str]) -> list[NamedEntity]:
        """Return the edges that have one of these entities as an end."""
        edges: set[NamedEntity] = set()
        for urn in urns:
            edges.update(relationships.list_rows_naming(tx, urn, frozenset(), (), None))
            edges.update(relationships.list_named_by(tx, self.registry, Urn.parse(urn)))
        return sorted(edges)

    def _get_ends(self, edge: NamedEntity) -> tuple[str, str] | None:
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

    def _read_edges(self, tx: TableContext, urn: Urn, incoming: bool, kinds: frozenset[str]) -> list[NamedEntity]:
        if incoming:
            return relationships.list_rows_naming(tx, str(urn), kinds, (), None)
        edges = relationships.list_named_by(tx, self.registry, urn)
        return [edge for edge in edges if not kinds or edge.kind in kinds]

    def _read_edges_after(self, tx: TableContext, edges: RelationshipFilter, place: Key) -> list[NamedEntity]:
        if edges.targets:
            rows = [row for urn in sorted(edges.targets) for row in self._read_edges_to(tx, urn, edges, place)]
        elif edges.sources:
            named = (relationships.list_named_by(tx, self.registry, Urn.parse(urn)) for urn in edges.sources)
            rows = sorted({row for some in named for row in some if tuple(row) > place})
        else:
            rows = relationships.list_after(tx, place, LOOKED_AT_MAX)
        return rows[:LOOKED_AT_MAX]

    def _read_edges_to(
        self, tx: TableContext, urn: str, edges: RelationshipFilter, place: Key
    ) -> Sequence[NamedEntity]:
        if place and place[0] > urn:
            return ()
        return relationships.list_rows_naming(
            tx, urn, edges.kinds, place if place and place[0] == urn else (), LOOKED_AT_MAX
        )

    def _is_visible(self, edge: NamedEntity, principal: Principal) -> bool:
        ends = [Urn.parse(edge.target), Urn.parse(edge.urn)]
        return self.read_policy.filter_visible(principal, ends) == ends


def _fits(edge: NamedEntity, edges: RelationshipFilter) -> bool:
    if edges.kinds and edge.kind not in edges.kinds:
        return False
    if edges.sources and edge.urn not in edges.sources:
        return False
    if edges.source_types and Urn.parse(edge.urn).type not in edges.source_types:
        return False
    return not edges.target_types or Urn.parse(edge.target).type in edges.target_types
