"""Send the statements of a transaction together: a statement waits until a result is read.

Most statements of a write have no result that is read. Each of them would otherwise cost a round trip and two switches
between processes, which take longer than the statement. The order of statements is kept, so a transaction reads its own
writes; an error is raised by the statement whose result is read next, or by `send`.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from psycopg import abc
from psycopg.adapt import Transformer

from jupyter_colophon.core.errors import TransactionConflict, TransactionTimeout
from jupyter_colophon.storage.postgresql.connection import (
    ANSWER_S,
    TURN_S,
    TimeLimitedConnection,
    translate_driver_errors_and_close_lost,
)
from jupyter_colophon.storage.postgresql.statement_batch import BoundStatement

#: The most statements that wait: the server answers them together, and must do so in time.
_WAITING_MAX = 32


class PendingResult:
    """The result of a statement, which is sent with those before it when the result is read. Raises StorageError."""

    def __init__(self, pipeline: "StatementPipeline", statement: BoundStatement) -> None:
        self._pipeline, self.statement = pipeline, statement
        self._loader: abc.Transformer | None = None
        self._next = 0

    @property
    def rowcount(self) -> int:
        """The number of changed rows."""
        self._pipeline.send_if_waiting(self)
        return sum(result.command_tuples or 0 for result in self.statement.results)

    def fetchone(self) -> Any:
        """Return the next row as a tuple, or None."""
        loader = self._get_loader()
        if self._next >= self.statement.results[0].ntuples:
            return None
        self._next += 1
        return loader.load_row(self._next - 1, tuple)

    def fetchall(self) -> list[Any]:
        """Return the remaining rows as tuples."""
        loader = self._get_loader()
        begin, self._next = self._next, self.statement.results[0].ntuples
        return loader.load_rows(begin, self._next, tuple)

    def close(self) -> None:
        """Discard the result; a statement that still waits is not executed."""
        self._pipeline.remove(self)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the remaining rows."""
        return iter(self.fetchall())

    def _get_loader(self) -> abc.Transformer:
        if self._loader is None:
            self._pipeline.send_if_waiting(self)
            self._loader = self._pipeline.create_loader(self.statement)
        return self._loader


class StatementPipeline:
    """The statements of one connection that were not sent yet."""

    def __init__(self, connection: TimeLimitedConnection, on_wait: Callable[[float], None] = lambda _: None) -> None:
        """`on_wait` is called with the time in seconds that statements took which may wait for other transactions."""
        self._connection, self.on_wait = connection, on_wait
        self._waiting: list[PendingResult] = []

    def add(
        self,
        statement: str,
        bound: Sequence[Sequence[Any] | Mapping[str, Any]] = ((),),
        *,
        may_prepare: bool = True,
        may_wait: bool = False,
    ) -> PendingResult:
        """Add a statement, to be executed for each of these values. Raises StorageError if one before it failed.

        With `may_prepare=False`, its plan is made for these values. With `may_wait`, it may wait for a lock.
        """
        if len(self._waiting) >= _WAITING_MAX:
            self.send()
        result = PendingResult(self, BoundStatement(statement, bound, may_prepare, may_wait))
        self._waiting.append(result)
        return result

    def is_waiting(self, result: PendingResult) -> bool:
        """Return whether a statement was not sent yet."""
        return result in self._waiting

    def send_if_waiting(self, result: PendingResult) -> None:
        """Send what waits if this statement was not sent yet. Raises StorageError."""
        if result in self._waiting:
            self.send()

    def remove(self, result: PendingResult) -> None:
        """Remove a statement if it was not sent yet."""
        if result in self._waiting:
            self._waiting.remove(result)

    def send(self) -> None:
        """Send what waits, and wait for all results. Raises StorageError, TransactionConflict if one waited too long for
        other transactions.
        """
        statements = [result.statement for result in self._waiting]
        try:
            with translate_driver_errors_and_close_lost(self._connection):
                self.send_or_raise_driver_error()
        except TransactionTimeout as error:
            if any(statement.may_wait and statement.has_failed for statement in statements):
                raise TransactionConflict("other transactions held the locks of this one for too long") from error
            raise

    def send_or_raise_driver_error(self) -> None:
        """Send what waits, and wait for all results. Raises psycopg.Error."""
        if not self._waiting:
            return
        statements = [result.statement for result in self._waiting]
        self.discard()
        if not any(statement.may_wait for statement in statements):
            self._connection.sender.send(statements)
            return
        began, self._connection.patience_s = time.monotonic(), ANSWER_S + TURN_S
        try:
            self._connection.sender.send(statements)
        finally:
            self._connection.patience_s = ANSWER_S
            self.on_wait(time.monotonic() - began)

    def create_loader(self, statement: BoundStatement) -> abc.Transformer:
        """Return what loads the rows of a statement that was sent."""
        loader = Transformer(self._connection)
        loader.set_pgresult(statement.results[0])
        return loader

    def copy_rows(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Copy rows into a table after what waits: `COPY … FROM STDIN`. Raises StorageError."""
        self.send()
        with (
            translate_driver_errors_and_close_lost(self._connection),
            self._connection.cursor().copy(statement) as writer,
        ):
            for row in rows:
                writer.write_row(row)

    def discard(self) -> None:
        """Discard what waits, because the transaction is rolled back."""
        self._waiting.clear()
