"""Changes in the log, numbered as whoever writes numbers them."""

from jupyter_colophon.storage.spi import Row, TableContext
from jupyter_colophon.storage.tables import CHANGE


def add_changes(tx: TableContext, *rows: Row) -> list[int]:
    """Append rows behind the newest; returns their numbers."""
    first = tx.log.head() + 1
    numbered: list[Row] = [dict.fromkeys(CHANGE) | row | {"seq": first + at} for at, row in enumerate(rows)]
    tx.log.append(numbered)
    return [row["seq"] for row in numbered]
