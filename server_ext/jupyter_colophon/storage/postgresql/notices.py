"""Listen to commits of other processes (LISTEN), on a separate connection that is opened on first use."""

import threading
from collections.abc import Callable

import psycopg

from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.storage.postgresql.connection import TimeLimitedConnection


class CommitNotificationCounter:
    """Count the notifications of one channel."""

    def __init__(self, connect: Callable[[], TimeLimitedConnection], channel: str) -> None:
        self._connect, self._channel = connect, channel
        self._connection: TimeLimitedConnection | None = None
        self._lock = threading.Lock()
        self._received = 0

    def count_commit_notifications(self) -> int:
        """Return a number that differs after any commit. Raises StoreUnavailable."""
        with self._lock:
            try:
                return self._poll_notifications()
            except psycopg.Error:
                self._close_connection()
            try:
                return self._poll_notifications()
            except psycopg.Error as error:
                self._close_connection()
                raise StoreUnavailable("the connection to the database was lost: try again") from error

    def close_connection(self) -> None:
        """Close the connection."""
        with self._lock:
            self._close_connection()

    def _poll_notifications(self) -> int:
        if self._connection is None:
            self._connection = self._connect()
            self._connection.add_notify_handler(self._count_notification)
            self._connection.execute(f'LISTEN "{self._channel}"')
            # Notifications were lost while there was no connection.
            self._received += 1
        else:
            # The server sends notifications before the result of a query; without a query they may be delayed.
            self._connection.execute("")
        return self._received

    def _count_notification(self, _: psycopg.Notify) -> None:
        self._received += 1

    def _close_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
