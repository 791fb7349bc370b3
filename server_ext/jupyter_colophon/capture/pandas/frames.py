"""The columns of frames and series that are computed from one frame or series, and of arithmetic."""

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
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
    list_levels,
    list_names,
    make_controls,
    name_label,
    to_list,
)
from jupyter_colophon.capture.pandas.inputs import Rule, get_value
from jupyter_colophon.capture.pandas.row_functions import list_used_columns


def get_names_before(receiver: Any, *_: Any, **__: Any) -> Any:
    """Return the labels of a frame before a call that may rename them in place."""
    return getattr(receiver, "columns", None)


def keep(call: LibraryCall) -> ColumnMap | None:
    """Keep the columns: rows are selected or ordered, or columns are left out."""
    columns = call.map_columns(call.receiver)
    value = get_value(call)
    if columns is None or not isinstance(call.receiver, pd.DataFrame) or not isinstance(value, pd.Series):
        return columns
    return build_map(columns, {VALUES: join_sources(columns, list_names(call.receiver.columns))})


def keep_all_arguments(call: LibraryCall) -> ColumnMap | None:
    """Keep the columns of the receiver; the result is several values, of which only their origin is followed."""
    return keep(call) if not isinstance(call.result, tuple) else None


def _list_own(value: Any) -> list[str]:
    return [VALUES] if isinstance(value, pd.Series) else list_names(value.columns)


def create_control(kind: Transformation, position: int, argument: str) -> Rule:
    """Return the rule of a method that selects or orders rows by the columns of an argument, all if it is None."""

    def keep_controlled(call: LibraryCall) -> ColumnMap | None:
        columns, receiver = keep(call), call.receiver
        if columns is None or isinstance(receiver, pd.Series):
            named = [VALUES]
        else:
            labels = call.get_argument(position, argument)
            named = [name_label(label) for label in to_list(labels)] or list_names(receiver.columns)
            levels = {name_label(level) for level in receiver.index.names if level is not None}
            columns = columns.add_controls(
                each
                for name in named
                for each in make_controls(
                    find_level(columns, name)
                    if name in levels and name not in receiver
                    else columns.find_sources(name),
                    kind,
                )
            )
            return columns
        return None if columns is None else columns.add_controls(make_controls(columns.find_sources(VALUES), kind))

    return keep_controlled


def compute(call: LibraryCall) -> ColumnMap | None:
    """Compute each column from the column of the same name and all other arguments: arithmetic, comparisons, `fillna`."""
    return _compute_with(call, call.receiver, [*call.args[1:], *call.kwargs.values()])


def compute_ufunc(call: LibraryCall) -> ColumnMap | None:
    """Compute each column from those of the same name of all inputs of a function of numpy."""
    inputs = call.args[3:]
    first = next((each for each in inputs if isinstance(each, pd.DataFrame | pd.Series)), call.receiver)
    return _compute_with(call, first, [each for each in inputs if each is not first])


def _compute_with(call: LibraryCall, receiver: Any, others: list[Any]) -> ColumnMap | None:
    columns, value = call.map_columns(receiver), get_value(call)
    others = [each for each in others if not isinstance(each, dict | list | tuple) and not callable(each)]
    tracked = [each for each in others if call.find_origin(each) is not None]
    maps = {id(each): call.map_columns(each) for each in tracked}
    if columns is None or None in maps.values():
        return None
    known = columns.controls
    if isinstance(receiver, pd.Series) and not isinstance(value, pd.DataFrame):
        more = [find_values(call, each, known) for each in tracked]
        return columns.assign({VALUES: compute_by_row(columns.find_sources(VALUES), *more)})
    if isinstance(value, pd.Series):
        return build_map(
            columns,
            {VALUES: compute_by_row(*_find_all(call, receiver), *(find_values(call, each) for each in tracked))},
        )
    entries = {}
    for name in list_names(value.columns):
        own = [VALUES] if isinstance(receiver, pd.Series) else [name] if name in receiver.columns else []
        parts = [columns.find_sources(each) for each in own]
        for other in tracked:
            if isinstance(other, pd.DataFrame):
                other_columns = maps[id(other)]
                if other_columns is not None and name in other.columns:
                    parts += [other_columns.find_sources(name), other_columns.controls - known]
            else:
                parts.append(find_values(call, other, known))
        entries[name] = compute_by_row(*parts)
    return columns.assign(entries)


def _find_all(call: LibraryCall, value: Any) -> list[Sources]:
    columns = call.map_columns(value)
    return [UNKNOWN_SOURCES] if columns is None else [columns.find_sources(name) for name in _list_own(value)]


def compute_selected(call: LibraryCall) -> ColumnMap | None:
    """Compute only the columns that a dictionary names: `astype({"a": int})`, `fillna({"a": 0})`."""
    argument = call.args[1] if len(call.args) > 1 else next(iter(call.kwargs.values()), None)
    if not isinstance(argument, Mapping) or isinstance(call.receiver, pd.Series):
        return compute(call)
    columns = call.map_columns(call.receiver)
    if columns is None:
        return None
    names = [name_label(label) for label in argument if label in call.receiver.columns]
    more = {
        name_label(label): find_values(call, each, columns.controls)
        for label, each in argument.items()
        if call.find_origin(each)
    }
    return columns.assign(
        {name: compute_by_row(columns.find_sources(name), more.get(name, NO_SOURCES)) for name in names}
    )


def choose(call: LibraryCall) -> ColumnMap | None:
    """Compute `where` and `mask`: the condition determines which value a row gets."""
    columns, condition = call.map_columns(call.receiver), call.get_argument(1, "cond")
    if columns is None or callable(condition):
        return None
    other = call.get_argument(2, "other")
    more = make_controls(find_values(call, condition), Transformation.CONDITIONAL)
    added = frozenset(more) | (find_values(call, other, columns.controls) if other is not np.nan else NO_SOURCES)
    return columns.assign({name: columns.find_sources(name) | added for name in _list_own(get_value(call))})


def compute_reduction(call: LibraryCall) -> ColumnMap | None:
    """Compute `sum`, `mean` and others: over rows an aggregation, over the columns of a row a transformation."""
    columns, receiver, value = call.map_columns(call.receiver), call.receiver, get_value(call)
    if columns is None:
        return None
    if isinstance(receiver, pd.Series):
        return columns.assign({VALUES: compute_aggregate(columns.find_sources(VALUES))})
    axis = call.get_argument(1, "axis", 0)
    step = compute_by_row if axis in (1, "columns") else compute_aggregate
    if isinstance(value, pd.Series):
        index = value.index if step is compute_by_row else None
        return build_map(columns, {VALUES: step(*_find_all(call, receiver))}, index)
    return _compute_aggregates(columns, receiver, value)


def _compute_aggregates(columns: ColumnMap, receiver: Any, value: Any) -> ColumnMap:
    known = set(list_names(receiver.columns))
    return build_map(
        columns,
        {
            name: compute_aggregate(columns.find_sources(name)) if name in known else UNKNOWN_SOURCES
            for name in list_names(value.columns)
        },
    )


def summarize(call: LibraryCall) -> ColumnMap | None:
    """Compute `describe`, `agg`, `quantile`, `mode`: each column is an aggregate of the column of the same name."""
    columns, receiver, value = call.map_columns(call.receiver), call.receiver, get_value(call)
    if columns is None:
        return None
    if isinstance(receiver, pd.Series):
        names = [VALUES] if isinstance(value, pd.Series) else list_names(value.columns)
        return build_map(columns, dict.fromkeys(names, compute_aggregate(columns.find_sources(VALUES))))
    if isinstance(value, pd.Series):
        return build_map(columns, {VALUES: compute_aggregate(*_find_all(call, receiver))})
    if call.kwargs.get("axis") in (1, "columns") or any(isinstance(each, tuple) for each in call.kwargs.values()):
        return None
    return _compute_aggregates(columns, receiver, value)


def compute_relations(call: LibraryCall) -> ColumnMap | None:
    """Compute `corr` and `cov`: each column is an aggregate of all columns."""
    columns, value = call.map_columns(call.receiver), get_value(call)
    if columns is None:
        return None
    every = compute_aggregate(*_find_all(call, call.receiver))
    return build_map(columns, dict.fromkeys(_list_own(value), every))


def count_values(call: LibraryCall) -> ColumnMap | None:
    """Count rows for each value: the values become an index, and the count depends on them as on a group."""
    columns, receiver, value = call.map_columns(call.receiver), call.receiver, get_value(call)
    if columns is None:
        return None
    names = [VALUES] if isinstance(receiver, pd.Series) else [name_label(each) for each in value.index.names]
    levels = {
        name_label(level): columns.find_sources(name)
        for level, name in zip(value.index.names, names, strict=False)
        if level is not None
    }
    counted = build_map(columns, {**levels, VALUES: NO_SOURCES})
    return counted.add_controls(make_controls(join_sources(columns, names), Transformation.GROUP_BY))


def mark_duplicates(call: LibraryCall) -> ColumnMap | None:
    """Compute `duplicated`: whether a row has the values of another one."""
    columns, receiver = call.map_columns(call.receiver), call.receiver
    if columns is None:
        return None
    labels = None if isinstance(receiver, pd.Series) else call.get_argument(1, "subset")
    names = [name_label(each) for each in to_list(labels)] or _list_own(receiver)
    return build_map(columns, {VALUES: compute_by_row(join_sources(columns, names))}, receiver.index)


def apply(call: LibraryCall) -> ColumnMap | None:
    """Compute `apply`: to each value of a series, each column of a frame, or, with `axis=1`, each row."""
    receiver, value, function = call.receiver, get_value(call), call.get_argument(1, "func")
    columns = call.map_columns(receiver)
    if columns is None:
        return None
    if isinstance(receiver, pd.Series):
        return _fill_columns(columns, compute_by_row(columns.find_sources(VALUES)), value)
    if call.get_argument(2, "axis", 0) in (1, "columns"):
        used = list_used_columns(function, receiver.columns)
        sources = UNKNOWN_SOURCES if used is None else compute_by_row(*(columns.find_sources(name) for name in used))
        return _fill_columns(columns, sources, value)
    if isinstance(value, pd.Series):
        return build_map(columns, {VALUES: compute_aggregate(*_find_all(call, receiver))})
    return compute(call)


def _fill_columns(columns: ColumnMap, sources: Sources, value: Any) -> ColumnMap:
    return build_map(columns, dict.fromkeys(_list_own(value), sources), value.index)


def convert_to_frame(call: LibraryCall) -> ColumnMap | None:
    """Make all columns of the result from the values of a series: `to_frame`, `unstack`, `explode`."""
    columns = call.map_columns(call.receiver)
    if columns is None:
        return None
    sources = join_sources(columns, _list_own(call.receiver))
    return _fill_columns(columns, sources, get_value(call))


def compute_exploded(call: LibraryCall) -> ColumnMap | None:
    """Compute `explode`, which changes only the columns that it names."""
    columns, receiver = call.map_columns(call.receiver), call.receiver
    if columns is None:
        return None
    names = (
        [VALUES]
        if isinstance(receiver, pd.Series)
        else [name_label(each) for each in to_list(call.get_argument(1, "column"))]
    )
    return columns.assign({name: compute_by_row(columns.find_sources(name)) for name in names})


def rename(call: LibraryCall) -> ColumnMap | None:
    """Rename columns: each is the one at the same position before."""
    columns, value = call.map_columns(call.receiver), get_value(call)
    if columns is None or isinstance(value, pd.Series):
        return columns
    return rename_by_position(columns, call.state, value)


def rename_by_position(columns: ColumnMap, before: Any, value: Any) -> ColumnMap | None:
    """Return the map of a frame whose columns had other names before."""
    old, new = list_names(before), list_names(value.columns)
    if old == new:
        return columns
    if len(old) != len(new):
        return None
    entries = {after: columns.find_sources(name) for name, after in zip(old, new, strict=True)}
    return build_map(columns, entries, value.index)


def set_labels(call: LibraryCall) -> ColumnMap | None:
    """Follow `df.columns = …` and `df.index = …`: labels are replaced."""
    columns, receiver = call.map_columns(call.receiver), call.receiver
    if columns is None or isinstance(receiver, pd.Series) or receiver.columns is call.state:
        return columns
    return rename_by_position(columns, call.state, receiver)


def set_index(call: LibraryCall) -> ColumnMap | None:
    """Make columns or series the levels of the index."""
    columns = call.map_columns(call.receiver)
    if columns is None:
        return None
    levels = {}
    for key in to_list(call.get_argument(1, "keys")):
        if isinstance(key, pd.Series) and key.name is not None:
            levels[name_label(key.name)] = find_values(call, key, columns.controls)
        elif not isinstance(key, pd.Index | np.ndarray):
            levels[name_label(key)] = columns.find_sources(name_label(key))
    return columns.assign(levels)


def get_labels_before(receiver: Any, *_: Any, **__: Any) -> Any:
    """Return the labels of columns and the names of the levels before a call that may change them in place."""
    labels = getattr(receiver, "columns", None)
    return labels, list(receiver.index.names)


def convert_levels(call: LibraryCall) -> ColumnMap | None:
    """Make levels of the index columns, which have sources if they were made of columns."""
    receiver, value = call.receiver, get_value(call)
    columns, (labels, levels) = call.map_columns(receiver), call.state
    if columns is None or isinstance(value, pd.Series):
        return columns
    names = list_names(value.columns)
    old = set() if labels is None else set(list_names(labels))
    added = names[:-1] if labels is None else [name for name in names if name not in old]
    given = to_list(call.kwargs.get("names"))
    renamed = dict(zip(map(str, given), levels, strict=False))
    entries = {
        name: NO_SOURCES if (level := renamed.get(name, name)) is None else find_level(columns, name_label(level))
        for name in added
    }
    if labels is None:
        return build_map(columns, {**entries, names[-1]: columns.find_sources(VALUES)})
    return columns.assign(entries)


def rename_levels(call: LibraryCall) -> ColumnMap | None:
    """Compute `rename_axis`, which renames levels of the index."""
    columns, value = call.map_columns(call.receiver), get_value(call)
    if columns is None:
        return None
    pairs = zip(call.state[1], value.index.names, strict=False)
    return columns.assign(
        {
            name_label(after): NO_SOURCES if before is None else find_level(columns, name_label(before))
            for before, after in pairs
            if after is not None and after != before
        }
    )


_TEXT: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_WORD: Final = re.compile(r"`([^`]+)`|(?<![@.\w])([^\W\d]\w*)")
_ASSIGNMENT: Final = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)(.*)", re.DOTALL)


def _list_words(expression: str, labels: Any) -> list[str]:
    words = (first or second for first, second in _WORD.findall(_TEXT.sub("''", expression)))
    return [word for word in dict.fromkeys(words) if word in labels]


def query(call: LibraryCall) -> ColumnMap | None:
    """Compute `query`, which filters by the columns of an expression."""
    columns = keep(call)
    if columns is None:
        return None
    words = _list_words(call.get_argument(1, "expr"), call.receiver.columns)
    return columns.add_controls(make_controls(join_sources(columns, words), Transformation.FILTER))


def evaluate(call: LibraryCall) -> ColumnMap | None:
    """Compute `eval`, an expression or assignments to columns."""
    columns, labels, expression = call.map_columns(call.receiver), call.receiver.columns, call.get_argument(1, "expr")
    if columns is None:
        return None
    for line in filter(str.strip, expression.splitlines()):
        assignment = _ASSIGNMENT.fullmatch(line)
        sources = compute_by_row(
            join_sources(
                columns, _list_words(assignment[2] if assignment else line, get_value(call) if assignment else labels)
            )
        )
        if assignment is None:
            return build_map(columns, {VALUES: sources}, call.receiver.index)
        columns = columns.assign({assignment[1]: sources})
    return columns


def follow_computed(call: LibraryCall) -> ColumnMap | None:
    """Follow what pandas computed from a frame or series by a method that is not observed.

    All columns come from the values of a series. The columns of a frame are not followed.
    """
    other, value = call.get_argument(1, "other"), call.receiver
    columns = call.map_columns(other)
    if columns is None:
        return None
    if isinstance(other, pd.Series):
        return build_map(
            columns, dict.fromkeys(_list_own(value), compute_by_row(columns.find_sources(VALUES))), value.index
        )
    return None


def to_array(call: LibraryCall) -> ColumnMap | None:
    """Follow an array of a series, or of a frame, whose columns then have their positions as names."""
    columns, receiver, value = call.map_columns(call.receiver), call.receiver, get_value(call)
    if columns is None or isinstance(receiver, pd.Series):
        return columns
    names = list_names(receiver.columns)
    if value.ndim != 2:
        return columns
    return build_map(columns, {str(at): columns.find_sources(name) for at, name in enumerate(names)})


def create_frame(call: LibraryCall) -> ColumnMap | None:
    """Follow `DataFrame(…)` of a frame, a series, a dictionary of columns, or an array."""
    data, frame = call.get_argument(1, "data"), call.receiver
    names = list_names(frame.columns)
    if isinstance(data, Mapping):
        sources = {name_label(label): find_values(call, each) for label, each in data.items()}
        return ColumnMap(None, {name: sources.get(name, NO_SOURCES) for name in names})
    columns = call.map_columns(data)
    if columns is None:
        return None
    if isinstance(data, pd.DataFrame):
        known = set(list_names(data.columns))
        return columns.assign({name: NO_SOURCES for name in names if name not in known})
    if isinstance(data, pd.Series) or (isinstance(data, np.ndarray) and data.ndim == 1 and len(names) == 1):
        return build_map(columns, dict.fromkeys(names, columns.find_sources(VALUES)), frame.index)
    if isinstance(data, np.ndarray):
        return build_map(columns, {name: columns.find_sources(str(at)) for at, name in enumerate(names)})
    return None


def create_series(call: LibraryCall) -> ColumnMap | None:
    """Follow `Series(…)` of a series or an array."""
    data = call.get_argument(1, "data")
    columns = call.map_columns(data)
    if columns is None or not isinstance(data, pd.Series | np.ndarray):
        return None
    return build_map(columns, {VALUES: columns.find_sources(VALUES)})


def convert(call: LibraryCall) -> ColumnMap | None:
    """Follow a function of pandas that converts a series, or the columns of a frame, to one value a row."""
    data = call.args[0] if call.args else next(iter(call.kwargs.values()))
    columns = call.map_columns(data)
    if columns is None:
        return None
    names = [VALUES] if isinstance(data, pd.Series | np.ndarray) else list_names(data.columns)
    value = call.result[0] if isinstance(call.result, tuple) else call.result
    levels = {} if not isinstance(data, pd.Series) else list_levels(columns, data.index)
    if isinstance(value, pd.DataFrame):
        known = set(names)
        entries = {
            name: compute_by_row(columns.find_sources(name))
            if name in known
            else compute_by_row(join_sources(columns, names))
            for name in list_names(value.columns)
        }
        return build_map(columns, {**levels, **entries})
    return build_map(columns, {**levels, VALUES: compute_by_row(join_sources(columns, names))})
