"""The change log on SQLite: one writer at a time, so row numbers are in commit order."""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from jupyter_colophon.storage.changes.log_bytes import limit_rows_to_bytes
from jupyter_colophon.storage.spi import Row
from jupyter_colophon.storage.sqlite.dialect import DIALECT
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection
from jupyter_colophon.storage.tables import CHANGE, CHANGE_ADDED, CHANGE_FILTERS

FIELDS = tuple(CHANGE)
_COLUMNS = ", ".join(FIELDS)
_get_values = itemgetter(*FIELDS)

# Numbers are given by the writer. The newest row is never removed, so that none is used twice.
CREATION = [
    """CREATE TABLE IF NOT EXISTS change_log (
        seq INTEGER PRIMARY KEY, time INTEGER, urn TEXT, type TEXT, namespace TEXT, name TEXT,
        aspect TEXT, operation TEXT, version INTEGER, scope TEXT, actor TEXT, via TEXT, run TEXT,
        previous TEXT, value TEXT)""",
    *(f"CREATE INDEX IF NOT EXISTS change_log_by_{name} ON change_log ({name}, seq)" for name in CHANGE_FILTERS),
]
ADDED_COLUMNS = {name: DIALECT.define_column(name, CHANGE[name]) for name in CHANGE_ADDED}
_APPEND = f"INSERT INTO change_log ({_COLUMNS}) VALUES ({', '.join('?' * len(FIELDS))})"
_REPLACE = f"UPDATE change_log SET {', '.join(f'{name} = ?' for name in FIELDS[1:])} WHERE seq = ?"
_get_values_and_number = itemgetter(*FIELDS[1:], FIELDS[0])
_COMPACT = "DELETE FROM change_log WHERE seq <= ? AND seq < (SELECT MAX(seq) FROM change_log)"
_HEAD = "SELECT COALESCE(MAX(seq), 0) FROM change_log"


class SqliteLog:
    """The change log on one connection (`spi.ChangeLog`)."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._connection = connection

    def append_changes(self, rows: Sequence[Row]) -> None:
        """Append rows with their numbers."""
        self._connection.insert_many(_APPEND, list(map(_get_values, rows)))

    def read_changes(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` where given."""
        names = [name for name in CHANGE_FILTERS if name in where]
        condition = "".join(f" AND {name} = ?" for name in names)
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM change_log WHERE seq > ?{condition} ORDER BY seq LIMIT ?",
            (after, *(where[name] for name in names), limit),
        )
        return limit_rows_to_bytes(((dict(zip(FIELDS, values, strict=True))) for values in rows), bytes_max)

    def get_newest_number(self) -> int:
        """Return the number of the newest row, 0 if there is none."""
        return int(self._connection.execute(_HEAD).fetchone()[0])

    def lock_and_append_changes(self, rows: Sequence[Row]) -> Callable[[], int]:
        """Append rows with numbers counted from 1 after the newest one; return a function that returns its number."""
        newest = self.get_newest_number()
        self.append_changes([row | {"seq": newest + row["seq"]} for row in rows])
        return lambda: newest

    def replace_changes(self, rows: Sequence[Row]) -> None:
        """Replace existing rows by rows with the same numbers."""
        self._connection.execute_many(_REPLACE, list(map(_get_values_and_number, rows)))

    def delete_changes_through(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; return the number of removed rows."""
        return self._connection.execute(_COMPACT, (through,)).rowcount
