"""Reports of the functions that read files."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

import pandas as pd

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap, ColumnSource, map_all_columns
from jupyter_colophon.capture.file_calls import PathReader, create_read_report
from jupyter_colophon.capture.file_systems import resolve_path
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.origins import Dataset, get_file
from jupyter_colophon.capture.pandas.columns import VALUES, name_label

#: The options that determine the names of columns.
_NAMING: Final = frozenset({"header", "names", "parse_dates"})
#: How the text of a document begins, which some functions accept instead of a path.
_TEXT_STARTS: Final = ("{", "[", "<")


def _has_names(call: LibraryCall) -> bool:
    return True


def _has_names_of_csv(call: LibraryCall) -> bool:
    header, dates = call.kwargs.get("header", "infer"), call.kwargs.get("parse_dates")
    is_renamed = call.kwargs.get("names") is not None and isinstance(header, int)
    joins_dates = isinstance(dates, Mapping) or (
        isinstance(dates, list) and any(isinstance(each, list) for each in dates)
    )
    return not (is_renamed or isinstance(header, list) or joins_dates)


def _has_names_of_sheet(call: LibraryCall) -> bool:
    header = call.kwargs.get("header", 0)
    return not ((call.kwargs.get("names") is not None and header is not None) or isinstance(header, list))


def _has_names_of_document(call: LibraryCall) -> bool:
    return call.kwargs.get("names") is None


#: The functions that read files: the argument that names the file, the format, and whether columns have the file's names.
READERS: Final[Mapping[str, tuple[str, str, Callable[[LibraryCall], bool]]]] = {
    "read_csv": ("filepath_or_buffer", "csv", _has_names_of_csv),
    "read_excel": ("io", "excel", _has_names_of_sheet),
    "read_feather": ("path", "feather", _has_names),
    "read_fwf": ("filepath_or_buffer", "fwf", _has_names_of_csv),
    "read_hdf": ("path_or_buf", "hdf5", _has_names),
    "read_html": ("io", "html", _has_names_of_sheet),
    "read_json": ("path_or_buf", "json", _has_names),
    "read_orc": ("path", "orc", _has_names),
    "read_parquet": ("path", "parquet", _has_names),
    "read_pickle": ("filepath_or_buffer", "pickle", _has_names),
    "read_sas": ("filepath_or_buffer", "sas", _has_names),
    "read_spss": ("path", "spss", _has_names),
    "read_stata": ("filepath_or_buffer", "stata", _has_names),
    "read_table": ("filepath_or_buffer", "csv", _has_names_of_csv),
    "read_xml": ("path_or_buffer", "xml", _has_names_of_document),
}


class ReaderReport:
    """Reports a function that reads files: one, or a list."""

    def __init__(self, argument: str, format_: str, keeps_names: Callable[[LibraryCall], bool] = _has_names) -> None:
        """Create a report."""
        self._argument, self._format, self._keeps_names = argument, format_, keeps_names

    def __call__(self, call: LibraryCall) -> None:
        """Record the read of the files into the result."""
        target = resolve_path(call.get_argument(0, self._argument), call.kwargs.get("filesystem"))
        datasets = [get_file(location, self._format) for location in _list_locations(target)]
        record_read_values(call, datasets, keeps_names=self._keeps_names(call))


def record_read_values(call: LibraryCall, datasets: list[Dataset], *, keeps_names: bool) -> None:
    """Record the read of files into the result: a value, several of them (sheets, tables), or a reader of chunks."""
    result = call.result
    values = result if isinstance(result, list) else list(result.values()) if type(result) is dict else [result]
    for value in values if datasets else ():
        columns = _map_columns(datasets[0], value) if keeps_names and len(datasets) == 1 else None
        call.record_reads(datasets, value, columns)


def _has_no_levels(frame: pd.DataFrame) -> bool:
    """Return whether the index of a frame is not from the file."""
    index = frame.index
    return type(index) is pd.RangeIndex and index.name is None


def _map_columns(dataset: Dataset, value: Any) -> ColumnMap:
    if isinstance(value, pd.Series):
        name = name_label(0 if value.name is None else value.name)
        return ColumnMap(None, {VALUES: frozenset((ColumnSource(dataset, name),))})
    if not isinstance(value, pd.DataFrame) or _has_no_levels(value):
        return map_all_columns(dataset)
    levels = value.index.names
    entries = {
        name: frozenset((ColumnSource(dataset, name),))
        for level in levels
        if level is not None and (name := name_label(level))
    }
    return ColumnMap(dataset, entries)


def _list_locations(target: Any) -> list[str]:
    if isinstance(target, list | tuple):
        return [location for each in target for location in _list_locations(each)]
    if type(target) is str:
        if target.lstrip().startswith(_TEXT_STARTS):
            return []
    elif isinstance(target, pd.ExcelFile):
        target = target.__fspath__()
    elif isinstance(target, pd.HDFStore):
        target = target.filename
    location = find_location(target)
    return [] if location is None else [location]


def _report_sheet(call: LibraryCall) -> None:
    """Record the read of sheets of a workbook that was opened before."""
    datasets = [get_file(location, "excel") for location in _list_locations(call.receiver)]
    record_read_values(call, datasets, keeps_names=_has_names_of_sheet(call))


def _report_key(call: LibraryCall) -> None:
    """Record the read of a key of an HDF5 file that was opened before."""
    datasets = [get_file(location, "hdf5") for location in _list_locations(call.receiver)]
    record_read_values(call, datasets, keeps_names=True)


def observe_readers(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions and objects that read files."""
    frames = frozenset({module.DataFrame})
    for name, (argument, format_, keeps_names) in READERS.items():
        reader = PathReader(format_, frames, _NAMING, _has_no_levels)
        report = create_read_report(ReaderReport(argument, format_, keeps_names), reader)
        adapter.observe_function(module, name, report, hides_inner=True)
    adapter.observe_method(module.ExcelFile, "parse", _report_sheet)
    for name in ("get", "select", "select_as_multiple", "select_column"):
        adapter.observe_method(module.HDFStore, name, _report_key)
