"""A connection for use inside a transaction, and translation of the driver's errors."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from jupyter_colophon.core.errors import (
    StorageError,
    StoreDamaged,
    StoreFull,
    StoreUnavailable,
    TransactionConflict,
    TransactionTimeout,
)
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime

_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
#: The numbers of rows that one statement inserts, and the most values that it can have.
_MANY, _FEW, _PARAMETERS_MAX = 100, 8, 32_766
_LITERALS = {None: "NULL", False: "0", True: "1"}
_ADAPTED = frozenset(map(type, _LITERALS))
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
        """Insert rows with statements that insert several, made of one that inserts a row. Raises StorageError."""
        at = 0
        # Two numbers of rows only, since each has a statement of its own. Python's lock is released and taken once for
        # each execution of a statement.
        for count in (_MANY, _FEW):
            while len(rows) - at >= count and count * len(rows[at]) <= _PARAMETERS_MAX:
                marks, bound = _bind_rows(rows[at : at + count])
                self.execute(_build_insert_of_rows(statement, marks, count), bound)
                at += count
        if rest := rows[at:]:
            self.execute_many(statement, rest)

    def _require_open_transaction(self) -> None:
        self._life.require_open()
        if not self._connection.in_transaction:
            raise StorageError("the store has rolled back the transaction after an error: repeat the request")


def _bind_rows(rows: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], list[Any]]:
    """Return the marks of a row's values in a statement, and the values of all rows to bind.

    Nulls and booleans that all rows have are part of the statement: the driver looks for an adapter of each that is
    bound, which takes longer than to bind a string.
    """
    marks = tuple(
        [
            _LITERALS[value] if type(value) in _ADAPTED and all(row[at] is value for row in rows) else "?"
            for at, value in enumerate(rows[0])
        ]
    )
    bound = [at for at, mark in enumerate(marks) if mark == "?"]
    return marks, [row[at] for row in rows for at in bound]


@lru_cache(maxsize=256)
def _build_insert_of_rows(statement: str, marks: tuple[str, ...], rows: int) -> str:
    """Return a statement that inserts this number of rows, from one that inserts one."""
    one = f"({', '.join('?' * len(marks))})"
    return statement.replace(one, ", ".join([f"({', '.join(marks)})"] * rows), 1)


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
