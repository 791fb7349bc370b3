"""Hearing of other processes' commits (LISTEN): a connection of its own, made when somebody asks for the first time."""

import threading
from collections.abc import Callable

import psycopg

from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.storage.postgresql.connection import Connection


class Notices:
    """Counts what is heard on one channel."""

    def __init__(self, connect: Callable[[], Connection], channel: str) -> None:
        self._connect, self._channel = connect, channel
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._heard = 0

    def heard(self) -> int:
        """A number that differs after any commit. Raises StoreUnavailable."""
        with self._lock:
            try:
                return self._look()
            except psycopg.Error:
                self._close()
            try:
                return self._look()
            except psycopg.Error as error:
                self._close()
                raise StoreUnavailable("the connection to the database was lost") from error

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._close()

    def _look(self) -> int:
        if self._connection is None:
            self._connection = self._connect()
            self._connection.add_notify_handler(self._hear)
            self._connection.execute(f'LISTEN "{self._channel}"')
            # Whatever happened while nobody listened was not heard.
            self._heard += 1
        else:
            # The server delivers notifications before the answer to a query; without a query they may take a moment.
            self._connection.execute("")
        return self._heard

    def _hear(self, _: psycopg.Notify) -> None:
        self._heard += 1

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
