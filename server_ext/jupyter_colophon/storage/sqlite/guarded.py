"""A connection for use inside a transaction, and translation of the driver's errors."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from typing import Any

from jupyter_colophon.core.errors import (
    StorageError,
    StoreDamaged,
    StoreFull,
    StoreUnavailable,
    TransactionConflict,
    TransactionTimeout,
)
from jupyter_colophon.storage.sqlite.dialect import DIALECT
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime

_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_AWAY = ("SQLITE_CANTOPEN", "SQLITE_PROTOCOL")


class GuardedConnection:
    """A connection for the duration of one transaction.

    Afterwards other transactions use it. If SQLite has rolled back the transaction by itself, each further statement
    would be a separate transaction: a callable that continues after a full disk would leave half of its writes.
    """

    def __init__(self, connection: sqlite3.Connection, lifetime: TransactionLifetime) -> None:
        self._connection, self._life = connection, lifetime

    def execute(self, statement: str, bound: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement. Raises StorageError."""
        self._require_open_transaction()
        try:
            return self._connection.execute(statement, bound)
        except sqlite3.Error as error:
            raise translate_driver_error(error) from error

    def execute_many(self, statement: str, bound: Sequence[Sequence[Any]]) -> sqlite3.Cursor:
        """Run a statement for many rows. Raises StorageError."""
        self._require_open_transaction()
        try:
            return self._connection.executemany(statement, bound)
        except sqlite3.Error as error:
            raise translate_driver_error(error) from error

    def insert_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows. The statement ends with the placeholders of one row, in parentheses. Raises StorageError."""
        together = len(rows) - len(rows) % DIALECT.rows_together
        for at in range(0, together, DIALECT.rows_together):
            some = chain.from_iterable(rows[at : at + DIALECT.rows_together])
            self.execute(_build_insert_of_rows(statement, DIALECT.rows_together), tuple(some))
        if rest := rows[together:]:
            self.execute_many(statement, rest)

    def _require_open_transaction(self) -> None:
        self._life.require_open()
        if not self._connection.in_transaction:
            raise StorageError("the store has rolled back the transaction after an error: repeat the request")


@lru_cache(maxsize=16)
def _build_insert_of_rows(statement: str, rows: int) -> str:
    return statement + f", {statement[statement.rindex('(') :]}" * (rows - 1)


@contextmanager
def translate_driver_errors() -> Iterator[None]:
    """Translate the driver's errors to ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate_driver_error(error) from error


def translate_driver_error(error: sqlite3.Error) -> StorageError:
    """Return our error for an error of the driver."""
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    if name.startswith(_FULL):
        return StoreFull("no space left for the catalog")
    if name.startswith("SQLITE_READONLY"):
        return StoreUnavailable("this user cannot write the catalog's file or its folder")
    if name.startswith(_BUSY):
        return TransactionConflict("the catalog's file is locked by another process: try again")
    if name.startswith(_AWAY):
        return StoreUnavailable("the catalog's file cannot be opened, read or written: check the disk and its folder")
    if name.startswith(_DAMAGED):
        return StoreDamaged("the catalog's file is damaged or not a catalog: run `jupyter colophon doctor`")
    if name == "SQLITE_INTERRUPT":
        return TransactionTimeout("a transaction took too long and was cancelled")
    return StorageError(f"the catalog's database reported an error ({name}): run `jupyter colophon doctor`")
