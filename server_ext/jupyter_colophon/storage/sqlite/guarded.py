"""A connection as a transaction may use it, and the driver's errors in our words."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from jupyter_colophon.core.errors import (
    StorageError,
    StoreDamaged,
    StoreFull,
    StoreUnavailable,
    TransactionConflict,
    TransactionTimeout,
)
from jupyter_colophon.storage.transaction_lifetime import Life

_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_AWAY = ("SQLITE_CANTOPEN", "SQLITE_PROTOCOL")


class Guarded:
    """A connection while one transaction lasts.

    Afterwards it belongs to others. And where SQLite has undone a transaction by itself, each further statement would
    be a transaction of its own: a callable that went on after a full disk would leave the half of what it writes.
    """

    def __init__(self, connection: sqlite3.Connection, life: Life) -> None:
        self._connection, self._life = connection, life

    def execute(self, statement: str, bound: Sequence[Any] = ()) -> sqlite3.Cursor:
        """One statement. Raises StorageError."""
        self._check()
        try:
            return self._connection.execute(statement, bound)
        except sqlite3.Error as error:
            raise translate_error(error) from error

    def executemany(self, statement: str, bound: Sequence[Sequence[Any]]) -> sqlite3.Cursor:
        """One statement for many rows. Raises StorageError."""
        self._check()
        try:
            return self._connection.executemany(statement, bound)
        except sqlite3.Error as error:
            raise translate_error(error) from error

    def _check(self) -> None:
        self._life.check()
        if not self._connection.in_transaction:
            raise StorageError("the store has undone the transaction")


@contextmanager
def translated() -> Iterator[None]:
    """The driver's errors as ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate_error(error) from error


def translate_error(error: sqlite3.Error) -> StorageError:
    """What an error of the driver means to us."""
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    if name.startswith(_FULL):
        return StoreFull("no space left for the catalog")
    if name.startswith("SQLITE_READONLY"):
        return StoreUnavailable("this user cannot write the catalog's file or the folder round it")
    if name.startswith(_BUSY):
        return TransactionConflict("the catalog is busy")
    if name.startswith(_AWAY):
        return StoreUnavailable("the catalog cannot be reached")
    if name.startswith(_DAMAGED):
        return StoreDamaged("the catalog's file is damaged or not a catalog")
    if name == "SQLITE_INTERRUPT":
        return TransactionTimeout("a transaction took too long and was given up")
    return StorageError(f"the catalog's store failed ({name})")
