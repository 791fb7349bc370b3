"""The connections for reading: used by one thread at a time, opened when none is free, and checked before use.

`psycopg_pool` is not used: it makes callers wait for a thread of the pool to connect, for their whole timeout even if
the server refuses immediately, and it reconnects only after a pause that grows with the downtime (docs/decisions,
PostgreSQL).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from jupyter_colophon.core.errors import StorageError, StoreUnavailable
from jupyter_colophon.storage.postgresql.connection import Connection, PostgresServer

#: The timeout for a connection while all are in use, in seconds.
_WAIT_S = 4.0


class ReaderPool:
    """A pool of at most `size` connections."""

    def __init__(self, server: PostgresServer, size: int) -> None:
        self._server, self._idle = server, list[Connection]()
        self._free = threading.BoundedSemaphore(size)
        self._closed = False

    @contextmanager
    def use_connection(self) -> Iterator[Connection]:
        """Use a connection. Raises StoreUnavailable."""
        if not self._free.acquire(timeout=_WAIT_S):
            raise StoreUnavailable("all connections to the database are in use")
        try:
            connection = self._take_connection()
            try:
                yield connection
            finally:
                self._return_connection(connection)
        finally:
            self._free.release()

    def forget(self) -> None:
        """Close idle connections, because the server that they belong to is gone."""
        while self._idle:
            self._idle.pop().close()

    def close(self) -> None:
        """Close all connections; those in use when they are returned."""
        self._closed = True
        self.forget()

    def _take_connection(self) -> Connection:
        if self._closed:
            raise StorageError("the store is closed")
        self._server.require_answers()
        try:
            return self._idle.pop()
        except IndexError:
            return self._server.connect(default_transaction_read_only="on")

    def _return_connection(self, connection: Connection) -> None:
        if self._closed or connection.closed or not connection.is_idle:
            connection.close()
        else:
            self._idle.append(connection)
