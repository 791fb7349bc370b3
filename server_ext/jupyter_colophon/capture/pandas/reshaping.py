"""The columns of frames that are reshaped: columns become rows, and rows become columns."""

from typing import Any

import pandas as pd

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import NO_SOURCES, UNKNOWN_SOURCES, ColumnMap, Sources
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.pandas.columns import (
    VALUES,
    build_map,
    compute_aggregate,
    compute_by_row,
    find_level,
    find_values,
    join_sources,
    list_names,
    make_controls,
    name_label,
    to_list,
)


def compute_melted(call: LibraryCall) -> ColumnMap | None:
    """Compute `melt`: identifiers are kept, the values of all other columns become one column."""
    frame = call.get_argument(0, "frame")
    columns = call.map_columns(frame)
    if columns is None:
        return None
    identifiers = [name_label(each) for each in to_list(call.get_argument(1, "id_vars"))]
    melted = [name_label(each) for each in to_list(call.get_argument(2, "value_vars"))]
    melted = melted or [name for name in list_names(frame.columns) if name not in identifiers]
    names = list_names(call.result.columns)
    entries = {name: columns.find_sources(name) for name in identifiers}
    return build_map(
        columns, {**dict.fromkeys(names[:-1], NO_SOURCES), **entries, names[-1]: join_sources(columns, melted)}
    )


def compute_pivoted(call: LibraryCall) -> ColumnMap | None:
    """Compute `pivot`, whose columns are values of the cells, named by values of a column."""
    frame = call.get_argument(0, "data")
    get = call.kwargs.get
    return _compute_pivot(call, frame, get("values"), get("index"), get("columns"), keep_values)


def compute_pivot_table(call: LibraryCall) -> ColumnMap | None:
    """Compute `pivot_table`, whose columns are aggregates of values."""
    frame = call.get_argument(0, "data")
    values, index, labels = (call.get_argument(at, name) for at, name in ((1, "values"), (2, "index"), (3, "columns")))
    return _compute_pivot(call, frame, values, index, labels, compute_aggregate)


def keep_values(sources: Sources) -> Sources:
    """Return the sources of values that a reshaped frame has unchanged."""
    return sources


def _compute_pivot(call: LibraryCall, frame: Any, values: Any, index: Any, labels: Any, step: Any) -> ColumnMap | None:
    columns, value = call.map_columns(frame), call.result
    if columns is None or not isinstance(value, pd.DataFrame):
        return None
    named = to_list(index) + to_list(labels)
    if any(isinstance(each, pd.Series | pd.Grouper) for each in named):
        return None
    keys = [name_label(each) for each in named]
    levels = {name_label(each): columns.find_sources(name_label(each)) for each in to_list(index)}
    own = set(list_names(frame.columns))
    entries = {}
    for label, name in zip(value.columns, list_names(value.columns), strict=True):
        first = label[0] if isinstance(label, tuple) else label
        if values is not None and not isinstance(values, list):
            entries[name] = step(columns.find_sources(name_label(values)))
        else:
            entries[name] = (
                step(columns.find_sources(name_label(first))) if name_label(first) in own else UNKNOWN_SOURCES
            )
    reshaped = ColumnMap(None, {**levels, **entries}, columns.controls)
    return reshaped.add_controls(make_controls(join_sources(columns, keys), Transformation.GROUP_BY))


def move_values(call: LibraryCall) -> ColumnMap | None:
    """Compute `stack` and `unstack`, which move values between rows and columns."""
    columns, receiver, value = call.map_columns(call.receiver), call.receiver, call.result
    if columns is None:
        return None
    own = [VALUES] if isinstance(receiver, pd.Series) else list_names(receiver.columns)
    names = [VALUES] if isinstance(value, pd.Series) else list_names(value.columns)
    every = join_sources(columns, own)
    labels = getattr(value, "columns", ())
    entries = (
        {
            name: columns.find_sources(name_label(label[0]))
            if isinstance(label, tuple) and name_label(label[0]) in own
            else every
            for label, name in zip(labels, names, strict=True)
        }
        if len(labels)
        else {VALUES: every}
    )
    moved = build_map(columns, entries, value.index)
    # The labels of new columns are values of a level.
    gone = [name_label(each) for each in receiver.index.names if each is not None and each not in value.index.names]
    return moved.add_controls(
        each for name in gone for each in make_controls(find_level(columns, name), Transformation.GROUP_BY)
    )


def exchange_axes(call: LibraryCall) -> ColumnMap | None:
    """Compute `transpose`: each row becomes a column, which has values of all columns."""
    columns = call.map_columns(call.receiver)
    if columns is None or isinstance(call.receiver, pd.Series):
        return columns
    every = join_sources(columns, list_names(call.receiver.columns))
    return build_map(columns, dict.fromkeys(list_names(call.result.columns), every))


def get_dummies(call: LibraryCall) -> ColumnMap | None:
    """Compute `get_dummies`: a column for each value of a column, named by both."""
    data, value = call.get_argument(0, "data"), call.result
    columns = call.map_columns(data)
    if columns is None or not isinstance(data, pd.DataFrame | pd.Series):
        return None
    names = list_names(value.columns)
    if isinstance(data, pd.Series):
        return build_map(columns, dict.fromkeys(names, compute_by_row(columns.find_sources(VALUES))), value.index)
    if call.get_argument(1, "prefix") is not None or call.get_argument(2, "prefix_sep", "_") != "_":
        return None
    kept = set(list_names(data.columns))
    entries: dict[str, Sources] = {}
    for name in names:
        # With `a` and `a_b` both encoded, a name may belong to either.
        possible = [each for each in kept if name.startswith(f"{each}_")]
        if name in kept:
            entries[name] = columns.find_sources(name)
        else:
            entries[name] = compute_by_row(columns.find_sources(possible[0])) if len(possible) == 1 else UNKNOWN_SOURCES
    return build_map(columns, entries, value.index)


def count_pairs(call: LibraryCall) -> ColumnMap | None:
    """Compute `crosstab`, which counts pairs of values: it depends on both as on groups."""
    if call.get_argument(2, "values") is not None:
        return None
    keys = [each for at, name in ((0, "index"), (1, "columns")) for each in to_series_list(call.get_argument(at, name))]
    sources = NO_SOURCES.union(*(find_values(call, key) for key in keys))
    index = to_series_list(call.get_argument(0, "index"))
    levels = {
        name_label(key.name): find_values(call, key)
        for key in index
        if isinstance(key, pd.Series) and key.name is not None
    }
    counted = ColumnMap(None, {**dict.fromkeys(list_names(call.result.columns), NO_SOURCES), **levels})
    return counted.add_controls(make_controls(sources, Transformation.GROUP_BY))


def to_series_list(value: Any) -> list[Any]:
    """Return an argument that is one series or array, or a list of them, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]
