"""Entities, aspects and their history."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.entity import Aspect, AspectVersion, Entity, EntitySummary, Listing
from jupyter_colophon.core.errors import Absent, IllegalQuery
from jupyter_colophon.core.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.registry import Registry
from jupyter_colophon.service.gate import Gate
from jupyter_colophon.storage import aspects
from jupyter_colophon.storage.ending import lasting
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the present and the past of entities. Everything raises Absent for what the principal may not read."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    cursors: Cursors

    def entity(self, urn: Urn, names: Collection[str] | None, principal: Principal) -> Entity:
        """An entity with its aspects, or with those named."""
        self.gate.require(principal, urn)
        self.registry.type(urn.type)

        def work(tx: TableContext) -> Entity:
            found = aspects.summary(tx, str(urn))
            if found is None:
                raise Absent("entity", str(urn))
            return Entity(found, aspects.present(tx, self.registry, urn.type, str(urn), names))

        return self.provider.tx_runner.run(work, read_only=True)

    def aspect(self, urn: Urn, name: str, principal: Principal) -> Aspect:
        """One aspect as it is now."""
        self.gate.require(principal, urn)
        self.registry.aspect(urn.type, name)
        found = self.provider.tx_runner.run(
            lambda tx: aspects.one(tx, self.registry, urn.type, str(urn), name), read_only=True
        )
        if found is None:
            raise Absent(f"{name} of entity", str(urn))
        return found

    def versions(
        self, urn: Urn, name: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[AspectVersion], str | None]:
        """The history of an aspect, newest first, and where to read on."""
        self.gate.require(principal, urn)
        self.registry.aspect(urn.type, name)
        before = int(self.cursors.read("versions", cursor)) if cursor else None
        found = self.provider.tx_runner.run(
            lambda tx: aspects.history(tx, str(urn), name, before, limit + 1), read_only=True
        )
        if not found and not cursor:
            raise Absent(f"{name} of entity", str(urn))
        page = found[:limit]
        more = self.cursors.write("versions", page[-1].version) if page and len(found) > limit else None
        return page, more

    def entities(self, listing: Listing, principal: Principal) -> tuple[list[EntitySummary], str | None]:
        """A page of entities by namespace, type and name, and where to read on."""
        asked = [listing.namespace, listing.type, listing.prefix]
        place = None
        if listing.cursor:
            *same, place = self.cursors.read("entities", listing.cursor)
            if same != asked:
                raise IllegalQuery("is no cursor of this list", "cursor")

        def work(tx: TableContext) -> list[EntitySummary]:
            return self._page(tx, self.shelves(tx, listing, principal), listing, place)

        found = self.provider.tx_runner.run(work, read_only=True)
        page = found[: listing.limit]
        if not page or len(found) <= listing.limit:
            return page, None
        last = page[-1]
        return page, self.cursors.write("entities", [*asked, [last.namespace, last.type, last.name, last.urn]])

    def shelves(self, tx: TableContext, listing: Listing, principal: Principal) -> Iterator[tuple[str, str]]:
        """Every (namespace, type) to look through, in order."""
        spaces = [listing.namespace] if listing.namespace else [NO_NAMESPACE, *aspects.namespaces(tx)]
        for space in lasting(tx, spaces):
            if self.gate.may_read(principal, space):
                yield from ((space, kind) for kind in ([listing.type] if listing.type else aspects.types(tx, space)))

    def _page(
        self, tx: TableContext, shelves: Iterable[tuple[str, str]], listing: Listing, place: list[str] | None
    ) -> list[EntitySummary]:
        urns: list[str] = []
        for shelf in shelves:
            if place and shelf < (place[0], place[1]):
                continue
            after = (place[2], place[3]) if place and shelf == (place[0], place[1]) else None
            urns += aspects.names(tx, *shelf, listing.prefix, after, listing.limit + 1 - len(urns))
            if len(urns) > listing.limit:
                break
        found = aspects.summaries(tx, urns)
        return [found[urn] for urn in urns if urn in found]
