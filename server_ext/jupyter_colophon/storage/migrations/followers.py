"""Move the positions in the change log to one table, from those of sinks and of lineage listeners.

Version e8b857e stored them together with leases, which are not carried over: no process of it may run beside this one.
The schedules of pipelines had a row among the sinks, with a blank at the beginning of its name.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage.changes import sinks
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

#: Tables of e8b857e that are no longer used; full text is derived again, in other tables.
FORMER: Final = ("consumers", "sinks", "seam_documents", "seam_tokens")
_SCHEDULES: Final = " pipelines"


def move_follower_positions(tx: TableContext, after: Key) -> Key | None:
    """Move all rows in one transaction: there is one for each sink and listener."""
    for row in _read_all_rows(tx, "consumers"):
        _write_follower_position(tx, f"listener:{row['name']}", row["seq"], 0)
    for row in _read_all_rows(tx, "sinks"):
        if row["sink"] == _SCHEDULES:
            _write_follower_position(tx, "schedules", row["seq"], row["lost"])
            continue
        _write_follower_position(tx, sinks.get_follower_name_of_sink(row["sink"]), row["seq"], row["lost"])
        columns = ("sink", "attempts", "problem", "failed")
        tx.get_table("sink_states").upsert({name: row[name] for name in columns})
    return None


def _read_all_rows(tx: TableContext, table: str) -> Iterator[Row]:
    # Another process that migrated the catalog has dropped the table.
    with suppress(InvalidField):
        yield from list(tx.get_table(table).scan(Range()))


def _write_follower_position(tx: TableContext, name: str, seq: int, lost: int | None) -> None:
    tx.get_table("cursors").upsert({"name": name, "seq": seq, "skipped": lost or 0})
