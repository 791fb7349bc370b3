"""The connection for writing (`transactions.WriteSession`), and the context of a transaction on any connection."""

import sqlite3
from contextlib import suppress

from jupyter_colophon.storage.spi import Locks
from jupyter_colophon.storage.sql.table import SqlTable
from jupyter_colophon.storage.sqlite import edges, log, search
from jupyter_colophon.storage.sqlite.admin import SqliteAdmin
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection, translate_driver_error, translate_driver_errors
from jupyter_colophon.storage.sqlite.row_archive import WriteMarks
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime
from jupyter_colophon.storage.transactions import After

#: The number of SQLite's steps after which the deadline of a callable is checked: about a millisecond.
_STEPS = 50_000


class SqliteContext:
    """The context of one transaction (`spi.TableContext`)."""

    def __init__(
        self, connection: sqlite3.Connection, admin: SqliteAdmin, lifetime: TransactionLifetime, after: list[After]
    ) -> None:
        self._connection, self._admin, self._life, self.after = connection, admin, lifetime, after
        self._tables: dict[str, SqlTable] = {}
        self._guarded = GuardedConnection(connection, lifetime)
        self.log = log.SqliteLog(self._guarded)
        self.search = search.SqliteSearch(self._guarded)
        self.edges = edges.SqliteEdges(self._guarded)

    def get_table(self, table_id: str) -> SqlTable:
        """Return the table of a spec that was created."""
        if table_id not in self._tables:
            shape = self._admin.get_compiled_table(self._connection, table_id)
            self._tables[table_id] = SqlTable(self._guarded, shape, self._life)
        return self._tables[table_id]

    def on_commit(self, action: After) -> None:
        """Run an action once, after the transaction has succeeded."""
        self.after.append(action)


class SqliteSession:
    """The shared transaction on SQLite."""

    def __init__(self, connection: sqlite3.Connection, admin: SqliteAdmin) -> None:
        self._connection, self._admin = connection, admin
        self._life = TransactionLifetime()
        self._marks = WriteMarks(connection)
        connection.set_progress_handler(lambda: self._life.is_overdue(), _STEPS)

    def lock_and_begin(self, _: Locks | None, *, at_once: bool) -> None:
        """Begin an immediate transaction: a deferred one that reads before it writes fails if another one commits in
        between.
        """
        self._execute_translated("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit durably: SQLite syncs the WAL."""
        self._life = TransactionLifetime()
        self._mark_end_of_write()
        self._execute_translated("COMMIT")

    def roll_back(self) -> None:
        """Roll everything back; SQLite may have done so by itself."""
        self._life = TransactionLifetime()
        # A connection that fails here was closed, or fails again when the next transaction begins.
        with suppress(sqlite3.Error):
            self._connection.rollback()

    def set_savepoint(self) -> None:
        """Set a savepoint."""
        self._execute_translated("SAVEPOINT part")

    def release_savepoint(self) -> None:
        """Release the savepoint."""
        self._mark_end_of_write()
        self._execute_translated("RELEASE part")

    def roll_back_to_savepoint(self) -> bool:
        """Roll back to the savepoint. After an interrupted or failed write SQLite rolls back the whole transaction."""
        self._life = TransactionLifetime()
        if not self._connection.in_transaction:
            return False
        self._execute_translated("ROLLBACK TO part")
        self._execute_translated("RELEASE part")
        return True

    def create_context(self, lifetime: TransactionLifetime, after: list[After]) -> SqliteContext:
        """Create the context for a callable."""
        self._life = lifetime
        return SqliteContext(self._connection, self._admin, lifetime, after)

    def _mark_end_of_write(self) -> None:
        with translate_driver_errors():
            self._marks.mark_end_of_write()

    def _execute_translated(self, statement: str) -> None:
        # Without a context manager, which takes longer than some of these statements.
        try:
            self._connection.execute(statement)
        except sqlite3.Error as error:
            raise translate_driver_error(error) from error
