"""The metadata of the columns of a dataset, merged from all aspects that can describe columns.

These are aspects of a column's own entity (`schemaField`), under its plain path or a DataHub path of the second version,
and aspects of the dataset that describe columns. All are merged, so writing the schema again hides none of the others.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.entities.descriptors_of import describe_entity
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import Descriptor, column_path
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import TableContext

#: A descriptor and the URN of the entity that has its aspect.
Sourced = tuple[Descriptor, str]
_VERSIONED: Final = "["
_DATASET: Final = f"{PREFIX}dataset:"


def is_column(urn: Urn) -> bool:
    """Return whether this is a column of a dataset."""
    return urn.type == "schemaField" and urn.parts[0].startswith(_DATASET)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the aspects of its own entity under the plain path, and all descriptors of it."""

    path: str
    urn: str
    namespace: str
    aspects: Mapping[str, Aspect]
    described: tuple[Sourced, ...]


@dataclass(frozen=True, slots=True)
class ColumnReader:
    """Reads columns of one dataset in one transaction, now or as of a time (in ms)."""

    tx: TableContext
    registry: Registry
    dataset: Urn
    namespace: str
    time: int | None = None

    def column(self, path: str) -> Column:
        """Return one column by its path, whether it has metadata or not."""
        plain = column_path(path)
        return self._build_columns([plain], self._by_dataset())[0]

    def paths(self) -> list[str]:
        """Return the paths of all columns that have metadata, sorted."""
        own = map(column_path, aspects.fields(self.tx, self.dataset))
        return sorted({*own, *self._by_dataset()})

    def page(self, after: str, limit: int) -> tuple[list[Column], str | None]:
        """Return the next columns that have metadata, by URN, and the last URN that was looked at if there are more."""
        by_dataset = self._by_dataset()
        own, last = aspects.some_fields(self.tx, self.dataset, after, limit)
        versioned = aspects.fields_beginning(self.tx, self.dataset, _VERSIONED)
        paths = {column_path(one.name) for one in (*own, *versioned)} | by_dataset.keys()
        places = {self._urn(path): path for path in paths}
        ordered = sorted(urn for urn in places if urn > after and (last is None or urn <= last))
        chosen = ordered[:limit]
        more = last if len(ordered) <= limit else chosen[-1] if chosen else None
        return self._build_columns([places[urn] for urn in chosen], by_dataset), more

    def _build_columns(self, paths: list[str], by_dataset: Mapping[str, list[Sourced]]) -> list[Column]:
        entities = {path: [self._urn(path)] for path in paths}
        for one in aspects.fields_beginning(self.tx, self.dataset, _VERSIONED):
            if (path := column_path(one.name)) in entities and path != one.name:
                entities[path].append(one.urn)
        present = self._aspects(sorted({urn for urns in entities.values() for urn in urns}))
        kind = self.registry.type("schemaField")
        columns = []
        for path, urns in entities.items():
            own = [(one._replace(column=path), urn) for urn in urns for one in describe_entity(kind, present[urn])]
            described = sorted([*own, *by_dataset.get(path, ())], key=lambda one: one[0].scope != "USER")
            columns.append(Column(path, urns[0], self.namespace, present[urns[0]], tuple(described)))
        return columns

    def _aspects(self, urns: list[str]) -> dict[str, dict[str, Aspect]]:
        if self.time is None:
            return aspects.present_of(self.tx, self.registry, "schemaField", urns)
        return {urn: aspects.at(self.tx, self.registry, "schemaField", urn, self.time) for urn in urns}

    def _by_dataset(self) -> dict[str, list[Sourced]]:
        """Return descriptors of columns from aspects of the dataset, by plain path."""
        urn = str(self.dataset)
        if self.time is None:
            present = aspects.present(self.tx, self.registry, self.dataset.type, urn)
        else:
            present = aspects.at(self.tx, self.registry, self.dataset.type, urn, self.time)
        found: dict[str, list[Sourced]] = defaultdict(list)
        for one in describe_entity(self.registry.type(self.dataset.type), present):
            if one.column:
                found[one.column].append((one, urn))
        return dict(found)

    def _urn(self, path: str) -> str:
        return str(names.field(self.dataset, path))
