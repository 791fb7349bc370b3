"""The connections for reading: used by one thread at a time, opened when none is free, and checked before use.

`psycopg_pool` is not used: it makes callers wait for a thread of the pool to connect, for their whole timeout even if
the server refuses immediately, and it reconnects only after a pause that grows with the downtime (docs/decisions,
PostgreSQL).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from jupyter_colophon.core.errors import StorageError, StoreUnavailable
from jupyter_colophon.storage.postgresql.connection import PostgresServer, TimeLimitedConnection

#: The timeout for a connection while all are in use, in seconds.
_WAIT_S = 4.0


class ReadConnectionPool:
    """A pool of at most `size` connections."""

    def __init__(self, server: PostgresServer, size: int) -> None:
        self._server, self._idle = server, list[TimeLimitedConnection]()
        self._free = threading.BoundedSemaphore(size)
        self._closed = False

    @contextmanager
    def use_connection(self) -> Iterator[TimeLimitedConnection]:
        """Use a connection. Raises StoreUnavailable."""
        if not self._free.acquire(timeout=_WAIT_S):
            raise StoreUnavailable(
                "all read connections to the database are in use: try again, or raise the storage option readers"
            )
        try:
            connection = self._take_or_open_connection()
            try:
                yield connection
            finally:
                self._return_or_close_connection(connection)
        finally:
            self._free.release()

    def close_idle_connections(self) -> None:
        """Close idle connections, because the server that they belong to is gone."""
        while self._idle:
            self._idle.pop().close()

    def close_all_connections(self) -> None:
        """Close all connections; those in use when they are returned."""
        self._closed = True
        self.close_idle_connections()

    def _take_or_open_connection(self) -> TimeLimitedConnection:
        if self._closed:
            raise StorageError("the catalog is closed: this server or program is stopping")
        self._server.require_recently_reachable()
        try:
            return self._idle.pop()
        except IndexError:
            return self._server.connect_with_settings(default_transaction_read_only="on")

    def _return_or_close_connection(self, connection: TimeLimitedConnection) -> None:
        if self._closed or connection.closed or not connection.is_idle:
            connection.close()
        else:
            self._idle.append(connection)
