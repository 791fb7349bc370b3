"""The change log on structured tables (`spi.ChangeLog`).

Its numbers come from a row that is read and written in the transaction of the change, so concurrent writers wait for
each other or are retried: numbers are in commit order on every store with serializable transactions.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from jupyter_colophon.storage.changes.log_bytes import limit_rows_to_bytes
from jupyter_colophon.storage.portable.tables import CHANGES, CHANGES_BY, NUMBERS
from jupyter_colophon.storage.spi import Range, Row, StructuredTable
from jupyter_colophon.storage.tables import CHANGE, CHANGE_FILTERS

_NUMBER = ("changes",)
#: The fields of filters, the most selective one first.
_SELECTIVE = ("urn", "namespace", "type")
_AT_ONCE = 500
_PLACE = ("field", "value", "seq")


class PortableLog:
    """The change log inside one transaction."""

    def __init__(self, table: Callable[[str], StructuredTable]) -> None:
        self._table = table

    def append_changes(self, rows: Sequence[Row]) -> None:
        """Append rows with their numbers."""
        if not rows:
            return
        self._write_rows(rows)
        self._table(NUMBERS.id).upsert({"name": _NUMBER[0], "last": rows[-1]["seq"]})

    def read_changes(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` where given."""
        changes = self._table(CHANGES.id)
        names = [name for name in _SELECTIVE if name in where]
        if not names:
            return limit_rows_to_bytes(changes.scan(Range((after,), begin_inclusive=False), limit), bytes_max)
        place = (names[0], where[names[0]])
        numbers = self._table(CHANGES_BY.id).scan(Range((*place, after), place, begin_inclusive=False))
        rows = (changes.read((number["seq"],)) for number in numbers)
        fitting = (row for row in rows if row and all(row[name] == where[name] for name in names[1:]))
        return limit_rows_to_bytes(islice(fitting, limit), bytes_max)

    def get_newest_number(self) -> int:
        """Return the number of the newest row, 0 if there is none. The newest row is never removed, so this is the last
        number given.
        """
        row = self._table(NUMBERS.id).read(_NUMBER)
        return int(row["last"]) if row else 0

    def lock_and_append_changes(self, rows: Sequence[Row]) -> Callable[[], int]:
        """Append rows with numbers counted from 1 after the newest one; return a function that returns its number."""
        newest = self.get_newest_number()
        self.append_changes([row | {"seq": newest + row["seq"]} for row in rows])
        return lambda: newest

    def replace_changes(self, rows: Sequence[Row]) -> None:
        """Replace existing rows by rows with the same numbers."""
        by = self._table(CHANGES_BY.id)
        for former in self._table(CHANGES.id).read_many([(row["seq"],) for row in rows]):
            by.delete_many(_build_filter_keys(former))
        self._write_rows(rows)

    def delete_changes_through(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; return the number of removed rows."""
        changes, by, removed = self._table(CHANGES.id), self._table(CHANGES_BY.id), 0
        within = Range(end=(min(through, self.get_newest_number() - 1),))
        while rows := list(changes.scan(within, _AT_ONCE)):
            for row in rows:
                by.delete_many(_build_filter_keys(row))
            removed += changes.delete_range(Range(end=(rows[-1]["seq"],)))
        return removed

    def _write_rows(self, rows: Sequence[Row]) -> None:
        self._table(CHANGES.id).upsert_many([{name: row[name] for name in CHANGE} for row in rows])
        index_rows = [dict(zip(_PLACE, place, strict=True)) for row in rows for place in _build_filter_keys(row)]
        self._table(CHANGES_BY.id).upsert_many(index_rows)


def _build_filter_keys(row: Row) -> list[tuple[str, str, int]]:
    return [(name, row[name], row["seq"]) for name in CHANGE_FILTERS if row[name] is not None]
