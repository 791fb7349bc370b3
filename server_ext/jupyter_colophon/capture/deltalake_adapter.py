"""The tables of Delta Lake that programs read and write with deltalake. A table is its folder, as for Spark.

A `DeltaTable` alone reads no rows: what converts it does.
"""

import weakref
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
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


def _report_write(call: LibraryCall) -> None:
    table, value = _find_table(call.get_argument(0, "table_or_uri")), call.get_argument(1, "data")
    if table is not None:
        # The value may lack columns that the table has.
        is_part = call.kwargs.get("schema_mode") == "merge"
        call.record_write(replace(table, is_part=is_part), (value,), describe=create_describe(value))
        if call.kwargs.get("mode", "error") in REPLACING and call.kwargs.get("predicate") is None:
            call.profile_written(value)


def _report_read(call: LibraryCall) -> None:
    table = _find_table(call.receiver)
    if table is not None:
        # The feed of changes has columns beside those of the table.
        call.record_reads((table,), call.result, None if call.function == "load_cdf" else ColumnMap(table))


def _report_change(call: LibraryCall) -> None:
    table = _find_table(call.receiver)
    if table is not None:
        call.record_flow((), table)


def _report_merge(call: LibraryCall) -> None:
    table = _find_table(call.receiver)
    if table is not None and call.error is None:
        _merges[call.result] = (table, call.get_argument(1, "source"))


def _report_executed_merge(call: LibraryCall) -> None:
    table, value = _merges.get(call.receiver, (None, None))
    if table is not None:
        call.record_write(table, (value,))
