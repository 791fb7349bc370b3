"""The tables of Iceberg that programs read and write with pyiceberg.

A table is that of its catalog, as for Spark: `lake/db.orders` of the catalog `lake`. A table that was opened by its metadata
alone is its folder.
"""

import weakref
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import Describe, Flow, LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap, ColumnSource
from jupyter_colophon.capture.locations import find_location, list_locations
from jupyter_colophon.capture.names.dataset_names import build_table_urn
from jupyter_colophon.capture.observation import DatasetKind, SchemaField, Transformation
from jupyter_colophon.capture.origins import Dataset, get_file

#: The methods that return the rows of a scan.
_READERS: Final = ("to_arrow", "to_arrow_batch_reader", "to_pandas", "to_polars", "to_duckdb", "to_ray")
#: The methods of a table and of a transaction that write a value, `df`.
_WRITERS: Final = ("append", "overwrite", "dynamic_partition_overwrite", "upsert")
#: The parts of a condition that are conditions.
_PARTS: Final = ("left", "right", "child")
#: The tables of scans.
_scanned: "weakref.WeakKeyDictionary[Any, Dataset]" = weakref.WeakKeyDictionary()
#: What transactions wrote that are not committed yet.
_staged: "weakref.WeakKeyDictionary[Any, list[Flow]]" = weakref.WeakKeyDictionary()


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe what reads and writes tables, or hide how a catalog in a database finds them."""
    if module.__name__ == "pyiceberg.catalog.sql":
        _skip_database(module.SqlCatalog, adapter)
        return
    adapter.observe_method(module.Table, "scan", _report_scan)
    adapter.observe_method(module.Table, "to_polars", _report_frame, hides_inner=True)
    adapter.observe_method(module.BaseScan if hasattr(module, "BaseScan") else module.TableScan, "update", _report_scan)
    for owner in dict.fromkeys((*module.DataScan.__mro__[:-1], *_list_scans(module))):
        for name in _READERS:
            adapter.observe_method(owner, name, _report_rows, hides_inner=True)
    for owner in (module.Table, module.Transaction):
        for name in _WRITERS:
            adapter.observe_method(owner, name, _report_write, prepare=_find_version, hides_inner=True)
        adapter.observe_method(owner, "delete", _report_delete, prepare=_find_version, hides_inner=True)
        adapter.observe_method(owner, "add_files", _report_files, prepare=_find_version, hides_inner=True)
    adapter.observe_method(module.Transaction, "commit_transaction", _report_commit, hides_inner=True)


def find_table(table: Any) -> Dataset | None:
    """Return the dataset of an open table of pyiceberg; None for other values and for invalid names."""
    kinds = {each.__name__ for each in type(table).__mro__ if each.__module__ == "pyiceberg.table"}
    if "Table" not in kinds:
        return None
    if "StaticTable" in kinds:
        location = find_location(table.location())
        return None if location is None else get_file(location, "iceberg")
    *namespace, name = table.name()
    urn = build_table_urn({"catalog": table.catalog.name, "database": ".".join(namespace), "table": name})
    return None if urn is None else Dataset(DatasetKind.TABLE, urn=urn, format="iceberg")


def _list_scans(module: ModuleType) -> Iterator[type]:
    """Yield the classes of scans of some versions only."""
    scan = getattr(module, "IncrementalAppendScan", None)
    if scan is not None:
        yield scan


def _skip_database(catalog: type, adapter: Adapter) -> None:
    """Skip the tables in which a catalog notes its tables: they are no data of the program."""
    for name, member in tuple(vars(catalog).items()):
        if callable(member) and (name == "__init__" or not name.startswith("_")):
            adapter.observe_method(catalog, name, _report_nothing, hides_inner=True)


def _report_nothing(call: LibraryCall) -> None:
    """Record nothing."""


def _report_scan(call: LibraryCall) -> None:
    table = find_table(call.receiver) or _scanned.get(call.receiver)
    if table is not None and call.result is not None:
        _scanned[call.result] = table


def _report_rows(call: LibraryCall) -> None:
    table = _scanned.get(call.receiver)
    if table is not None:
        table = replace(
            table, version=_get_version(call.receiver.snapshot() if hasattr(call.receiver, "snapshot") else None)
        )
        used = dict.fromkeys(_list_columns(getattr(call.receiver, "row_filter", None)))
        sources = [ColumnSource(table, name, Transformation.FILTER) for name in used]
        call.record_read(table, call.result, ColumnMap(table).add_controls(sources))


def _list_columns(condition: Any) -> Iterator[str]:
    """Yield the columns that a condition of pyiceberg uses."""
    name = getattr(getattr(condition, "term", None), "name", None)
    if isinstance(name, str):
        yield name
    for part in _PARTS:
        inner = getattr(condition, part, None)
        if inner is not None:
            yield from _list_columns(inner)


def _report_frame(call: LibraryCall) -> None:
    table = find_table(call.receiver)
    if table is not None:
        call.record_read(replace(table, version=_get_version(call.receiver.current_snapshot())), call.result)


def _get_version(snapshot: Any) -> str:
    """Return the version of a table by its snapshot, as Spark names it; "" without one."""
    return "" if snapshot is None else str(snapshot.snapshot_id)


def _find_version(receiver: Any, *_: Any, **__: Any) -> str:
    """Return the version that a table has, or that a transaction gives to it; "" if it has none."""
    return _get_version(_get_metadata(receiver).current_snapshot())


def _report_write(call: LibraryCall) -> None:
    target, value = _find_target(call), call.get_argument(1, "df")
    if target is not None:
        call.record_write(target, (value,), describe=_create_describe(call.receiver, _list_names(value)))
        # Without a condition all rows are replaced.
        if call.function == "overwrite" and len(call.args) <= 2 and "overwrite_filter" not in call.kwargs:
            call.profile_written(value)
        _keep_until_commit(call)


def _report_delete(call: LibraryCall) -> None:
    target = _find_target(call)
    if target is not None:
        call.record_flow((), target)
        _keep_until_commit(call)


def _report_files(call: LibraryCall) -> None:
    target, files = _find_target(call), list_locations(call.get_argument(1, "file_paths"))
    if target is not None:
        sources = [get_file(location, "parquet") for location in files]
        fields = _list_fields(call.receiver)
        columns = ColumnMap(sources[0]) if len(sources) == 1 else None
        call.record_flow(sources, target, fields, columns)
        _keep_until_commit(call)


def _report_commit(call: LibraryCall) -> None:
    """Record what a transaction wrote; if it fails, what it would have written."""
    staged = _staged.pop(call.receiver, [])
    call.flows += staged
    for flow in staged:
        if call.error is not None:
            flow.error = type(call.error).__name__
        if flow.target is not None and flow.target.version:
            metadata = call.receiver._table.metadata
            if metadata.snapshot_by_id(int(flow.target.version)) is None:
                flow.target = replace(flow.target, version="")


def _keep_until_commit(call: LibraryCall) -> None:
    """Keep what a transaction writes until it is committed."""
    if hasattr(call.receiver, "commit_transaction") and call.error is None:
        _staged.setdefault(call.receiver, []).extend(flow for flow in call.flows if isinstance(flow, Flow))
        call.flows = []


def _find_target(call: LibraryCall) -> Dataset | None:
    """Return the table that a table or a transaction writes, with the version that the call created, if it did."""
    target = find_table(getattr(call.receiver, "_table", call.receiver))
    if target is None or call.error is not None or call.state is None:
        return target
    version = _find_version(call.receiver)
    return replace(target, version=version) if version != call.state else target


def _get_metadata(receiver: Any) -> Any:
    """Return the metadata of a table, or of a transaction with what it has changed."""
    return getattr(receiver, "table_metadata", None) or receiver.metadata


def _list_fields(receiver: Any) -> tuple[SchemaField, ...]:
    """Return the fields of the table of a table or a transaction, with the types of Iceberg."""
    fields = _get_metadata(receiver).schema().fields
    return tuple(SchemaField(field.name, str(field.field_type), not field.required) for field in fields)


def _list_names(value: Any) -> tuple[str, ...]:
    """Return the columns of a value of Arrow."""
    return tuple(getattr(getattr(value, "schema", None), "names", ()))


def _create_describe(receiver: Any, names: tuple[str, ...]) -> Describe:
    """Return a function that returns the fields of the table; those that the written value lacks have no sources."""
    fields = _list_fields(receiver)
    return lambda columns: (fields, None if columns is None else columns.select({name: name for name in names}))
