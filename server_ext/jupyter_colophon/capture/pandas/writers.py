"""Reports of the methods that write files."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

import pandas as pd

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import Describe, LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.file_calls import PathWriter, create_write_report
from jupyter_colophon.capture.file_systems import resolve_path
from jupyter_colophon.capture.locations import find_location, is_path
from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.capture.origins import Dataset, get_file
from jupyter_colophon.capture.pandas.columns import to_list
from jupyter_colophon.capture.pandas.schema import ValueColumns, WrittenField, list_level_fields, map_fields


class FileWriter:
    """A method that writes a file.

    `argument` names the file, `index_argument` determines whether the index is written, by default as `has_index`, and what the
    levels without a name are called; None if they have none. A range as the index counts only if `has_range`.
    """

    def __init__(
        self,
        argument: str,
        format_: str,
        *,
        has_index: bool = False,
        unnamed: str | None = None,
        index_argument: str = "index",
        has_range: bool = True,
    ) -> None:
        """Create the report of a method."""
        self.argument, self.format, self.has_index, self.unnamed = argument, format_, has_index, unnamed
        self.index_argument, self.has_range = index_argument, has_range

    def __call__(self, call: LibraryCall) -> None:
        """Record the write of the receiver into the file."""
        target = resolve_path(call.get_argument(1, self.argument), call.kwargs.get("filesystem"))
        location = find_location(target)
        if location is not None:
            # A sheet of a workbook with others, and rows that are appended.
            is_part = not isinstance(target, str) and isinstance(target, pd.ExcelWriter)
            dataset = get_file(location, self.format, is_part=is_part)
            record_write(call, dataset, self.read_schema(call.receiver, call.kwargs))
            if call.context.has_profiles and is_path(target) and self._is_whole(call):
                call.profile_written(call.receiver)

    def _is_whole(self, call: LibraryCall) -> bool:
        """Return whether the file has the rows of the receiver alone, in columns of the same names."""
        mode, header = call.kwargs.get("mode", "w"), call.kwargs.get("header")
        return mode == "w" and not isinstance(header, list) and call.kwargs.get("partition_cols") is None

    def describe(self, value: pd.DataFrame | pd.Series, options: dict[str, Any]) -> Describe:
        """Return a function that describes what the file gets of a value by a call with these options."""
        return self.read_schema(value, options).describe

    def read_schema(self, value: pd.DataFrame | pd.Series, options: dict[str, Any]) -> "WrittenSchema":
        """Return the schema of what the file gets of a value by a call with these options, the levels of the index first."""
        selected, aliases = options.get("columns"), options.get("header")
        return WrittenSchema(
            ValueColumns(value),
            self._list_levels(value, options),
            tuple(map(str, selected)) if selected is not None and isinstance(value, pd.DataFrame) else None,
            tuple(str(alias) for alias in aliases) if isinstance(aliases, list) else None,
        )

    def _list_levels(self, value: pd.DataFrame | pd.Series, options: dict[str, Any]) -> tuple[WrittenField, ...]:
        given = options.get(self.index_argument)
        is_written = self.has_index if given is None else bool(given)
        if not is_written or (not self.has_range and given is None and isinstance(value.index, pd.RangeIndex)):
            return ()
        label = options.get("index_label")
        return tuple(list_level_fields(value.index, [] if label is False else to_list(label), self.unnamed))


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


class WrittenSchema:
    """The fields that a file gets: levels of the index, and the columns, perhaps only some of them, under other names."""

    __slots__ = ("aliases", "columns", "levels", "selected")

    def __init__(
        self,
        columns: ValueColumns,
        levels: tuple[WrittenField, ...] = (),
        selected: tuple[str, ...] | None = None,
        aliases: tuple[str, ...] | None = None,
    ) -> None:
        """Create a schema; `selected` are the columns that are written, all if None, and `aliases` their names in the file."""
        self.columns, self.levels, self.selected, self.aliases = columns, levels, selected, aliases

    def describe(self, columns: ColumnMap | None) -> tuple[tuple[SchemaField, ...] | None, ColumnMap | None]:
        """Return the fields, and their sources for the sources of the value's columns."""
        fields = self.columns.list_fields()
        if fields is None:
            return None, columns
        if self.selected is not None:
            by_name = {field.schema.path: field for field in fields}
            fields = [by_name[name] for name in self.selected if name in by_name]
        if self.aliases is not None and len(self.aliases) == len(fields):
            fields = [field.rename(alias) for field, alias in zip(fields, self.aliases, strict=True)]
        fields = [*self.levels, *fields]
        return tuple(field.schema for field in fields), None if columns is None else map_fields(columns, fields)


def record_write(call: LibraryCall, dataset: Dataset, schema: WrittenSchema | None, value: Any = None) -> None:
    """Record the write of a frame or series, the receiver unless given; `schema` is None for another value."""
    value = call.receiver if value is None else value
    call.record_write(dataset, (value,), describe=None if schema is None else schema.describe)


def _report_hdf(call: LibraryCall) -> None:
    """Record the write of a key of an HDF5 file, which may have others."""
    target = call.get_argument(1, "path_or_buf")
    location = find_location(target.filename if isinstance(target, pd.HDFStore) else target)
    is_whole = call.kwargs.get("mode") == "w"
    if location is not None:
        record_write(
            call, get_file(location, "hdf5", is_part=not is_whole), _HDF.read_schema(call.receiver, call.kwargs)
        )


def _report_put(call: LibraryCall) -> None:
    """Record the write of a key of an open HDF5 file."""
    value = call.get_argument(2, "value")
    if isinstance(value, pd.DataFrame | pd.Series):
        location = find_location(call.receiver.filename)
        if location is not None:
            dataset = get_file(location, "hdf5", is_part=True)
            levels = tuple(list_level_fields(value.index, [], None))
            record_write(call, dataset, WrittenSchema(ValueColumns(value), levels), value)


def _report_pickle(call: LibraryCall) -> None:
    """Record the write of a frame or series by `pd.to_pickle`."""
    value, location = call.get_argument(0, "obj"), find_location(call.get_argument(1, "filepath_or_buffer"))
    if location is not None:
        schema = WrittenSchema(ValueColumns(value)) if isinstance(value, pd.DataFrame | pd.Series) else None
        record_write(call, get_file(location, "pickle"), schema, value)


def observe_writers(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods that write files."""
    reports = {
        name: create_write_report(writer, PathWriter(writer.format, writer.describe))
        for name, writer in WRITERS.items()
    }
    for owner in dict.fromkeys((*module.DataFrame.__mro__[:-1], *module.Series.__mro__[:-1])):
        for name, report in reports.items():
            adapter.observe_method(owner, name, report, hides_inner=True)
        adapter.observe_method(owner, "to_hdf", _report_hdf, hides_inner=True)
    for name in ("put", "append"):
        adapter.observe_method(module.HDFStore, name, _report_put)
    adapter.observe_function(module, "to_pickle", _report_pickle, hides_inner=True)
