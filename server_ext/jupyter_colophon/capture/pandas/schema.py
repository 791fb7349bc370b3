"""The schema of a frame or series as a file gets it, with the column of the value that each field has."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from jupyter_colophon.capture.column_map import NO_SOURCES, ColumnMap
from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.capture.pandas.columns import MAX_COLUMNS, VALUES, find_level, name_label

#: The kinds of numpy's types without a missing value: integers and truth values.
_NEVER_MISSING = "iub"


class WrittenField(NamedTuple):
    """A field of a file: its schema, the column of the value, and whether it is a level of the index."""

    schema: SchemaField
    column: str
    is_level: bool = False

    def rename(self, name: str) -> "WrittenField":
        """Return the field under another name."""
        return self._replace(schema=replace(self.schema, path=name))


class ValueColumns:
    """The labels and types of the columns of a frame or series: what is cheap to read, and does not change with the value."""

    def __init__(self, value: Any) -> None:
        """Read the columns of a value."""
        self._series_name: str | None = None
        if isinstance(value, pd.Series):
            self._series_name = name_label(0 if value.name is None else value.name)
            self._types: Any = value.dtype
        else:
            labels = value.columns
            self._labels = labels if len(labels) <= MAX_COLUMNS else None
            self._types = () if self._labels is None else _read_types(value)

    def list_fields(self) -> list[WrittenField] | None:
        """Return the fields of the columns, None if there are too many."""
        if self._series_name is not None:
            return [_create_field(self._series_name, self._types, VALUES)]
        if self._labels is None:
            return None
        types: list[Any] = [None] * len(self._labels)
        for type_, places in self._types:
            for place in places:
                types[place] = type_
        names = [name_label(label) for label in self._labels]
        return [_create_field(name, type_, name) for name, type_ in zip(names, types, strict=True)]


def _read_types(frame: Any) -> list[tuple[Any, Iterable[int]]]:
    """Return the types of a frame, each with the positions of its columns."""
    # Much faster than `dtypes`, which creates a series.
    blocks = getattr(getattr(frame, "_mgr", None), "blocks", None)
    if blocks is None:
        return [(type_, (at,)) for at, type_ in enumerate(frame.dtypes)]
    return [(block.dtype, block.mgr_locs) for block in blocks]


def list_level_fields(index: pd.Index, labels: list[Any], unnamed: str | None) -> Iterator[WrittenField]:
    """Yield the fields of the levels of an index; `labels` replace their names, those without a name get `unnamed`."""
    levels = index.levels if isinstance(index, pd.MultiIndex) else [index]
    for at, (level, name) in enumerate(zip(levels, index.names, strict=True)):
        label = labels[at] if at < len(labels) else name
        field = unnamed and unnamed.format(at) if label is None else name_label(label)
        if field:
            yield _create_field(field, level.dtype, "" if name is None else name_label(name), is_level=True)


def _create_field(name: str, type_: Any, column: str, *, is_level: bool = False) -> WrittenField:
    if isinstance(type_, np.dtype):
        return _create_numpy_field(name, type_, column, is_level)
    return WrittenField(SchemaField(name, str(type_), nullable=True), column, is_level)


@functools.lru_cache(maxsize=4096)
def _create_numpy_field(name: str, type_: Any, column: str, is_level: bool) -> WrittenField:
    return WrittenField(SchemaField(name, str(type_), nullable=type_.kind not in _NEVER_MISSING), column, is_level)


def map_fields(columns: ColumnMap, fields: list[WrittenField]) -> ColumnMap:
    """Return the map of a file with these fields."""
    if all(field.schema.path == field.column and not field.is_level for field in fields):
        return columns
    return ColumnMap(
        None,
        {
            field.schema.path: NO_SOURCES
            if not field.column
            else find_level(columns, field.column)
            if field.is_level
            else columns.find_sources(field.column)
            for field in fields
        },
        columns.controls,
    )
