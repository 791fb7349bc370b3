"""The columns of frames that are joined or concatenated."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import NO_SOURCES, ColumnMap, Sources
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.pandas.columns import (
    VALUES,
    compute_by_row,
    find_level,
    find_values,
    list_levels,
    list_names,
    make_controls,
    name_label,
    to_list,
)


class _Side:
    """One of two joined frames: its columns, those that are keys, and the suffix for names that both have."""

    def __init__(self, call: LibraryCall, frame: Any, keys: list[Any], *, by_index: bool, suffix: str | None) -> None:
        self.columns = call.map_columns(frame)
        self.suffix = suffix or ""
        if isinstance(frame, pd.Series):
            self.names = {name_label(frame.name): VALUES}
        else:
            self.names = {name: name for name in list_names(frame.columns)}
        self.keys: list[str] = []
        self.key_sources: Sources = NO_SOURCES
        if self.columns is None:
            return
        self.levels = list_levels(self.columns, frame.index)
        for key in keys:
            if isinstance(key, pd.Series):
                self.key_sources |= find_values(call, key)
            elif name_label(key) in self.names:
                self.keys.append(name_label(key))
                self.key_sources |= self.find(name_label(key))
            else:
                self.key_sources |= self.levels.get(name_label(key), NO_SOURCES)
        if by_index:
            self.key_sources = NO_SOURCES.union(self.key_sources, *self.levels.values())

    def find(self, name: str) -> Sources:
        """Return the sources of a column of this side."""
        return NO_SOURCES if self.columns is None else self.columns.find_sources(self.names[name])


#: The positions of the arguments, which `pd.merge` and the method share.
_HOW, _ON, _LEFT_ON, _RIGHT_ON, _LEFT_INDEX, _RIGHT_INDEX, _SUFFIXES = 2, 3, 4, 5, 6, 7, 9


def merge(call: LibraryCall) -> ColumnMap | None:
    """Compute `pd.merge` and the method `merge`: the keys of both sides are controls of a join."""
    get = call.get_argument
    left, right = get(0, "left"), get(1, "right")
    how, on = get(_HOW, "how", "inner"), to_list(get(_ON, "on"))
    left_on, right_on = to_list(get(_LEFT_ON, "left_on")), to_list(get(_RIGHT_ON, "right_on"))
    left_index, right_index = get(_LEFT_INDEX, "left_index"), get(_RIGHT_INDEX, "right_index")
    if not (on or left_on or right_on or left_index or right_index or how == "cross"):
        on = [label for label in left.columns if label in set(right.columns)]
    suffixes = get(_SUFFIXES, "suffixes", ("_x", "_y"))
    sides = (
        _Side(call, left, on or left_on, by_index=bool(left_index), suffix=suffixes[0]),
        _Side(call, right, on or right_on, by_index=bool(right_index), suffix=suffixes[1]),
    )
    return _join(sides, call.result, how, {name_label(label) for label in on} or _list_shared_keys(left_on, right_on))


def _list_shared_keys(left_on: list[Any], right_on: list[Any]) -> set[str]:
    """Return the keys that have the same name on both sides, which are one column of the result."""
    pairs = zip(left_on, right_on, strict=False)
    return {name_label(one) for one, other in pairs if isinstance(one, str) and isinstance(other, str) and one == other}


def merge_nearest(call: LibraryCall) -> ColumnMap | None:
    """Compute `merge_asof` and `merge_ordered`."""
    left, right = call.get_argument(0, "left"), call.get_argument(1, "right")
    names = ("on", "left_on", "right_on", "by", "left_by", "right_by")
    on, left_on, right_on, by, left_by, right_by = (to_list(call.kwargs.get(name)) for name in names)
    if len(call.args) > 2:
        on = to_list(call.args[2])
    suffixes = call.kwargs.get("suffixes", ("_x", "_y"))
    is_by_index = (bool(call.kwargs.get("left_index")), bool(call.kwargs.get("right_index")))
    sides = (
        _Side(call, left, on + left_on + by + left_by, by_index=is_by_index[0], suffix=suffixes[0]),
        _Side(call, right, on + right_on + by + right_by, by_index=is_by_index[1], suffix=suffixes[1]),
    )
    how = "left" if call.function == "merge_asof" else call.kwargs.get("how", "outer")
    return _join(sides, call.result, how, {name_label(label) for label in on + by})


def join(call: LibraryCall) -> ColumnMap | None:
    """Compute `df.join`, by the index of the other frame."""
    left, right, on = call.receiver, call.get_argument(1, "other"), to_list(call.get_argument(2, "on"))
    if not isinstance(right, pd.DataFrame | pd.Series):
        return None
    sides = (
        _Side(call, left, on, by_index=not on, suffix=call.get_argument(4, "lsuffix", "")),
        _Side(call, right, [], by_index=True, suffix=call.get_argument(5, "rsuffix", "")),
    )
    return _join(sides, call.result, call.get_argument(3, "how", "left"), set())


def _join(sides: tuple[_Side, _Side], value: Any, how: str, shared: set[str]) -> ColumnMap | None:
    left, right = sides
    if left.columns is None or right.columns is None:
        return None
    entries: dict[str, Sources] = {**right.levels, **left.levels}
    for name in list_names(value.columns):
        found = _find_joined(name, left, right, shared, how)
        entries[name] = NO_SOURCES if found is None else found
    joined = ColumnMap(None, entries, left.columns.controls | right.columns.controls)
    return joined.add_controls(make_controls(left.key_sources | right.key_sources, Transformation.JOIN))


def _find_joined(name: str, left: _Side, right: _Side, shared: set[str], how: str) -> Sources | None:
    """Return the sources of a column of a join; None if neither side has it, such as that of an indicator."""
    if name in shared and name in left.names and name in right.names:
        if how == "outer":
            return compute_by_row(left.find(name), right.find(name))
        return (right if how == "right" else left).find(name)
    in_left, in_right = name in left.names, name in right.names
    if in_left != in_right:
        return (left if in_left else right).find(name)
    if in_left and in_right:  # Both have it: one suffix is empty.
        return (right if right.suffix == "" and left.suffix else left).find(name)
    for side, other in ((left, right), (right, left)):
        plain = name.removesuffix(side.suffix) if side.suffix else name
        if plain != name and plain in side.names and plain in other.names:
            return side.find(plain)
    return None


def append(call: LibraryCall) -> ColumnMap | None:
    """Compute `pd.concat`: rows of several frames have their columns by name, columns side by side by position."""
    given = call.get_argument(0, "objs")
    if not isinstance(given, list | tuple | Mapping):
        return None
    objects = [each for each in (given.values() if isinstance(given, Mapping) else given) if each is not None]
    maps = [call.map_columns(each) for each in objects]
    if any(each is None for each in maps):
        return None
    known = [each for each in maps if each is not None]
    controls = NO_SOURCES.union(*(each.controls for each in known))
    value = call.result
    if isinstance(value, pd.Series):
        return ColumnMap(None, {VALUES: NO_SOURCES.union(*(each.find_sources(VALUES) for each in known))}, controls)
    names = list_names(value.columns)
    entries = _list_side_by_side(objects, known) if call.get_argument(1, "axis", 0) in (1, "columns") else None
    if entries is None:
        rows = [_get_row_columns(each, columns) for each, columns in zip(objects, known, strict=True)]
        return ColumnMap(None, {name: NO_SOURCES.union(*(row(name) for row in rows)) for name in names}, controls)
    if len(entries) != len(names):
        return None
    levels = {
        name: NO_SOURCES.union(*(find_level(each, name) for each in known))
        for label in value.index.names
        if label is not None and (name := name_label(label))
    }
    return ColumnMap(None, {**levels, **dict(zip(names, entries, strict=True))}, controls)


def _list_side_by_side(objects: list[Any], maps: list[ColumnMap]) -> list[Sources]:
    found: list[Sources] = []
    for each, columns in zip(objects, maps, strict=True):
        names = [VALUES] if isinstance(each, pd.Series) else list_names(each.columns)
        found.extend(columns.find_sources(name) for name in names)
    return found


def _get_row_columns(value: Any, columns: ColumnMap) -> Any:
    """Return a function that returns the sources of a column that one of the values contributes rows to."""
    if isinstance(value, pd.Series):
        # A series that is appended to frames is a column of its name.
        own = {name_label(0 if value.name is None else value.name): VALUES}
    else:
        own = {name: name for name in list_names(value.columns)}
    return lambda name: columns.find_sources(own[name]) if name in own else NO_SOURCES


def update(call: LibraryCall) -> ColumnMap | None:
    """Compute `update`, which changes values in place to those of another frame or series."""
    return _combine(call, call.receiver)


def combine_first(call: LibraryCall) -> ColumnMap | None:
    """Compute `combine_first`: values of another frame or series where there are none."""
    return _combine(call, call.result)


def _combine(call: LibraryCall, value: Any) -> ColumnMap | None:
    receiver, other = call.receiver, call.get_argument(1, "other")
    columns, more = call.map_columns(receiver), call.map_columns(other)
    if columns is None or more is None or not isinstance(other, pd.DataFrame | pd.Series):
        return None
    if isinstance(receiver, pd.Series):
        return columns.assign({VALUES: columns.find_sources(VALUES) | find_values(call, other, columns.controls)})
    names = (
        {name: name for name in list_names(other.columns)}
        if isinstance(other, pd.DataFrame)
        else {name_label(other.name): VALUES}
    )
    own = set(list_names(receiver.columns))
    entries = {
        name: (columns.find_sources(name) if name in own else NO_SOURCES) | more.find_sources(source) | more.controls
        for name, source in names.items()
        if name in set(list_names(value.columns))
    }
    return columns.assign(entries)
