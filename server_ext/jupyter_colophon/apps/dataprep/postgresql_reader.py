"""Read a database of PostgreSQL in a read-only transaction."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.apps import BadRequest
from jupyter_colophon.apps.dataprep.database_readers import ENTRIES_MAX, DatabaseReader, TableColumn
from jupyter_colophon.wrangling.column_names import make_names_unique

if TYPE_CHECKING:
    import psycopg

_CONNECT_S: Final = 5
#: How often statements are canceled after the end of the time.
_CANCEL_S: Final = 1
_AT_ONCE: Final = 200
_SCHEMAS: Final = """SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND has_schema_privilege(oid, 'USAGE') ORDER BY 1 LIMIT %s"""
_TABLES: Final = """SELECT c.relname, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1 LIMIT %s"""
_COLUMNS: Final = """SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum LIMIT %s"""


@dataclass(frozen=True, slots=True)
class PostgresqlPlace:
    """Where a database is."""

    host: str
    port: int
    database: str
    sslmode: str


@contextmanager
def open_postgresql(
    place: PostgresqlPlace, user: str, password: str | None, seconds: float
) -> "Iterator[DatabaseReader]":
    """Open a database; what takes longer than `seconds` is ended. Raises BadRequest."""
    try:
        import psycopg
    except ImportError:
        raise BadRequest("PostgreSQL cannot be read: the package psycopg is not installed in the server") from None
    try:
        with psycopg.connect(
            host=place.host,
            port=place.port,
            dbname=place.database,
            sslmode=place.sslmode,
            user=user or "postgres",
            password=password or "",
            # The passwords of the server's account are not used.
            passfile=os.devnull,
            gssencmode="disable",
            connect_timeout=_CONNECT_S,
            tcp_user_timeout=10_000,
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
            application_name="jupyter-colophon dataprep",
            options=f"-c statement_timeout={max(1, int(seconds * 1_000))} -c lock_timeout=5000",
        ) as connection:
            connection.read_only = True
            with _cancel_after(connection, seconds):
                yield _PostgresqlReader(connection)
    except UnicodeDecodeError:
        raise BadRequest("PostgreSQL returned a text that is not in the encoding of the connection") from None
    except psycopg.Error as error:
        text = error.diag.message_primary or str(error).strip().partition("\n")[0] or type(error).__name__
        raise BadRequest(f"PostgreSQL refuses it: {text[:300]}") from None


@contextmanager
def _cancel_after(connection: "psycopg.Connection[tuple[Any, ...]]", seconds: float) -> Iterator[None]:
    """Cancel what runs after some seconds: a query can remove the server's own limit."""
    from psycopg import Error

    is_ended = threading.Event()

    def cancel() -> None:
        remaining = seconds
        while not is_ended.wait(remaining):
            # Without a connection, nothing runs.
            with suppress(Error):
                connection.cancel_safe(timeout=_CONNECT_S)
            remaining = _CANCEL_S

    thread = threading.Thread(target=cancel, name="colophon-dataprep-limit", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_ended.set()
        thread.join()


@dataclass(frozen=True, slots=True)
class _PostgresqlReader:
    connection: "psycopg.Connection[tuple[Any, ...]]"

    def read_version(self) -> str:
        return f"PostgreSQL {self._query('SHOW server_version')[0][0]}"

    def list_schemas(self) -> list[str]:
        return [name for (name,) in self._query(_SCHEMAS, ENTRIES_MAX)]

    def list_tables(self, schema: str) -> list[tuple[str, str]]:
        return [(name, kind) for name, kind in self._query(_TABLES, schema, ENTRIES_MAX)]

    def list_columns(self, schema: str, table: str) -> list[TableColumn]:
        return [TableColumn(*row) for row in self._query(_COLUMNS, schema, table, ENTRIES_MAX)]

    def iterate_rows(self, table: str, limit: int) -> Iterator[Mapping[str, Any]]:
        # With a parameter, the server accepts a single statement.
        statement = f"SELECT * FROM {table.replace('%', '%%')} LIMIT %s"  # noqa: S608  the user's own query
        with self.connection.cursor(name="sample") as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(statement.encode(), [limit])
            names = make_names_unique([column.name for column in cursor.description or ()])
            for row in cursor:
                yield dict(zip(names, row, strict=True))

    def _query(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement.encode(), values or None).fetchall()
