"""The change log on structured tables (`spi.Log`).

Its numbers come from a row that is read and written in the transaction of the change, so whoever gets one waits for
whoever got the one before, or is tried again: they are in commit order on every store whose transactions are serializable.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from jupyter_colophon.storage.changes.log_bytes import take_within
from jupyter_colophon.storage.portable.tables import CHANGES, CHANGES_BY, NUMBERS
from jupyter_colophon.storage.spi import Range, Row, StructuredTable
from jupyter_colophon.storage.tables import CHANGE, CHANGE_FILTERS

_NUMBER = ("changes",)
#: The filters, first what the fewest changes have in common.
_SELECTIVE = ("urn", "namespace", "type")
_AT_ONCE = 500
_PLACE = ("field", "value", "seq")


class PortableLog:
    """The change log inside one transaction."""

    def __init__(self, table: Callable[[str], StructuredTable]) -> None:
        self._table = table

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows under the numbers that they have."""
        if not rows:
            return
        self._table(CHANGES.id).upsert_all([{name: row[name] for name in CHANGE} for row in rows])
        found = [dict(zip(_PLACE, place, strict=True)) for row in rows for place in _filtered(row)]
        self._table(CHANGES_BY.id).upsert_all(found)
        self._table(NUMBERS.id).upsert({"name": _NUMBER[0], "last": rows[-1]["seq"]})

    def read(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` where given."""
        changes = self._table(CHANGES.id)
        names = [name for name in _SELECTIVE if name in where]
        if not names:
            return take_within(changes.scan(Range((after,), begin_inclusive=False), limit), bytes_max)
        place = (names[0], where[names[0]])
        numbers = self._table(CHANGES_BY.id).scan(Range((*place, after), place, begin_inclusive=False))
        rows = (changes.read((one["seq"],)) for one in numbers)
        fitting = (row for row in rows if row and all(row[name] == where[name] for name in names[1:]))
        return take_within(islice(fitting, limit), bytes_max)

    def head(self) -> int:
        """The number of the newest row; 0 when there is none. The newest is never removed, so it is the last given."""
        row = self._table(NUMBERS.id).read(_NUMBER)
        return int(row["last"]) if row else 0

    def compact(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; returns how many went."""
        changes, by, gone = self._table(CHANGES.id), self._table(CHANGES_BY.id), 0
        within = Range(end=(min(through, self.head() - 1),))
        while rows := list(changes.scan(within, _AT_ONCE)):
            for row in rows:
                by.multi_delete(_filtered(row))
            gone += changes.delete_all(Range(end=(rows[-1]["seq"],)))
        return gone


def _filtered(row: Row) -> list[tuple[str, str, int]]:
    return [(name, row[name], row["seq"]) for name in CHANGE_FILTERS if row[name] is not None]
