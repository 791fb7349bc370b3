"""Read properties and tags of entities in both scopes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.lineage_keys import format_lineage_key
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.entities.containment import IMPLICIT_TYPES, get_parent_urn
from jupyter_colophon.core.entities.descriptors_of import ResolvedDescriptor, list_entity_descriptors
from jupyter_colophon.core.entities.entity import Aspect, Entity, EntitySummary
from jupyter_colophon.core.entities.metadata_scopes import ScopedMetadata, build_scoped_metadata
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.system_filter import SystemFilter
from jupyter_colophon.core.model.vocabulary import get_unresolved_name
from jupyter_colophon.core.read_budget import limit_items_to_page_bytes
from jupyter_colophon.service.entities.columns import ColumnReader, ColumnState, SourcedDescriptor, is_column_urn
from jupyter_colophon.service.entities.display_names import DisplayNameReader
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.lineage.renames import build_not_found_or_renamed_error
from jupyter_colophon.storage.lineage.writers import find_last_writing_program
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How often a column's descriptor occurs in a response, and the approximate size of its other members.
_COPIES, _DESCRIPTOR_BYTES = 3, 200


@dataclass(frozen=True, slots=True)
class ColumnMetadata:
    """The metadata of one column: as two scopes, and each value with its aspect."""

    name: str
    urn: str
    scoped: ScopedMetadata
    shown: tuple[ResolvedDescriptor, ...]


def _measure_column_bytes(column: ColumnState) -> int:
    """Return the approximate size of a column in a response; its descriptors are repeated in its scopes."""
    return _COPIES * sum(
        len(descriptor.key) + len(descriptor.text) + _DESCRIPTOR_BYTES for descriptor, _ in column.sourced_descriptors
    )


@dataclass(frozen=True, slots=True)
class MetadataReader:
    """Reads metadata by scope. All methods raise NotFound for what the principal may not read."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    system_filter: SystemFilter
    cursors: CursorCodec

    def read_scoped_metadata(
        self, urn: Urn, namespace: str, principal: Principal, time: int | None = None
    ) -> ScopedMetadata:
        """Return the metadata of an entity of this namespace, now or as of a time (in ms).

        A field or a custom entity without metadata exists if its parent does. The namespace is compared with the stored
        one; "" matches any.
        """
        self.read_policy.require_readable_entity(principal, urn)
        return self.provider.tx_runner.run(
            lambda tx: self._read_scoped_in_transaction(tx, urn, namespace, principal, time), read_only=True
        )

    def require_entity_in_namespace(self, urn: Urn, namespace: str, principal: Principal) -> None:
        """Raise NotFound unless the entity exists in this namespace."""
        self.read_policy.require_readable_entity(principal, urn)
        self.provider.tx_runner.run(
            lambda tx: self._require_summary_or_parent(tx, urn, namespace, None), read_only=True
        )

    def list_columns_with_metadata(self, urn: Urn, principal: Principal) -> list[str]:
        """Return the columns of a dataset that have metadata, sorted. The dataset need not exist."""
        self.read_policy.require_readable_entity(principal, urn)
        if urn.type != "dataset":
            return []
        return self.provider.tx_runner.run(
            lambda tx: self._create_column_reader(tx, urn).list_column_paths_with_metadata(), read_only=True
        )

    def read_column_metadata_page(
        self, urn: Urn, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[ColumnMetadata], str | None]:
        """Return the metadata of a dataset's columns, by URN, and the next cursor; at most `limit` are examined.

        It contains what aspects describe, without the system properties of entities.
        """
        self.read_policy.require_readable_entity(principal, urn)
        after = ""
        if cursor:
            same, after = self.cursors.decode_cursor("fields", cursor)
            if same != str(urn):
                raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "cursor")
        if urn.type != "dataset":
            return [], None

        def read_page(tx: TableContext) -> tuple[list[ColumnMetadata], str | None]:
            page, last = self._create_column_reader(tx, urn).read_page_of_columns(after, limit)
            columns = list(limit_items_to_page_bytes(page, _measure_column_bytes))
            last = columns[-1].urn if len(columns) < len(page) else last
            resolved_descriptors = self._resolve_visible_names(
                tx, [described for column in columns for described in column.sourced_descriptors], principal
            )
            by_column: dict[str, list[ResolvedDescriptor]] = defaultdict(list)
            for resolved_descriptor in resolved_descriptors:
                by_column[resolved_descriptor.descriptor.column].append(resolved_descriptor)
            return [self._build_column_metadata(column, by_column[column.path]) for column in columns], last

        visible_columns, last = self.provider.tx_runner.run(read_page, read_only=True)
        return visible_columns, None if last is None else self.cursors.encode_cursor("fields", [str(urn), last])

    def list_resolved_descriptors(self, entity: Entity, principal: Principal) -> list[ResolvedDescriptor]:
        """Return the descriptors of an entity and its columns, with the names of references."""
        urn = Urn.parse(entity.summary.urn)
        own = [
            (descriptor, entity.summary.urn)
            for descriptor in list_entity_descriptors(self.registry.get_type_or_unregistered(urn.type), entity.aspects)
        ]

        def read_descriptors(tx: TableContext) -> list[ResolvedDescriptor]:
            column = (
                self._create_column_reader(tx, urn.parse_part_as_urn(0)).read_column(urn.parts[1])
                if is_column_urn(urn)
                else None
            )
            # On its own page a column is the entity itself.
            described = (
                own
                if column is None
                else [(descriptor._replace(column=""), at) for descriptor, at in column.sourced_descriptors]
            )
            return self._resolve_visible_names(tx, described, principal)

        return self.provider.tx_runner.run(read_descriptors, read_only=True)

    def _create_column_reader(self, tx: TableContext, dataset: Urn, time: int | None = None) -> ColumnReader:
        return ColumnReader(tx, self.registry, dataset, self.read_policy.identity.get_namespace(dataset), time)

    def _build_column_metadata(self, column: ColumnState, descriptors: Iterable[ResolvedDescriptor]) -> ColumnMetadata:
        scoped_metadata = build_scoped_metadata(
            None, column.aspects, (descriptor for descriptor, _ in column.sourced_descriptors)
        )
        attached = self._filter_system_properties(scoped_metadata, {}, Urn.parse(column.urn), column.namespace)
        return ColumnMetadata(column.path, column.urn, attached, tuple(descriptors))

    def _resolve_visible_names(
        self, tx: TableContext, described: Sequence[SourcedDescriptor], principal: Principal
    ) -> list[ResolvedDescriptor]:
        names = DisplayNameReader(tx, self.registry, self.read_policy, principal).read_given_names(
            {descriptor.urn for descriptor, _ in described if descriptor.urn}
        )
        return [
            ResolvedDescriptor(descriptor, source, names.get(descriptor.urn) or get_unresolved_name(descriptor))
            for descriptor, source in described
        ]

    def _read_scoped_in_transaction(
        self, tx: TableContext, urn: Urn, namespace: str, principal: Principal, time: int | None
    ) -> ScopedMetadata:
        summary = self._require_summary_or_parent(tx, urn, namespace, time)
        if is_column_urn(urn):
            column = self._create_column_reader(tx, urn.parse_part_as_urn(0), time).read_column(urn.parts[1])
            scoped_metadata = build_scoped_metadata(
                summary, column.aspects, (descriptor for descriptor, _ in column.sourced_descriptors)
            )
        elif summary is None:
            return build_scoped_metadata(None, {})
        else:
            present = self._read_aspects_at(tx, urn, time)
            own = list_entity_descriptors(self.registry.get_type_or_unregistered(urn.type), present)
            scoped_metadata = build_scoped_metadata(
                summary, present, (descriptor for descriptor in own if not descriptor.column)
            )
        space = self.read_policy.identity.get_namespace(urn) if summary is None else summary.namespace
        # System properties are computed here, and not stored.
        return self._filter_system_properties(
            scoped_metadata, self._read_last_writer_property(tx, urn, principal, time), urn, space
        )

    def _read_aspects_at(self, tx: TableContext, urn: Urn, time: int | None) -> dict[str, Aspect]:
        if time is None:
            return aspects.read_present_aspects(tx, self.registry, urn.type, str(urn))
        return aspects.read_aspects_at_time(tx, self.registry, urn.type, str(urn), time)

    def _filter_system_properties(
        self, scoped_metadata: ScopedMetadata, computed: Mapping[str, str], urn: Urn, namespace: str
    ) -> ScopedMetadata:
        """Return the metadata with the system properties, and `known` ones, that pass the system filter."""
        properties = self.system_filter.filter_properties(
            {**computed, **scoped_metadata.system.properties}, urn, namespace
        )
        return replace(scoped_metadata, system=replace(scoped_metadata.system, properties=properties))

    def _read_last_writer_property(
        self, tx: TableContext, urn: Urn, principal: Principal, time: int | None
    ) -> dict[str, str]:
        writer = find_last_writing_program(tx, str(urn), time) if urn.type == "dataset" else None
        identity = self.read_policy.identity
        if writer is None or not self.read_policy.may_see_entity(tx, principal, program := Urn.parse(writer)):
            return {}
        return {"last-updated-by-program": format_lineage_key(program, identity)}

    def _require_summary_or_parent(
        self, tx: TableContext, urn: Urn, namespace: str, time: int | None
    ) -> EntitySummary | None:
        """Return the entity; None if only its parent exists. Raises NotFound."""
        own_summary = existing = self._find_summary_at(tx, urn, time)
        if existing is None and urn.type in IMPLICIT_TYPES:
            parent = get_parent_urn(urn, self.read_policy.identity)
            if parent is None:
                return None
            existing = self._find_summary_at(tx, parent, time)
        if existing is None or namespace not in ("", existing.namespace):
            raise build_not_found_or_renamed_error(tx, str(urn))
        return own_summary

    def _find_summary_at(self, tx: TableContext, urn: Urn, time: int | None) -> EntitySummary | None:
        if time is None:
            return aspects.find_entity_summary(tx, str(urn))
        return aspects.find_entity_summary_at_time(tx, self.registry, urn, time)
