"""The tables of Delta Lake that programs read and write with deltalake. A table is its folder, as for Spark.

A `DeltaTable` alone reads no rows: what converts it does.
"""

import weakref
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.origins import Dataset, get_file
from jupyter_colophon.capture.written_fields import create_describe

#: The modes in which a table has only the rows that are written.
REPLACING: Final = ("error", "overwrite")
#: The methods that return rows.
_READERS: Final = ("to_pandas", "to_pyarrow_table", "to_pyarrow_dataset", "scan", "load_cdf")
#: The methods that change rows in place.
_CHANGES: Final = ("delete", "update")
#: By merge that is not executed yet: the table, and the value that is merged into it.
_merges: "weakref.WeakKeyDictionary[Any, tuple[Dataset, Any]]" = weakref.WeakKeyDictionary()


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe what reads and writes tables."""
    adapter.observe_function(module, "write_deltalake", _report_write, hides_inner=True)
    for name in _READERS:
        adapter.observe_method(module.DeltaTable, name, _report_read, hides_inner=True)
    for name in _CHANGES:
        adapter.observe_method(module.DeltaTable, name, _report_change, hides_inner=True)
    adapter.observe_method(module.DeltaTable, "merge", _report_merge)
    adapter.observe_method(module.table.TableMerger, "execute", _report_executed_merge)


def _find_table(target: Any) -> Dataset | None:
    """Return the table of a `DeltaTable`, a path or a URL."""
    location = find_location(target)
    return None if location is None else get_file(location.rstrip("/"), "delta")


def _find_version(call: LibraryCall, target: Any) -> str:
    """Return the version that a `DeltaTable` has, after a write that of the write; "" of a path, whose version is unknown."""
    return str(target.version()) if call.error is None and hasattr(target, "table_uri") else ""


def _report_write(call: LibraryCall) -> None:
    target, value = call.get_argument(0, "table_or_uri"), call.get_argument(1, "data")
    table = _find_table(target)
    if table is not None:
        # The value may lack columns that the table has.
        is_part = call.kwargs.get("schema_mode") == "merge"
        written = replace(table, is_part=is_part, version=_find_version(call, target))
        call.record_write(written, (value,), describe=create_describe(value))
        if call.kwargs.get("mode", "error") in REPLACING and call.kwargs.get("predicate") is None:
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


def _report_change(call: LibraryCall) -> None:
    table = _find_table(call.receiver)
    if table is not None:
        call.record_flow((), replace(table, version=_find_version(call, call.receiver)))


def _report_merge(call: LibraryCall) -> None:
    table = _find_table(call.receiver)
    if table is not None and call.error is None:
        _merges[call.result] = (table, call.get_argument(1, "source"))


def _report_executed_merge(call: LibraryCall) -> None:
    table, value = _merges.get(call.receiver, (None, None))
    if table is not None:
        call.record_write(table, (value,))
