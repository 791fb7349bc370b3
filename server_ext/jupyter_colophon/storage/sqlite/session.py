"""The connection that writes (`transactions.Session`), and what a transaction can reach on any connection."""

import sqlite3
from contextlib import suppress

from jupyter_colophon.storage.sql.table import SqlTable
from jupyter_colophon.storage.sqlite import edges, log, search
from jupyter_colophon.storage.sqlite.admin import SqliteAdmin
from jupyter_colophon.storage.sqlite.guarded import Guarded, translated
from jupyter_colophon.storage.transaction_lifetime import Life
from jupyter_colophon.storage.transactions import After

#: After how many of SQLite's steps it is looked whether a callable's time is up: about a millisecond.
_STEPS = 50_000


class SqliteContext:
    """What one transaction can reach (`spi.TableContext`)."""

    def __init__(self, connection: sqlite3.Connection, admin: SqliteAdmin, life: Life, after: list[After]) -> None:
        self._connection, self._admin, self._life, self.after = connection, admin, life, after
        self._tables: dict[str, SqlTable] = {}
        self._guarded = Guarded(connection, life)
        self.log = log.SqliteLog(self._guarded)
        self.search = search.SqliteSearch(self._guarded)
        self.edges = edges.SqliteEdges(self._guarded)

    def table(self, table_id: str) -> SqlTable:
        """The table of a spec that was created."""
        if table_id not in self._tables:
            shape = self._admin.known(self._connection, table_id)
            self._tables[table_id] = SqlTable(self._guarded, shape, self._life)
        return self._tables[table_id]

    def after_commit(self, action: After) -> None:
        """Run once, after the transaction succeeded."""
        self.after.append(action)


class SqliteSession:
    """The shared transaction on SQLite."""

    def __init__(self, connection: sqlite3.Connection, admin: SqliteAdmin) -> None:
        self._connection, self._admin = connection, admin
        self._life = Life()
        connection.set_progress_handler(lambda: self._life.is_overdue(), _STEPS)

    def begin(self) -> None:
        """A deferred transaction that reads and then writes would fail at once when another one committed between."""
        self._execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Fold nothing, fsync the WAL: what was written is durable."""
        self._life = Life()
        self._execute("COMMIT")

    def rollback(self) -> None:
        """Undo everything; a transaction that SQLite has ended itself is over already."""
        self._life = Life()
        # A connection that fails here was closed, or fails again when the next transaction begins.
        with suppress(sqlite3.Error):
            self._connection.rollback()

    def savepoint(self) -> None:
        """Begin a part."""
        self._execute("SAVEPOINT part")

    def release(self) -> None:
        """End the part."""
        self._execute("RELEASE part")

    def rollback_to(self) -> bool:
        """Undo the part. An interrupted or failed write makes SQLite undo the whole transaction."""
        self._life = Life()
        if not self._connection.in_transaction:
            return False
        self._execute("ROLLBACK TO part")
        self._execute("RELEASE part")
        return True

    def context(self, life: Life, after: list[After]) -> SqliteContext:
        """What a callable can reach."""
        self._life = life
        return SqliteContext(self._connection, self._admin, life, after)

    def _execute(self, statement: str) -> None:
        with translated():
            self._connection.execute(statement)
