"""How a database is read: nothing is changed, and all takes a limited time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

#: The most schemas, tables or columns that are listed.
ENTRIES_MAX = 2_000


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table."""

    name: str
    type: str
    is_nullable: bool

    def describe(self) -> dict[str, Any]:
        """Return the members of an entry."""
        return {"dataType": self.type, "nullable": self.is_nullable}


class DatabaseReader(Protocol):
    """An open connection to a database. Its methods raise BadRequest with the message of the database."""

    def read_version(self) -> str:
        """Return the product and its version."""

    def list_schemas(self) -> list[str]:
        """Return the names of the schemas that the user may use."""

    def list_tables(self, schema: str) -> list[tuple[str, str]]:
        """Return the names of tables and views, each with `table` or `view`."""

    def list_columns(self, schema: str, table: str) -> list[TableColumn]:
        """Return the columns of a table or view; empty for an unknown one."""

    def iterate_rows(self, table: str, limit: int) -> Iterator[Mapping[str, Any]]:
        """Yield the first rows of a quoted table, or of a query in parentheses with an alias."""
