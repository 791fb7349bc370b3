"""The columns that the columns of a value were computed from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from jupyter_colophon.capture.observation import Transformation

if TYPE_CHECKING:
    from jupyter_colophon.capture.origins import Dataset, Source

_STRENGTHS: Final = list(Transformation)
_DIRECT: Final = tuple(_STRENGTHS[_STRENGTHS.index(Transformation.IDENTITY) :])


# Never changed, but not frozen, which takes three times as long to create; the same holds for maps.
@dataclass(slots=True)
class ColumnSource:
    """A column of data that was read, or of a value of an earlier cell, and how the new column depends on it.

    `source` is None if it is not known what the new column depends on.
    """

    source: "Source | None"
    column: str
    transformation: Transformation = Transformation.IDENTITY

    def __hash__(self) -> int:
        """Return a number that depends on the column alone: sources are hashed with every computation."""
        return hash(self.column)

    def add_step(self, transformation: Transformation) -> "ColumnSource":
        """Return the dependency after a further step."""
        combined = combine_steps(transformation, self.transformation)
        return self if combined is self.transformation else ColumnSource(self.source, self.column, combined)


def combine_steps(later: Transformation, earlier: Transformation) -> Transformation:
    """Return how a column depends on another over two steps: the stronger one, but a step that only controls rows makes both so."""
    if not _is_direct(later):
        return later
    return max(later, earlier, key=_STRENGTHS.index) if _is_direct(earlier) else earlier


def _is_direct(transformation: Transformation) -> bool:
    """Return whether values flow, rather than control which rows there are."""
    return transformation in _DIRECT


Sources: TypeAlias = frozenset[ColumnSource]
NO_SOURCES: Sources = frozenset()
#: The sources of a column that was computed in a way that is not followed.
UNKNOWN_SOURCES: Sources = frozenset((ColumnSource(None, ""),))


@dataclass(slots=True)
class ColumnMap:
    """The sources of each column of a value.

    A column without an entry in `columns` is the column of the same name of `whole`: a value that was just read needs no
    entries. `controls` are the columns that all columns depend on, by a join, a filter, a group or an order.
    """

    whole: "Source | None" = None
    columns: Mapping[str, Sources] = field(default_factory=dict)
    controls: Sources = NO_SOURCES

    def find_sources(self, column: str) -> Sources:
        """Return the sources of a column, without the controls; empty if it has none."""
        known = self.columns.get(column)
        if known is not None:
            return known
        return NO_SOURCES if self.whole is None else frozenset((ColumnSource(self.whole, column),))

    def select(self, columns: Mapping[str, str]) -> "ColumnMap":
        """Return the map of a value that has only some columns: the new names with the old names."""
        return ColumnMap(None, {new: self.find_sources(old) for new, old in columns.items()}, self.controls)

    def assign(self, columns: Mapping[str, Sources]) -> "ColumnMap":
        """Return the map of a value in which these columns are replaced or added."""
        return ColumnMap(self.whole, {**self.columns, **columns}, self.controls)

    def add_controls(self, sources: Iterable[ColumnSource]) -> "ColumnMap":
        """Return the map of a value all of whose columns also depend on these columns."""
        added = frozenset(sources)
        return self if added <= self.controls else ColumnMap(self.whole, self.columns, self.controls | added)


@lru_cache(maxsize=1024)
def map_all_columns(whole: "Dataset") -> ColumnMap:
    """Return the map of a value that was just read: the same one for the same dataset."""
    return ColumnMap(whole)


def compute_from(sources: Iterable[Sources], transformation: Transformation = Transformation.TRANSFORMATION) -> Sources:
    """Return the sources of a column that is computed from columns with these sources."""
    return frozenset(source.add_step(transformation) for each in sources for source in each)
