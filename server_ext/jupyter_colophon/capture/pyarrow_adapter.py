"""The files that pyarrow reads and writes.

Tables of Arrow are classes of an extension module, whose methods cannot be observed: what a program computes with them is
followed by name (`name_inference.py`).
"""

import weakref
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import Describe, LibraryCall
from jupyter_colophon.capture.computations import Function
from jupyter_colophon.capture.file_calls import PathReader, PathWriter, create_read_report, create_write_report
from jupyter_colophon.capture.file_systems import resolve_path
from jupyter_colophon.capture.locations import is_path
from jupyter_colophon.capture.named_files import list_files
from jupyter_colophon.capture.origins import Dataset, OriginRegistry
from jupyter_colophon.capture.written_fields import create_describe

#: By module: the functions that read, and those that write with the position of the place; and the format.
_MODULES: Final[dict[str, tuple[str | None, tuple[str, ...], dict[str, int]]]] = {
    "pyarrow.parquet": ("parquet", ("read_table", "read_pandas"), {"write_table": 1, "write_to_dataset": 1}),
    "pyarrow.csv": ("csv", ("read_csv", "open_csv"), {"write_csv": 1}),
    "pyarrow.json": ("json", ("read_json", "open_json"), {}),
    "pyarrow.feather": ("arrow", ("read_table", "read_feather"), {"write_feather": 1}),
    "pyarrow.orc": ("orc", ("read_table",), {"write_table": 1}),
    "pyarrow.dataset": (None, ("dataset",), {"write_dataset": 1}),
    "pyarrow.ipc": ("arrow", (), {}),
}
#: The functions that write a whole file.
_WHOLE_WRITERS: Final = frozenset({"write_table", "write_csv", "write_feather"})
_SOURCES: Final = ("source", "input_file")
_TARGETS: Final = ("where", "root_path", "output_file", "dest", "base_dir")
_VALUES: Final = ("table", "data", "df")


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions of one module."""
    format_, readers, writers = _MODULES[module.__name__]
    for name in readers:
        report = _create_read_report(format_)
        if format_ is not None:
            report = create_read_report(report, PathReader(format_, _get_tables()))
        adapter.observe_function(module, name, report, hides_inner=True)
    for name, position in writers.items():
        report = _create_write_report(format_, position)
        if format_ is not None and position == 1:
            report = create_write_report(report, PathWriter(format_, _describe))
        adapter.observe_function(module, name, report, hides_inner=True)
    if module.__name__ == "pyarrow.parquet":
        _observe_parquet_classes(module, adapter)
    if module.__name__ == "pyarrow.ipc":
        _observe_streams(module, adapter)


#: The files of the writers that are open.
_written: "weakref.WeakKeyDictionary[Any, Dataset]" = weakref.WeakKeyDictionary()


def _observe_parquet_classes(module: ModuleType, adapter: Adapter) -> None:
    """Observe readers and writers of one file, which stay open."""
    adapter.observe_method(module.ParquetWriter, "__init__", _report_opened)
    for name in ("write_table", "write_batch"):
        adapter.observe_method(module.ParquetWriter, name, _report_written_part)
    adapter.observe_method(module.ParquetFile, "__init__", _report_file)
    for name in ("read", "read_row_group", "read_row_groups"):
        adapter.observe_method(module.ParquetFile, name, _report_converted)
    adapter.replace_method(module.ParquetFile, "iter_batches", partial(_follow_batches, adapter.context.origins))


def _observe_streams(module: ModuleType, adapter: Adapter) -> None:
    """Observe readers and writers of Arrow's own format."""
    for kind in ("File", "Stream"):
        writer, reader = getattr(module, f"RecordBatch{kind}Writer"), getattr(module, f"RecordBatch{kind}Reader")
        adapter.observe_method(writer, "__init__", _report_opened)
        for name in ("write", "write_table", "write_batch"):
            adapter.observe_inherited_method(writer, name, _report_written_part)
        adapter.observe_method(reader, "__init__", _report_file)
        for name in ("read_all", "read_pandas", "get_batch", "read_next_batch"):
            if hasattr(reader, name):
                adapter.observe_inherited_method(reader, name, _report_converted)


def _follow_batches(origins: OriginRegistry, original: Function) -> Function:
    """Return a method that gives the parts of a file, each with the origin of the file."""

    def read_batches(self: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        origin = origins.find_origin(self)

        def follow(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                if origin is not None:
                    origins.set_origin(batch, origin)
                yield batch

        return follow(original(self, *args, **kwargs))

    return read_batches


def _report_opened(call: LibraryCall) -> None:
    for file in _list_files(call, call.find_argument(1, ("where", "sink")), _get_format_of_class(call.receiver)):
        _written[call.receiver] = file


def _report_written_part(call: LibraryCall) -> None:
    dataset = _written.get(call.receiver)
    value = call.find_argument(1, ("table", "batch", "table_or_batch"))
    if dataset is not None:
        call.record_write(dataset, (value,), describe=create_describe(value))


def _report_file(call: LibraryCall) -> None:
    for file in _list_files(call, call.get_argument(1, "source"), _get_format_of_class(call.receiver)):
        call.record_read(file, call.receiver)


def _get_format_of_class(value: object) -> str:
    """Return the format of a reader or a writer."""
    return "parquet" if type(value).__name__.startswith("Parquet") else "arrow"


def _get_tables() -> frozenset[type]:
    """Return the types of values that have the columns of the file that they were read from."""
    import pyarrow as pa

    return frozenset({pa.Table})


def _describe(value: Any, _: dict[str, Any]) -> Describe | None:
    return create_describe(value)


def _create_read_report(format_: str | None) -> Callable[[LibraryCall], None]:
    def report(call: LibraryCall) -> None:
        files = _list_files(call, call.find_argument(0, _SOURCES), format_ or _find_format(call))
        call.record_files(files, call.result)

    return report


def _create_write_report(format_: str | None, position: int) -> Callable[[LibraryCall], None]:
    def report(call: LibraryCall) -> None:
        value = call.find_argument(1 - position, _VALUES)
        target = call.find_argument(position, _TARGETS)
        for file in _list_files(call, target, format_ or _find_format(call)):
            call.record_write(file, (value,), describe=create_describe(value))
            # The others add files to a folder.
            if call.context.has_profiles and call.function in _WHOLE_WRITERS and is_path(target):
                call.profile_written(value)

    return report


def _list_files(call: LibraryCall, target: Any, format_: str | None) -> tuple[Dataset, ...]:
    """Return the files of paths, which may be those of a file system that the call names."""
    return list_files(resolve_path(target, call.kwargs.get("filesystem")), format_)


def _report_converted(call: LibraryCall) -> None:
    call.record_same_columns(call.result, call.receiver)


def _find_format(call: LibraryCall) -> str | None:
    format_ = call.kwargs.get("format")
    name = format_ if isinstance(format_, str) else getattr(format_, "default_extname", None)
    return str(name) if name else "parquet" if call.function == "dataset" and format_ is None else None
