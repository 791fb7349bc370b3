"""The database of a connection: how it is named, and what the tables in its statements stand for."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.names.dataset_names import build_jdbc_urn
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset, Source
from jupyter_colophon.capture.sql.statements import SqlStatement, StatementFlows
from jupyter_colophon.capture.sql.tables import TableName

if TYPE_CHECKING:
    from sqlglot import exp

#: The dialect of sqlglot for the name of a backend, where they differ.
_DIALECTS: Final = {"postgresql": "postgres", "mssql": "tsql", "mariadb": "mysql", "awsathena": "athena"}
#: Placeholders of drivers, which are no SQL: `%s`, `%(name)s`.
_PLACEHOLDERS: Final = re.compile(r"%\((\w+)\)s|%s")
#: The schema of a table whose name has none, unless the connection has another one. Names of SQLite's schemas are files.
_DEFAULT_SCHEMAS: Final = {"postgres": "public", "redshift": "public", "duckdb": "main"}
#: Dialects that do not distinguish the case of names.
_WITHOUT_CASE: Final = ("sqlite", "duckdb")
#: Schemas that describe the database itself.
_SYSTEM_SCHEMAS: Final = frozenset({"information_schema", "pg_catalog", "sys", "mysql", "performance_schema"})
#: Schemas of temporary tables, which need not be written.
_TEMPORARY_SCHEMAS: Final = frozenset({"", "temp", "pg_temp"})


class ConnectionDatabase:
    """The tables of one database, by its JDBC URL; without a URL no table has a name."""

    def __init__(self, url: str | None, backend: str, schema: str | None = None) -> None:
        """Create the database of a connection; `backend` is its name in SQLAlchemy (`postgresql`, `sqlite`).

        `schema` is that of tables whose names have none, the default of the database if it is unknown.
        """
        self.dialect = _DIALECTS.get(backend, backend)
        self._url, self.schema = url, schema
        self._local: dict[str, Source] = {}
        self._attached: dict[str, str | None] = {}

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for (`capture/sql/tables.py`)."""
        if (
            table.function
            or table.schema.lower() in _SYSTEM_SCHEMAS
            or table.name.lower().startswith(("sqlite_", "pg_"))
        ):
            return ()
        local = self._local.get(table.name.lower())
        if local is not None and table.schema.lower() in _TEMPORARY_SCHEMAS:
            return (local,)
        target = self.find_target(table)
        return None if target is None else (target,)

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table; None of a temporary one, or if the database has no name."""
        if table.schema.lower() in _TEMPORARY_SCHEMAS and table.name.lower() in self._local:
            return None
        url, parts = self._url, table.parts
        if self.dialect == "sqlite" and table.schema:
            # A schema is a file.
            parts = table.parts[-1:]
            url = url if table.schema.lower() == "main" else self._attached.get(table.schema.lower())
        elif self.dialect in _DEFAULT_SCHEMAS and not table.schema:
            parts = (self.schema or _DEFAULT_SCHEMAS[self.dialect], table.name)
        name = ".".join(parts)
        urn = None if url is None else build_jdbc_urn(url, name.lower() if self.dialect in _WITHOUT_CASE else name)
        return None if urn is None else Dataset(DatasetKind.JDBC, urn=urn)

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember what a temporary table was made from; None: it was dropped."""
        if source is None:
            self._local.pop(table.name.lower(), None)
        else:
            self._local[table.name.lower()] = source

    def run_command(self, tree: "exp.Expr") -> None:
        """Follow ATTACH and DETACH of SQLite."""
        from sqlglot import exp

        if isinstance(tree, exp.Attach) and isinstance(tree.this, exp.Alias):
            self._attached[tree.this.alias.lower()] = build_file_url("sqlite", tree.this.this.name)
        elif isinstance(tree, exp.Detach):
            self._attached.pop(tree.this.name.lower(), None)

    def record_statement(self, call: LibraryCall, sql: str, value: object = None) -> None:
        """Record a statement that a call ran on the connection, and that `value` is its result."""
        call.record_statement(StatementFlows(call, self.create_statement(call, sql)), value)

    def create_statement(self, call: LibraryCall, sql: str) -> SqlStatement:
        """Return a statement that a call ran on the connection."""
        return SqlStatement(call, _PLACEHOLDERS.sub("NULL", sql), self.dialect, self)


def build_engine_database(url: Any, dialect: Any = None) -> ConnectionDatabase:
    """Return the database of an engine of SQLAlchemy by its URL, and by its dialect, which knows the schema once it has connected."""
    backend = url.get_backend_name()
    schema = getattr(dialect, "default_schema_name", None)
    return ConnectionDatabase(build_engine_url(url), backend, schema if isinstance(schema, str) else None)


def build_engine_url(url: Any) -> str | None:
    """Return the JDBC URL for the URL of an engine of SQLAlchemy, without credentials; None if it cannot be named with certainty."""
    backend = url.get_backend_name()
    if backend in ("sqlite", "duckdb"):
        return build_file_url(backend, url.database)
    host = url.host or url.query.get("host")
    if not isinstance(host, str) or not url.database or backend not in ("postgresql", "mysql", "mariadb", "redshift"):
        return None
    port = f":{url.port}" if url.port else ""
    # A path is the folder of a socket of this machine.
    return f"jdbc:{backend}://{'localhost' if host.startswith('/') else host}{port}/{url.database}"


def build_file_url(backend: str, path: Any) -> str | None:
    """Return the JDBC URL of a database in a file; None for one in memory."""
    text = str(path or "")
    is_file = text not in ("", ":memory:") and not text.startswith(("file:", ":"))
    return f"jdbc:{backend}:{Path(text).expanduser().absolute()}" if is_file else None
