"""Send the statements of a writing transaction together: a statement waits until a result is read.

Most statements of a write have no result that is read. Each of them would otherwise cost a round trip and two switches
between processes, which take longer than the statement. The order of statements is kept, so a transaction reads its own
writes; an error is raised by the statement whose result is read next, or by `send`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import psycopg

from jupyter_colophon.storage.postgresql.connection import TimeLimitedConnection, translate_driver_errors_and_close_lost

#: The most statements that wait: the server answers them together, and must do so in time.
_WAITING_MAX = 32
_Cursor = psycopg.Cursor[tuple[Any, ...]]


class PendingResult:
    """The result of a statement, which is sent with those before it when the result is read. Raises StorageError."""

    def __init__(self, pipeline: "StatementPipeline", cursor: _Cursor, run: Callable[[_Cursor], object]) -> None:
        self._pipeline, self._cursor, self._run = pipeline, cursor, run

    @property
    def rowcount(self) -> int:
        """The number of changed rows."""
        return self._receive().rowcount

    def fetchone(self) -> Any:
        """Return the next row as a tuple, or None."""
        return self._receive().fetchone()

    def fetchall(self) -> list[Any]:
        """Return the remaining rows as tuples."""
        return self._receive().fetchall()

    def close(self) -> None:
        """Discard the remaining rows."""
        self._cursor.close()

    def __iter__(self) -> Iterator[Any]:
        """Iterate over all rows."""
        return iter(self._receive())

    def run(self) -> None:
        """Execute the statement, unless its rows were discarded before."""
        if not self._cursor.closed:
            self._run(self._cursor)

    def _receive(self) -> _Cursor:
        self._pipeline.send()
        return self._cursor


class StatementPipeline:
    """The statements of one connection that were not sent yet."""

    def __init__(self, connection: TimeLimitedConnection) -> None:
        self._connection = connection
        self._waiting: list[PendingResult] = []

    def add(self, run: Callable[[_Cursor], object]) -> PendingResult:
        """Add a statement: `run` executes it on a cursor. Raises StorageError if one before it failed."""
        if len(self._waiting) >= _WAITING_MAX:
            self.send()
        result = PendingResult(self, self._connection.cursor(), run)
        self._waiting.append(result)
        return result

    def is_waiting(self, result: PendingResult) -> bool:
        """Return whether a statement was not sent yet."""
        return result in self._waiting

    def send(self) -> None:
        """Send what waits, and wait for all results. Raises StorageError."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        with translate_driver_errors_and_close_lost(self._connection):
            if len(waiting) == 1:
                waiting[0].run()
                return
            with self._connection.pipeline():
                for result in waiting:
                    result.run()

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
