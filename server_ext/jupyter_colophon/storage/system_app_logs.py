"""The log records of system applications: the newest of each, from all processes of the store."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from jupyter_colophon.core.system_app_log import AppLogFilter, AppLogRecord
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec

SYSTEM_APP_LOGS: Final = TableSpec(
    "system_app_logs",
    {"app": "string", "seq": "long", "time": "long", "level": "string", "message": "string"},
    ("app", "seq"),
)
#: How many records of an application are kept.
KEPT: Final = 1_000


def append_log_records(tx: TableContext, app: str, records: Sequence[AppLogRecord]) -> None:
    """Append records in their order, and delete the oldest ones."""
    table = tx.get_table(SYSTEM_APP_LOGS.id)
    newest = next((int(row["seq"]) for row in table.scan(Range.prefix(app), 1, "desc")), 0)
    table.upsert_many(
        [
            {"app": app, "seq": seq, "time": record.time, "level": record.level, "message": record.message}
            for seq, record in enumerate(records, newest + 1)
        ]
    )
    table.delete_range(Range((app,), (app, newest + len(records) - KEPT)))


def list_log_records(
    tx: TableContext, app: str, after: int | None, limit: int, filter_: AppLogFilter
) -> list[AppLogRecord]:
    """Return the next matching records after a number, or without one the newest, oldest first."""
    table = tx.get_table(SYSTEM_APP_LOGS.id)
    if after is None:
        return _read_matching(table.scan(Range.prefix(app), order="desc"), limit, filter_)[::-1]
    return _read_matching(table.scan(Range((app, after), (app,), begin_inclusive=False)), limit, filter_)


def _read_matching(rows: Iterator[Row], limit: int, filter_: AppLogFilter) -> list[AppLogRecord]:
    records = (AppLogRecord(row["seq"], row["time"], row["level"], row["message"]) for row in rows)
    return list(islice(filter(filter_.matches, records), limit))
