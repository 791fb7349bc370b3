"""Entities, aspects and their history."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.entities.entity import Aspect, AspectVersion, Entity, EntitySummary, Listing
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import VisibleValues
from jupyter_colophon.service.entities.columns import ColumnReader, is_column
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.deleting_namespaces import lasting
from jupyter_colophon.storage.lineage.renames import absent_entity
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How many instances are looked at for a page of those that may be seen.
_SLICE = 200


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the present and the past of entities. Everything raises NotFound for what the principal may not read."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    cursors: Cursors

    def entity(self, urn: Urn, names: Collection[str] | None, principal: Principal) -> Entity:
        """An entity with its aspects, or with those named.

        A column is there as soon as any aspect of its dataset describes it: with the times of the dataset.
        """
        self.gate.require(principal, urn)

        def work(tx: TableContext) -> Entity:
            found = aspects.summary(tx, str(urn)) or self._described_column(tx, urn)
            if found is None:
                # A type that the registry lost is known by what is stored.
                self.registry.type(urn.type)
                raise absent_entity(tx, str(urn))
            present = aspects.present(tx, self.registry, urn.type, str(urn), names)
            return Entity(found, VisibleValues(tx, self.gate, principal).aspects(present))

        return self.provider.tx_runner.run(work, read_only=True)

    def _described_column(self, tx: TableContext, urn: Urn) -> EntitySummary | None:
        """A column without an entity of its own, which aspects of its dataset describe; None for anything else."""
        if not is_column(urn):
            return None
        dataset, path = urn.nested(0), urn.parts[1]
        summary = aspects.summary(tx, str(dataset))
        if summary is None or not ColumnReader(tx, self.registry, dataset, summary.namespace).column(path).described:
            return None
        return replace(summary, urn=str(urn), type=urn.type, name=path, platform=None, removed=False)

    def aspect(self, urn: Urn, name: str, principal: Principal) -> Aspect:
        """One aspect as it is now."""
        self.gate.require(principal, urn)

        def work(tx: TableContext) -> Aspect | None:
            found = aspects.one(tx, self.registry, urn.type, str(urn), name)
            return None if found is None else VisibleValues(tx, self.gate, principal).aspect(found)

        found = self.provider.tx_runner.run(work, read_only=True)
        if found is None:
            self.registry.aspect(urn.type, name)
            raise self.absent(urn, f"{name} of entity")
        return found

    def absent(self, urn: Urn, kind: str = "entity") -> NotFound:
        """Return the error for what a readable entity does not have; it names the one that has its history now."""
        return self.provider.tx_runner.run(lambda tx: absent_entity(tx, str(urn), kind), read_only=True)

    def versions(
        self, urn: Urn, name: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[AspectVersion], str | None]:
        """The history of an aspect, newest first, and where to read on."""
        self.gate.require(principal, urn)
        before = int(self.cursors.read("versions", cursor)) if cursor else None

        def work(tx: TableContext) -> tuple[list[AspectVersion], bool]:
            visible = VisibleValues(tx, self.gate, principal)
            found, is_cut = aspects.history(tx, str(urn), name, before, limit)
            return [visible.version(name, one) for one in found], is_cut

        found, is_cut = self.provider.tx_runner.run(work, read_only=True)
        if not found and not cursor:
            self.registry.aspect(urn.type, name)
            raise self.absent(urn, f"{name} of entity")
        page = found[:-1] if is_cut else found
        more = self.cursors.write("versions", page[-1].version) if is_cut and page else None
        hidden = {one.version for one in found if not self.gate.may_see_value(principal, urn, one.value)}
        return [_after_hidden(one, hidden) for one in page if one.version not in hidden], more

    @audited("list", lambda page: (one.urn for one in page[0]))
    def entities(self, listing: Listing, principal: Principal) -> tuple[list[EntitySummary], str | None]:
        """A page of entities by namespace, type and name, and where to read on; no more than a page are looked at."""
        asked = [listing.namespace, listing.type, listing.prefix, listing.removed]
        place = None
        if listing.cursor:
            *same, place = self.cursors.read("entities", listing.cursor)
            if same != asked:
                raise InvalidQuery("is no cursor of this list", "cursor")

        def work(tx: TableContext) -> list[EntitySummary]:
            return self._page(tx, self.shelves(tx, listing, principal), listing, place, principal)

        found = self.provider.tx_runner.run(work, read_only=True)
        page = found[: listing.limit]
        shown = page if listing.removed else [one for one in page if not one.removed]
        if not page or len(found) <= listing.limit:
            return shown, None
        last = page[-1]
        return shown, self.cursors.write("entities", [*asked, [last.namespace, last.type, last.name, last.urn]])

    def shelves(self, tx: TableContext, listing: Listing, principal: Principal) -> Iterator[tuple[str, str]]:
        """Every (namespace, type) to look through, in order."""
        spaces = [listing.namespace] if listing.namespace else [NO_NAMESPACE, *aspects.namespaces(tx)]
        for space in lasting(tx, spaces):
            if self.gate.may_read(principal, space):
                yield from ((space, kind) for kind in ([listing.type] if listing.type else aspects.types(tx, space)))

    def _page(
        self,
        tx: TableContext,
        shelves: Iterable[tuple[str, str]],
        listing: Listing,
        place: list[str] | None,
        principal: Principal,
    ) -> list[EntitySummary]:
        urns: list[str] = []
        for shelf in shelves:
            if place and shelf < (place[0], place[1]):
                continue
            after = (place[2], place[3]) if place and shelf == (place[0], place[1]) else None
            urns += self._shelf(tx, shelf, listing, after, listing.limit + 1 - len(urns), principal)
            if len(urns) > listing.limit:
                break
        found = aspects.summaries(tx, urns)
        return [found[urn] for urn in urns if urn in found]

    def _shelf(
        self,
        tx: TableContext,
        shelf: tuple[str, str],
        listing: Listing,
        after: tuple[str, str] | None,
        limit: int,
        principal: Principal,
    ) -> list[str]:
        """The URNs of a namespace and type by name, without instances whose own namespace may not be read."""
        if shelf[1] != INSTANCE or not self.gate.has_policy:
            return aspects.names(tx, *shelf, listing.prefix, after, limit)
        seen: list[str] = []
        while len(seen) < limit and (found := aspects.names(tx, *shelf, listing.prefix, after, _SLICE)):
            seen += [urn for urn in found if self.gate.may_see(tx, principal, Urn.parse(urn))]
            after = (self.gate.identity.short_name(Urn.parse(found[-1])), found[-1])
        return seen[:limit]


def _after_hidden(one: AspectVersion, hidden: Collection[int]) -> AspectVersion:
    """A version without the difference from one that may not be read."""
    if one.version - 1 not in hidden or one.value is None:
        return one
    return replace(one, diff=({"op": "add", "path": "", "value": one.value},))
