"""Withhold values of confidential columns when profiles and facets are read, also those recorded before a column was marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.entities.descriptors_of import list_entity_descriptors
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.confidential import (
    PROFILE_ASPECT,
    REVEALING_ASPECTS,
    ConfidentialColumns,
    list_withheld_columns,
    remove_values_from_aspect,
    remove_values_from_facets,
)
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import simplify_column_path
from jupyter_colophon.service.entities.columns import ColumnReader
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import StorageProvider, TableContext

_DATASET: Final = "dataset"


@dataclass(slots=True)
class ConfidentialValues:
    """Withholds values in one transaction, by the tags and terms that columns and datasets have now."""

    tx: TableContext
    registry: Registry
    _columns: dict[str, ConfidentialColumns] = field(default_factory=dict)

    def remove_values(self, urn: str, aspect: str, value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Return a value of an aspect without values of confidential columns."""
        if value is None or aspect not in REVEALING_ASPECTS:
            return value
        return remove_values_from_aspect(aspect, value, lambda path: self._is_confidential(urn, path))

    def remove_values_from_facets(self, urn: str, facets: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return facets of a dataset in OpenLineage without values of confidential columns."""
        return remove_values_from_facets(facets, lambda path: self._is_confidential(urn, path))

    def list_withheld_columns(self, urn: str, aspect: str, value: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the columns of which a value of an aspect has counts only."""
        if aspect != PROFILE_ASPECT:
            return ()
        return tuple(list_withheld_columns(value, lambda path: self._is_confidential(urn, path)))

    def _is_confidential(self, urn: str, path: str) -> bool:
        if urn not in self._columns:
            self._columns[urn] = self._read_confidential_columns(Urn.parse(urn))
        return self._columns[urn].has_column(simplify_column_path(path))

    def _read_confidential_columns(self, dataset: Urn) -> ConfidentialColumns:
        if dataset.type != _DATASET:
            # Facets are documents of clients: any entity may have any of them.
            return ConfidentialColumns()
        present = aspects.read_present_aspects(self.tx, self.registry, dataset.type, str(dataset))
        own = list_entity_descriptors(self.registry.get_type_or_unregistered(dataset.type), present)
        columns = ColumnReader(self.tx, self.registry, dataset, "").read_columns_with_metadata()
        described = (descriptor for column in columns for descriptor, _ in column.sourced_descriptors)
        return ConfidentialColumns.from_descriptors(
            (descriptor.kind, descriptor.text, descriptor.column) for descriptor in (*own, *described)
        )


def remove_values_from_changes(
    provider: StorageProvider, registry: Registry, changes: Sequence[Change]
) -> Sequence[Change]:
    """Return changes without values of confidential columns. Must not be called inside a transaction."""
    if not any(change.aspect in REVEALING_ASPECTS for change in changes):
        return changes

    def remove_values(tx: TableContext) -> list[Change]:
        values = ConfidentialValues(tx, registry)
        return [
            replace(
                change,
                previous=values.remove_values(change.urn, change.aspect, change.previous),
                value=values.remove_values(change.urn, change.aspect, change.value),
            )
            if change.aspect in REVEALING_ASPECTS
            else change
            for change in changes
        ]

    return provider.tx_runner.run(remove_values, read_only=True)
