"""Read properties and tags of entities in both scopes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.lineage_keys import lineage_key
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.entities.containment import UNDECLARED, holder_of
from jupyter_colophon.core.entities.descriptors_of import Shown, describe_entity
from jupyter_colophon.core.entities.entity import Aspect, Entity, EntitySummary
from jupyter_colophon.core.entities.metadata_scopes import Scoped, scoped
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.system_filter import SystemFilter
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.service.entities.columns import Column, ColumnReader, Sourced, is_column
from jupyter_colophon.service.entities.reference_names import ReferenceNames
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.lineage.renames import absent_entity
from jupyter_colophon.storage.lineage.writers import last_writer
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How often a column's descriptor occurs in a response, and the approximate size of its other members.
_COPIES, _DESCRIPTOR_BYTES = 3, 200


@dataclass(frozen=True, slots=True)
class ColumnMetadata:
    """The metadata of one column: as two scopes, and each value with its aspect."""

    name: str
    urn: str
    scoped: Scoped
    shown: tuple[Shown, ...]


def _measure(column: Column) -> int:
    """Return the approximate size of a column in a response; its descriptors are repeated in its scopes."""
    return _COPIES * sum(len(one.key) + len(one.text) + _DESCRIPTOR_BYTES for one, _ in column.described)


@dataclass(frozen=True, slots=True)
class MetadataReader:
    """Reads metadata by scope. All methods raise NotFound for what the principal may not read."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    facts: SystemFilter
    cursors: Cursors

    def read_scoped(self, urn: Urn, namespace: str, principal: Principal, time: int | None = None) -> Scoped:
        """Return the metadata of an entity of this namespace, now or as of a time (in ms).

        A field or a custom entity without metadata exists if its parent does. The namespace is compared with the stored
        one; "" matches any.
        """
        self.gate.require(principal, urn)
        return self.provider.tx_runner.run(lambda tx: self._read(tx, urn, namespace, principal, time), read_only=True)

    def require(self, urn: Urn, namespace: str, principal: Principal) -> None:
        """Raise NotFound unless the entity exists in this namespace."""
        self.gate.require(principal, urn)
        self.provider.tx_runner.run(lambda tx: self._require_summary(tx, urn, namespace, None), read_only=True)

    def fields(self, urn: Urn, principal: Principal) -> list[str]:
        """Return the columns of a dataset that have metadata, sorted. The dataset need not exist."""
        self.gate.require(principal, urn)
        if urn.type != "dataset":
            return []
        return self.provider.tx_runner.run(lambda tx: self._columns(tx, urn).paths(), read_only=True)

    def read_columns(
        self, urn: Urn, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[ColumnMetadata], str | None]:
        """Return the metadata of a dataset's columns, by URN, and the next cursor; at most `limit` are examined.

        It contains what aspects describe, without the system properties of entities.
        """
        self.gate.require(principal, urn)
        after = ""
        if cursor:
            same, after = self.cursors.read("fields", cursor)
            if same != str(urn):
                raise InvalidQuery("is not a cursor of this list", "cursor")
        if urn.type != "dataset":
            return [], None

        def work(tx: TableContext) -> tuple[list[ColumnMetadata], str | None]:
            page, last = self._columns(tx, urn).page(after, limit)
            columns = list(take_page(page, _measure))
            last = columns[-1].urn if len(columns) < len(page) else last
            shown = self._with_names(tx, [described for one in columns for described in one.described], principal)
            by_column: dict[str, list[Shown]] = defaultdict(list)
            for one in shown:
                by_column[one.descriptor.column].append(one)
            return [self._of_column(one, by_column[one.path]) for one in columns], last

        found, last = self.provider.tx_runner.run(work, read_only=True)
        return found, None if last is None else self.cursors.write("fields", [str(urn), last])

    def shown(self, entity: Entity, principal: Principal) -> list[Shown]:
        """Return the descriptors of an entity and its columns, with the names of references."""
        urn = Urn.parse(entity.summary.urn)
        own = [
            (one, entity.summary.urn) for one in describe_entity(self.registry.stored_type(urn.type), entity.aspects)
        ]

        def work(tx: TableContext) -> list[Shown]:
            column = self._columns(tx, urn.nested(0)).column(urn.parts[1]) if is_column(urn) else None
            # On its own page a column is the entity itself.
            described = own if column is None else [(one._replace(column=""), at) for one, at in column.described]
            return self._with_names(tx, described, principal)

        return self.provider.tx_runner.run(work, read_only=True)

    def _columns(self, tx: TableContext, dataset: Urn, time: int | None = None) -> ColumnReader:
        return ColumnReader(tx, self.registry, dataset, self.gate.identity.namespace_of(dataset), time)

    def _of_column(self, column: Column, shown: Iterable[Shown]) -> ColumnMetadata:
        found = scoped(None, column.aspects, (one for one, _ in column.described))
        attached = self._apply_system_filter(found, {}, Urn.parse(column.urn), column.namespace)
        return ColumnMetadata(column.path, column.urn, attached, tuple(shown))

    def _with_names(self, tx: TableContext, described: Sequence[Sourced], principal: Principal) -> list[Shown]:
        names = ReferenceNames(tx, self.registry, self.gate, principal).names_of(
            {one.urn for one, _ in described if one.urn}
        )
        return [Shown(one, source, names.get(one.urn, one.text)) for one, source in described]

    def _read(self, tx: TableContext, urn: Urn, namespace: str, principal: Principal, time: int | None) -> Scoped:
        summary = self._require_summary(tx, urn, namespace, time)
        if is_column(urn):
            column = self._columns(tx, urn.nested(0), time).column(urn.parts[1])
            found = scoped(summary, column.aspects, (one for one, _ in column.described))
        elif summary is None:
            return scoped(None, {})
        else:
            present = self._present(tx, urn, time)
            own = describe_entity(self.registry.stored_type(urn.type), present)
            found = scoped(summary, present, (one for one in own if not one.column))
        space = self.gate.identity.namespace_of(urn) if summary is None else summary.namespace
        # System properties are computed here, and not stored.
        return self._apply_system_filter(found, self._last_program(tx, urn, principal, time), urn, space)

    def _present(self, tx: TableContext, urn: Urn, time: int | None) -> dict[str, Aspect]:
        if time is None:
            return aspects.present(tx, self.registry, urn.type, str(urn))
        return aspects.at(tx, self.registry, urn.type, str(urn), time)

    def _apply_system_filter(self, found: Scoped, known: Mapping[str, str], urn: Urn, namespace: str) -> Scoped:
        """Return the metadata with the system properties, and `known` ones, that pass the system filter."""
        properties = self.facts.of_keys({**known, **found.system.properties}, urn, namespace)
        return replace(found, system=replace(found.system, properties=properties))

    def _last_program(self, tx: TableContext, urn: Urn, principal: Principal, time: int | None) -> dict[str, str]:
        writer = last_writer(tx, str(urn), time) if urn.type == "dataset" else None
        identity = self.gate.identity
        if writer is None or not self.gate.may_read(principal, identity.namespace_of(program := Urn.parse(writer))):
            return {}
        return {"last-updated-by-program": lineage_key(program, identity)}

    def _require_summary(self, tx: TableContext, urn: Urn, namespace: str, time: int | None) -> EntitySummary | None:
        """Return the entity; None if only its parent exists. Raises NotFound."""
        found = existing = self._summary(tx, urn, time)
        if existing is None and urn.type in UNDECLARED:
            parent = holder_of(urn, self.gate.identity)
            if parent is None:
                return None
            existing = self._summary(tx, parent, time)
        if existing is None or namespace not in ("", existing.namespace):
            raise absent_entity(tx, str(urn))
        return found

    def _summary(self, tx: TableContext, urn: Urn, time: int | None) -> EntitySummary | None:
        if time is None:
            return aspects.summary(tx, str(urn))
        return aspects.summary_at(tx, self.registry, urn, time)
