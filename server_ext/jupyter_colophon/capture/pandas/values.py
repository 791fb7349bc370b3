"""The methods and functions of pandas that compute values, with the rules for their columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import ModuleType
from typing import Any, Final

import numpy as np
import pandas as pd

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.pandas import frames, groups, indexing, joins, reshaping
from jupyter_colophon.capture.pandas.inputs import Rule, ValueReport, skip_columns

#: The names of methods by the rule for their columns, as words of a text.
Rules = Mapping[Rule, str]

#: The methods of frames and series.
_METHODS: Final[Rules] = {
    frames.keep: """
        copy head tail sample take truncate drop sort_index reindex reindex_like get select_dtypes filter swaplevel
        reorder_levels droplevel xs set_flags infer_objects convert_dtypes tz_localize tz_convert to_timestamp to_period
        at_time between_time first last asfreq squeeze swapaxes pop repeat __copy__ __deepcopy__
    """,
    frames.keep_all_arguments: "align",
    frames.create_control(Transformation.GROUP_BY, 1, "subset"): "drop_duplicates",
    frames.create_control(Transformation.FILTER, 4, "subset"): "dropna",
    frames.create_control(Transformation.SORT, 1, "by"): "sort_values",
    frames.create_control(Transformation.SORT, 2, "columns"): "nlargest nsmallest",
    frames.compute: """
        add sub mul div truediv floordiv mod pow radd rsub rmul rdiv rtruediv rfloordiv rmod rpow subtract multiply divide
        eq ne lt gt le ge __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__
        __rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ __eq__ __ne__ __lt__ __gt__ __le__ __ge__ __and__ __rand__ __or__
        __ror__ __xor__ __rxor__ __neg__ __pos__ __invert__ __abs__ __round__
        abs round clip ffill bfill pad backfill interpolate cumsum cumprod cummax cummin diff pct_change rank shift isna
        isnull notna notnull map applymap isin between transform argsort
    """,
    frames.compute_ufunc: "__array_ufunc__",
    frames.compute_selected: "astype fillna replace",
    frames.choose: "where mask",
    frames.compute_reduction: """
        sum mean median min max prod product std var sem skew kurt kurtosis count nunique any all idxmin idxmax
    """,
    frames.summarize: "agg aggregate describe quantile mode",
    frames.compute_relations: "corr cov",
    frames.count_values: "value_counts",
    frames.mark_duplicates: "duplicated",
    frames.apply: "apply",
    frames.convert_to_frame: "to_frame",
    frames.compute_exploded: "explode",
    frames.to_array: "to_numpy values to_records unique",
    frames.follow_computed: "__finalize__",
    indexing.get_item: "__getitem__",
    groups.group: "groupby",
    groups.open_window: "rolling expanding ewm",
    groups.group_intervals: "resample",
    joins.merge: "merge",
    joins.join: "join",
    joins.combine_first: "combine_first",
    reshaping.compute_melted: "melt",
    reshaping.compute_pivoted: "pivot",
    reshaping.compute_pivot_table: "pivot_table",
    reshaping.move_values: "stack unstack",
    reshaping.exchange_axes: "transpose",
    skip_columns: "combine compare corrwith asof case_when factorize dot",
}
#: Methods that need the labels from before the call.
_WITH_LABELS: Final[Rules] = {
    frames.rename: "rename set_axis add_prefix add_suffix",
    # What setting the attributes `columns` and `index` calls; `df.a = …` calls `__setitem__`.
    frames.set_labels: "_set_axis",
    frames.set_index: "set_index",
    indexing.insert: "insert",
    frames.query: "query",
    frames.evaluate: "eval",
}
#: Methods that need the names of the levels of the index as well.
_WITH_LEVELS: Final[Rules] = {frames.convert_levels: "reset_index", frames.rename_levels: "rename_axis"}
#: Methods that always change their receiver.
_IN_PLACE: Final[Rules] = {
    indexing.set_item: "__setitem__",
    joins.update: "update",
    frames.compute: "__iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__",
}
#: The value that a call puts into its receiver, by the rule.
_ASSIGNED: Final[Mapping[Rule, Callable[[LibraryCall], object]]] = {
    indexing.set_item: lambda call: call.args[2],
    indexing.insert: lambda call: call.get_argument(3, "value"),
}

#: The methods of groups.
_OF_GROUPS: Final[Rules] = {
    groups.select: "__getitem__",
    groups.summarize: """
        agg aggregate sum mean median min max prod std var sem skew kurt count nunique any all first last idxmin idxmax
        quantile describe ohlc corr cov
    """,
    groups.count_rows: "size",
    groups.compute_rows_of_groups: "transform cumsum cumprod cummax cummin diff pct_change rank shift ffill bfill fillna",
    groups.count_positions: "cumcount ngroup",
    groups.keep_rows: "head tail sample filter get_group take",
    groups.count_group_values: "value_counts",
    groups.open_window: "rolling expanding ewm",
    skip_columns: "resample",
}
_WITH_FUNCTION: Final[Rules] = {groups.apply_to_groups: "apply"}
#: The methods of windows.
_OF_WINDOWS: Final[Rules] = {
    groups.select: "__getitem__",
    groups.compute_window: "sum mean median min max std var sem skew kurt count quantile rank apply nunique first last",
    skip_columns: "agg aggregate corr cov",
}
#: Functions of the module.
_FUNCTIONS: Final[Rules] = {
    joins.merge: "merge",
    joins.merge_nearest: "merge_asof merge_ordered",
    joins.append: "concat",
    reshaping.compute_melted: "melt",
    reshaping.compute_pivoted: "pivot",
    reshaping.compute_pivot_table: "pivot_table",
    reshaping.get_dummies: "get_dummies",
    reshaping.count_pairs: "crosstab",
    frames.convert: "cut qcut to_datetime to_numeric to_timedelta factorize isna isnull notna notnull unique",
    skip_columns: "wide_to_long lreshape from_dummies value_counts",
}
#: The reports of functions of the module, by name.
FUNCTION_REPORTS: Final[Mapping[str, Report]] = {
    name: ValueReport(rule) for rule, names in _FUNCTIONS.items() for name in names.split()
}


def observe_methods(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods that compute values."""
    frame, series, types = module.DataFrame, module.Series, module.api.typing
    both = (frame, series)
    groups_and_bins = (types.DataFrameGroupBy, types.SeriesGroupBy, types.Resampler)
    windows = (types.Rolling, types.Expanding, types.ExponentialMovingWindow)
    values = (*both, np.ndarray, tuple, *groups_and_bins, *windows)
    with_labels, with_levels = frames.get_names_before, frames.get_labels_before
    _observe_all(adapter, both, _METHODS, values=values)
    _observe_all(adapter, both, _WITH_LABELS, values=values, prepare=with_labels)
    _observe_all(adapter, both, _WITH_LEVELS, values=values, prepare=with_levels)
    _observe_all(adapter, both, _IN_PLACE, values=values, prepare=with_labels, in_place=True)
    # Not that of their base: both call it, and so does everything inside pandas.
    adapter.observe_computation(frame, "__init__", ValueReport(frames.create_frame), is_constructor=True)
    adapter.observe_computation(series, "__init__", ValueReport(frames.create_series), is_constructor=True)
    _observe_all(adapter, groups_and_bins, _OF_GROUPS, values=values)
    _observe_all(adapter, groups_and_bins, _WITH_FUNCTION, values=values, calls_back=True)
    _observe_all(adapter, windows, _OF_WINDOWS, values=values)
    _observe_iteration(adapter, groups_and_bins)
    _observe_splitters(module, adapter)
    _observe_indexers(adapter, frame)
    for reader in _list_chunk_readers(module):
        adapter.observe_computation(reader, "read", ValueReport(frames.keep), values=both)


def _observe_all(adapter: Adapter, classes: Iterable[type], rules: Rules, **options: Any) -> None:
    owners = dict.fromkeys(owner for each in classes for owner in each.__mro__[:-1])
    for rule, names in rules.items():
        report, words = ValueReport(rule, _ASSIGNED.get(rule)), names.split()
        for owner in owners:
            for name in owner.__dict__.keys() & words:
                adapter.observe_computation(owner, name, report, **options)


def _observe_iteration(adapter: Adapter, classes: Iterable[type]) -> None:
    """Observe loops over groups: each group has the columns of all of them."""

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def iterate(self: Any) -> Iterator[Any]:
            for key, group in original(self):
                adapter.record_event("groupby", partial(groups.record_group, grouped=self, group=group))
                yield key, group

        return iterate

    for owner in dict.fromkeys(owner for each in classes for owner in each.__mro__[:-1]):
        adapter.replace_method(owner, "__iter__", wrap)


def _observe_splitters(module: ModuleType, adapter: Adapter) -> None:
    """Observe what passes each group to a function of the program."""
    ops = module.core.groupby.ops
    for splitter in (ops.FrameSplitter, ops.SeriesSplitter):
        adapter.observe_computation(splitter, "_chop", groups.report_part, values=(module.DataFrame, module.Series))


def _observe_indexers(adapter: Adapter, frame: type) -> None:
    empty = frame()
    options: dict[str, Any] = {"prepare": indexing.get_owner_labels_before, "in_place": True}
    owners = dict.fromkeys(owner for each in (empty.loc, empty.iloc) for owner in type(each).__mro__[:-1])
    for owner in owners:
        adapter.observe_computation(owner, "__getitem__", indexing.report_locate, values=(frame, pd.Series))
        adapter.observe_computation(owner, "__setitem__", indexing.report_located, **options)
    for owner in dict.fromkeys(owner for each in (empty.at, empty.iat) for owner in type(each).__mro__[:-1]):
        adapter.observe_computation(owner, "__setitem__", indexing.report_located, **options)


def _list_chunk_readers(module: ModuleType) -> list[type]:
    """Return the classes of readers that return chunks."""
    found = [
        getattr(module.api.typing, "JsonReader", None),
        getattr(module.api.typing, "StataReader", None),
        getattr(getattr(module.io.parsers, "readers", None), "TextFileReader", None),
    ]
    return [each for each in found if isinstance(each, type)]
