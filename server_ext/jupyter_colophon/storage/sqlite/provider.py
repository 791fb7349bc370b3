"""One file: how it is opened, read and written (`spi.StorageProvider`)."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from jupyter_colophon.core.errors import InvalidField, StorageError, StoreUnavailable, TransactionConflict, shown
from jupyter_colophon.storage.fsync import make_folder
from jupyter_colophon.storage.spi import CAPABILITIES, PATIENT, SEAMS, RetryPolicy, TableContext
from jupyter_colophon.storage.sqlite import edges, log, search, upkeep
from jupyter_colophon.storage.sqlite.admin import SqliteAdmin
from jupyter_colophon.storage.sqlite.guarded import translated
from jupyter_colophon.storage.sqlite.session import SqliteContext, SqliteSession
from jupyter_colophon.storage.transaction_lifetime import Alone, Life
from jupyter_colophon.storage.transactions import After, GroupCommit, follow

T = TypeVar("T")
#: How long a writer waits for another process's transaction before it steps back and tries again, in seconds.
BUSY_TIMEOUT_S = 5.0
#: How often that is tried for a change of the store's shape, which is not tried again as a whole.
_BEGINNINGS = 3
#: The pause between two tries to open a file that others are opening, in seconds.
_REOPENING_S = 0.01
#: After so many steps of SQLite's machine a statement asks whether the time of its request is up.
_STEPS = 20_000
_PROBE_TABLE = "CREATE TABLE IF NOT EXISTS health (id INTEGER PRIMARY KEY, at REAL)"
_PROBE = "INSERT INTO health (id, at) VALUES (1, julianday('now')) ON CONFLICT DO UPDATE SET at = excluded.at"
_CREATION = [*log.CREATION, *search.CREATION, *edges.CREATION, _PROBE_TABLE]
#: Columns that tables of the seams gained, by table.
_GAINED = {"change_log": log.GAINED}
#: Columns that they lost.
_LOST = {"search_entries": search.LOST}


class SqliteProvider:
    """A catalog in one SQLite file. Option: `path`.

    One connection writes, for whoever waits (`GroupCommit`); every thread that reads has one of its own and sees a
    snapshot.
    """

    name = "sqlite"
    seams = SEAMS
    capabilities = CAPABILITIES

    def __init__(self) -> None:
        self._local = threading.local()
        self._alone = Alone()
        #: Each with the lock that its thread holds while it uses it: SQLite crashes where one is closed in use.
        self._connections: list[tuple[sqlite3.Connection, threading.RLock]] = []
        self._opened = threading.Lock()
        self._closed = False
        self._journal_mode = ""
        self.table_admin = SqliteAdmin(self._exclusively, _CREATION, _GAINED, _LOST)
        self.tx_runner = self

    def initialize(self, config: Mapping[str, Any]) -> None:
        """Open the file, or make it. Raises StorageError, or InvalidField for an option other than `path`."""
        if config.keys() != {"path"}:
            wrong = min(config.keys() ^ {"path"})
            raise InvalidField(f"the SQLite store has the option path, and needs it; not {shown(wrong)}")
        self._path = Path(config["path"])
        _create_private(self._path)
        self._writer, _ = self._connect()
        try:
            self._set_journal_mode()
        except StorageError:
            self._close_all()
            raise
        self._group = GroupCommit(SqliteSession(self._writer, self.table_admin))

    def run(self, work: Callable[[TableContext], T], *, read_only: bool = False, retry: RetryPolicy = PATIENT) -> T:
        """Run in one transaction; an exception rolls back and comes out unchanged."""
        self._alone.require()
        if read_only:
            after: list[After] = []
            value = self._alone.during(lambda: self._read(work, after))
            follow(after)
            return value
        return self._group.run(lambda tx: self._alone.during(lambda: _in_our_words(work, tx)), retry)

    def health(self) -> Mapping[str, str]:
        """`status`, `detail` and `journalMode`. Down when nothing can be written: that is tried."""
        try:
            self.run(lambda _: self._writer.execute(_PROBE), retry=RetryPolicy(attempts=0))
        except StorageError as error:
            return {"status": "down", "detail": error.detail, "journalMode": self._journal_mode}
        return {"status": "ok", "detail": "", "journalMode": self._journal_mode}

    def check(self) -> list[str]:
        """What SQLite finds wrong with the file, and with full text, which it checks on a copy."""
        with self._reader() as connection, translated():
            return upkeep.check(connection, self._path)

    def repair(self) -> None:
        """Rebuild indexes and full text."""
        self._exclusively(upkeep.repair)

    def reclaim(self) -> int:
        """Rewrite the file without its free pages; return the number of bytes freed."""
        self._alone.require()
        with self._group.lock, translated():
            return upkeep.reclaim(self._writer, self._path)

    def about(self) -> Mapping[str, str]:
        """SQLite's version, the file, and its size together with the log beside it."""
        return {
            "engine": f"SQLite {sqlite3.sqlite_version}",
            "place": str(self._path),
            "bytes": str(upkeep.size(self._path)),
        }

    def commits(self) -> int:
        """SQLite's `data_version`: it changes, for one connection, with every commit of any other."""
        with self._reader() as connection, translated():
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close every connection; SQLite folds the WAL into the file."""
        with self._group.lock:
            self._close_all()

    def _close_all(self) -> None:
        with self._opened:
            self._closed = True
            for connection, used in self._connections:
                if not used.acquire(blocking=False):
                    # Who still reads is cut short.
                    connection.interrupt()
                    used.acquire()
                    # An interruption that met no statement would keep the log from being folded into the file.
                    connection.execute("SELECT 1")
                connection.close()
                used.release()
            self._connections.clear()

    def _read(self, work: Callable[[TableContext], T], after: list[After]) -> T:
        life = Life.of_a_read()
        with self._reader() as connection, translated():
            connection.execute("BEGIN")
            if life.until is not None:
                # A statement that finds no row asks nobody else whether the time is up.
                connection.set_progress_handler(life.is_overdue, _STEPS)
            try:
                return work(SqliteContext(connection, self.table_admin, life, after))
            finally:
                life.end()
                connection.set_progress_handler(None, 0)
                connection.rollback()

    def _exclusively(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Change the shape of the store, in a transaction of its own."""
        self._alone.require()
        with self._group.lock, translated():
            self._begin_exclusively()
            try:
                work(self._writer)
                self._writer.commit()
            except BaseException:
                self._writer.rollback()
                raise

    def _begin_exclusively(self) -> None:
        """Get the lock of writers. Who asks SQLite for it is given it by chance: a busy store is asked again."""
        for tries_left in reversed(range(_BEGINNINGS)):
            try:
                with translated():
                    self._writer.execute("BEGIN IMMEDIATE")
                return
            except TransactionConflict:
                if not tries_left:
                    raise

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        """This thread's own connection, which nobody closes meanwhile. Raises StoreUnavailable once the store is closed."""
        if not hasattr(self._local, "connection"):
            self._local.connection, self._local.used = self._connect()
            self._local.connection.execute("PRAGMA query_only = ON")
        with self._local.used:
            if self._closed:
                raise StoreUnavailable("the catalog has been closed")
            yield self._local.connection

    def _connect(self) -> tuple[sqlite3.Connection, threading.RLock]:
        with translated():
            # Autocommit: transactions are begun by us, never by the driver.
            connection = sqlite3.connect(
                self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, cached_statements=512
            )
        with self._opened:
            if self._closed:
                connection.close()
                raise StoreUnavailable("the catalog has been closed")
            used = threading.RLock()
            self._connections.append((connection, used))
        return connection, used

    def _set_journal_mode(self) -> None:
        """Write-ahead log, and every commit on the disk: NORMAL loses acknowledged ones when the power goes.

        While others open a new file at the same moment SQLite refuses the first at once, whatever its busy timeout.
        """
        until = time.monotonic() + BUSY_TIMEOUT_S
        while not self._journal_mode:
            try:
                with translated():
                    self._journal_mode = self._writer.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except TransactionConflict:
                if time.monotonic() > until:
                    raise
                time.sleep(_REOPENING_S)
        with translated():
            self._writer.execute("PRAGMA synchronous = FULL")


def _in_our_words(work: Callable[[TableContext], T], tx: TableContext) -> T:
    with translated():
        return work(tx)


def _create_private(path: Path) -> None:
    """New folders 0700 and the file 0600, whatever the umask; SQLite gives its side files the same mode."""
    try:
        make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.fchmod(descriptor, 0o600)
        os.close(descriptor)
    except OSError as error:
        raise StoreUnavailable(f"the catalog's file cannot be opened: {error.strerror}") from error
