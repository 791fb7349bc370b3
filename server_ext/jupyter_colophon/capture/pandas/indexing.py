"""The columns of frames and series that are selected or set by brackets, `loc`, `iloc`, `at` and `iat`."""

from typing import Any, Final

import numpy as np
import pandas as pd

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import NO_SOURCES, UNKNOWN_SOURCES, ColumnMap, Sources
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.pandas.columns import (
    VALUES,
    build_map,
    find_values,
    join_sources,
    list_names,
    make_controls,
    name_label,
    to_list,
)

#: The types of masks.
_TRUTH_VALUES: Final = frozenset({"bool", "boolean", "bool[pyarrow]"})


def get_item(call: LibraryCall) -> ColumnMap | None:
    """Compute `df["a"]`, `df[["a", "b"]]`, `df[mask]`, `series[mask]`."""
    receiver, key = (
        call.receiver,
        call.args[1] if len(call.args) > 1 else call.kwargs.get("key", call.kwargs.get("item")),
    )
    columns = call.map_columns(receiver)
    if columns is None:
        return None
    if isinstance(receiver, pd.DataFrame) and isinstance(call.result, pd.Series):
        return build_map(columns, {VALUES: columns.find_sources(name_label(key))}, receiver.index)
    if isinstance(key, pd.DataFrame):
        return None
    return _filter(call, columns, key)


def _filter(call: LibraryCall, columns: ColumnMap, key: Any) -> ColumnMap:
    """Add the sources of a mask as controls. Labels, positions and slices that the program names have none."""
    if not _is_mask(key):
        return columns
    return columns.add_controls(make_controls(find_values(call, key, columns.controls), Transformation.FILTER))


def _is_mask(key: Any) -> bool:
    if isinstance(key, list):
        return bool(key) and isinstance(key[0], bool)
    return str(getattr(key, "dtype", "")) in _TRUTH_VALUES


def select_located(call: LibraryCall) -> ColumnMap | None:
    """Compute `df.loc[rows, columns]` and `df.iloc[…]`."""
    owner, key, value = call.receiver.obj, call.args[1], call.result
    columns = call.map_columns(owner)
    if columns is None:
        return None
    rows, is_pair = (key[0], True) if isinstance(key, tuple) and len(key) > 0 else (key, False)
    if isinstance(owner, pd.DataFrame) and isinstance(value, pd.Series):
        names = list_names(owner.columns)
        if is_pair and len(key) == 2 and not isinstance(key[1], slice | list | np.ndarray | pd.Series):
            names = [name_label(value.name)]
        columns = build_map(columns, {VALUES: join_sources(columns, names)}, value.index)
    return _filter(call, columns, rows)


def set_item(call: LibraryCall) -> ColumnMap | None:
    """Compute `df["a"] = …`, `df[["a", "b"]] = …`, `df[mask] = …`, `series[…] = …`."""
    receiver, key, value = call.args[:3]
    return _set_columns(call, receiver, key, value)


def insert(call: LibraryCall) -> ColumnMap | None:
    """Compute `df.insert(position, name, values)`."""
    return _set_columns(call, call.receiver, call.get_argument(2, "column"), call.get_argument(3, "value"))


def _set_columns(call: LibraryCall, receiver: Any, key: Any, value: Any) -> ColumnMap | None:
    columns = call.map_columns(receiver)
    if columns is None:
        return None
    known = columns.controls
    if isinstance(receiver, pd.Series) or _is_mask(key) or isinstance(key, slice | pd.DataFrame):
        return _set_rows(call, columns, receiver, key, value, None)
    if not isinstance(key, list | np.ndarray | pd.Index):
        return columns.assign({name_label(key): find_values(call, value, known)})
    names = list_names(key)
    return columns.assign(_split_value(call, names, value, known))


def _split_value(call: LibraryCall, names: list[str], value: Any, known: Sources) -> dict[str, Sources]:
    """Return the sources of several columns that are set at once: a frame's columns are taken by position."""
    if not isinstance(value, pd.DataFrame):
        return dict.fromkeys(names, find_values(call, value, known))
    found, given = call.map_columns(value), list_names(value.columns)
    if found is None or len(given) != len(names):
        return dict.fromkeys(names, UNKNOWN_SOURCES)
    controls = found.controls - known
    return {name: found.find_sources(other) | controls for name, other in zip(names, given, strict=True)}


def set_located(call: LibraryCall) -> ColumnMap | None:
    """Compute `df.loc[rows, columns] = …`: other rows keep their values, and a mask is a condition."""
    owner, key, value = call.receiver.obj, call.args[1], call.args[2]
    columns = call.map_columns(owner)
    if columns is None:
        return None
    is_pair = isinstance(key, tuple) and len(key) == 2 and isinstance(owner, pd.DataFrame)
    rows, labels = key if is_pair else (key, None)
    return _set_rows(call, columns, owner, rows, value, labels)


def _set_rows(
    call: LibraryCall, columns: ColumnMap, owner: Any, rows: Any, value: Any, labels: Any
) -> ColumnMap | None:
    names = _list_set_names(call, owner, labels)
    if names is None:
        return None
    conditions = NO_SOURCES
    if _is_mask(rows) or isinstance(rows, pd.DataFrame):
        conditions = frozenset(make_controls(find_values(call, rows), Transformation.CONDITIONAL))
    is_new = set(names) if isinstance(owner, pd.DataFrame) and call.state is not None else set()
    if call.state is not None:
        is_new -= set(list_names(call.state))
    parts = _split_value(call, names, value, columns.controls)
    return columns.assign(
        {
            name: parts[name] | conditions | (NO_SOURCES if name in is_new else columns.find_sources(name))
            for name in names
        }
    )


def _list_set_names(call: LibraryCall, owner: Any, labels: Any) -> list[str] | None:
    """Return the names of the columns that are set; None if they cannot be determined."""
    if isinstance(owner, pd.Series):
        return [VALUES]
    every = list_names(owner.columns)
    if labels is None or (isinstance(labels, slice) and labels == slice(None)):
        return every
    if isinstance(labels, slice) or _is_mask(labels) or callable(labels):
        return None
    is_position = type(call.receiver).__name__.startswith(("_i", "i"))
    named = to_list(labels)
    return [every[at] for at in named] if is_position else [name_label(label) for label in named]


def get_owner_labels_before(receiver: Any, *_: Any, **__: Any) -> Any:
    """Return the labels of the frame that an indexer belongs to, before a call that may add one."""
    return getattr(getattr(receiver, "obj", receiver), "columns", None)


def report_located(call: LibraryCall) -> None:
    """Record that values were set in the frame or series of an indexer."""
    owner, key, value = call.receiver.obj, call.args[1], call.args[2]
    parts = key if isinstance(key, tuple) else (key,)
    inputs = (owner, value, *parts)
    if not any(call.find_origin(each) is not None for each in inputs):
        return
    columns = None
    try:
        columns = set_located(call)
    finally:
        call.record_derived(owner, inputs, columns, assigned=value)


def report_locate(call: LibraryCall) -> None:
    """Record a part of the frame or series of an indexer."""
    owner, key = call.receiver.obj, call.args[1]
    parts = key if isinstance(key, tuple) else (key,)
    if call.find_origin(owner) is None:
        return
    columns = None
    try:
        columns = select_located(call)
    finally:
        call.record_derived(call.result, (owner, *parts), columns)
