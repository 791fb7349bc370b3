"""How the seams run a statement (`PostgresContext.execute`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from jupyter_colophon.storage.sql.table import Cursor


class Found(Cursor, Protocol):
    """What a statement answered."""

    def __iter__(self) -> Iterator[Any]:
        """All rows."""


class Execute(Protocol):
    """Runs one statement with its values; `prepare=False` where its plan should fit the values."""

    def __call__(
        self, statement: str, bound: Sequence[Any] | Mapping[str, Any] = (), *, prepare: bool | None = None
    ) -> Found:
        """Raises StorageError."""


class ExecuteMany(Protocol):
    """Runs one statement once for each of these values, without waiting for each answer."""

    def __call__(self, statement: str, bound: Sequence[Sequence[Any]]) -> Found:
        """Raises StorageError."""


class Copy(Protocol):
    """Copies rows into a table."""

    def __call__(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Raises StorageError."""
