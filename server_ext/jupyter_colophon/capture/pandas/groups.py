"""The columns of groups, windows and what is computed from them."""

import weakref
from typing import Any, Final

import numpy as np
import pandas as pd

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import NO_SOURCES, UNKNOWN_SOURCES, ColumnMap, Sources
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.pandas.columns import (
    VALUES,
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

#: The names of the columns of a group's map that have its keys, level by level.
_keys: Final["weakref.WeakKeyDictionary[Any, tuple[str, ...]]"] = weakref.WeakKeyDictionary()


def group(call: LibraryCall) -> ColumnMap | None:
    """Compute `groupby`: the keys are columns of the group's map, under the names of their levels."""
    columns = call.map_columns(call.receiver)
    if columns is None:
        return None
    by, level = call.get_argument(1, "by"), call.kwargs.get("level")
    entries: dict[str, Sources] = {}
    keys: list[str] = []
    for at, key in enumerate(to_list(level) if by is None else list(by) if isinstance(by, list | tuple) else [by]):
        name, sources = _find_key(call, columns, key, is_level=by is None, position=at)
        keys.append(name)
        if sources is not None:
            entries[name] = sources
    _keys[call.result] = tuple(keys)
    return columns.assign(entries)


def _find_key(
    call: LibraryCall, columns: ColumnMap, key: Any, *, is_level: bool, position: int
) -> tuple[str, Sources | None]:
    """Return the name of a key, and its sources unless it is a column of the receiver."""
    receiver, unnamed = call.receiver, f"key {position}"
    if isinstance(key, pd.Series):
        return (unnamed if key.name is None else name_label(key.name)), find_values(call, key, columns.controls)
    if isinstance(key, pd.Grouper):
        named = getattr(key, "key", None)
        if named is None:
            return unnamed, NO_SOURCES
        return name_label(named), compute_by_row(columns.find_sources(name_label(named)))
    if is_level and isinstance(key, int):
        label = receiver.index.names[key]
        return (unnamed, NO_SOURCES) if label is None else (name_label(label), find_level(columns, name_label(label)))
    if isinstance(key, list | np.ndarray | pd.Index | dict) or callable(key):
        return unnamed, UNKNOWN_SOURCES
    name = name_label(key)
    if isinstance(receiver, pd.DataFrame) and not is_level and key in receiver.columns:
        return name, None
    return name, find_level(columns, name)


def select(call: LibraryCall) -> ColumnMap | None:
    """Compute `grouped["a"]` and `grouped[["a", "b"]]`, also of windows."""
    columns, key = call.map_columns(call.receiver), call.args[1]
    _copy_keys(call)
    if columns is None or isinstance(key, list | tuple):
        return columns
    return columns.assign({VALUES: columns.find_sources(name_label(key))})


def _copy_keys(call: LibraryCall) -> None:
    keys = _keys.get(call.receiver)
    if keys is not None:
        _keys[call.result] = keys


def open_window(call: LibraryCall) -> ColumnMap | None:
    """Compute `rolling`, `expanding` and `ewm`, of frames, series and groups."""
    columns, on = call.map_columns(call.receiver), call.kwargs.get("on")
    if isinstance(call.receiver, pd.DataFrame | pd.Series):
        _keys[call.result] = ()
    else:
        _copy_keys(call)
    if columns is not None and on is not None:
        columns = columns.add_controls(make_controls(columns.find_sources(name_label(on)), Transformation.WINDOW))
    return columns


def group_intervals(call: LibraryCall) -> ColumnMap | None:
    """Compute `resample`, which groups by intervals of a column or of the index."""
    columns, on, receiver = call.map_columns(call.receiver), call.kwargs.get("on"), call.receiver
    if columns is None or not isinstance(receiver, pd.DataFrame | pd.Series):
        return None
    if on is not None:
        key, sources = name_label(on), compute_by_row(columns.find_sources(name_label(on)))
    elif receiver.index.name is not None:
        key = name_label(receiver.index.name)
        sources = compute_by_row(find_level(columns, key))
    else:
        key, sources = "key 0", NO_SOURCES
    _keys[call.result] = (key,)
    return columns.assign({key: sources})


def summarize(call: LibraryCall) -> ColumnMap | None:
    """Compute aggregates of groups: each column of one column, and the keys as levels or columns."""
    columns, keys = call.map_columns(call.receiver), _keys.get(call.receiver)
    if columns is None or keys is None:
        return None
    value, grouped = call.result, call.receiver
    entries: dict[str, Sources] = {}
    if isinstance(value, pd.Series):
        entries[VALUES] = compute_aggregate(_find_values_of_series(columns, grouped))
    else:
        named = {name_label(name): each for name, each in call.kwargs.items()}
        # The keys are columns of the result only if they are no levels of its index.
        own = set() if getattr(grouped, "as_index", True) else set(keys)
        for label, name in zip(value.columns, list_names(value.columns), strict=True):
            entries[name] = (
                columns.find_sources(name)
                if name in own
                else compute_aggregate(_find_aggregated(columns, grouped, named, label))
            )
    return _build_grouped(columns, keys, value, entries)


def _find_values_of_series(columns: ColumnMap, grouped: Any) -> Sources:
    """Return the sources of what gave a series: those of a series, or of all columns."""
    if getattr(grouped, "ndim", 1) == 1:
        return columns.find_sources(VALUES)
    return UNKNOWN_SOURCES


def _find_aggregated(columns: ColumnMap, grouped: Any, named: dict[str, Any], label: Any) -> Sources:
    if getattr(grouped, "ndim", 2) == 1:
        return columns.find_sources(VALUES)
    source = named.get(name_label(label))
    if isinstance(source, tuple) and source:
        return columns.find_sources(name_label(source[0]))
    labels = grouped.obj.columns
    if label in labels:
        return columns.find_sources(name_label(label))
    return (
        columns.find_sources(name_label(label[0]))
        if isinstance(label, tuple) and label[0] in labels
        else UNKNOWN_SOURCES
    )


def _build_grouped(columns: ColumnMap, keys: tuple[str, ...], value: Any, entries: dict[str, Sources]) -> ColumnMap:
    levels = {
        name_label(level): columns.find_sources(key)
        for level, key in zip(value.index.names, keys, strict=False)
        if level is not None
    }
    grouped = ColumnMap(None, {**levels, **entries}, columns.controls)
    return grouped.add_controls(make_controls(join_sources(columns, keys), Transformation.GROUP_BY))


def count_rows(call: LibraryCall) -> ColumnMap | None:
    """Compute `size`: the number of rows of each group, which has no sources but the keys."""
    columns, keys, value = call.map_columns(call.receiver), _keys.get(call.receiver), call.result
    if columns is None or keys is None:
        return None
    if isinstance(value, pd.Series):
        return _build_grouped(columns, keys, value, {VALUES: NO_SOURCES})
    entries = {name: columns.find_sources(name) if name in keys else NO_SOURCES for name in list_names(value.columns)}
    return _build_grouped(columns, keys, value, entries)


def compute_rows_of_groups(call: LibraryCall) -> ColumnMap | None:
    """Compute a value for each row from its group: `transform`, `cumsum`, `rank`, `shift`."""
    return _compute_rows(call, compute_by_row)


def compute_window(call: LibraryCall) -> ColumnMap | None:
    """Compute an aggregate for each row from the rows around it."""
    return _compute_rows(call, compute_aggregate)


def _compute_rows(call: LibraryCall, step: Any) -> ColumnMap | None:
    columns, keys, value = call.map_columns(call.receiver), _keys.get(call.receiver), call.result
    if columns is None or keys is None:
        return None
    names = [VALUES] if isinstance(value, pd.Series) else list_names(value.columns)
    if isinstance(value, pd.Series) and getattr(call.receiver, "ndim", 1) != 1:
        return None
    is_one = getattr(call.receiver, "ndim", 2) == 1
    entries = {name: step(columns.find_sources(VALUES if is_one else name)) for name in names}
    levels = {
        name_label(level): find_level(columns, name_label(level)) for level in value.index.names if level is not None
    }
    computed = ColumnMap(None, {**levels, **entries}, columns.controls)
    return computed.add_controls(make_controls(join_sources(columns, keys), Transformation.WINDOW))


def count_positions(call: LibraryCall) -> ColumnMap | None:
    """Compute `cumcount` and `ngroup`, which depend on nothing but the keys."""
    columns, keys = call.map_columns(call.receiver), _keys.get(call.receiver)
    if columns is None or keys is None:
        return None
    numbered = ColumnMap(None, {VALUES: NO_SOURCES}, columns.controls)
    return numbered.add_controls(make_controls(join_sources(columns, keys), Transformation.WINDOW))


def keep_rows(call: LibraryCall) -> ColumnMap | None:
    """Keep rows of each group: `head`, `nth`, `get_group`; the keys determine which."""
    columns, keys = call.map_columns(call.receiver), _keys.get(call.receiver)
    if columns is None or keys is None:
        return None
    return columns.add_controls(make_controls(join_sources(columns, keys), Transformation.GROUP_BY))


def report_part(call: LibraryCall) -> None:
    """Record that a function got one of the groups, a part of the sorted frame or series in an argument."""
    record_group(call, call.args[1], call.result)


def record_group(call: LibraryCall, grouped: Any, group: Any) -> None:
    """Record that a loop got one of the groups, which has the same columns as all of them."""
    call.record_derived(group, (grouped,), call.map_columns(grouped))


def apply_to_groups(call: LibraryCall) -> ColumnMap | None:
    """Compute `apply`: of a series, a function of its values; of a frame it is not followed by column."""
    if getattr(call.receiver, "ndim", 2) != 1:
        return None
    columns, keys, value = call.map_columns(call.receiver), _keys.get(call.receiver), call.result
    if columns is None or keys is None:
        return None
    names = [VALUES] if isinstance(value, pd.Series) else list_names(value.columns)
    return _build_grouped(columns, keys, value, dict.fromkeys(names, compute_aggregate(columns.find_sources(VALUES))))


def count_group_values(call: LibraryCall) -> ColumnMap | None:
    """Compute `value_counts` of a series' groups: the values are the last level."""
    columns, keys, value = call.map_columns(call.receiver), _keys.get(call.receiver), call.result
    if columns is None or keys is None or getattr(call.receiver, "ndim", 2) != 1 or not isinstance(value, pd.Series):
        return None
    every = columns.find_sources(VALUES)
    counted = _build_grouped(columns, keys, value, {VALUES: NO_SOURCES})
    last = value.index.names[-1]
    if last is not None and len(value.index.names) > len(keys):
        counted = counted.assign({name_label(last): every})
    return counted.add_controls(make_controls(every, Transformation.GROUP_BY))
