"""The change log on PostgreSQL. Whoever appends has the writers' lock (`session.py`) until the commit can be seen.

So the newest number that a transaction sees is the newest there is, and one more than it is the next: numbers are in
the order of commits and without gaps. A sequence would leave gaps with every callable that is undone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.storage.postgresql.dialect import DIALECT
from jupyter_colophon.storage.postgresql.execute import Copy, Execute, ExecuteMany
from jupyter_colophon.storage.spi import Row
from jupyter_colophon.storage.sql.statements import names
from jupyter_colophon.storage.tables import CHANGE, CHANGE_FILTERS, CHANGE_GAINED

_FIELDS = tuple(CHANGE)


def _column(name: str) -> str:
    return DIALECT.column(name, CHANGE[name])


CREATION = [
    f"""CREATE TABLE change_log ({", ".join(_column(name) for name in CHANGE if name not in CHANGE_GAINED)},
        PRIMARY KEY (seq))""",
    *(
        f"CREATE INDEX change_log_by_{name} ON change_log ({DIALECT.compare(name, 'string')}, seq)"
        for name in CHANGE_FILTERS
    ),
]
#: What was done to it since; each once, in this order.
GROWTH = [f"ALTER TABLE change_log ADD COLUMN {_column(name)}" for name in CHANGE_GAINED]
_HEAD = "SELECT COALESCE(MAX(seq), 0) FROM change_log"
_APPEND = f"INSERT INTO change_log ({names(_FIELDS)}) VALUES ({DIALECT.marks(len(_FIELDS))})"
_COPY = f"COPY change_log ({names(_FIELDS)}) FROM STDIN"
#: From how many rows on it is quicker to copy them.
_MANY = 20
_WITHIN = (
    f"SELECT {names(_FIELDS)} FROM (SELECT *, SUM(octet_length(COALESCE(previous, '')) + octet_length("
    "COALESCE(value, ''))) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before "
    "FROM ({}) AS page) AS counted WHERE COALESCE(bytes_before, 0) <= %s ORDER BY seq"
)
_COMPACT = f"DELETE FROM change_log WHERE seq <= %s AND seq < ({_HEAD})"


class PostgresLog:
    """The change log in one transaction (`spi.Log`)."""

    def __init__(self, execute: Execute, executemany: ExecuteMany, copy: Copy) -> None:
        self._execute, self._executemany, self._copy = execute, executemany, copy

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows under the numbers that they have."""
        values = [tuple(row[name] for name in _FIELDS) for row in rows]
        if len(values) < _MANY:
            self._executemany(_APPEND, values)
        else:
            self._copy(_COPY, values)

    def read(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` where given."""
        filters = [name for name in CHANGE_FILTERS if name in where]
        part = DIALECT.compare("%s", "string")
        condition = "".join(f" AND {DIALECT.compare(name, 'string')} = {part}" for name in filters)
        page = f"SELECT {names(_FIELDS)} FROM change_log WHERE seq > %s{condition} ORDER BY seq LIMIT %s"
        bound: list[Any] = [after, *(where[name] for name in filters), limit]
        if bytes_max is not None:
            # The server counts: what is left out is not sent.
            page, bound = _WITHIN.format(page), [*bound, bytes_max]
        found = self._execute(page, bound)
        return [dict(zip(_FIELDS, values, strict=True)) for values in found]

    def head(self) -> int:
        """The number of the newest row; 0 when there is none."""
        return int(self._execute(_HEAD).fetchone()[0])

    def compact(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; returns how many went."""
        return self._execute(_COMPACT, (through,)).rowcount
