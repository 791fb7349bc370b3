"""Read a file of SQLite, which is opened for reading only."""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.apps import BadRequest
from jupyter_colophon.apps.dataprep.database_readers import ENTRIES_MAX, DatabaseReader, TableColumn
from jupyter_colophon.wrangling.column_names import make_names_unique

#: The only schema that is listed: nothing is attached.
_SCHEMA: Final = "main"
#: What a statement of a sample may do: it can neither attach another file nor change settings.
_ALLOWED: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
#: After how many instructions the time is checked, and the largest value in bytes.
_INSTRUCTIONS, _VALUE_MAX = 10_000, 16 * 2**20
_TABLES: Final = """SELECT name, type FROM main.sqlite_schema
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name LIMIT ?"""
_COLUMNS: Final = 'SELECT name, type, NOT "notnull" FROM pragma_table_info(?) ORDER BY cid LIMIT ?'


@contextmanager
def open_sqlite(file: Path, seconds: float) -> "Iterator[DatabaseReader]":
    """Open a file; what takes longer than `seconds` is interrupted. Raises BadRequest."""
    until = time.monotonic() + seconds
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_MAX)
            connection.set_progress_handler(lambda: time.monotonic() > until, _INSTRUCTIONS)
            yield _SqliteReader(connection)
    except sqlite3.Error as error:
        raise BadRequest(f"SQLite refuses it: {str(error)[:300]}") from None


@dataclass(frozen=True, slots=True)
class _SqliteReader:
    connection: sqlite3.Connection

    def read_version(self) -> str:
        # Reads the file.
        self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return f"SQLite {sqlite3.sqlite_version}"

    def list_schemas(self) -> list[str]:
        return [_SCHEMA]

    def list_tables(self, schema: str) -> list[tuple[str, str]]:
        return self.connection.execute(_TABLES, (ENTRIES_MAX,)).fetchall() if schema == _SCHEMA else []

    def list_columns(self, schema: str, table: str) -> list[TableColumn]:
        if schema != _SCHEMA:
            return []
        rows = self.connection.execute(_COLUMNS, (table, ENTRIES_MAX))
        return [TableColumn(name, type_, bool(is_nullable)) for name, type_, is_nullable in rows]

    def iterate_rows(self, table: str, limit: int) -> Iterator[Mapping[str, Any]]:
        self.connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )
        cursor = self.connection.execute(f"SELECT * FROM {table} LIMIT ?", (limit,))  # noqa: S608  the user's own query
        names = make_names_unique([column[0] for column in cursor.description])
        for row in cursor:
            yield dict(zip(names, row, strict=True))
