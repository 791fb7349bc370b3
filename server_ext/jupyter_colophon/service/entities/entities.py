"""Entities, aspects and their history."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.entities.entity import Aspect, AspectVersion, Entity, EntityListing, EntitySummary
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn, make_notebook_program_urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import AspectRedactor
from jupyter_colophon.service.entities.columns import ColumnReader, is_column_urn
from jupyter_colophon.service.entities.display_names import DisplayNameReader
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.deleting_namespaces import filter_namespaces_not_being_deleted
from jupyter_colophon.storage.lineage.renames import build_not_found_or_renamed_error
from jupyter_colophon.storage.lineage.runs import find_notebook_of_kernel
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How many entities are examined at once for a page of visible ones.
_SLICE = 200


@dataclass(frozen=True, slots=True)
class EntityReader:
    """Reads entities, aspects and their history. All methods raise NotFound for what the principal may not read."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    cursors: CursorCodec

    def read_entity(self, urn: Urn, names: Collection[str] | None, principal: Principal) -> Entity:
        """Return an entity with its aspects, or only those named.

        A column exists as soon as any aspect of its dataset describes it; it has the times of the dataset then.
        """

        def read_visible(tx: TableContext) -> Entity:
            self.read_policy.require_readable_in_transaction(tx, principal, urn)
            summary = aspects.find_entity_summary(tx, str(urn)) or self._find_described_column(tx, urn)
            if summary is None:
                # Raises NotFound for an unknown type; a type removed from the registry may still have stored entities.
                self.registry.get_type(urn.type)
                raise build_not_found_or_renamed_error(tx, str(urn))
            present = aspects.read_present_aspects(tx, self.registry, urn.type, str(urn), names)
            (summary,) = self._add_display_names(tx, [summary], principal)
            return Entity(summary, self._create_redactor(tx, principal).redact_aspects(str(urn), present))

        return self.provider.tx_runner.run(read_visible, read_only=True)

    def _create_redactor(self, tx: TableContext, principal: Principal) -> AspectRedactor:
        return AspectRedactor(tx, self.registry, self.read_policy, principal)

    def _find_described_column(self, tx: TableContext, urn: Urn) -> EntitySummary | None:
        """Return a column that only aspects of its dataset describe; None for anything else."""
        if not is_column_urn(urn):
            return None
        dataset, path = urn.parse_part_as_urn(0), urn.parts[1]
        summary = aspects.find_entity_summary(tx, str(dataset))
        if (
            summary is None
            or not ColumnReader(tx, self.registry, dataset, summary.namespace).read_column(path).sourced_descriptors
        ):
            return None
        return replace(summary, urn=str(urn), type=urn.type, name=path, platform=None, removed=False)

    def read_current_aspect(self, urn: Urn, name: str, principal: Principal) -> Aspect:
        """Return the current value of one aspect."""

        def find_aspect(tx: TableContext) -> Aspect | None:
            self.read_policy.require_readable_in_transaction(tx, principal, urn)
            aspect = aspects.find_aspect(tx, self.registry, urn.type, str(urn), name)
            return None if aspect is None else self._create_redactor(tx, principal).redact_aspect(str(urn), aspect)

        visible_aspect = self.provider.tx_runner.run(find_aspect, read_only=True)
        if visible_aspect is None:
            self.registry.get_aspect(urn.type, name)
            raise self.create_not_found_or_renamed_error(urn, f"{name} of entity")
        return visible_aspect

    def create_not_found_or_renamed_error(self, urn: Urn, kind: str = "entity") -> NotFound:
        """Return a NotFound for a readable entity; after a rename, it names the new entity."""
        return self.provider.tx_runner.run(
            lambda tx: build_not_found_or_renamed_error(tx, str(urn), kind), read_only=True
        )

    def list_aspect_versions(
        self, urn: Urn, name: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[AspectVersion], str | None]:
        """Return the history of an aspect, newest first, and the next cursor."""
        self.read_policy.require_readable_entity(principal, urn)
        before = int(self.cursors.decode_cursor("versions", cursor)) if cursor else None

        def read_history(tx: TableContext) -> tuple[list[AspectVersion], bool]:
            visible = self._create_redactor(tx, principal)
            history, is_cut = aspects.list_aspect_versions(tx, str(urn), name, before, limit)
            notebooks = self._find_notebooks_of_kernels(tx, {item.via for item in history if item.via}, principal)
            return [
                replace(visible.redact_version(str(urn), name, item), notebook=notebooks.get(item.via or "", ""))
                for item in history
            ], is_cut

        versions, is_cut = self.provider.tx_runner.run(read_history, read_only=True)
        if not versions and not cursor:
            self.registry.get_aspect(urn.type, name)
            raise self.create_not_found_or_renamed_error(urn, f"{name} of entity")
        page = versions[:-1] if is_cut else versions
        more = self.cursors.encode_cursor("versions", page[-1].version) if is_cut and page else None
        hidden = {
            aspect_version.version
            for aspect_version in versions
            if not self.read_policy.may_see_instance_version(principal, urn, aspect_version.value)
        }
        return [
            _drop_diff_from_hidden_version(aspect_version, hidden)
            for aspect_version in page
            if aspect_version.version not in hidden
        ], more

    def _find_notebooks_of_kernels(
        self, tx: TableContext, kernels: Iterable[str], principal: Principal
    ) -> dict[str, str]:
        """Return the paths of the notebooks of these kernels, as far as a run is recorded that may be read."""
        notebooks = {kernel: find_notebook_of_kernel(tx, kernel) for kernel in kernels}
        return {
            kernel: path
            for kernel, path in notebooks.items()
            if path is not None
            and self.read_policy.may_see_entity(
                tx, principal, make_notebook_program_urn(self.read_policy.identity.notebook_namespace, path)
            )
        }

    @audit_reads_of_method("list", lambda page: (summary.urn for summary in page[0]))
    def list_visible_entities(
        self, listing: EntityListing, principal: Principal
    ) -> tuple[list[EntitySummary], str | None]:
        """Return a page of entities by namespace, type and name, and the next cursor; at most a page is examined."""
        request_key = [listing.namespace, listing.type, listing.prefix, listing.removed]
        position = None
        if listing.cursor:
            *same, position = self.cursors.decode_cursor("entities", listing.cursor)
            if same != request_key:
                raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "cursor")

        def read_page(tx: TableContext) -> list[EntitySummary]:
            page = self._read_page_of_summaries(
                tx, self.list_namespace_types(tx, listing, principal), listing, position, principal
            )
            return self._add_display_names(tx, page, principal)

        summaries = self.provider.tx_runner.run(read_page, read_only=True)
        page = summaries[: listing.limit]
        visible = page if listing.removed else [summary for summary in page if not summary.removed]
        if not page or len(summaries) <= listing.limit:
            return visible, None
        last = page[-1]
        return visible, self.cursors.encode_cursor(
            "entities", [*request_key, [last.namespace, last.type, last.name, last.urn]]
        )

    def _add_display_names(
        self, tx: TableContext, summaries: Collection[EntitySummary], principal: Principal
    ) -> list[EntitySummary]:
        reader = DisplayNameReader(tx, self.registry, self.read_policy, principal)
        names = reader.read_display_names(summary.urn for summary in summaries)
        return [replace(summary, display_name=names.get(summary.urn, "")) for summary in summaries]

    def list_namespace_types(
        self, tx: TableContext, listing: EntityListing, principal: Principal
    ) -> Iterator[tuple[str, str]]:
        """Yield every (namespace, type) to list, in order."""
        spaces = [listing.namespace] if listing.namespace else [NO_NAMESPACE, *aspects.list_namespaces(tx)]
        for space in filter_namespaces_not_being_deleted(tx, spaces):
            if self.read_policy.may_read_part_of_namespace(principal, space):
                yield from (
                    (space, kind)
                    for kind in ([listing.type] if listing.type else aspects.iterate_entity_types(tx, space))
                    if self.read_policy.decide_all(principal, space, kind) is not False
                )

    def _read_page_of_summaries(
        self,
        tx: TableContext,
        namespace_types: Iterable[tuple[str, str]],
        listing: EntityListing,
        position: list[str] | None,
        principal: Principal,
    ) -> list[EntitySummary]:
        urns: list[str] = []
        for namespace_type in namespace_types:
            if position and namespace_type < (position[0], position[1]):
                continue
            after = (position[2], position[3]) if position and namespace_type == (position[0], position[1]) else None
            urns += self._list_urns_of_type(
                tx, namespace_type, listing, after, listing.limit + 1 - len(urns), principal
            )
            if len(urns) > listing.limit:
                break
        summaries = aspects.find_entity_summaries(tx, urns)
        return [summaries[urn] for urn in urns if urn in summaries]

    def _list_urns_of_type(
        self,
        tx: TableContext,
        namespace_type: tuple[str, str],
        listing: EntityListing,
        after: tuple[str, str] | None,
        limit: int,
        principal: Principal,
    ) -> list[str]:
        """Return URNs of a namespace and type by name, without those that may not be read."""
        if self.read_policy.decide_all(principal, *namespace_type):
            return aspects.list_entity_urns(tx, *namespace_type, listing.prefix, after, limit)
        visible_urns: list[str] = []
        size = min(limit, _SLICE)
        while len(visible_urns) < limit and (
            slice_urns := aspects.list_entity_urns(tx, *namespace_type, listing.prefix, after, size)
        ):
            # Often the first slice is enough.
            size = _SLICE
            visible_urns += self.read_policy.filter_visible_of_types(
                tx, principal, slice_urns, lambda urn: (urn, namespace_type[1], namespace_type[0])
            )
            after = (self.read_policy.identity.get_short_name(Urn.parse(slice_urns[-1])), slice_urns[-1])
        return visible_urns[:limit]


def _drop_diff_from_hidden_version(aspect_version: AspectVersion, hidden: Collection[int]) -> AspectVersion:
    """Return a version without the diff from a version that may not be read."""
    if aspect_version.version - 1 not in hidden or aspect_version.value is None:
        return aspect_version
    return replace(aspect_version, diff=({"op": "add", "path": "", "value": aspect_version.value},))
