"""Delete what an application has stored, in short transactions: rows of its tables, its files, and its background state."""

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

from jupyter_colophon.storage.app_files.rows import SYSTEM_APP_FILES
from jupyter_colophon.storage.dead_events import DEAD_EVENTS
from jupyter_colophon.storage.spi import Range, Row, StructuredTable, TableContext, TableSpec
from jupyter_colophon.storage.system_app_logs import SYSTEM_APP_LOGS
from jupyter_colophon.storage.system_app_schedules import SYSTEM_APP_SCHEDULES
from jupyter_colophon.storage.system_app_workers import SYSTEM_APP_WORKERS

#: Their keys begin with the name of the application. An application has few rows in each.
_BACKGROUND: Final = (DEAD_EVENTS, SYSTEM_APP_LOGS, SYSTEM_APP_SCHEDULES, SYSTEM_APP_WORKERS)
#: Their keys are names that begin with what the row is for, and the application.
_NAMED: Final = ("cursors", "leases")


def delete_background_state(tx: TableContext, app: str, prefixes: Sequence[str]) -> None:
    """Delete the log, schedules and events of an application, and the cursors and leases whose names have a prefix."""
    for spec in _BACKGROUND:
        tx.get_table(spec.id).delete_range(Range.prefix(app))
    for name in _NAMED:
        for prefix in prefixes:
            _delete_rows_with_prefix(tx.get_table(name), prefix)


def list_next_files(tx: TableContext, app: str, limit: int) -> list[Row]:
    """Return some files of an application, of any namespace."""
    table = tx.get_table(SYSTEM_APP_FILES.id)
    files = (row for context in _iterate_contexts(tx) for row in table.scan(Range.prefix(context, app), limit))
    return list(islice(files, limit))


def delete_files(tx: TableContext, files: Sequence[Row]) -> None:
    """Delete the rows of files."""
    keys = [tuple(file[name] for name in SYSTEM_APP_FILES.primary_key) for file in files]
    tx.get_table(SYSTEM_APP_FILES.id).delete_many(keys)


def delete_next_rows(tx: TableContext, spec: TableSpec, limit: int) -> bool:
    """Delete at most `limit` rows of a table; return whether there were any."""
    table = tx.get_table(spec.id)
    rows = list(table.scan(Range(), limit))
    table.delete_many([tuple(row[name] for name in spec.primary_key) for row in rows])
    return bool(rows)


def _delete_rows_with_prefix(table: StructuredTable, prefix: str) -> None:
    rows = takewhile(lambda row: str(row["name"]).startswith(prefix), table.scan(Range((prefix,))))
    table.delete_many([(row["name"],) for row in list(rows)])


def _iterate_contexts(tx: TableContext) -> Iterator[str]:
    """Yield the namespaces that have files of any application, and the empty text for files of no namespace."""
    table, keys = tx.get_table(SYSTEM_APP_FILES.id), Range()
    while row := next(iter(table.scan(keys, 1)), None):
        yield row["context"]
        keys = Range((row["context"],), begin_inclusive=False)
