"""The metadata of the columns of a dataset, merged from all aspects that can describe columns.

These are aspects of a column's own entity (`schemaField`), under its plain path or a DataHub path of the second version,
and aspects of the dataset that describe columns. All are merged, so writing the schema again hides none of the others.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.entities.descriptors_of import list_entity_descriptors
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import Descriptor, simplify_column_path
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import TableContext

#: A descriptor and the URN of the entity that has its aspect.
SourcedDescriptor = tuple[Descriptor, str]
_VERSIONED: Final = "["
_DATASET: Final = f"{PREFIX}dataset:"


def is_column_urn(urn: Urn) -> bool:
    """Return whether this is a column of a dataset."""
    return urn.type == "schemaField" and urn.parts[0].startswith(_DATASET)


@dataclass(frozen=True, slots=True)
class ColumnState:
    """One column: the aspects of its own entity under the plain path, and all descriptors of it."""

    path: str
    urn: str
    namespace: str
    aspects: Mapping[str, Aspect]
    sourced_descriptors: tuple[SourcedDescriptor, ...]


@dataclass(frozen=True, slots=True)
class ColumnReader:
    """Reads columns of one dataset in one transaction, now or as of a time (in ms)."""

    tx: TableContext
    registry: Registry
    dataset: Urn
    namespace: str
    time: int | None = None

    def read_column(self, path: str) -> ColumnState:
        """Return one column by its path, whether it has metadata or not."""
        plain = simplify_column_path(path)
        return self._build_columns([plain], self._read_dataset_descriptors())[0]

    def read_columns_with_metadata(self) -> list[ColumnState]:
        """Return all columns that have metadata."""
        return self._build_columns(self.list_column_paths_with_metadata(), self._read_dataset_descriptors())

    def list_column_paths_with_metadata(self) -> list[str]:
        """Return the paths of all columns that have metadata, sorted."""
        own = map(simplify_column_path, aspects.list_field_paths_with_metadata(self.tx, self.dataset))
        return sorted({*own, *self._read_dataset_descriptors()})

    def read_page_of_columns(self, after: str, limit: int) -> tuple[list[ColumnState], str | None]:
        """Return the next columns that have metadata, by URN, and the last URN that was looked at if there are more."""
        by_dataset = self._read_dataset_descriptors()
        own, last = aspects.list_page_of_fields(self.tx, self.dataset, after, limit)
        versioned = aspects.list_fields_with_prefix(self.tx, self.dataset, _VERSIONED)
        paths = {simplify_column_path(field.name) for field in (*own, *versioned)} | by_dataset.keys()
        places = {self._build_column_urn(path): path for path in paths}
        ordered = sorted(urn for urn in places if urn > after and (last is None or urn <= last))
        chosen = ordered[:limit]
        more = last if len(ordered) <= limit else chosen[-1] if chosen else None
        return self._build_columns([places[urn] for urn in chosen], by_dataset), more

    def _build_columns(self, paths: list[str], by_dataset: Mapping[str, list[SourcedDescriptor]]) -> list[ColumnState]:
        entities = {path: [self._build_column_urn(path)] for path in paths}
        for field in aspects.list_fields_with_prefix(self.tx, self.dataset, _VERSIONED):
            if (path := simplify_column_path(field.name)) in entities and path != field.name:
                entities[path].append(field.urn)
        present = self._read_aspects_of_columns(sorted({urn for urns in entities.values() for urn in urns}))
        kind = self.registry.get_type("schemaField")
        columns = []
        for path, urns in entities.items():
            own = [
                (descriptor._replace(column=path), urn)
                for urn in urns
                for descriptor in list_entity_descriptors(kind, present[urn])
            ]
            described = sorted([*own, *by_dataset.get(path, ())], key=lambda sourced: sourced[0].scope != "USER")
            columns.append(ColumnState(path, urns[0], self.namespace, present[urns[0]], tuple(described)))
        return columns

    def _read_aspects_of_columns(self, urns: list[str]) -> dict[str, dict[str, Aspect]]:
        if self.time is None:
            return aspects.read_present_aspects_by_urn(self.tx, self.registry, "schemaField", urns)
        return {
            urn: aspects.read_aspects_at_time(self.tx, self.registry, "schemaField", urn, self.time) for urn in urns
        }

    def _read_dataset_descriptors(self) -> dict[str, list[SourcedDescriptor]]:
        """Return descriptors of columns from aspects of the dataset, by plain path."""
        urn = str(self.dataset)
        if self.time is None:
            present = aspects.read_present_aspects(self.tx, self.registry, self.dataset.type, urn)
        else:
            present = aspects.read_aspects_at_time(self.tx, self.registry, self.dataset.type, urn, self.time)
        descriptors_by_column: dict[str, list[SourcedDescriptor]] = defaultdict(list)
        for descriptor in list_entity_descriptors(self.registry.get_type(self.dataset.type), present):
            if descriptor.column:
                descriptors_by_column[descriptor.column].append((descriptor, urn))
        return dict(descriptors_by_column)

    def _build_column_urn(self, path: str) -> str:
        return str(names.make_field_urn(self.dataset, path))
