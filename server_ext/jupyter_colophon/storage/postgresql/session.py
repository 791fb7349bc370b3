"""The connection for writing (`transactions.WriteSession`), and the context of a transaction on any connection.

A transaction without locks excludes the writers of all processes: it takes the table of writers before its first read,
so it sees all earlier commits and never conflicts with another one. Transactions with locks share that table, and each
excludes those that have a lock of the same name, unless both are shared (decision 54). Locks are taken before the first
savepoint, whose rollback would release them, and in one order, so that no two transactions wait for each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import psycopg

from jupyter_colophon.core.errors import (
    CommitUnknown,
    StorageError,
    StoreUnavailable,
    TransactionConflict,
)
from jupyter_colophon.storage.postgresql import edges, log, search
from jupyter_colophon.storage.postgresql.admin import PostgresAdmin
from jupyter_colophon.storage.postgresql.connection import (
    ANSWER_S,
    TURN_S,
    PostgresServer,
    TimeLimitedConnection,
    close_connection_if_lost,
    translate_driver_error,
    translate_driver_errors_and_close_lost,
)
from jupyter_colophon.storage.postgresql.execute import ResultSet
from jupyter_colophon.storage.postgresql.pipeline import PendingResult, StatementPipeline
from jupyter_colophon.storage.spi import Locks
from jupyter_colophon.storage.sql.table import SqlTable
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime
from jupyter_colophon.storage.transactions import After

#: How long the beginning of a transaction may take, in seconds.
BEGIN_S = 3.0
#: How long others wait for a process that is idle in the middle of a transaction, in seconds.
STILL_S = 10.0
#: The lock of writers; the table stays empty. A table lock is taken without a snapshot, and is held until the commit is
#: visible. Requests are served in their order, so that neither kind of transaction waits for ever.
TURN = "CREATE TABLE writers (nothing integer)"

_BEGIN_EXCLUSIVE = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE; LOCK TABLE writers IN EXCLUSIVE MODE"
#: Each statement sees the commits of the transactions that held its locks before.
_BEGIN_SHARED = (
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    "LOCK TABLE writers IN ROW EXCLUSIVE MODE",
)
_LOCK_NAMES = """SELECT CASE WHEN exclusive THEN pg_advisory_xact_lock(number) IS NULL
        ELSE pg_advisory_xact_lock_shared(number) IS NULL END
    FROM (SELECT hashtextextended(current_schema() || ' ' || name, 0) AS number, bool_or(exclusive) AS exclusive
        FROM (SELECT unnest(%s::text[]) AS name, true AS exclusive UNION ALL SELECT unnest(%s::text[]), false) AS names
        GROUP BY number ORDER BY number) AS numbers"""
_SETTINGS = {
    "lock_timeout": f"{TURN_S * 1000:.0f}",
    "idle_in_transaction_session_timeout": f"{STILL_S * 1000:.0f}",
}
#: Regardless of the database's setting, acknowledged commits are durable (spec STORE-19).
_DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"


class PostgresContext:
    """The context of one transaction (`spi.TableContext`)."""

    def __init__(
        self, pipeline: StatementPipeline, admin: PostgresAdmin, lifetime: TransactionLifetime, after: list[After]
    ) -> None:
        self._pipeline, self._admin, self._life, self.after = pipeline, admin, lifetime, after
        self._tables: dict[str, SqlTable] = {}
        self.log = log.PostgresLog(self.execute, self.execute_many, self.copy_rows, self.wait_for_lock)
        self.search = search.PostgresSearch(self.execute)
        self.edges = edges.PostgresEdges(self.execute, self.log.lock)

    def get_table(self, table_id: str) -> SqlTable:
        """Return the table of a spec that was created."""
        if table_id not in self._tables:
            self._tables[table_id] = SqlTable(self, self._admin.get_compiled_table(self.execute, table_id), self._life)
        return self._tables[table_id]

    def on_commit(self, action: After) -> None:
        """Run an action once, after the transaction has succeeded."""
        self.after.append(action)

    def execute(
        self, statement: str, bound: Sequence[Any] | Mapping[str, Any] = (), *, prepare: bool | None = None
    ) -> ResultSet:
        """Run one statement before the next result is read. Raises StorageError."""
        self._life.require_open()
        return self._pipeline.add(statement, (bound,), may_prepare=prepare is not False)

    def execute_many(self, statement: str, bound: Sequence[Sequence[Any]]) -> ResultSet:
        """Run one statement for many rows before the next result is read. Raises StorageError."""
        self._life.require_open()
        return self._pipeline.add(statement, bound)

    #: The driver sends all rows at once.
    insert_many = execute_many

    def wait_for_lock(self, statement: str) -> None:
        """Run a statement that may wait for other transactions before the next result is read. The wait is not the
        callable's own time.
        """
        self._life.require_open()
        self._pipeline.add(statement, may_wait=True)

    def copy_rows(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Copy rows into a table: `COPY … FROM STDIN`. Raises StorageError."""
        self._life.require_open()
        self._pipeline.copy_rows(statement, rows)


class PostgresSession:
    """The shared transaction on PostgreSQL."""

    def __init__(self, server: PostgresServer, admin: PostgresAdmin, channel: str) -> None:
        self._server, self._admin = server, admin
        self._connection: TimeLimitedConnection | None = None
        self._pipeline: StatementPipeline
        #: The last statement that takes locks at the beginning, and the last savepoint.
        self._beginning: PendingResult | None = None
        self._savepoint: PendingResult | None = None
        # Notify listeners in the transaction, so that they are notified of committed changes only.
        self._notify = f'NOTIFY "{channel}"'

    def lock_and_begin(self, locks: Locks | None, *, at_once: bool) -> None:
        """Wait for the locks and begin, on a new connection if the last one is broken. Unless `at_once`, locks are waited
        for in one round trip with the first statement whose result is read.
        """
        was_connected = self._connection is not None
        try:
            self._lock_writers_and_begin(locks, at_once=at_once)
        except TransactionConflict as conflict:
            if self._connection is not None:
                raise
            if not was_connected:
                raise StoreUnavailable(conflict.detail) from conflict
            self.lock_and_begin(locks, at_once=at_once)

    def commit(self) -> None:
        """Commit durably, in one round trip with the statements that wait. An error on a usable connection means that
        the server did not commit.
        """
        connection = self._require_connection()
        if self._beginning is not None and self._pipeline.is_waiting(self._beginning):
            # If the connection was lost before the transaction began, the outcome is known.
            self._pipeline.send()
        if not connection.is_sound:
            # COMMIT would succeed and roll everything back.
            raise StorageError("a statement of the transaction failed")
        self._pipeline.add("COMMIT")
        try:
            self._pipeline.send_or_raise_driver_error()
        except psycopg.Error as error:
            if not close_connection_if_lost(connection, error):
                raise translate_driver_error(connection, error) from error
            self._connection = None
            raise CommitUnknown("the connection to the database was lost during a commit") from error

    def roll_back(self) -> None:
        """Roll everything back; on a lost connection the server does it."""
        connection = self._connection
        if connection is None:
            return
        self._pipeline.discard()
        try:
            if not connection.is_idle:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()
        if connection.closed:
            self._connection = None

    def set_savepoint(self) -> None:
        """Set a savepoint."""
        self._savepoint = self._add_statement("SAVEPOINT part")

    def release_savepoint(self) -> None:
        """Release the savepoint."""
        self._add_statement("RELEASE SAVEPOINT part")
        self._pipeline.send()

    def roll_back_to_savepoint(self) -> bool:
        """Roll back to the savepoint; return False if the connection, and with it the transaction, is lost."""
        if self._require_connection().closed:
            return False
        is_unset = self._savepoint is not None and self._pipeline.is_waiting(self._savepoint)
        self._pipeline.discard()
        if not is_unset:
            self.execute("ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part")
        return True

    def create_context(self, lifetime: TransactionLifetime, after: list[After]) -> PostgresContext:
        """Create the context for a callable."""
        self._require_connection()
        self._pipeline.on_wait = lifetime.exclude_waiting_time
        return PostgresContext(self._pipeline, self._admin, lifetime, after)

    def get_connection(self) -> TimeLimitedConnection:
        """Return the connection for work outside transactions. Raises StoreUnavailable."""
        if self._connection is None or self._connection.closed:
            self._connection = self._server.connect_with_settings(**_SETTINGS)
            self._pipeline = StatementPipeline(self._connection)
            with translate_driver_errors_and_close_lost(self._connection):
                self._connection.execute(_DURABLE)
        return self._connection

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _lock_writers_and_begin(self, locks: Locks | None, *, at_once: bool) -> None:
        self._server.require_recently_reachable()
        connection = self.get_connection()
        try:
            if locks is None:
                connection.patience_s = BEGIN_S
                with translate_driver_errors_and_close_lost(connection):
                    connection.execute(f"{_BEGIN_EXCLUSIVE}; {self._notify}")
            else:
                self._add_locks(locks)
                if at_once:
                    self._pipeline.send()
        except StorageError:
            self.roll_back()
            raise
        finally:
            connection.patience_s = ANSWER_S

    def _add_locks(self, locks: Locks) -> None:
        """Begin and take the locks before the next result is read."""
        for statement in (*_BEGIN_SHARED, self._notify):
            self._pipeline.add(statement, may_wait=True)
        names = list(locks.exclusive), list(locks.shared)
        self._beginning = self._pipeline.add(_LOCK_NAMES, (names,), may_wait=True)

    def _require_connection(self) -> TimeLimitedConnection:
        if self._connection is None:
            raise TransactionConflict("the connection to the database was lost: try again")
        return self._connection

    def _add_statement(self, statement: str) -> PendingResult:
        return self._pipeline.add(statement)

    def execute(self, statement: str) -> None:
        """Run one statement in the shared transaction, or several, after those that wait."""
        connection = self._require_connection()
        self._pipeline.send()
        with translate_driver_errors_and_close_lost(connection):
            connection.execute(statement)
