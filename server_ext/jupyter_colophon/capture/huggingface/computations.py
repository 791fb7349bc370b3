"""What methods of datasets compute, with the columns if they follow from the arguments."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final, TypeAlias

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import UNKNOWN_SOURCES, ColumnMap, Sources, compute_from
from jupyter_colophon.capture.huggingface.row_functions import UsedColumns, find_condition, find_returned
from jupyter_colophon.capture.huggingface.splits import join_columns, list_datasets, list_names, match_datasets
from jupyter_colophon.capture.observation import Transformation

#: Returns the columns of a result for those of the dataset that it is computed from, and the names of both, None if unknown.
Rule: TypeAlias = Callable[[LibraryCall, ColumnMap, list[str] | None, list[str] | None], ColumnMap | None]


def keep(_call: LibraryCall, columns: ColumnMap, _before: list[str] | None, _after: list[str] | None) -> ColumnMap:
    """Keep the columns: rows or columns are selected, or rows are ordered by chance."""
    return columns


def keep_same_names(
    _call: LibraryCall, columns: ColumnMap, before: list[str] | None, after: list[str] | None
) -> ColumnMap | None:
    """Keep the columns if they have the same names; they are unknown otherwise."""
    return columns if before is not None and before == after else None


def rename(
    call: LibraryCall, columns: ColumnMap, before: list[str] | None, _after: list[str] | None
) -> ColumnMap | None:
    """Rename one column, or those of a dictionary."""
    old = call.get_argument(1, "column_mapping" if call.function == "rename_columns" else "original_column_name")
    mapping = old if isinstance(old, Mapping) else {old: call.get_argument(2, "new_column_name")}
    return None if before is None else columns.select({mapping.get(name, name): name for name in before})


def sort_rows(
    call: LibraryCall, columns: ColumnMap, _before: list[str] | None, _after: list[str] | None
) -> ColumnMap | None:
    """Order the rows by one column, or by several."""
    return _add_controls(columns, _to_list(call.get_argument(1, "column_names")), Transformation.SORT)


def convert_types(
    call: LibraryCall, columns: ColumnMap, before: list[str] | None, _after: list[str] | None
) -> ColumnMap | None:
    """Compute one column from its values, or all if none is named."""
    position = 2 if call.function == "align_labels_with_mapping" else 1
    column = None if call.function == "cast" else call.find_argument(position, ("column", "label_column"))
    names = before if column is None else [column]
    return (
        None if names is None else columns.assign({name: compute_from([columns.find_sources(name)]) for name in names})
    )


def add_column(
    call: LibraryCall, columns: ColumnMap, _before: list[str] | None, _after: list[str] | None
) -> ColumnMap | None:
    """Add a column of the program, whose sources are unknown."""
    return columns.assign({call.get_argument(1, "name"): UNKNOWN_SOURCES})


def filter_rows(
    call: LibraryCall, columns: ColumnMap, before: list[str] | None, _after: list[str] | None
) -> ColumnMap | None:
    """Select rows by the columns that a function uses."""
    used = find_condition(call.get_argument(1, "function"), _get_inputs(call, 4))
    known = None if used is None or before is None or not used <= set(before) else sorted(used)
    return None if known is None else _add_controls(columns, known, Transformation.FILTER)


def map_rows(
    call: LibraryCall, columns: ColumnMap, before: list[str] | None, after: list[str] | None
) -> ColumnMap | None:
    """Compute the columns that a function returns; the others stay."""
    returned = find_returned(call.get_argument(1, "function"), _get_inputs(call, 4))
    if returned is None or before is None or after is None:
        return None
    return columns.assign(
        {
            name: _compute(columns, returned[name], before) if name in returned else columns.find_sources(name)
            for name in after
        }
    )


def _compute(columns: ColumnMap, used: UsedColumns, before: list[str]) -> Sources:
    if used.names is None or not used.names <= set(before):
        return UNKNOWN_SOURCES
    sources = [columns.find_sources(name) for name in used.names]
    return frozenset().union(*sources) if used.is_copy else compute_from(sources)


def _get_inputs(call: LibraryCall, position: int) -> list[str] | None:
    given = call.get_argument(position, "input_columns")
    return None if given is None else _to_list(given)


def _to_list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _add_controls(columns: ColumnMap, names: list[str], kind: Transformation) -> ColumnMap:
    return columns.add_controls(each for name in names for each in compute_from([columns.find_sources(name)], kind))


#: The methods by their rules.
_RULES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(
        (
            *("select", "skip", "take", "shuffle", "shard", "repeat", "flatten_indices", "train_test_split"),
            *("select_columns", "remove_columns", "with_format", "with_transform", "to_iterable_dataset"),
            *("to_pandas", "to_polars"),
        ),
        keep,
    ),
    "flatten": keep_same_names,
    **dict.fromkeys(("rename_column", "rename_columns"), rename),
    "sort": sort_rows,
    **dict.fromkeys(("cast", "cast_column", "class_encode_column", "align_labels_with_mapping"), convert_types),
    "add_column": add_column,
    "filter": filter_rows,
    "map": map_rows,
}


def observe_computations(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods that compute datasets, and the elements of dictionaries of splits."""
    for owner in (module.Dataset, module.IterableDataset, module.DatasetDict, module.IterableDatasetDict):
        for name, rule in _RULES.items():
            adapter.observe_method(owner, name, _create_report(rule), hides_inner=True)
    for name in ("concatenate_datasets", "interleave_datasets"):
        adapter.observe_function(module, name, _report_combined, hides_inner=True)
    for name in ("from_pandas", "from_polars"):
        adapter.observe_method(module.Dataset, name, _report_converted, hides_inner=True)
    adapter.observe_computation(module.DatasetDict, "__getitem__", _report_split)
    adapter.observe_inherited_method(module.DatasetDict, "__setitem__", _report_set_split)


def _create_report(rule: Rule) -> Callable[[LibraryCall], None]:
    def report(call: LibraryCall) -> None:
        if call.error is not None:
            return
        origin = call.find_origin(call.receiver)
        is_of_other_cell = origin is not None and origin.execution is not call.execution
        for split, result in match_datasets(call.receiver, call.result):
            # The splits of a dictionary that another cell left come from this variable.
            source = call.receiver if is_of_other_cell else split
            columns = call.map_columns(source)
            known = None if columns is None else rule(call, columns, list_names(split), list_names(result))
            call.record_derived(result, (source,), known)
        if isinstance(call.result, dict):
            _derive_dictionary(call, call.result, (call.receiver,))

    return report


def _derive_dictionary(call: LibraryCall, dictionary: Any, sources: tuple[Any, ...]) -> None:
    """Record that a dictionary has what its splits have."""
    datasets = list_datasets(dictionary)
    columns = join_columns(call, datasets)
    known = [each for each in datasets if call.find_origin(each) is not None]
    call.record_derived(dictionary, known or sources, columns)


def _report_converted(call: LibraryCall) -> None:
    if call.error is None:
        call.record_same_columns(call.result, call.get_argument(1, "df"))


def _report_split(call: LibraryCall) -> None:
    """Record that the split of a dictionary that another cell left comes from this variable."""
    origin = call.find_origin(call.result)
    if (origin is None or origin.execution is not call.execution) and call.find_origin(call.receiver) is not None:
        call.record_same_columns(call.result, call.receiver)


def _report_set_split(call: LibraryCall) -> None:
    if call.error is None:
        _derive_dictionary(call, call.receiver, (call.receiver,))


def _report_combined(call: LibraryCall) -> None:
    """Record a dataset that has the rows, or the columns, of several ones."""
    datasets = call.get_argument(0, "dsets" if call.function == "concatenate_datasets" else "datasets")
    if call.error is None and isinstance(datasets, list):
        call.record_derived(call.result, datasets, join_columns(call, datasets))
