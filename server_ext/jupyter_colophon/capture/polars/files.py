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
from jupyter_colophon.capture.file_calls import PathReader, PathWriter, create_read_report, create_write_report
from jupyter_colophon.capture.locations import is_path
from jupyter_colophon.capture.named_files import find_file, list_files
from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.capture.origins import Dataset

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
_FRAMES: Final = frozenset({pl.DataFrame, pl.LazyFrame})
#: The names of the first argument of the functions that read, in all versions.
_SOURCES: Final = ("source", "file", "table")
_TARGETS: Final = ("file", "path", "workbook", "target", "source")


def observe_files(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions that read, and the methods that write."""
    for name in _FORMATS:
        reader, writer = PathReader(_FORMATS[name], _FRAMES), PathWriter(_FORMATS[name], _describe)
        for prefix in ("read", "scan"):
            report = create_read_report(_report_read, reader)
            adapter.observe_function(module, f"{prefix}_{name}", report, hides_inner=True)
        # The call of deltalake knows the version of the table, and whether anything was written.
        is_delta = name == "delta"
        report = _report_written_table if is_delta else create_write_report(_report_write, writer)
        adapter.observe_method(module.DataFrame, f"write_{name}", report, hides_inner=not is_delta)
        adapter.observe_method(module.LazyFrame, f"sink_{name}", report, hides_inner=not is_delta)
    for name in ("read_database", "read_database_uri"):
        adapter.observe_function(module, name, _report_query)
    adapter.observe_method(module.DataFrame, "write_database", _report_written_table)


def _describe(frame: pl.DataFrame | pl.LazyFrame, _: dict[str, Any]) -> Describe:
    return create_describe(frame)


def _report_read(call: LibraryCall) -> None:
    target, result = call.find_argument(0, _SOURCES), call.result
    table = None if type(target) is str else _find_table(target)
    if table is not None:
        call.record_read(table, result)
    files = list_files(target, _FORMATS[call.function.partition("_")[2]])
    # Several sheets of a workbook are several frames.
    for value in result.values() if isinstance(result, dict) else (result,):
        call.record_files(files, value, is_strict=_has_same_columns(call))


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
    target, frame = call.find_argument(1, _TARGETS), call.args[0]
    table = None if type(target) is str else _find_table(target)
    if table is not None:
        call.record_write(replace(table, is_part=True), (frame,), describe=create_describe(frame))
        return
    file = find_file(target, _FORMATS[call.function.partition("_")[2]])
    if file is not None:
        call.record_write(file, (frame,), describe=create_describe(frame))
        if call.context.has_profiles and is_path(target) and "partition_by" not in call.kwargs:
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
