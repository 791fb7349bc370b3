"""Connections to databases by the URLs of JDBC: schemas, tables and columns, and samples of a table or a query."""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Self
from urllib.parse import quote, unquote

from jupyter_colophon.apps import BadRequest, NotFound, ServiceContext
from jupyter_colophon.apps.dataprep.connection import Entry, parse_secret_name, read_password, select_set_members
from jupyter_colophon.apps.dataprep.database_readers import DatabaseReader
from jupyter_colophon.apps.dataprep.hosts import require_permitted_hosts
from jupyter_colophon.apps.dataprep.postgresql_reader import PostgresqlPlace, open_postgresql
from jupyter_colophon.apps.dataprep.sqlite_reader import open_sqlite
from jupyter_colophon.apps.shipped.bodies import Body
from jupyter_colophon.apps.shipped.folders import find_file, require_permitted_folder
from jupyter_colophon.apps.shipped.samples import ROWS_DEFAULT, ROWS_MAX, Sample, build_sample

_POSTGRESQL: Final = re.compile(
    r"jdbc:postgresql://(?P<host>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?"
    r"/(?P<database>[A-Za-z0-9_$.-]{1,63})(?:\?sslmode=(?P<sslmode>disable|prefer|require|verify-full))?"
)
_SQLITE: Final = re.compile(r"jdbc:sqlite:(?P<file>/[^?%\x00-\x1f]{1,1000})")
_URLS: Final = "jdbc:postgresql://host:port/database or jdbc:sqlite:/folder/file.db"
_QUERY_MAX: Final = 10_000
_READING_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class DatabaseConnection:
    """A database of PostgreSQL or SQLite."""

    members: ClassVar[tuple[str, ...]] = ("url", "user", "passwordSecret")
    sample_members: ClassVar[tuple[str, ...]] = ("path", "query", "limit")
    url: str
    user: str
    password_secret: str

    @classmethod
    def from_body(cls, context: ServiceContext, body: Body) -> Self:
        """Return the connection of a document. Raises BadRequest."""
        connection = cls(body.get_text("url"), body.get_text("user", ""), parse_secret_name(body))
        connection._require_permitted(context)
        return connection

    def get_properties(self) -> Mapping[str, Any]:
        """Return the members that are set."""
        return select_set_members({"url": self.url, "user": self.user, "passwordSecret": self.password_secret})

    def test(self, context: ServiceContext) -> str:
        """Return the product and its version. Raises BadRequest."""
        with self._open(context) as reader:
            return reader.read_version()

    def list_entries(self, context: ServiceContext, path: str) -> list[Entry]:
        """Return schemas, the tables of `schema`, or the columns of `schema/table`. Raises NotFound, BadRequest."""
        names = _split_path(path)
        with self._open(context) as reader:
            if not names:
                return [_describe_entry(name, "schema", [name]) for name in reader.list_schemas()]
            if len(names) == 1:
                return [_describe_entry(name, kind, [*names, name]) for name, kind in reader.list_tables(names[0])]
            columns = reader.list_columns(*names)
        if not columns:
            raise NotFound("table", path)
        return [
            {**_describe_entry(column.name, "column", [*names, column.name]), **column.describe()} for column in columns
        ]

    def read_sample(self, context: ServiceContext, body: Body) -> tuple[dict[str, Any], Sample]:
        """Return the table or query, and its first rows. Raises NotFound, BadRequest."""
        limit = body.get_number("limit", ROWS_DEFAULT, ROWS_MAX, 1)
        query, path = body.get_text("query", "", _QUERY_MAX).strip().removesuffix(";"), body.get_text("path", "")
        if bool(query) == bool(path):
            raise BadRequest("a sample of a database needs the member path, as schema/table, or the member query")
        names = _split_path(path)
        if path and len(names) != 2:
            raise BadRequest("the member path must be schema/table")
        with self._open(context) as reader:
            if path and not reader.list_columns(*names):
                raise NotFound("table", path)
            table = ".".join(map(_quote_name, names)) if path else f"({query}\n) AS sample"
            sample = build_sample(reader.iterate_rows(table, limit))
        place = {"path": path} if path else {"query": query}
        return {**self.get_properties(), **place, "table": table}, sample

    def _open(self, context: ServiceContext) -> AbstractContextManager[DatabaseReader]:
        place = self._require_permitted(context)
        seconds = min(_READING_S, context.get_remaining_seconds())
        if isinstance(place, Path):
            return open_sqlite(place, seconds)
        return open_postgresql(place, self.user, read_password(context, self.password_secret), seconds)

    def _require_permitted(self, context: ServiceContext) -> PostgresqlPlace | Path:
        """Return where the database is. Raises BadRequest, and NotFound for a missing file."""
        if match := _POSTGRESQL.fullmatch(self.url):
            place = PostgresqlPlace(
                match["host"].strip("[]"), int(match["port"] or 5432), match["database"], match["sslmode"] or "prefer"
            )
            require_permitted_hosts([(place.host, place.port)])
            return place
        if match := _SQLITE.fullmatch(self.url):
            if self.user or self.password_secret:
                raise BadRequest("SQLite has no users: omit the members user and passwordSecret")
            file = Path(match["file"])
            return find_file(require_permitted_folder(context, str(file.parent)), file.name)
        raise BadRequest(f"the member url must be {_URLS}, without user and password")


def _describe_entry(name: str, kind: str, names: list[str]) -> Entry:
    return {
        "name": name,
        "type": kind,
        "path": "/".join(quote(item, safe="") for item in names),
        "canBrowse": kind != "column",
        "canSample": kind in ("table", "view"),
    }


def _split_path(path: str) -> list[str]:
    """Return the names in a path. Raises NotFound for one with too many."""
    names = [unquote(part) for part in path.split("/")] if path else []
    if len(names) > 2 or any("\0" in name for name in names):
        raise NotFound("path", path)
    return names


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
