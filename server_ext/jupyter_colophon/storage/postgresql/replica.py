"""Read from a streaming replica what the primary had committed before the read began (spec STORE-25).

A read asks the primary for its position in the write-ahead log, and waits until the replica has replayed that. So it
sees the writes of all sessions and processes, as a read of the primary does.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from jupyter_colophon.core.errors import StorageError, StoreUnavailable
from jupyter_colophon.storage.postgresql.connection import (
    PostgresServer,
    TimeLimitedConnection,
    translate_driver_errors_and_close_lost,
)
from jupyter_colophon.storage.postgresql.readers import ReadConnectionPool

#: How long a read waits for the replica, and how long reads use the primary after one that waited in vain, in seconds.
WAIT_S, AVOIDED_S = 0.25, 1.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.001, 0.02
#: Commits are flushed before they are acknowledged.
_POSITION = "SELECT pg_current_wal_flush_lsn()::text, (SELECT system_identifier FROM pg_control_system())"
#: False for a server that was promoted, or that is not a replica of the same database cluster.
_IS_REPLICA = "SELECT pg_is_in_recovery() AND (SELECT system_identifier FROM pg_control_system()) = %s"
_HAS_REPLAYED = "SELECT COALESCE(pg_last_wal_replay_lsn() >= %s::text::pg_lsn, false)"
_logger = logging.getLogger("jupyter_colophon.storage")


class ReadReplica:
    """The connections to a replica."""

    def __init__(self, primary: ReadConnectionPool, server: PostgresServer, size: int) -> None:
        self._primary, self._readers = primary, ReadConnectionPool(server, size)
        self._avoided_until = 0.0
        self._is_in_use = True

    def is_usable(self) -> bool:
        """Return whether the replica was usable when it was last asked, or may be again."""
        return time.monotonic() > self._avoided_until

    @contextmanager
    def use_current_connection(self) -> Iterator[TimeLimitedConnection]:
        """Use a connection on which a transaction sees all earlier commits of the primary.

        Raises StoreUnavailable or TransactionConflict if the primary must answer the read.
        """
        with self._primary.use_connection() as connection, translate_driver_errors_and_close_lost(connection):
            position, cluster = connection.execute(_POSITION).fetchone() or ("", 0)
        with self._readers.use_connection() as connection:
            self._wait_until_replayed(connection, position, cluster)
            self._is_in_use = True
            yield connection

    def disable_temporarily(self, error: StorageError) -> None:
        """Let reads use the primary after this error."""
        self._avoided_until = time.monotonic() + AVOIDED_S
        self._readers.close_idle_connections()
        if self._is_in_use:
            self._is_in_use = False
            _logger.warning("reads use the primary database until its replica is usable again: %s", error.detail)

    def close(self) -> None:
        """Close every connection."""
        self._readers.close_all_connections()

    def _wait_until_replayed(self, connection: TimeLimitedConnection, position: str, cluster: int) -> None:
        with translate_driver_errors_and_close_lost(connection):
            if connection.execute(_IS_REPLICA, (cluster,)).fetchone() != (True,):
                raise StoreUnavailable(
                    "the server of the option replica_dsn is not a streaming replica of the database"
                )
            deadline, pause = time.monotonic() + WAIT_S, _FIRST_PAUSE_S
            while connection.execute(_HAS_REPLAYED, (position,)).fetchone() != (True,):
                if time.monotonic() > deadline:
                    raise StoreUnavailable(f"it is more than {WAIT_S * 1000:.0f} ms behind")
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
