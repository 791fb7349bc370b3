"""The change log on PostgreSQL. An appending transaction holds the lock of the log, or the lock of all writers
(`session.py`), until its commit is visible.

So the newest number that a transaction sees is the newest one, and the next number is one more: numbers are in commit
order and without gaps. A sequence would leave a gap for every rolled-back callable.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jupyter_colophon.storage.postgresql.dialect import DIALECT
from jupyter_colophon.storage.postgresql.execute import CopyRows, Execute, ExecuteMany
from jupyter_colophon.storage.spi import Row
from jupyter_colophon.storage.sql.statements import quote_names
from jupyter_colophon.storage.tables import CHANGE, CHANGE_ADDED, CHANGE_FILTERS

_FIELDS = tuple(CHANGE)


def _quote_column_name(name: str) -> str:
    return DIALECT.define_column(name, CHANGE[name])


CREATION = [
    f"""CREATE TABLE change_log ({", ".join(_quote_column_name(name) for name in CHANGE if name not in CHANGE_ADDED)},
        PRIMARY KEY (seq))""",
    *(
        f"CREATE INDEX change_log_by_{name} ON change_log ({DIALECT.build_comparable_term(name, 'string')}, seq)"
        for name in CHANGE_FILTERS
    ),
]
#: Later changes of the table; each is applied once, in this order, the latest ones after those of search.
GROWTH, LATEST_GROWTH = (
    [f"ALTER TABLE change_log ADD COLUMN {_quote_column_name(name)}" for name in names]
    for names in (CHANGE_ADDED[:2], CHANGE_ADDED[2:])
)
#: A transaction lock is held until the commit is visible.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 0))"
_HEAD = "SELECT COALESCE(MAX(seq), 0) FROM change_log"
_COLUMNS = quote_names(_FIELDS)
_APPEND = f"INSERT INTO change_log ({_COLUMNS}) VALUES ({DIALECT.build_placeholders(len(_FIELDS))})"
_ROW = ", ".join(f"{DIALECT.placeholder}::{DIALECT.column_types[CHANGE[name]]}" for name in _FIELDS)
#: Bind: the values of rows with numbers counted from 1. Returns the numbers that they get after the newest one.
_APPEND_AFTER_NEWEST = f"""INSERT INTO change_log ({_COLUMNS})
    SELECT newest.seq + added."seq", {", ".join(f'added."{name}"' for name in _FIELDS[1:])}
    FROM (SELECT COALESCE(MAX(seq), 0) AS seq FROM change_log) AS newest, (VALUES {{}}) AS added ({_COLUMNS})
    RETURNING seq"""
_COPY = f"COPY change_log ({_COLUMNS}) FROM STDIN"
#: The number of rows from which COPY is faster.
_MANY = 20
_WITHIN = (
    f"SELECT {quote_names(_FIELDS)} FROM (SELECT *, SUM(octet_length(COALESCE(previous, '')) + octet_length("
    "COALESCE(value, ''))) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before "
    "FROM ({}) AS page) AS counted WHERE COALESCE(bytes_before, 0) <= %s ORDER BY seq"
)
_REPLACE = f"UPDATE change_log SET {', '.join(f'{quote_names((name,))} = %s' for name in _FIELDS[1:])} WHERE seq = %s"
_COMPACT = f"DELETE FROM change_log WHERE seq <= %s AND seq < ({_HEAD})"


class PostgresLog:
    """The change log in one transaction (`spi.ChangeLog`)."""

    def __init__(
        self, execute: Execute, executemany: ExecuteMany, copy: CopyRows, wait_for_lock: Callable[[str], None]
    ) -> None:
        """`wait_for_lock` runs a statement that may wait for other transactions."""
        self._execute, self._executemany, self._copy = execute, executemany, copy
        self._wait_for_lock = wait_for_lock

    def append_changes(self, rows: Sequence[Row]) -> None:
        """Append rows with their numbers."""
        values = [tuple(row[name] for name in _FIELDS) for row in rows]
        if len(values) < _MANY:
            self._executemany(_APPEND, values)
        else:
            self._copy(_COPY, values)

    def read_changes(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` where given."""
        filters = [name for name in CHANGE_FILTERS if name in where]
        part = DIALECT.build_comparable_term("%s", "string")
        condition = "".join(f" AND {DIALECT.build_comparable_term(name, 'string')} = {part}" for name in filters)
        page = f"SELECT {quote_names(_FIELDS)} FROM change_log WHERE seq > %s{condition} ORDER BY seq LIMIT %s"
        bound: list[Any] = [after, *(where[name] for name in filters), limit]
        if bytes_max is not None:
            # The server counts, so that omitted rows are not sent.
            page, bound = _WITHIN.format(page), [*bound, bytes_max]
        rows = self._execute(page, bound)
        return [dict(zip(_FIELDS, values, strict=True)) for values in rows]

    def get_newest_number(self) -> int:
        """Return the number of the newest row, 0 if there is none."""
        return int(self._execute(_HEAD).fetchone()[0])

    def lock(self) -> None:
        """Exclude other transactions that append, until the commit of this one is visible."""
        self._wait_for_lock(_LOCK)

    def lock_and_append_changes(self, rows: Sequence[Row]) -> Callable[[], int]:
        """Exclude other appending transactions, and append rows with numbers counted from 1 after the newest one; return
        a function that returns the number of the newest row before.
        """
        self.lock()
        # The number is read by a later statement, so that it sees the commit of the transaction that held the lock before.
        if not 0 < len(rows) < _MANY:
            newest = self.get_newest_number()
            self.append_changes([row | {"seq": newest + row["seq"]} for row in rows])
            return lambda: newest
        values = [row[name] for row in rows for name in _FIELDS]
        appended = self._execute(_APPEND_AFTER_NEWEST.format(", ".join([f"({_ROW})"] * len(rows))), values)
        return lambda: int(min(seq for (seq,) in appended)) - 1

    def replace_changes(self, rows: Sequence[Row]) -> None:
        """Replace existing rows by rows with the same numbers."""
        self._executemany(_REPLACE, [(*(row[name] for name in _FIELDS[1:]), row["seq"]) for row in rows])

    def delete_changes_through(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; return the number of removed rows."""
        return self._execute(_COMPACT, (through,)).rowcount
