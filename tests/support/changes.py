"""Changes in the log, numbered as the write path numbers them."""

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.storage.spi import Row, TableContext
from jupyter_colophon.storage.tables import CHANGE
from support.catalog import ADA


def add_changes(tx: TableContext, *rows: Row) -> list[int]:
    """Append rows after the newest; return their numbers."""
    first = tx.log.get_newest_number() + 1
    numbered: list[Row] = [dict.fromkeys(CHANGE) | row | {"seq": first + at} for at, row in enumerate(rows)]
    tx.log.append_changes(numbered)
    return [row["seq"] for row in numbered]


def read_changes_after(catalog: Catalog, after: int) -> list[Change]:
    """Return all changes after a number, read in pages."""
    changes: list[Change] = []
    while found := catalog.feed.read_visible_changes(changes[-1].seq if changes else after, 500, {}, ADA):
        changes += found
    return changes
