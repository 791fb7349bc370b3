"""Protocols for running statements (`PostgresContext.execute`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from jupyter_colophon.storage.sql.table import Cursor


class ResultSet(Cursor, Protocol):
    """The result of a statement."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over all rows."""


class Execute(Protocol):
    """Run a statement with values; with `prepare=False` its plan is made for these values."""

    def __call__(
        self, statement: str, bound: Sequence[Any] | Mapping[str, Any] = (), *, prepare: bool | None = None
    ) -> ResultSet:
        """Raises StorageError."""


class ExecuteMany(Protocol):
    """Run a statement for each of these values, without waiting for each result."""

    def __call__(self, statement: str, bound: Sequence[Sequence[Any]]) -> ResultSet:
        """Raises StorageError."""


class CopyRows(Protocol):
    """Copy rows into a table."""

    def __call__(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Raises StorageError."""
