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

#: How many instances are examined at once for a page of visible ones.
_SLICE = 200


@dataclass(frozen=True, slots=True)
class EntityReader:
    """Reads entities, aspects and their history. All methods raise NotFound for what the principal may not read."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    cursors: Cursors

    def entity(self, urn: Urn, names: Collection[str] | None, principal: Principal) -> Entity:
        """Return an entity with its aspects, or only those named.

        A column exists as soon as any aspect of its dataset describes it; it has the times of the dataset then.
        """
        self.gate.require(principal, urn)

        def work(tx: TableContext) -> Entity:
            found = aspects.summary(tx, str(urn)) or self._described_column(tx, urn)
            if found is None:
                # Raises NotFound for an unknown type; a type removed from the registry may still have stored entities.
                self.registry.type(urn.type)
                raise absent_entity(tx, str(urn))
            present = aspects.present(tx, self.registry, urn.type, str(urn), names)
            return Entity(found, VisibleValues(tx, self.gate, principal).aspects(present))

        return self.provider.tx_runner.run(work, read_only=True)

    def _described_column(self, tx: TableContext, urn: Urn) -> EntitySummary | None:
        """Return a column that only aspects of its dataset describe; None for anything else."""
        if not is_column(urn):
            return None
        dataset, path = urn.nested(0), urn.parts[1]
        summary = aspects.summary(tx, str(dataset))
        if summary is None or not ColumnReader(tx, self.registry, dataset, summary.namespace).column(path).described:
            return None
        return replace(summary, urn=str(urn), type=urn.type, name=path, platform=None, removed=False)

    def aspect(self, urn: Urn, name: str, principal: Principal) -> Aspect:
        """Return the current value of one aspect."""
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
        """Return a NotFound for a readable entity; after a rename, it names the new entity."""
        return self.provider.tx_runner.run(lambda tx: absent_entity(tx, str(urn), kind), read_only=True)

    def versions(
        self, urn: Urn, name: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[AspectVersion], str | None]:
        """Return the history of an aspect, newest first, and the next cursor."""
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
        """Return a page of entities by namespace, type and name, and the next cursor; at most a page is examined."""
        request_key = [listing.namespace, listing.type, listing.prefix, listing.removed]
        position = None
        if listing.cursor:
            *same, position = self.cursors.read("entities", listing.cursor)
            if same != request_key:
                raise InvalidQuery("is not a cursor of this list", "cursor")

        def work(tx: TableContext) -> list[EntitySummary]:
            return self._page(tx, self.namespace_types(tx, listing, principal), listing, position, principal)

        found = self.provider.tx_runner.run(work, read_only=True)
        page = found[: listing.limit]
        shown = page if listing.removed else [one for one in page if not one.removed]
        if not page or len(found) <= listing.limit:
            return shown, None
        last = page[-1]
        return shown, self.cursors.write("entities", [*request_key, [last.namespace, last.type, last.name, last.urn]])

    def namespace_types(self, tx: TableContext, listing: Listing, principal: Principal) -> Iterator[tuple[str, str]]:
        """Yield every (namespace, type) to list, in order."""
        spaces = [listing.namespace] if listing.namespace else [NO_NAMESPACE, *aspects.namespaces(tx)]
        for space in lasting(tx, spaces):
            if self.gate.may_read(principal, space):
                yield from ((space, kind) for kind in ([listing.type] if listing.type else aspects.types(tx, space)))

    def _page(
        self,
        tx: TableContext,
        namespace_types: Iterable[tuple[str, str]],
        listing: Listing,
        position: list[str] | None,
        principal: Principal,
    ) -> list[EntitySummary]:
        urns: list[str] = []
        for namespace_type in namespace_types:
            if position and namespace_type < (position[0], position[1]):
                continue
            after = (position[2], position[3]) if position and namespace_type == (position[0], position[1]) else None
            urns += self._names_of_type(tx, namespace_type, listing, after, listing.limit + 1 - len(urns), principal)
            if len(urns) > listing.limit:
                break
        found = aspects.summaries(tx, urns)
        return [found[urn] for urn in urns if urn in found]

    def _names_of_type(
        self,
        tx: TableContext,
        namespace_type: tuple[str, str],
        listing: Listing,
        after: tuple[str, str] | None,
        limit: int,
        principal: Principal,
    ) -> list[str]:
        """Return URNs of a namespace and type by name, without instances whose own namespace may not be read."""
        if namespace_type[1] != INSTANCE or not self.gate.has_policy:
            return aspects.names(tx, *namespace_type, listing.prefix, after, limit)
        seen: list[str] = []
        while len(seen) < limit and (found := aspects.names(tx, *namespace_type, listing.prefix, after, _SLICE)):
            seen += [urn for urn in found if self.gate.may_see(tx, principal, Urn.parse(urn))]
            after = (self.gate.identity.short_name(Urn.parse(found[-1])), found[-1])
        return seen[:limit]


def _after_hidden(one: AspectVersion, hidden: Collection[int]) -> AspectVersion:
    """Return a version without the diff from a version that may not be read."""
    if one.version - 1 not in hidden or one.value is None:
        return one
    return replace(one, diff=({"op": "add", "path": "", "value": one.value},))
