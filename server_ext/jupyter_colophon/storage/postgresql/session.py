"""The connection that writes (`transactions.Session`), and what a transaction can reach on any connection.

Writers of all processes take turns: each takes a lock before the transaction's first look at the data, so it sees all
that was committed before, is never in another one's way, and numbers changes in the order of commits. A lock taken
only at the first change would not do under group commit: a savepoint that is rolled back gives it away, and two groups
that touch the same entity would hold each a row and wait for the other's lock.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import psycopg

from jupyter_colophon.core.errors import CommitUnknown, StorageError, StoreUnavailable, TransactionConflict
from jupyter_colophon.storage.postgresql import edges, log, search
from jupyter_colophon.storage.postgresql.admin import PostgresAdmin
from jupyter_colophon.storage.postgresql.connection import (
    ANSWER_S,
    Connection,
    Server,
    is_lost,
    translate_error,
    translate_errors,
)
from jupyter_colophon.storage.postgresql.execute import Found
from jupyter_colophon.storage.sql.table import SqlTable
from jupyter_colophon.storage.transaction_lifetime import Life
from jupyter_colophon.storage.transactions import After

#: How long a writer waits for another process's transaction before it steps back and tries again, and for the
#: beginning of its own, in seconds.
TURN_S, BEGIN_S = 2.0, 3.0
#: How long others wait for a process that stands still in the middle of a transaction, in seconds.
STILL_S = 10.0
#: Writers take turns by this table; it stays empty. A lock on a table is taken without a snapshot, and is held until
#: the commit can be seen.
TURN = "CREATE TABLE writers (nothing integer)"

_SETTINGS = {
    "lock_timeout": f"{TURN_S * 1000:.0f}",
    "idle_in_transaction_session_timeout": f"{STILL_S * 1000:.0f}",
}
#: Whatever the database's own setting: what was acknowledged is on its disk (spec STORE-19).
_DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"


class PostgresContext:
    """What one transaction can reach (`spi.TableContext`)."""

    def __init__(self, connection: Connection, admin: PostgresAdmin, life: Life, after: list[After]) -> None:
        self._connection, self._admin, self._life, self.after = connection, admin, life, after
        self._tables: dict[str, SqlTable] = {}
        self.log = log.PostgresLog(self.execute, self.executemany, self.copy)
        self.search = search.PostgresSearch(self.execute)
        self.edges = edges.PostgresEdges(self.execute)

    def table(self, table_id: str) -> SqlTable:
        """The table of a spec that was created."""
        if table_id not in self._tables:
            self._tables[table_id] = SqlTable(self, self._admin.known(self.execute, table_id), self._life)
        return self._tables[table_id]

    def after_commit(self, action: After) -> None:
        """Run once, after the transaction succeeded."""
        self.after.append(action)

    def execute(
        self, statement: str, bound: Sequence[Any] | Mapping[str, Any] = (), *, prepare: bool | None = None
    ) -> Found:
        """Run one statement. Raises StorageError in our words."""
        self._life.check()
        with translate_errors(self._connection):
            return self._connection.execute(statement, bound, prepare=prepare)

    def executemany(self, statement: str, bound: Sequence[Sequence[Any]]) -> Found:
        """Run one statement for many rows, without waiting for each answer. Raises StorageError in our words."""
        self._life.check()
        with translate_errors(self._connection):
            cursor = self._connection.cursor()
            cursor.executemany(statement, bound)
            return cursor

    def copy(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Copy rows into a table: `COPY … FROM STDIN`. Raises StorageError in our words."""
        self._life.check()
        with translate_errors(self._connection), self._connection.cursor().copy(statement) as writer:
            for row in rows:
                writer.write_row(row)


class PostgresSession:
    """The shared transaction on PostgreSQL."""

    def __init__(self, server: Server, admin: PostgresAdmin, channel: str) -> None:
        self._server, self._admin = server, admin
        self._connection: Connection | None = None
        self._begin = (
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE; LOCK TABLE writers IN EXCLUSIVE MODE; "
            # Notify listeners in the transaction, so that they hear only of committed changes.
            f'NOTIFY "{channel}"'
        )

    def begin(self) -> None:
        """Wait for our turn and begin, on a new connection if the last one is broken."""
        known = self._connection is not None
        try:
            self._try_to_begin()
        except TransactionConflict as conflict:
            if self._connection is not None:
                raise
            if not known:
                raise StoreUnavailable(conflict.detail) from conflict
            self.begin()

    def commit(self) -> None:
        """Make it durable. An error that leaves the connection whole is the server's word that it did not happen."""
        connection = self._present()
        if not connection.is_sound:
            # COMMIT would be answered without an error, and undo everything.
            raise StorageError("a statement of the transaction failed")
        try:
            connection.execute("COMMIT")
        except psycopg.Error as error:
            if not is_lost(connection, error):
                raise translate_error(connection, error) from error
            self._connection = None
            raise CommitUnknown("the database went away during a commit") from error

    def rollback(self) -> None:
        """Undo everything; with a lost connection the server does."""
        connection = self._connection
        if connection is None:
            return
        try:
            if not connection.is_idle:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()
        if connection.closed:
            self._connection = None

    def savepoint(self) -> None:
        """Begin a part."""
        self.execute("SAVEPOINT part")

    def release(self) -> None:
        """End the part."""
        self.execute("RELEASE SAVEPOINT part")

    def rollback_to(self) -> bool:
        """Undo the part; False where the connection is lost, and everything with it."""
        if self._present().closed:
            return False
        self.execute("ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part")
        return True

    def context(self, life: Life, after: list[After]) -> PostgresContext:
        """What a callable can reach."""
        return PostgresContext(self._present(), self._admin, life, after)

    def connection(self) -> Connection:
        """The connection, for work beside transactions. Raises StoreUnavailable."""
        if self._connection is None or self._connection.closed:
            self._connection = self._server.connect(**_SETTINGS)
            with translate_errors(self._connection):
                self._connection.execute(_DURABLE)
        return self._connection

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()

    def _try_to_begin(self) -> None:
        self._server.require_answers()
        connection = self.connection()
        connection.patience_s = BEGIN_S
        try:
            with translate_errors(connection):
                connection.execute(self._begin)
        except StorageError:
            self.rollback()
            raise
        connection.patience_s = ANSWER_S

    def _present(self) -> Connection:
        if self._connection is None:
            raise TransactionConflict("the connection to the database was lost")
        return self._connection

    def execute(self, statement: str) -> None:
        """Run one statement in the shared transaction, or several."""
        connection = self._present()
        with translate_errors(connection):
            connection.execute(statement)
