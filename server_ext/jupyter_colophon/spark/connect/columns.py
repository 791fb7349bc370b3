"""The columns of a relation, by Spark's rules for names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from jupyter_colophon.capture.column_map import (
    NO_SOURCES,
    UNKNOWN_SOURCES,
    ColumnMap,
    ColumnSource,
    Sources,
    compute_from,
)
from jupyter_colophon.capture.observation import Transformation


@dataclass(slots=True)
class SparkColumns(ColumnMap):
    """A map of columns whose names are found without regard to case; `names` are all of them, None if unknown.

    Columns without an entry in `columns` are those of `whole`, or of `parts`, which are relations with the same columns, as those of
    a union. Without both they have the sources `others`, by default unknown ones, since Spark accepted their names. `step` is
    what the relation does to columns of `parts`.
    """

    names: tuple[str, ...] | None = None
    parts: "tuple[SparkColumns, ...]" = ()
    step: Transformation = Transformation.IDENTITY
    others: Sources = UNKNOWN_SOURCES

    @classmethod
    def from_map(cls, columns: ColumnMap | None, names: tuple[str, ...] | None = None) -> "SparkColumns":
        """Return the same columns; all are unknown if `columns` is None."""
        if isinstance(columns, SparkColumns):
            return columns
        return cls(names=names) if columns is None else cls(columns.whole, columns.columns, columns.controls, names)

    def find_sources(self, column: str) -> Sources:
        """Return the sources of a column, without the controls."""
        folded = column.casefold()
        known = self.columns.get(column)
        if known is None:
            known = next((sources for name, sources in self.columns.items() if name.casefold() == folded), None)
        if known is not None:
            return known
        if self.parts:
            found = (part.find_sources(column) for part in self.parts if part.has(column) is not False)
            return compute_from(found, self.step)
        if self.whole is None:
            return self.others
        written = next((name for name in self.names or () if name.casefold() == folded), column)
        return frozenset((ColumnSource(self.whole, written),))

    def has(self, column: str) -> bool | None:
        """Return whether there is a column of this name; None if that is unknown."""
        folded = column.casefold()
        if any(name.casefold() == folded for name in self.names or self.columns):
            return True
        return None if self.names is None else False

    def rename(self, names: Mapping[str, str]) -> Self:
        """Return the columns with new names by their old ones."""
        folded = {old.casefold(): new for old, new in names.items()}
        renamed = {new: self.find_sources(old) for old, new in names.items()}
        kept = {name: sources for name, sources in self.columns.items() if name.casefold() not in folded}
        every = None if self.names is None else tuple(folded.get(name.casefold(), name) for name in self.names)
        return replace(self, columns={**kept, **renamed}, names=every)

    def add(self, columns: Mapping[str, Sources]) -> Self:
        """Return the columns with further ones, or others instead of those of the same names."""
        folded = {name.casefold() for name in columns}
        kept = {name: sources for name, sources in self.columns.items() if name.casefold() not in folded}
        every = self.names
        if every is not None:
            known = {name.casefold() for name in every}
            every += tuple(name for name in columns if name.casefold() not in known)
        return replace(self, columns={**kept, **columns}, names=every)

    def drop(self, names: Iterable[str]) -> Self:
        """Return the columns without some."""
        folded = {name.casefold() for name in names}
        kept = {name: sources for name, sources in self.columns.items() if name.casefold() not in folded}
        every = None if self.names is None else tuple(name for name in self.names if name.casefold() not in folded)
        return replace(self, columns=kept, names=every)


def create_columns(columns: Mapping[str, Sources], controls: Iterable[Sources], *, is_complete: bool) -> SparkColumns:
    """Return columns by name, in their order; `is_complete` if there are no others."""
    return SparkColumns(None, columns, NO_SOURCES.union(*controls), tuple(columns) if is_complete else None)
