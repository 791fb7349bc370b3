"""Relationships between entities, queried from either end."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.lineage import relationships
from jupyter_colophon.storage.lineage.relationships import NamedEntity
from jupyter_colophon.storage.spi import Key, StorageProvider, TableContext

#: How many rows one query scans.
LOOKED_AT_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Edges:
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
    gate: Gate
    cursors: Cursors

    def edges_of(
        self, urn: Urn, incoming: bool, kinds: frozenset[str], start: int, limit: int, principal: Principal
    ) -> tuple[list[NamedEntity], int]:
        """Return a part of the incoming or outgoing edges of an entity, and their number."""
        visible = self._visible_edges(urn, incoming, kinds, principal)
        return visible[start : start + limit], len(visible)

    def references(self, urn: Urn, principal: Principal) -> list[NamedEntity]:
        """Return the visible edges that refer to an entity."""
        return self._visible_edges(urn, True, frozenset(), principal)

    def _visible_edges(
        self, urn: Urn, incoming: bool, kinds: frozenset[str], principal: Principal
    ) -> list[NamedEntity]:
        self.gate.require(principal, urn)
        found = self.provider.tx_runner.run(lambda tx: self._of(tx, urn, incoming, kinds), read_only=True)
        return [one for one in found if self._is_visible(one, principal)]

    @audited("relationships", lambda page: (urn for edge in page[0] for urn in (edge.target, edge.urn)))
    def scroll(
        self, edges: Edges, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[NamedEntity], str | None]:
        """Return a page of edges, by target, and the next cursor; the page may be short. Raises InvalidQuery."""
        request_key = [sorted(edges.kinds), sorted(edges.sources), sorted(edges.targets)]
        place: Key = ()
        if cursor:
            *same, position = self.cursors.read("relationships", cursor)
            if same != request_key:
                raise InvalidQuery("is not a cursor of this list", "scrollId")
            place = tuple(position)
        scanned = self.provider.tx_runner.run(lambda tx: self._after(tx, edges, place), read_only=True)
        matching = (one for one in scanned if _fits(one, edges) and self._is_visible(one, principal))
        found = list(islice(matching, limit))
        if len(found) == limit:
            last = found[-1]
        elif len(scanned) == LOOKED_AT_MAX:
            last = scanned[-1]
        else:
            return found, None
        return found, self.cursors.write("relationships", [*request_key, list(last)])

    @audited("relationships", lambda page: (urn for edge, *_ in page[0] for urn in (edge.target, edge.urn)))
    def lineage(
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
        edges = self.provider.tx_runner.run(lambda tx: self._around(tx, urns), read_only=True)
        anchors = set(urns)
        found = [
            (one, *ends)
            for one in edges
            if (not kinds or one.kind in kinds)
            and (ends := self._ends(one)) is not None
            and self._is_visible(one, principal)
            and (not flow or ends[flow == "UPSTREAM"] in anchors)
        ]
        page = found[start : start + limit]
        more = start + limit < len(found)
        return page, self.cursors.write("lineage edges", [*request_key, start + limit]) if more else None

    def _around(self, tx: TableContext, urns: Sequence[str]) -> list[NamedEntity]:
        """Return the edges that have one of these entities as an end."""
        found: set[NamedEntity] = set()
        for urn in urns:
            found.update(relationships.rows_naming(tx, urn, frozenset(), (), None))
            found.update(relationships.named_by(tx, self.registry, Urn.parse(urn)))
        return sorted(found)

    def _ends(self, edge: NamedEntity) -> tuple[str, str] | None:
        """Return the upstream and the downstream end of an edge; None unless it is lineage."""
        spec = self.registry.aspect(Urn.parse(edge.urn).type, edge.aspect)
        lineage_relationship = next(
            (one for one in spec.relationships if one.name == edge.kind and one.is_lineage), None
        )
        if lineage_relationship is None:
            return None
        return (edge.target, edge.urn) if lineage_relationship.is_upstream else (edge.urn, edge.target)

    def _of(self, tx: TableContext, urn: Urn, incoming: bool, kinds: frozenset[str]) -> list[NamedEntity]:
        if incoming:
            return relationships.rows_naming(tx, str(urn), kinds, (), None)
        found = relationships.named_by(tx, self.registry, urn)
        return [one for one in found if not kinds or one.kind in kinds]

    def _after(self, tx: TableContext, edges: Edges, place: Key) -> list[NamedEntity]:
        if edges.targets:
            found = [one for urn in sorted(edges.targets) for one in self._to(tx, urn, edges, place)]
        elif edges.sources:
            named = (relationships.named_by(tx, self.registry, Urn.parse(urn)) for urn in edges.sources)
            found = sorted({one for some in named for one in some if tuple(one) > place})
        else:
            found = relationships.after(tx, place, LOOKED_AT_MAX)
        return found[:LOOKED_AT_MAX]

    def _to(self, tx: TableContext, urn: str, edges: Edges, place: Key) -> Sequence[NamedEntity]:
        if place and place[0] > urn:
            return ()
        return relationships.rows_naming(
            tx, urn, edges.kinds, place if place and place[0] == urn else (), LOOKED_AT_MAX
        )

    def _is_visible(self, one: NamedEntity, principal: Principal) -> bool:
        ends = [Urn.parse(one.target), Urn.parse(one.urn)]
        return self.gate.filter_visible(principal, ends) == ends


def _fits(one: NamedEntity, edges: Edges) -> bool:
    if edges.kinds and one.kind not in edges.kinds:
        return False
    if edges.sources and one.urn not in edges.sources:
        return False
    if edges.source_types and Urn.parse(one.urn).type not in edges.source_types:
        return False
    return not edges.target_types or Urn.parse(one.target).type in edges.target_types
