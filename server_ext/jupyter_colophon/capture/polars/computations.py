"""What polars computes: frames and series from others, with their columns."""

import asyncio
import weakref
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, Final

import polars as pl

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.column_map import NO_SOURCES, ColumnMap, Sources, compute_from
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.polars.expressions import (
    VALUES,
    ExpressionReader,
    UnknownColumns,
    flatten_expressions,
    list_names,
)

_FRAMES: Final = (pl.DataFrame, pl.LazyFrame)

#: Methods whose result has columns of the same names and values.
_KEEPING: Final = (
    *(
        "clone",
        "lazy",
        "collect",
        "cache",
        "rechunk",
        "shrink_to_fit",
        "head",
        "limit",
        "tail",
        "slice",
        "first",
        "last",
    ),
    *("sample", "reverse", "shift", "gather", "gather_every", "drop", "set_sorted", "explode", "to_pandas", "to_arrow"),
    *("inspect", "clear", "match_to_schema"),
)
#: Methods whose result has columns of the same names, with other values.
_CHANGING: Final = ("fill_null", "fill_nan", "interpolate")
#: Methods that reduce each column to one value.
_REDUCING: Final = (
    *("max", "min", "mean", "median", "sum", "std", "var", "quantile", "product", "null_count", "count", "describe"),
)
#: Methods whose columns are not followed.
_OPAQUE: Final = (
    *("pivot", "transpose", "unnest", "unstack", "to_dummies", "corr", "fold", "upsample", "update", "map_rows"),
    *("map_columns", "map_batches", "to_struct", "to_numpy", "to_torch", "to_jax", "hash_rows", "merge_sorted"),
    *("is_duplicated", "is_unique", "sum_horizontal", "mean_horizontal", "max_horizontal", "min_horizontal"),
    *("join_where", "pipe_with_schema"),
)

#: The frame and the keys of what `group_by` returns.
_groups: "weakref.WeakKeyDictionary[Any, tuple[ColumnMap | None, dict[str, Sources], Any]]" = (
    weakref.WeakKeyDictionary()
)


def observe_methods(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods of frames and series that compute values."""
    reports = _list_frame_reports()
    for owner in (module.DataFrame, module.LazyFrame):
        for name, report in reports.items():
            adapter.observe_computation(owner, name, report)
        adapter.observe_computation(owner, "group_by", _report_group)
        for name in ("group_by_dynamic", "rolling"):
            adapter.observe_computation(owner, name, _report_windows)
    for owner in _list_group_classes(module):
        # The other methods call `agg`.
        adapter.observe_computation(owner, "agg", _report_aggregate)
        adapter.observe_computation(owner, "having", _report_chosen_groups)
        for name in ("head", "tail"):
            adapter.observe_computation(owner, name, _report_kept_columns)
        adapter.observe_computation(owner, "map_groups", _report_opaque)
    _observe_series(module, adapter)
    adapter.observe_computation(module.DataFrame, "__init__", _report_created)


def _list_frame_reports() -> dict[str, Callable[[LibraryCall], None]]:
    """Return the reports of the methods of frames, eager and lazy, by name."""
    return {
        **dict.fromkeys(_KEEPING, _report_kept_columns),
        **dict.fromkeys(_CHANGING, _report_changed),
        **dict.fromkeys(_REDUCING, _report_reduced),
        **dict.fromkeys(_OPAQUE, _report_opaque),
        **dict.fromkeys(("select", "select_seq"), _report_select),
        **dict.fromkeys(("with_columns", "with_columns_seq"), _report_with_columns),
        **dict.fromkeys(("filter", "remove"), _report_filter),
        **dict.fromkeys(("drop_nulls", "drop_nans"), _report_without_missing),
        "unique": _report_unique,
        "sort": _report_sort,
        **dict.fromkeys(("top_k", "bottom_k"), _report_chosen),
        "cast": _report_cast,
        **dict.fromkeys(("with_row_index", "with_row_count"), _report_numbered),
        "rename": _report_rename,
        "unpivot": _report_unpivot,
        **dict.fromkeys(("join", "join_asof"), _report_join),
        "hstack": _report_columns_beside,
        **dict.fromkeys(("insert_column", "replace_column"), _report_set_column),
        **dict.fromkeys(("vstack", "extend"), _report_rows_below),
        **dict.fromkeys(("get_column", "__getitem__", "to_series", "drop_in_place"), _report_item),
        "partition_by": _report_parts,
        "collect_async": _report_collected_later,
    }


def _observe_series(module: ModuleType, adapter: Adapter) -> None:
    for name in (
        "to_frame",
        "to_list",
        "to_numpy",
        "to_pandas",
        "to_arrow",
        "alias",
        "rename",
        "cast",
        "sort",
        "unique",
        "filter",
        "implode",
    ):
        adapter.observe_computation(module.Series, name, _report_series)
    for name in (
        "add",
        "radd",
        "sub",
        "rsub",
        "mul",
        "rmul",
        "truediv",
        "rtruediv",
        "floordiv",
        "mod",
        "gt",
        "lt",
        "ge",
        "le",
        "eq",
        "ne",
        "and",
        "or",
    ):
        adapter.observe_computation(module.Series, f"__{name}__", _report_series)
    adapter.observe_computation(module.Series, "value_counts", _report_counted)
    for name in ("is_in", "not_", "and_", "or_", "alias", "__invert__", "__and__", "__rand__", "__or__", "__ror__"):
        adapter.observe_computation(module.Expr, name, _report_condition)


def _list_group_classes(module: ModuleType) -> list[type]:
    from polars.dataframe import group_by as eager
    from polars.lazyframe import group_by as lazy

    named = [
        getattr(where, name, None)
        for where in (eager, lazy)
        for name in ("GroupBy", "DynamicGroupBy", "RollingGroupBy", "LazyGroupBy")
    ]
    return [each for each in named if each is not None]


def _report_kept_columns(call: LibraryCall) -> None:
    call.record_same_columns(call.result, call.receiver)


def _report_opaque(call: LibraryCall) -> None:
    call.record_derived(call.result, (call.receiver, *call.args[1:]))


def _report_changed(call: LibraryCall) -> None:
    _record_same_names(call, Transformation.TRANSFORMATION)


def _report_reduced(call: LibraryCall) -> None:
    _record_same_names(call, Transformation.AGGREGATION)


def _record_same_names(call: LibraryCall, how: Transformation) -> None:
    """Record a result whose columns are computed from those of the same names."""
    columns, names = call.find_columns(call.receiver), list_names(call.receiver)
    if columns is not None and names is not None:
        changed = {name: compute_from((columns.find_sources(name),), how) for name in names}
        columns = ColumnMap(None, changed, columns.controls)
    call.record_derived(call.result, (call.receiver,), None if names is None else columns)


def _report_cast(call: LibraryCall) -> None:
    types, columns = call.get_argument(1, "dtypes"), call.find_columns(call.receiver)
    if not isinstance(types, Mapping):
        _report_changed(call)
    elif all(isinstance(name, str) for name in types) and columns is not None:
        changed = {name: compute_from((columns.find_sources(name),)) for name in types}
        call.record_derived(call.result, (call.receiver,), columns.assign(changed))
    else:
        _report_opaque(call)


def _report_select(call: LibraryCall) -> None:
    _record_outputs(call, lambda columns, outputs: ColumnMap(None, outputs, columns.controls))


def _report_with_columns(call: LibraryCall) -> None:
    _record_outputs(call, lambda columns, outputs: columns.assign(outputs))


def _record_outputs(call: LibraryCall, build: Callable[[ColumnMap, dict[str, Sources]], ColumnMap]) -> None:
    """Record the result of a method that gets expressions."""
    columns, series = call.map_columns(call.receiver), _list_series(call)
    try:
        outputs = (
            ExpressionReader(call, call.receiver, columns).map_outputs(call.args[1:], call.kwargs) if columns else None
        )
    except UnknownColumns:
        outputs = None
    built = None if columns is None or outputs is None else build(columns, outputs)
    call.record_derived(call.result, (call.receiver, *series), built)


def _report_filter(call: LibraryCall) -> None:
    _record_controls(call, (*call.args[1:], *call.kwargs), Transformation.FILTER)


def _report_sort(call: LibraryCall) -> None:
    _record_controls(call, (*call.args[1:], call.kwargs.get("by")), Transformation.SORT)


def _report_chosen(call: LibraryCall) -> None:
    _record_controls(call, (call.kwargs.get("by"),), Transformation.SORT)


def _report_unique(call: LibraryCall) -> None:
    subset = call.get_argument(1, "subset")
    _record_controls(call, (list_names(call.receiver) if subset is None else subset,), Transformation.GROUP_BY)


def _report_without_missing(call: LibraryCall) -> None:
    subset = call.get_argument(1, "subset")
    _record_controls(call, (list_names(call.receiver) if subset is None else subset,), Transformation.FILTER)


def _report_numbered(call: LibraryCall) -> None:
    """Record a frame with a column of the numbers of its rows."""
    columns, name = call.find_columns(call.receiver), call.get_argument(1, "name", "index")
    call.record_derived(call.result, (call.receiver,), None if columns is None else columns.assign({name: NO_SOURCES}))


def _record_controls(call: LibraryCall, items: Iterable[Any], how: Transformation) -> None:
    columns = call.map_columns(call.receiver)
    if columns is not None:
        columns = columns.add_controls(ExpressionReader(call, call.receiver, columns, how).find_used(items))
    call.record_derived(call.result, (call.receiver, *_list_series(call)), columns)


def _report_rename(call: LibraryCall) -> None:
    columns, mapping = call.find_columns(call.receiver), call.get_argument(1, "mapping")
    if not isinstance(mapping, Mapping):
        old, new = list_names(call.receiver), list_names(call.result)
        mapping = None if old is None or new is None else dict(zip(old, new, strict=True))
    if columns is not None and mapping is not None:
        columns = columns.assign({new: columns.find_sources(old) for old, new in mapping.items()})
    call.record_derived(call.result, (call.receiver,), None if mapping is None else columns)


def _report_unpivot(call: LibraryCall) -> None:
    """Record columns that became rows: one with their names, and one with their values."""
    columns, index = call.find_columns(call.receiver), call.kwargs.get("index")
    built = None
    if columns is not None:
        reader = ExpressionReader(call, call.receiver, columns)
        try:
            kept = reader.map_outputs([index], {})
            on = call.get_argument(1, "on")
            others = [name for name in list_names(call.receiver) or () if name not in kept] if on is None else [on]
            built = kept | {call.kwargs.get("value_name") or "value": reader.find_used(others)}
        except UnknownColumns:
            built = None
    call.record_derived(
        call.result,
        (call.receiver,),
        None if columns is None or built is None else ColumnMap(None, built, columns.controls),
    )


def _report_join(call: LibraryCall) -> None:
    left, right = call.receiver, call.get_argument(1, "other")
    maps = call.map_columns(left), call.map_columns(right)
    call.record_derived(call.result, (left, right), _build_joined(call, left, right, maps))


def _build_joined(
    call: LibraryCall, left: Any, right: Any, maps: tuple[ColumnMap | None, ColumnMap | None]
) -> ColumnMap | None:
    """Return the columns of a join: those of the left, then those of the right that are no keys, with a suffix if they have equal names."""
    own, others = maps
    names = list_names(left), list_names(right), list_names(call.result)
    if own is None or others is None or None in names:
        return None
    on = call.kwargs.get("on") if call.function == "join_asof" else call.get_argument(2, "on")
    how = "left" if call.function == "join_asof" else call.get_argument(3, "how", "inner")
    kinds = ("left_on", "by_left"), ("right_on", "by_right")
    left_keys, right_keys = (
        flatten_expressions([on, call.kwargs.get("by"), *(call.kwargs.get(name) for name in kind)]) for kind in kinds
    )
    used = ExpressionReader(call, left, own, Transformation.JOIN).find_used(left_keys)
    used |= ExpressionReader(call, right, others, Transformation.JOIN).find_used(right_keys)
    if how in ("semi", "anti"):
        return own.add_controls(used)
    taken, added, result = ([] if each is None else each for each in names)
    # Of both frames' keys, only one is kept.
    is_merged = how in ("full", "outer_coalesce") and len(left_keys + right_keys) > len(result) - len(taken)
    columns = {name: own.find_sources(name) for name in taken if how != "right" or name not in left_keys}
    for name in added:
        target = f"{name}{call.kwargs.get('suffix', '_right')}" if name in columns else name
        if target in result:
            columns[target] = others.find_sources(name)
        elif is_merged and name in columns:
            columns[name] |= others.find_sources(name)
    return ColumnMap(None, columns, own.controls | others.controls | used)


def _report_columns_beside(call: LibraryCall) -> None:
    added = call.get_argument(1, "columns")
    _record_assigned(call, [added] if isinstance(added, pl.DataFrame) else list(added))


def _report_set_column(call: LibraryCall) -> None:
    _record_assigned(call, [call.get_argument(2, "column")])


def _record_assigned(call: LibraryCall, items: list[Any]) -> None:
    """Record a frame with further columns: those of series and of a frame."""
    columns = call.map_columns(call.receiver)
    for item in items:
        known = call.map_columns(item)
        if columns is None or known is None or not isinstance(item, pl.DataFrame | pl.Series):
            columns = None
        elif isinstance(item, pl.Series):
            columns = columns.assign({item.name: known.find_sources(VALUES)}).add_controls(known.controls)
        else:
            added = {name: known.find_sources(name) for name in item.columns}
            columns = columns.assign(added).add_controls(known.controls)
    call.record_derived(call.result, (call.receiver, *items), columns)


def _report_rows_below(call: LibraryCall) -> None:
    _record_rows(call, [call.receiver, call.get_argument(1, "other")])


def _report_item(call: LibraryCall) -> None:
    """Record a column of a frame as a series, or a part of a frame."""
    columns = call.find_columns(call.receiver)
    if columns is not None and isinstance(call.result, pl.Series):
        columns = ColumnMap(None, {VALUES: columns.find_sources(call.result.name)}, columns.controls)
    call.record_derived(call.result, (call.receiver,), columns)


def _report_parts(call: LibraryCall) -> None:
    parts = call.result.values() if isinstance(call.result, dict) else call.result
    for part in parts:
        call.record_same_columns(part, call.receiver)


def _report_series(call: LibraryCall) -> None:
    """Record a series that is computed from others."""
    inputs = [each for each in call.args if isinstance(each, pl.Series)]
    maps = [columns for each in inputs if (columns := call.find_columns(each)) is not None]
    sources = NO_SOURCES.union(*(each.find_sources(VALUES) for each in maps))
    if call.function.startswith("__"):
        sources = compute_from((sources,))
    name = call.result.columns[0] if isinstance(call.result, pl.DataFrame) else VALUES
    columns = ColumnMap(None, {name: sources}, NO_SOURCES.union(*(each.controls for each in maps)))
    call.record_derived(call.result, inputs, columns if maps else None)


def _report_counted(call: LibraryCall) -> None:
    """Record a frame with the values of a series, and their counts."""
    columns, names = call.find_columns(call.receiver), list_names(call.result)
    if columns is not None and names is not None:
        values = columns.find_sources(VALUES)
        grouped = compute_from((values,), Transformation.GROUP_BY)
        columns = ColumnMap(None, {names[0]: values}, columns.controls | grouped)
    call.record_derived(call.result, (call.receiver,), columns)


def _report_group(call: LibraryCall) -> None:
    # All other arguments are no expressions.
    _record_group(call, call.args[1:], {name: item for name, item in call.kwargs.items() if name != "maintain_order"})


def _report_windows(call: LibraryCall) -> None:
    """Record groups by parts of time, and further keys."""
    how = Transformation.IDENTITY if call.function == "rolling" else Transformation.TRANSFORMATION
    _record_group(call, [call.get_argument(1, "index_column")], {}, how, [call.kwargs.get("group_by")])


def _record_group(
    call: LibraryCall,
    by: Iterable[Any],
    named: Mapping[str, Any],
    how: Transformation = Transformation.IDENTITY,
    more: Iterable[Any] = (),
) -> None:
    """Remember the frame and the keys of groups, whose values are those of the expressions `by` after a step."""
    columns = call.find_columns(call.receiver)
    keys: dict[str, Sources] = {}
    if columns is not None:
        try:
            keys = ExpressionReader(call, call.receiver, columns, how).map_outputs(by, named)
            keys |= ExpressionReader(call, call.receiver, columns).map_outputs(more, {})
        except UnknownColumns:
            columns = None
    call.record_derived(call.result, (call.receiver,), columns)
    _groups[call.result] = columns, keys, call.receiver


def _report_chosen_groups(call: LibraryCall) -> None:
    columns, keys, frame = _groups.get(call.receiver, (None, {}, None))
    if columns is not None:
        reader = ExpressionReader(call, frame, columns, Transformation.FILTER)
        columns = columns.add_controls(reader.find_used(call.args[1:]))
    call.record_derived(call.result, (call.receiver,), columns)
    _groups[call.result] = columns, keys, frame


def _report_aggregate(call: LibraryCall) -> None:
    columns, keys, frame = _groups.get(call.receiver, (None, {}, None))
    built = None
    if columns is not None:
        reader = ExpressionReader(call, frame, columns, Transformation.AGGREGATION, keys)
        try:
            outputs = reader.map_outputs(call.args[1:], call.kwargs)
            grouped = compute_from(keys.values(), Transformation.GROUP_BY)
            built = ColumnMap(None, outputs | keys, columns.controls | grouped)
        except UnknownColumns:
            built = None
    call.record_derived(call.result, (call.receiver,), built)


def _report_concat(call: LibraryCall) -> None:
    _record_rows(call, list(call.get_argument(0, "items") or ()))


def _record_rows(call: LibraryCall, items: list[Any]) -> None:
    """Record a frame that has the rows, or the columns, of several frames."""
    maps = [(list_names(each), call.map_columns(each)) for each in items if isinstance(each, _FRAMES)]
    names, columns = list_names(call.result) if isinstance(call.result, _FRAMES) else None, None
    known = [(set(own), each) for own, each in maps if own is not None and each is not None]
    if names is not None and len(known) == len(items):
        merged = {
            name: NO_SOURCES.union(*(each.find_sources(name) for own, each in known if name in own)) for name in names
        }
        columns = ColumnMap(None, merged, NO_SOURCES.union(*(each.controls for _, each in known)))
    call.record_derived(call.result, items, columns)


def _report_aligned(call: LibraryCall) -> None:
    frames = flatten_expressions(call.args)
    for each in call.result or ():
        call.record_derived(each, frames)


def _report_converted(call: LibraryCall) -> None:
    value = next(iter(call.args), None) if call.args else next(iter(call.kwargs.values()), None)
    call.record_same_columns(call.result, value)


def _report_collected(call: LibraryCall) -> None:
    frames = list(call.get_argument(0, "lazy_frames") or ())
    for frame, result in zip(frames, call.result or (), strict=False):
        call.record_same_columns(result, frame)


def _report_collected_later(call: LibraryCall) -> None:
    """Record the frame that a task waits for, before the task continues."""
    future = getattr(call.result, "result", None)
    if isinstance(future, asyncio.Future):
        future.add_done_callback(
            lambda done: (
                None
                if done.cancelled() or done.exception() is not None
                else call.record_same_columns(done.result(), call.receiver)
            )
        )


def _report_created(call: LibraryCall) -> None:
    """Record a frame that the program makes from series, frames or arrays."""
    data = call.get_argument(1, "data")
    if isinstance(data, dict):
        series = {name: each for name, each in data.items() if call.find_origin(each) is not None}
        maps = {name: call.find_columns(each) for name, each in series.items()}
        columns = {name: each.find_sources(VALUES) for name, each in maps.items() if each is not None}
        call.record_derived(
            call.receiver, series.values(), ColumnMap(None, columns) if len(columns) == len(maps) else None
        )
    elif data is not None:
        call.record_derived(call.receiver, data if isinstance(data, list | tuple) else (data,))


def _report_condition(call: LibraryCall) -> None:
    """Record an expression with the values of a series, or with another such expression."""
    parts = [each for each in (*call.args, *call.kwargs.values()) if call.find_origin(each) is not None]
    known = [call.find_columns(each) for each in parts]
    used = [each.find_sources(VALUES) for each in known if each is not None]
    columns = ColumnMap(None, {VALUES: compute_from(used)}) if len(used) == len(parts) else None
    call.record_derived(call.result, parts, columns)


def _list_series(call: LibraryCall) -> list[Any]:
    """Return the series among the arguments of a method, and the expressions, which may have values of one."""
    arguments = flatten_expressions((*call.args[1:], *call.kwargs.values()))
    return [each for each in arguments if isinstance(each, pl.Series | pl.Expr)]


#: The reports of functions of the module, by name.
FUNCTION_REPORTS: Final[Mapping[str, Report]] = {
    "concat": _report_concat,
    "align_frames": _report_aligned,
    **dict.fromkeys(("from_pandas", "from_arrow", "from_dataframe"), _report_converted),
    "collect_all": _report_collected,
}
