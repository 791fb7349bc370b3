"""Changes in the log, numbered as the write path numbers them."""

from jupyter_colophon.storage.spi import Row, TableContext
from jupyter_colophon.storage.tables import CHANGE


def add_changes(tx: TableContext, *rows: Row) -> list[int]:
    """Append rows after the newest; return their numbers."""
    first = tx.log.get_newest_number() + 1
    numbered: list[Row] = [dict.fromkeys(CHANGE) | row | {"seq": first + at} for at, row in enumerate(rows)]
    tx.log.append_changes(numbered)
    return [row["seq"] for row in numbered]
