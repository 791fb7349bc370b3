"""What pandas reads, computes and writes."""

from types import ModuleType
from typing import Any

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.capture.origins import Dataset

#: The functions that read one file, with the name of the argument that names it, and the format.
_READERS = {
    "read_csv": ("filepath_or_buffer", "csv"),
    "read_parquet": ("path", "parquet"),
}
#: The methods that write one file.
_WRITERS = {
    "to_csv": ("path_or_buf", "csv"),
    "to_parquet": ("path", "parquet"),
}


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions of pandas."""
    for name, (argument, format_) in _READERS.items():
        adapter.observe_function(module, name, _Reader(argument, format_))
    for name, (argument, format_) in _WRITERS.items():
        for owner in module.DataFrame.__mro__[:-1]:
            adapter.observe_method(owner, name, _Writer(argument, format_))
    for name in ("read_sql", "read_sql_query"):
        adapter.observe_function(module, name, lambda call: call.adopt_inner_reads(call.result))
    adapter.observe_method(module.core.generic.NDFrame, "__finalize__", _report_finalize, skips_inner=True)


class _Reader:
    """Reports a function that reads one file."""

    def __init__(self, argument: str, format_: str) -> None:
        self._argument, self._format = argument, format_

    def __call__(self, call: LibraryCall) -> None:
        """Record the read of the file into the result."""
        location = find_location(call.get_argument(0, self._argument))
        if location is not None:
            call.record_read(Dataset(location=location, format=self._format), call.result)


class _Writer:
    """Reports a method that writes one file."""

    def __init__(self, argument: str, format_: str) -> None:
        self._argument, self._format = argument, format_

    def __call__(self, call: LibraryCall) -> None:
        """Record the write of the frame into the file."""
        location = find_location(call.get_argument(1, self._argument))
        if location is not None:
            fields = _list_fields(call.receiver)
            call.record_write(Dataset(location=location, format=self._format), (call.receiver,), fields)


def _report_finalize(call: LibraryCall) -> None:
    """Record that pandas computed a frame or a series from another one."""
    other = call.get_argument(1, "other")
    call.record_derived(call.receiver, (other,))


def _list_fields(frame: Any) -> list[SchemaField]:
    return [SchemaField(str(name), str(type_), True) for name, type_ in frame.dtypes.items()]
