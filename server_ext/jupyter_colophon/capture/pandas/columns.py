"""The columns of frames and series, and their sources.

A series has one column, `VALUES`, whatever its name, which may change. Levels of an index are columns of a map as well, but
only if they have an entry: the index of a frame that was read is no column of the data.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import (
    NO_SOURCES,
    UNKNOWN_SOURCES,
    ColumnMap,
    ColumnSource,
    Sources,
    compute_from,
)
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.origins import Origin

#: The column of a series and of an array of one dimension.
VALUES: Final = "values"
#: Frames with more columns are followed without their columns.
MAX_COLUMNS: Final = 2_000

_SCALARS: Final = (str, bytes, int, float, complex, bool, type(None), np.generic, pd.Timestamp, pd.Timedelta, pd.Period)


class TooManyColumns(Exception):
    """A frame has more columns than are followed."""


def name_label(label: Hashable) -> str:
    """Return the name of a column, as files have it."""
    return label if type(label) is str else str(label)


def list_names(labels: Iterable[Hashable]) -> list[str]:
    """Return the names of columns. Raises TooManyColumns."""
    names = [name_label(label) for label in labels]
    if len(names) > MAX_COLUMNS:
        raise TooManyColumns
    return names


def to_list(value: Any) -> list[Any]:
    """Return an argument that is one label or a list of labels as a list; None is empty."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | pd.Index | np.ndarray | set | frozenset) else [value]


def find_level(columns: ColumnMap, name: str) -> Sources:
    """Return the sources of a level of an index, which are known only if the map or that of an earlier cell has an entry."""
    return columns.find_sources(name) if _has_entry(columns, name) else NO_SOURCES


def _has_entry(columns: ColumnMap, name: str) -> bool:
    if name in columns.columns:
        return True
    whole = columns.whole
    return isinstance(whole, Origin) and whole.columns is not None and _has_entry(whole.columns, name)


def list_levels(columns: ColumnMap, index: pd.Index) -> dict[str, Sources]:
    """Return the sources of the named levels of an index."""
    return {
        name: find_level(columns, name) for level in index.names if level is not None and (name := name_label(level))
    }


def join_sources(columns: ColumnMap, names: Iterable[str]) -> Sources:
    """Return the sources of several columns."""
    return NO_SOURCES.union(*(columns.find_sources(name) for name in names))


def find_values(call: LibraryCall, value: Any, known_controls: Sources = NO_SOURCES) -> Sources:
    """Return the sources of a value that becomes a column or a part of one, with its own controls beyond those known."""
    if isinstance(value, pd.Series | pd.DataFrame) or (isinstance(value, np.ndarray) and call.find_origin(value)):
        columns = call.map_columns(value)
        if columns is None:
            return UNKNOWN_SOURCES
        if isinstance(value, pd.Series):
            names = [VALUES]
        elif isinstance(value, pd.DataFrame):
            names = list_names(value.columns)
        else:
            names = [VALUES] if value.ndim == 1 else [str(at) for at in range(value.shape[1])]
        return join_sources(columns, names) | (columns.controls - known_controls)
    return NO_SOURCES if isinstance(value, _SCALARS) else UNKNOWN_SOURCES


def make_controls(sources: Sources, kind: Transformation) -> Iterable[ColumnSource]:
    """Return columns as those that determine which rows there are, or in which order or group."""
    return (ColumnSource(source.source, source.column, kind) for source in sources)


def compute_by_row(*sources: Sources) -> Sources:
    """Return the sources of a column that is computed from columns with these sources, row by row."""
    return compute_from(sources, Transformation.TRANSFORMATION)


def compute_aggregate(*sources: Sources) -> Sources:
    """Return the sources of a column that is computed from many rows of columns with these sources."""
    return compute_from(sources, Transformation.AGGREGATION)


def build_map(columns: ColumnMap, entries: Mapping[str, Sources], index: pd.Index | None = None) -> ColumnMap:
    """Return the map of a value with exactly these columns, and the levels of `index` and the controls of another map."""
    levels = {} if index is None else list_levels(columns, index)
    return ColumnMap(None, {**levels, **entries}, columns.controls)
