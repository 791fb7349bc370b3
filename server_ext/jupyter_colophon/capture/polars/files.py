"""The files and tables that polars reads and writes."""

import sys
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

import polars as pl

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import Describe, LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.deltalake_adapter import REPLACING
from jupyter_colophon.capture.locations import find_location, is_path, list_locations
from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.capture.origins import Dataset, get_file

#: The formats of the functions `read_…`, `scan_…`, `write_…` and `sink_…`.
_FORMATS: Final = {
    "csv": "csv",
    "parquet": "parquet",
    "json": "json",
    "ndjson": "json",
    "ipc": "arrow",
    "ipc_stream": "arrow",
    "avro": "avro",
    "excel": "excel",
    "ods": "ods",
    "delta": "delta",
    "iceberg": "iceberg",
    "lines": "text",
}
#: The names of the first argument of the functions that read, in all versions.
_SOURCES: Final = ("source", "file", "table")
_TARGETS: Final = ("file", "path", "workbook", "target", "source")


def observe_files(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions that read, and the methods that write."""
    for name in _FORMATS:
        for prefix in ("read", "scan"):
            adapter.observe_function(module, f"{prefix}_{name}", _report_read, hides_inner=True)
        # The call of deltalake knows the version of the table, and whether anything was written.
        report, hides_inner = (_report_written_table, False) if name == "delta" else (_report_write, True)
        adapter.observe_method(module.DataFrame, f"write_{name}", report, hides_inner=hides_inner)
        adapter.observe_method(module.LazyFrame, f"sink_{name}", report, hides_inner=hides_inner)
    for name in ("read_database", "read_database_uri"):
        adapter.observe_function(module, name, _report_query)
    adapter.observe_method(module.DataFrame, "write_database", _report_written_table)


def _report_read(call: LibraryCall) -> None:
    target = call.find_argument(0, _SOURCES)
    format_ = _FORMATS[call.function.partition("_")[2]]
    locations, is_strict = list_locations(target), _has_same_columns(call)
    # Several sheets of a workbook are several frames.
    results = call.result.values() if isinstance(call.result, dict) else (call.result,)
    table = _find_table(target)
    if table is not None:
        call.record_read(table, call.result)
    for result in results:
        call.record_files(locations, format_, result, is_strict=is_strict)


def _has_same_columns(call: LibraryCall) -> bool:
    """Return whether polars refuses several files that lack columns of each other, as it does for these formats by default."""
    is_changed = call.kwargs.get("missing_columns", "raise") != "raise"
    return call.function.endswith(("_csv", "_parquet")) and not is_changed


def _find_table(target: Any) -> Dataset | None:
    """Return the dataset of an open table of pyiceberg; None for other values."""
    if isinstance(target, str) or "pyiceberg.table" not in sys.modules:
        return None
    from jupyter_colophon.capture.iceberg_adapter import find_table

    return find_table(target)


def _report_query(call: LibraryCall) -> None:
    call.adopt_inner_reads(call.result)


def _report_write(call: LibraryCall) -> None:
    target, frame = call.find_argument(1, _TARGETS), call.receiver
    table, location = _find_table(target), find_location(target)
    if table is not None:
        call.record_write(replace(table, is_part=True), (frame,), describe=create_describe(frame))
    elif location is not None:
        format_ = _FORMATS[call.function.partition("_")[2]]
        call.record_write(get_file(location, format_), (frame,), describe=create_describe(frame))
        if is_path(target) and "partition_by" not in call.kwargs:
            call.profile_written(frame)


def _report_written_table(call: LibraryCall) -> None:
    """Record the table that an inner call wrote, and that it has the rows of the frame."""
    for target in call.list_inner_targets():
        call.record_write(target, (call.receiver,), describe=create_describe(call.receiver))
        if call.function == "write_delta" and call.kwargs.get("mode", "error") in REPLACING:
            call.profile_written(call.receiver)


def create_describe(frame: pl.DataFrame | pl.LazyFrame) -> Describe:
    """Return a function that returns the fields of a frame, with the types of polars."""
    # Copies: a frame may change in place. The schema of a frame in memory takes longer to create than these.
    if isinstance(frame, pl.DataFrame):
        names, types = frame.columns, frame.dtypes
    else:
        schema = frame.collect_schema()
        names, types = schema.names(), schema.dtypes()

    def describe(columns: ColumnMap | None) -> tuple[tuple[SchemaField, ...] | None, ColumnMap | None]:
        pairs = zip(names, types, strict=True)
        return tuple(SchemaField(name, str(type_), nullable=True) for name, type_ in pairs), columns

    return describe
