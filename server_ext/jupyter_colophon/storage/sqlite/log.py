"""The change log on SQLite: one writer at a time, so row numbers are in commit order."""

from collections.abc import Mapping, Sequence

from jupyter_colophon.storage.changes.log_bytes import take_within
from jupyter_colophon.storage.spi import Row
from jupyter_colophon.storage.sqlite.dialect import DIALECT
from jupyter_colophon.storage.sqlite.guarded import Guarded
from jupyter_colophon.storage.tables import CHANGE, CHANGE_FILTERS, CHANGE_GAINED

FIELDS = tuple(CHANGE)
_COLUMNS = ", ".join(FIELDS)

# AUTOINCREMENT: a number is never given twice, also when the newest rows were compacted away.
CREATION = [
    """CREATE TABLE IF NOT EXISTS change_log (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, urn TEXT, type TEXT, namespace TEXT, name TEXT,
        aspect TEXT, operation TEXT, version INTEGER, scope TEXT, actor TEXT, via TEXT, run TEXT,
        previous TEXT, value TEXT)""",
    *(f"CREATE INDEX IF NOT EXISTS change_log_by_{name} ON change_log ({name}, seq)" for name in CHANGE_FILTERS),
]
GAINED = {name: DIALECT.column(name, CHANGE[name]) for name in CHANGE_GAINED}
_APPEND = f"INSERT INTO change_log ({_COLUMNS}) VALUES ({', '.join('?' * len(FIELDS))})"
_COMPACT = "DELETE FROM change_log WHERE seq <= ? AND seq < (SELECT MAX(seq) FROM change_log)"
_HEAD = "SELECT COALESCE(MAX(seq), 0) FROM change_log"


class SqliteLog:
    """The change log on one connection (`spi.Log`)."""

    def __init__(self, connection: Guarded) -> None:
        self._connection = connection

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows under the numbers that they have; AUTOINCREMENT gives none of them again."""
        self._connection.executemany(_APPEND, [tuple(row[name] for name in FIELDS) for row in rows])

    def read(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` where given."""
        names = [name for name in CHANGE_FILTERS if name in where]
        condition = "".join(f" AND {name} = ?" for name in names)
        found = self._connection.execute(
            f"SELECT {_COLUMNS} FROM change_log WHERE seq > ?{condition} ORDER BY seq LIMIT ?",
            (after, *(where[name] for name in names), limit),
        )
        return take_within(((dict(zip(FIELDS, values, strict=True))) for values in found), bytes_max)

    def head(self) -> int:
        """The number of the newest row; 0 when there is none."""
        return int(self._connection.execute(_HEAD).fetchone()[0])

    def compact(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; returns how many went."""
        return self._connection.execute(_COMPACT, (through,)).rowcount
