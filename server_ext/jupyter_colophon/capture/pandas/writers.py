"""Reports of the methods that write files."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import pandas as pd

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.origins import Dataset
from jupyter_colophon.capture.pandas.columns import to_list
from jupyter_colophon.capture.pandas.schema import WrittenField, list_fields, list_level_fields, map_fields


@dataclass(frozen=True, slots=True)
class FileWriter:
    """A method that writes a file.

    `argument` names the file, `index_argument` determines whether the index is written, by default as `has_index`, and what the
    levels without a name are called; None if they have none. A range as the index counts only if `has_range`.
    """

    argument: str
    format: str
    has_index: bool = False
    unnamed: str | None = None
    index_argument: str = "index"
    has_range: bool = True

    def __call__(self, call: LibraryCall) -> None:
        """Record the write of the receiver into the file."""
        target = call.get_argument(1, self.argument)
        # A sheet of a workbook with others, and rows that are appended.
        is_part = isinstance(target, pd.ExcelWriter)
        location = find_location(target)
        if location is not None:
            record_write(call, Dataset(location=location, format=self.format, is_part=is_part), self.list_written(call))

    def list_written(self, call: LibraryCall) -> list[WrittenField] | None:
        """Return the fields that the file gets, those of the index first."""
        value, kwargs = call.receiver, call.kwargs
        fields = list_fields(value)
        if fields is None:
            return None
        if kwargs.get("columns") is not None and isinstance(value, pd.DataFrame):
            by_name = {field.schema.path: field for field in fields}
            fields = [by_name[str(label)] for label in kwargs["columns"] if str(label) in by_name]
        aliases = kwargs.get("header")
        if isinstance(aliases, list) and len(aliases) == len(fields):
            pairs = zip(fields, aliases, strict=True)
            fields = [field.rename(str(alias)) for field, alias in pairs]
        return [*self._list_levels(call), *fields]

    def _list_levels(self, call: LibraryCall) -> list[WrittenField]:
        given = call.kwargs.get(self.index_argument)
        is_written = self.has_index if given is None else bool(given)
        index = call.receiver.index
        if not is_written or (not self.has_range and given is None and isinstance(index, pd.RangeIndex)):
            return []
        label = call.kwargs.get("index_label")
        return list(list_level_fields(index, [] if label is False else to_list(label), self.unnamed))


#: The methods that write a file.
WRITERS: Final[Mapping[str, FileWriter]] = {
    "to_csv": FileWriter("path_or_buf", "csv", has_index=True),
    "to_excel": FileWriter("excel_writer", "excel", has_index=True),
    "to_feather": FileWriter("path", "feather"),
    "to_html": FileWriter("buf", "html"),
    "to_json": FileWriter("path_or_buf", "json"),
    "to_latex": FileWriter("buf", "latex"),
    "to_markdown": FileWriter("buf", "markdown"),
    "to_orc": FileWriter("path", "orc"),
    "to_parquet": FileWriter("path", "parquet", has_index=True, unnamed="__index_level_{}__", has_range=False),
    "to_pickle": FileWriter("path", "pickle", has_index=True),
    "to_stata": FileWriter("path", "stata", has_index=True, unnamed="index", index_argument="write_index"),
    "to_string": FileWriter("buf", "text"),
    "to_xml": FileWriter("path_or_buffer", "xml", has_index=True, unnamed="index"),
}
_HDF: Final = FileWriter("path_or_buf", "hdf5", has_index=True)


def record_write(call: LibraryCall, dataset: Dataset, fields: list[WrittenField] | None, value: Any = None) -> None:
    """Record the write of a frame or series, the receiver unless given, with the columns of its fields."""
    value = call.receiver if value is None else value
    columns = call.find_columns(value)
    if columns is not None and fields is not None:
        columns = map_fields(columns, fields)
    call.record_write(dataset, (value,), None if fields is None else [field.schema for field in fields], columns)


def _report_hdf(call: LibraryCall) -> None:
    """Record the write of a key of an HDF5 file, which may have others."""
    target = call.get_argument(1, "path_or_buf")
    location = find_location(target.filename if isinstance(target, pd.HDFStore) else target)
    is_whole = call.kwargs.get("mode") == "w"
    if location is not None:
        record_write(call, Dataset(location=location, format="hdf5", is_part=not is_whole), _HDF.list_written(call))


def _report_put(call: LibraryCall) -> None:
    """Record the write of a key of an open HDF5 file."""
    value = call.get_argument(2, "value")
    if isinstance(value, pd.DataFrame | pd.Series):
        location = find_location(call.receiver.filename)
        if location is not None:
            dataset = Dataset(location=location, format="hdf5", is_part=True)
            levels = list(list_level_fields(value.index, [], None))
            fields = list_fields(value)
            record_write(call, dataset, None if fields is None else [*levels, *fields], value)


def _report_pickle(call: LibraryCall) -> None:
    """Record the write of a frame or series by `pd.to_pickle`."""
    value, location = call.get_argument(0, "obj"), find_location(call.get_argument(1, "filepath_or_buffer"))
    if location is not None:
        fields = list_fields(value) if isinstance(value, pd.DataFrame | pd.Series) else None
        record_write(call, Dataset(location=location, format="pickle"), fields, value)


def observe_writers(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods that write files."""
    for owner in dict.fromkeys((*module.DataFrame.__mro__[:-1], *module.Series.__mro__[:-1])):
        for name, writer in WRITERS.items():
            adapter.observe_method(owner, name, writer)
        adapter.observe_method(owner, "to_hdf", _report_hdf)
    for name in ("put", "append"):
        adapter.observe_method(module.HDFStore, name, _report_put)
    adapter.observe_function(module, "to_pickle", _report_pickle)
