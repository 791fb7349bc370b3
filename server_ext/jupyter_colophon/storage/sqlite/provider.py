"""Open, read and write one file (`spi.StorageProvider`)."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from jupyter_colophon.core.errors import (
    InvalidField,
    StorageError,
    StoreUnavailable,
    TransactionConflict,
    quote_and_truncate_text,
)
from jupyter_colophon.storage.fsync import create_private_folders
from jupyter_colophon.storage.spi import CAPABILITIES, DEFAULT_RETRY, SUBSYSTEMS, Locks, RetryPolicy, TableContext
from jupyter_colophon.storage.sqlite import edges, log, search, upkeep
from jupyter_colophon.storage.sqlite.admin import SqliteAdmin
from jupyter_colophon.storage.sqlite.guarded import translate_driver_errors
from jupyter_colophon.storage.sqlite.row_archive import SqliteRowArchive
from jupyter_colophon.storage.sqlite.session import SqliteContext, SqliteSession
from jupyter_colophon.storage.transaction_lifetime import NestingGuard, TransactionLifetime
from jupyter_colophon.storage.transactions import After, GroupCommit, run_actions_after_commit

T = TypeVar("T")
#: How long a writer waits for another process's transaction before it retries, in seconds.
BUSY_TIMEOUT_S = 5.0
#: How often this is tried for a change of the store's structure, which is not retried as a whole.
_BEGINNINGS = 3
#: The pause between two attempts to open a file that other processes are opening, in seconds.
_REOPENING_S = 0.01
#: The number of steps of SQLite's virtual machine after which the deadline of a request is checked.
_STEPS = 20_000
#: The page cache of a connection that reads, in KB: matches of a word are in up to 5,000 pages of 4 KB.
_READ_CACHE_KB = 8_000
_PROBE_TABLE = "CREATE TABLE IF NOT EXISTS health (id INTEGER PRIMARY KEY, at REAL)"
_PROBE = "INSERT INTO health (id, at) VALUES (1, julianday('now')) ON CONFLICT DO UPDATE SET at = excluded.at"
_CREATION = [*log.CREATION, *search.CREATION, *edges.CREATION, _PROBE_TABLE]
#: Columns that were added to tables of the subsystems, by table.
_ADDED_COLUMNS = {"change_log": log.ADDED_COLUMNS, "search_entries": search.ADDED_COLUMNS}
#: Columns that were removed.
_REMOVED_COLUMNS = {"search_entries": search.REMOVED_COLUMNS}


class _OpenConnection(NamedTuple):
    """A connection, the lock that its thread holds while using it, and that thread; None for the writer.

    SQLite crashes if a connection is closed in use.
    """

    connection: sqlite3.Connection
    used: threading.RLock
    owner: threading.Thread | None


class SqliteProvider:
    """A catalog in one SQLite file. Option: `path`.

    One connection writes for all threads (`GroupCommit`); every reading thread has its own connection and sees a
    snapshot.
    """

    name = "sqlite"
    subsystems = SUBSYSTEMS
    capabilities = CAPABILITIES

    def __init__(self) -> None:
        self._local = threading.local()
        self._alone = NestingGuard()
        self._connections: list[_OpenConnection] = []
        self._opened = threading.Lock()
        self._closed = False
        self._journal_mode = ""
        self.table_admin = SqliteAdmin(
            self._run_exclusively_in_transaction,
            _CREATION,
            search.INDEXES,
            _ADDED_COLUMNS,
            _REMOVED_COLUMNS,
            search.MOVED_TABLES,
        )
        self.row_archive = SqliteRowArchive(self._run_exclusively_in_transaction)
        self.tx_runner = self

    def initialize(self, config: Mapping[str, Any]) -> None:
        """Open or create the file. Raises StorageError, or InvalidField for an option other than `path`."""
        if config.keys() != {"path"}:
            wrong = min(config.keys() ^ {"path"})
            raise InvalidField(
                f"the SQLite store must have the option path and no other option, not {quote_and_truncate_text(wrong)}"
            )
        self._path = Path(config["path"])
        _create_private_file(self._path)
        self._writer = self._open_connection(None).connection
        try:
            self._set_and_check_journal_mode()
        except StorageError:
            self._close_all_connections()
            raise
        self._group = GroupCommit(SqliteSession(self._writer, self.table_admin))

    def run(
        self,
        work: Callable[[TableContext], T],
        *,
        read_only: bool = False,
        retry: RetryPolicy = DEFAULT_RETRY,
        locks: Locks | None = None,
    ) -> T:
        """Run in one transaction; an exception rolls back and is raised unchanged."""
        self._alone.require_no_transaction()
        if read_only:
            after: list[After] = []
            value = self._alone.run_guarded(lambda: self._read_snapshot(work, after))
            run_actions_after_commit(after)
            return value
        return self._group.run_in_next_transaction(
            lambda tx: self._alone.run_guarded(lambda: _run_and_translate_errors(work, tx)), retry, locks
        )

    def check_health(self) -> Mapping[str, str]:
        """Return `status`, `detail` and `journalMode`. The status is `down` if a test write fails."""
        try:
            self.run(lambda _: self._writer.execute(_PROBE), retry=RetryPolicy(attempts=0))
        except StorageError as error:
            return {"status": "down", "detail": error.detail, "journalMode": self._journal_mode}
        return {"status": "ok", "detail": "", "journalMode": self._journal_mode}

    def find_store_problems(self) -> list[str]:
        """Return the problems that SQLite finds in the file, and in a copy of the full-text index."""
        with self._use_read_connection() as connection, translate_driver_errors():
            return upkeep.find_file_problems(connection, self._path)

    def rebuild_derived_data(self) -> None:
        """Rebuild indexes and full text."""
        self._run_exclusively_in_transaction(upkeep.rebuild_indexes_and_full_text)

    def reclaim_space(self) -> int:
        """Rewrite the file without its free pages; return the number of bytes freed."""
        self._alone.require_no_transaction()
        with self._group.lock, translate_driver_errors():
            return upkeep.rewrite_file_and_return_freed_bytes(self._writer, self._path)

    def describe_store(self) -> Mapping[str, str]:
        """Return SQLite's version, the file, its size together with its log, and the size of its free pages."""
        with self._use_read_connection() as connection, translate_driver_errors():
            free_bytes = upkeep.measure_free_bytes(connection)
        return {
            "engine": f"SQLite {sqlite3.sqlite_version}",
            "place": str(self._path),
            "bytes": str(upkeep.measure_file_bytes(self._path)),
            "freeBytes": str(free_bytes),
        }

    def get_data_version(self) -> int:
        """Return SQLite's `data_version`, which changes for one connection with every commit of another one."""
        with self._use_read_connection() as connection, translate_driver_errors():
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close every connection; SQLite copies the WAL into the file."""
        with self._group.lock:
            self._close_all_connections()

    def _close_all_connections(self) -> None:
        with self._opened:
            self._closed = True
            for connection, used, _ in self._connections:
                if not used.acquire(blocking=False):
                    # Interrupt running reads.
                    connection.interrupt()
                    used.acquire()
                    # An interrupt without a running statement would prevent copying the WAL into the file.
                    connection.execute("SELECT 1")
                connection.close()
                used.release()
            self._connections.clear()

    def _read_snapshot(self, work: Callable[[TableContext], T], after: list[After]) -> T:
        lifetime = TransactionLifetime.create_for_read()
        with self._use_read_connection() as connection, translate_driver_errors():
            connection.execute("BEGIN")
            if lifetime.deadline is not None:
                # A statement that finds no row does not check the deadline.
                connection.set_progress_handler(lifetime.is_overdue, _STEPS)
            try:
                return work(SqliteContext(connection, self.table_admin, lifetime, after))
            finally:
                lifetime.end_transaction()
                connection.set_progress_handler(None, 0)
                connection.rollback()

    def _run_exclusively_in_transaction(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Change the structure of the store in a separate transaction."""
        self._alone.require_no_transaction()
        with self._group.lock, translate_driver_errors():
            self._wait_for_writer_lock_and_begin()
            try:
                work(self._writer)
                self._writer.commit()
            except BaseException:
                self._writer.rollback()
                raise

    def _wait_for_writer_lock_and_begin(self) -> None:
        """Take the lock of writers. SQLite grants it to any waiting process, so on a busy store it is requested
        repeatedly.
        """
        for tries_left in reversed(range(_BEGINNINGS)):
            try:
                with translate_driver_errors():
                    self._writer.execute("BEGIN IMMEDIATE")
                return
            except TransactionConflict:
                if not tries_left:
                    raise

    @contextmanager
    def _use_read_connection(self) -> Iterator[sqlite3.Connection]:
        """Use this thread's own connection, protected from being closed. Raises StoreUnavailable once the store is
        closed.
        """
        if not hasattr(self._local, "connection"):
            opened = self._open_connection(threading.current_thread())
            self._local.connection, self._local.used = opened.connection, opened.used
        with self._local.used:
            if self._closed:
                raise StoreUnavailable("the catalog is closed: this server or program is stopping")
            yield self._local.connection

    def _open_connection(self, owner: threading.Thread | None) -> _OpenConnection:
        with translate_driver_errors():
            # Autocommit: transactions are begun explicitly, never by the driver.
            connection = sqlite3.connect(
                self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, cached_statements=512
            )
            if owner is not None:
                # Before others know the connection, and may close it.
                connection.execute("PRAGMA query_only = ON")
                connection.execute(f"PRAGMA cache_size = -{_READ_CACHE_KB}")
        with self._opened:
            if self._closed:
                connection.close()
                raise StoreUnavailable("the catalog is closed: this server or program is stopping")
            self._close_connections_of_ended_threads()
            opened = _OpenConnection(connection, threading.RLock(), owner)
            self._connections.append(opened)
        return opened

    def _close_connections_of_ended_threads(self) -> None:
        kept = []
        for opened in self._connections:
            if opened.owner is None or opened.owner.is_alive():
                kept.append(opened)
            else:
                opened.connection.close()
        self._connections = kept

    def _set_and_check_journal_mode(self) -> None:
        """Enable the write-ahead log with durable commits: NORMAL loses acknowledged commits in a power failure.

        While other processes open a new file at the same moment, SQLite refuses the change at once, ignoring its busy
        timeout.
        """
        until = time.monotonic() + BUSY_TIMEOUT_S
        while not self._journal_mode:
            try:
                with translate_driver_errors():
                    self._journal_mode = self._writer.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except TransactionConflict:
                if time.monotonic() > until:
                    raise
                time.sleep(_REOPENING_S)
        with translate_driver_errors():
            self._writer.execute("PRAGMA synchronous = FULL")


def _run_and_translate_errors(work: Callable[[TableContext], T], tx: TableContext) -> T:
    with translate_driver_errors():
        return work(tx)


def _create_private_file(path: Path) -> None:
    """Create folders with mode 0700 and the file with 0600, regardless of the umask; SQLite gives its other files the
    same mode.
    """
    try:
        create_private_folders(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.fchmod(descriptor, 0o600)
        os.close(descriptor)
    except OSError as error:
        raise StoreUnavailable(f"the catalog's file cannot be opened: {error.strerror}") from error
