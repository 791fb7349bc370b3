"""The connections that read: lent to one thread at a time, made where none is free, and never waited for in vain.

Not `psycopg_pool`: there whoever asks waits for a thread of the pool to connect, for the whole of his patience also
where the server refuses at once; and the pool comes back after a pause that grows with the time the server was away
(docs/decisions, PostgreSQL).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from jupyter_colophon.core.errors import StorageError, StoreUnavailable
from jupyter_colophon.storage.postgresql.connection import Connection, Server

#: How long a thread waits for a connection while all are in use, in seconds.
_WAIT_S = 4.0


class Readers:
    """At most `size` connections."""

    def __init__(self, server: Server, size: int) -> None:
        self._server, self._idle = server, list[Connection]()
        self._free = threading.BoundedSemaphore(size)
        self._closed = False

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """A connection for as long as it is needed. Raises StoreUnavailable."""
        if not self._free.acquire(timeout=_WAIT_S):
            raise StoreUnavailable("all connections to the database are in use")
        try:
            connection = self._taken()
            try:
                yield connection
            finally:
                self._take_back(connection)
        finally:
            self._free.release()

    def forget(self) -> None:
        """Close those that nobody uses: the server that they led to is gone."""
        while self._idle:
            self._idle.pop().close()

    def close(self) -> None:
        """Close all, those in use when they come back."""
        self._closed = True
        self.forget()

    def _taken(self) -> Connection:
        if self._closed:
            raise StorageError("the store is closed")
        self._server.require_answers()
        try:
            return self._idle.pop()
        except IndexError:
            return self._server.connect(default_transaction_read_only="on")

    def _take_back(self, connection: Connection) -> None:
        if self._closed or connection.closed or not connection.is_idle:
            connection.close()
        else:
            self._idle.append(connection)
