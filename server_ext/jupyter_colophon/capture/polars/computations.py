"""What polars computes: frames and series from others, with their columns."""

import weakref
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Final

import polars as pl

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import NO_SOURCES, ColumnMap, Sources, compute_from
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.polars.expressions import VALUES, ExpressionReader, UnknownColumns

#: Methods whose result has columns of the same names and values, or values that only those of the same column decide.
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
    *(
        "sample",
        "reverse",
        "shift",
        "gather",
        "gather_every",
        "unique",
        "drop",
        "drop_nulls",
        "drop_nans",
        "set_sorted",
    ),
    *("fill_null", "fill_nan", "interpolate", "cast", "explode", "to_pandas", "to_arrow", "inspect", "clear", "extend"),
    *("with_row_index", "match_to_schema"),
)
#: Methods that reduce each column to one value.
_REDUCING: Final = ("max", "min", "mean", "median", "sum", "std", "var", "quantile", "product", "null_count", "count")
#: Methods whose columns are not followed.
_OPAQUE: Final = (
    *(
        "pivot",
        "unpivot",
        "transpose",
        "unnest",
        "unstack",
        "to_dummies",
        "describe",
        "corr",
        "fold",
        "upsample",
        "update",
    ),
    *(
        "map_rows",
        "map_columns",
        "map_batches",
        "to_struct",
        "to_numpy",
        "to_torch",
        "to_jax",
        "hash_rows",
        "merge_sorted",
    ),
    *(
        "to_series",
        "partition_by",
        "top_k",
        "bottom_k",
        "is_duplicated",
        "is_unique",
        "sum_horizontal",
        "mean_horizontal",
    ),
    *("max_horizontal", "min_horizontal", "drop_in_place", "join_where", "join_asof", "pipe_with_schema"),
)

#: The frame and the keys of what `group_by` returns.
_groups: "weakref.WeakKeyDictionary[Any, tuple[ColumnMap | None, dict[str, Sources], Any]]" = (
    weakref.WeakKeyDictionary()
)


def observe_computations(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods of frames and series, and the functions that combine frames."""
    values: tuple[type, ...] = (module.DataFrame, module.LazyFrame, module.Series)
    reports: dict[str, Callable[[LibraryCall], None]] = {
        **dict.fromkeys(_KEEPING, _report_kept_columns),
        **dict.fromkeys(_REDUCING, _report_reduced),
        **dict.fromkeys(_OPAQUE, _report_opaque),
        **dict.fromkeys(("select", "select_seq"), _report_select),
        **dict.fromkeys(("with_columns", "with_columns_seq"), _report_with_columns),
        **dict.fromkeys(("filter", "remove"), _report_filter),
        "sort": _report_sort,
        "rename": _report_rename,
        "join": _report_join,
        **dict.fromkeys(("hstack", "vstack"), _report_stack),
        **dict.fromkeys(("get_column", "__getitem__"), _report_item),
    }
    for owner in values[:2]:
        for name, report in reports.items():
            adapter.observe_computation(owner, name, report)
        for name in ("group_by", "group_by_dynamic", "rolling"):
            adapter.observe_computation(owner, name, _report_group)
    for owner in _list_group_classes(module):
        adapter.observe_computation(owner, "agg", _report_aggregate)
        for name in (*_REDUCING, "all", "head", "tail", "len", "n_unique", "map_groups"):
            adapter.observe_computation(owner, name, _report_opaque)
    _observe_series(module, adapter)
    for name in ("concat", "align_frames"):
        adapter.observe_computation(module, name, _report_concat)
    for name in ("from_pandas", "from_arrow", "from_dataframe"):
        adapter.observe_computation(module, name, _report_converted)
    adapter.observe_computation(module, "collect_all", _report_collected)
    adapter.observe_computation(module.DataFrame, "__init__", _report_created)


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


def _report_reduced(call: LibraryCall) -> None:
    columns, frame = call.find_columns(call.receiver), call.receiver
    if columns is not None and isinstance(frame, pl.DataFrame):
        columns = ColumnMap(
            None,
            {name: compute_from((columns.find_sources(name),), Transformation.AGGREGATION) for name in frame.columns},
            columns.controls,
        )
        call.record_derived(call.result, (frame,), columns)
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
    _record_controls(call, (*call.args[1:], call.kwargs.get("by") or ()), Transformation.SORT)


def _record_controls(call: LibraryCall, items: Iterable[Any], how: Transformation) -> None:
    columns = call.map_columns(call.receiver)
    if columns is not None:
        columns = columns.add_controls(ExpressionReader(call, call.receiver, columns, how).find_used(items))
    call.record_derived(call.result, (call.receiver, *_list_series(call)), columns)


def _report_rename(call: LibraryCall) -> None:
    columns, mapping = call.find_columns(call.receiver), call.get_argument(1, "mapping")
    if columns is not None and isinstance(mapping, dict):
        columns = columns.assign({new: columns.find_sources(old) for old, new in mapping.items()})
    call.record_derived(call.result, (call.receiver,), columns if isinstance(mapping, dict) else None)


def _report_join(call: LibraryCall) -> None:
    left, right = call.receiver, call.get_argument(1, "other")
    maps = call.map_columns(left), call.map_columns(right)
    call.record_derived(call.result, (left, right), _build_joined(call, left, right, maps))


def _build_joined(
    call: LibraryCall, left: Any, right: Any, maps: tuple[ColumnMap | None, ColumnMap | None]
) -> ColumnMap | None:
    """Return the columns of a join: those of the left, then those of the right that are no keys, with a suffix if they have equal names."""
    own, others = maps
    on = call.get_argument(2, "on")
    keys = [call.kwargs.get("left_on") or on or (), call.kwargs.get("right_on") or on or ()]
    if (
        own is None
        or others is None
        or (call.kwargs.get("how", "inner") == "cross" and not isinstance(left, pl.DataFrame))
    ):
        return None
    used = ExpressionReader(call, left, own, Transformation.JOIN).find_used([keys[0]])
    used |= ExpressionReader(call, right, others, Transformation.JOIN).find_used([keys[1]])
    if call.get_argument(3, "how", "inner") in ("semi", "anti"):
        return own.add_controls(used | own.controls)
    names = right.columns if isinstance(right, pl.DataFrame) else list(others.columns) if others.whole is None else None
    taken = left.columns if isinstance(left, pl.DataFrame) else list(own.columns) if own.whole is None else None
    if names is None or taken is None:
        return None
    suffix = call.kwargs.get("suffix", "_right")
    result = call.result.columns if isinstance(call.result, pl.DataFrame) else None
    columns = {name: own.find_sources(name) for name in taken}
    for name in names:
        target = f"{name}{suffix}" if name in columns else name
        if result is None or target in result:
            columns[target] = others.find_sources(name)
    return ColumnMap(None, columns, own.controls | others.controls | used)


def _report_stack(call: LibraryCall) -> None:
    others = call.get_argument(1, "columns") or call.get_argument(1, "other")
    items = others if isinstance(others, list | tuple) else [others]
    call.record_derived(call.result, (call.receiver, *items))


def _report_item(call: LibraryCall) -> None:
    """Record a column of a frame as a series, or a part of a frame."""
    columns, key = call.find_columns(call.receiver), call.get_argument(1, "name")
    if columns is not None and isinstance(call.result, pl.Series) and isinstance(key, str):
        columns = ColumnMap(None, {VALUES: columns.find_sources(key)}, columns.controls)
    call.record_derived(call.result, (call.receiver,), columns)


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


def _report_group(call: LibraryCall) -> None:
    """Remember the frame and the keys of groups."""
    columns = call.find_columns(call.receiver)
    keys: dict[str, Sources] = {}
    if columns is not None:
        try:
            named = {name: item for name, item in call.kwargs.items() if isinstance(item, str | pl.Expr)}
            keys = ExpressionReader(call, call.receiver, columns).map_outputs(call.args[1:], named)
        except UnknownColumns:
            columns = None
    call.record_derived(call.result, (call.receiver,), columns)
    _groups[call.result] = columns, keys, call.receiver


def _report_aggregate(call: LibraryCall) -> None:
    columns, keys, frame = _groups.get(call.receiver, (None, {}, None))
    built = None
    if columns is not None:
        reader = ExpressionReader(call, frame, columns, Transformation.AGGREGATION)
        try:
            outputs = reader.map_outputs(call.args[1:], call.kwargs)
            grouped = compute_from(keys.values(), Transformation.GROUP_BY)
            built = ColumnMap(None, keys | outputs, columns.controls | grouped)
        except UnknownColumns:
            built = None
    call.record_derived(call.result, (call.receiver,), built)


def _report_concat(call: LibraryCall) -> None:
    items = list(call.get_argument(0, "items") or ())
    maps = [call.map_columns(each) for each in items]
    columns = None
    if isinstance(call.result, pl.DataFrame) and all(each is not None for each in maps):
        known = [
            (set(item.columns), each)
            for item, each in zip(items, maps, strict=True)
            if each is not None and hasattr(item, "columns")
        ]
        merged = {
            name: NO_SOURCES.union(*(each.find_sources(name) for names, each in known if name in names))
            for name in call.result.columns
        }
        columns = ColumnMap(None, merged, NO_SOURCES.union(*(each.controls for _, each in known)))
    call.record_derived(call.result, items, columns)


def _report_converted(call: LibraryCall) -> None:
    value = next(iter(call.args), None) if call.args else next(iter(call.kwargs.values()), None)
    call.record_same_columns(call.result, value)


def _report_collected(call: LibraryCall) -> None:
    frames = list(call.get_argument(0, "lazy_frames") or ())
    for frame, result in zip(frames, call.result or (), strict=False):
        call.record_same_columns(result, frame)


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


def _list_series(call: LibraryCall) -> list[Any]:
    return [each for each in (*call.args[1:], *call.kwargs.values()) if isinstance(each, pl.Series)]
