"""Listen to commits of other processes (LISTEN), on a separate connection that is opened on first use."""

import threading
from collections.abc import Callable

import psycopg

from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.storage.postgresql.connection import Connection


class CommitNotices:
    """Count the notifications of one channel."""

    def __init__(self, connect: Callable[[], Connection], channel: str) -> None:
        self._connect, self._channel = connect, channel
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._received = 0

    def get_marker(self) -> int:
        """Return a number that differs after any commit. Raises StoreUnavailable."""
        with self._lock:
            try:
                return self._poll()
            except psycopg.Error:
                self._close()
            try:
                return self._poll()
            except psycopg.Error as error:
                self._close()
                raise StoreUnavailable("the connection to the database was lost") from error

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._close()

    def _poll(self) -> int:
        if self._connection is None:
            self._connection = self._connect()
            self._connection.add_notify_handler(self._count_notice)
            self._connection.execute(f'LISTEN "{self._channel}"')
            # Notifications were lost while there was no connection.
            self._received += 1
        else:
            # The server sends notifications before the result of a query; without a query they may be delayed.
            self._connection.execute("")
        return self._received

    def _count_notice(self, _: psycopg.Notify) -> None:
        self._received += 1

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
