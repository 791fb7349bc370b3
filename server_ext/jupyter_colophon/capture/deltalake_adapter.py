"""The tables of Delta Lake that programs read and write with deltalake. A table is its folder, as for Spark.

A `DeltaTable` alone reads no rows: what converts it does.
"""

import importlib
import threading
import weakref
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.computations import Function
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.origins import Dataset, get_file
from jupyter_colophon.capture.written_fields import create_describe

#: The modes in which a table has only the rows that are written.
REPLACING: Final = ("error", "overwrite")
#: The methods that return rows.
_READERS: Final = ("to_pandas", "to_pyarrow_table", "to_pyarrow_dataset", "scan", "load_cdf")
#: The methods that change rows in place.
_CHANGES: Final = ("delete", "update")
#: The function by which a write finds out whether there is a table at a path.
_OPEN: Final = "try_get_table_and_table_uri"
#: By merge that is not executed yet: the `DeltaTable`, its version, and the value that is merged into it.
_merges: "weakref.WeakKeyDictionary[Any, tuple[Any, str, Any]]" = weakref.WeakKeyDictionary()


class _Opened(threading.local):
    """The `DeltaTable` that the running write of a thread found, or None if there is none; empty if that is not known."""

    tables: tuple[Any, ...] = ()


_opened = _Opened()


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe what reads and writes tables."""
    adapter.observe_function(module, "write_deltalake", _report_write, prepare=_forget_opened, hides_inner=True)
    adapter.replace_function(importlib.import_module("deltalake.writer.writer"), _OPEN, _keep_opened)
    for name in _READERS:
        adapter.observe_method(module.DeltaTable, name, _report_read, hides_inner=True)
    for name in _CHANGES:
        adapter.observe_method(module.DeltaTable, name, _report_change, prepare=_read_version, hides_inner=True)
    adapter.observe_method(module.DeltaTable, "merge", _report_merge)
    adapter.observe_method(module.table.TableMerger, "execute", _report_executed_merge)


def _find_table(target: Any) -> Dataset | None:
    """Return the table of a `DeltaTable`, a path or a URL."""
    location = find_location(target)
    return None if location is None else get_file(location.rstrip("/"), "delta")


def _find_version(call: LibraryCall, target: Any) -> str:
    """Return the version that a `DeltaTable` has, after a write that of the write; "" of a path, whose version is unknown."""
    return str(target.version()) if call.error is None and hasattr(target, "table_uri") else ""


def _forget_opened(*args: Any, **kwargs: Any) -> None:
    _opened.tables = ()


def _keep_opened(original: Function) -> Function:
    def open_table(*args: Any, **kwargs: Any) -> Any:
        opened = original(*args, **kwargs)
        _opened.tables = (opened[0],)
        return opened

    return open_table


def _find_written_version(call: LibraryCall, target: Any) -> str:
    """Return the version that a write created: a table that it opened by its path has it as well, a new one is version 0."""
    opened, _opened.tables = _opened.tables, ()
    if call.error is not None or not opened:
        return _find_version(call, target)
    return "0" if opened[0] is None else _find_version(call, opened[0])


def _report_write(call: LibraryCall) -> None:
    target, value = call.get_argument(0, "table_or_uri"), call.get_argument(1, "data")
    mode, table = call.kwargs.get("mode", "error"), _find_table(target)
    if mode == "ignore" and any(each is not None for each in _opened.tables):
        # There is a table, so nothing was written.
        _opened.tables = ()
    elif table is not None:
        # The value may lack columns that the table has.
        is_part = call.kwargs.get("schema_mode") == "merge"
        written = replace(table, is_part=is_part, version=_find_written_version(call, target))
        call.record_write(written, (value,), describe=create_describe(value))
        if mode in REPLACING and call.kwargs.get("predicate") is None:
            call.profile_written(value)


def _report_read(call: LibraryCall) -> None:
    table = _find_table(call.receiver)
    if table is None:
        return
    if call.function == "load_cdf":
        # The changes of several versions, with columns beside those of the table.
        call.record_reads((table,), call.result)
    else:
        call.record_read(replace(table, version=_find_version(call, call.receiver)), call.result)


def _read_version(table: Any, *_: Any, **__: Any) -> str:
    return str(table.version())


def _find_created_version(call: LibraryCall, table: Any, before: str | None) -> str:
    """Return the version that a change in place created; "" if it changed nothing."""
    version = _find_version(call, table)
    return "" if version == before else version


def _report_change(call: LibraryCall) -> None:
    table = _find_table(call.receiver)
    if table is not None:
        call.record_flow((), replace(table, version=_find_created_version(call, call.receiver, call.state)))


def _report_merge(call: LibraryCall) -> None:
    if call.error is None:
        _merges[call.result] = (call.receiver, _read_version(call.receiver), call.get_argument(1, "source"))


def _report_executed_merge(call: LibraryCall) -> None:
    target, before, value = _merges.get(call.receiver, (None, "", None))
    table = _find_table(target)
    if table is not None:
        call.record_write(replace(table, version=_find_created_version(call, target, before)), (value,))
