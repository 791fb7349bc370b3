"""Open, read and write one schema (`spi.StorageProvider`)."""

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from jupyter_colophon.core.errors import (
    InvalidField,
    StorageError,
    StoreUnavailable,
    TransactionConflict,
    quote_and_truncate_text,
)
from jupyter_colophon.storage.postgresql import edges, log, search, session, upkeep
from jupyter_colophon.storage.postgresql.admin import PostgresAdmin
from jupyter_colophon.storage.postgresql.connection import (
    ANSWER_S,
    PostgresServer,
    TimeLimitedConnection,
    translate_driver_errors_and_close_lost,
)
from jupyter_colophon.storage.postgresql.dialect import KEY_PART
from jupyter_colophon.storage.postgresql.execute import Execute
from jupyter_colophon.storage.postgresql.notices import CommitNotificationCounter
from jupyter_colophon.storage.postgresql.pipeline import StatementPipeline
from jupyter_colophon.storage.postgresql.readers import ReadConnectionPool
from jupyter_colophon.storage.postgresql.replica import ReadReplica
from jupyter_colophon.storage.postgresql.session import PostgresContext, PostgresSession
from jupyter_colophon.storage.spi import CAPABILITIES, DEFAULT_RETRY, SUBSYSTEMS, Locks, RetryPolicy, TableContext
from jupyter_colophon.storage.transaction_lifetime import NestingGuard, TransactionLifetime
from jupyter_colophon.storage.transactions import After, GroupCommit, run_actions_after_commit

T = TypeVar("T")
_OPTIONS = {"dsn": "", "schema": "colophon", "readers": 8, "replica_dsn": ""}
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,47}")
_OLDEST = 130_000
_PROBE_TABLE = "CREATE TABLE health (id integer PRIMARY KEY, at timestamptz)"
_PROBE = "INSERT INTO health (id, at) VALUES (1, now()) ON CONFLICT (id) DO UPDATE SET at = excluded.at"
_CREATION = [KEY_PART, session.TURN, *log.CREATION, *search.CREATION, *edges.CREATION, _PROBE_TABLE]
_GROWTH = [*log.GROWTH, *search.GROWTH, *log.LATEST_GROWTH, *search.BLOCKS_GROWTH, *search.WORDS_GROWTH]
_SCHEMA_THERE = "SELECT 1 FROM pg_namespace WHERE nspname = %s"


class PostgresProvider:
    """A catalog in one schema of a PostgreSQL database. Options: `dsn`, `schema`, `readers`, `replica_dsn`
    (docs/settings.md).

    One connection writes for all threads (`GroupCommit`); at most `readers` connections read, each with a snapshot, from a
    replica if there is one.
    """

    name = "postgresql"
    subsystems = SUBSYSTEMS
    capabilities = CAPABILITIES

    def __init__(self) -> None:
        self._alone = NestingGuard()
        self.table_admin = PostgresAdmin(
            self._run_exclusively_and_create_schema, self._run_exclusively_in_transaction, _CREATION, _GROWTH
        )
        self.tx_runner = self

    def initialize(self, config: Mapping[str, Any]) -> None:
        """Connect to the database. Raises StorageError, or InvalidField for an unknown option."""
        options = _parse_options(config)
        self._schema: str = options["schema"]
        self._server = PostgresServer(options["dsn"], self._schema)
        # One lock for all processes that create tables in this schema.
        digest = hashlib.sha256(f"jupyter-colophon {self._schema}".encode()).digest()
        self._making = int.from_bytes(digest[:8], "big", signed=True)
        channel = f"colophon_{self._schema}"
        self._session = PostgresSession(self._server, self.table_admin, channel)
        self._group = GroupCommit(self._session)
        self._readers = ReadConnectionPool(self._server, options["readers"])
        self._replica: ReadReplica | None = None
        if options["replica_dsn"]:
            replica = PostgresServer(options["replica_dsn"], self._schema, "replica_dsn")
            self._replica = ReadReplica(self._readers, replica, options["readers"])
        self._notices = CommitNotificationCounter(self._server.connect_with_settings, channel)
        try:
            self._require_supported_server(self._session.get_connection())
        except StorageError:
            self._session.close()
            raise

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
            value = self._alone.run_guarded(lambda: self._read_snapshot_with_retry(work, after))
            run_actions_after_commit(after)
            return value
        return self._group.run_in_next_transaction(lambda tx: self._alone.run_guarded(lambda: work(tx)), retry, locks)

    def check_health(self) -> Mapping[str, str]:
        """Return `status`, `detail` and an empty `journalMode`. The status is `down` if a test write fails."""
        try:
            self.run(lambda _: self._session.execute(_PROBE), retry=RetryPolicy(attempts=0))
        except StorageError as error:
            return {"status": "down", "detail": error.detail, "journalMode": ""}
        return {"status": "ok", "detail": "", "journalMode": ""}

    def find_store_problems(self) -> list[str]:
        """Check the tables of the subsystems, and indexes if the extension `amcheck` is installed."""
        with self._readers.use_connection() as connection:
            return _run_without_statement_timeout(connection, lambda: upkeep.find_store_problems(connection))

    def rebuild_derived_data(self) -> None:
        """Rebuild indexes and full text."""
        self._run_exclusively_in_transaction(upkeep.rebuild_indexes_and_full_text)

    def reclaim_space(self) -> int:
        """Rewrite the tables without their free pages; return the number of bytes freed."""
        self._alone.require_no_transaction()
        with self._group.lock:
            connection = self._session.get_connection()
            return _run_without_statement_timeout(
                connection, lambda: upkeep.rewrite_tables_and_return_freed_bytes(connection)
            )

    def describe_store(self) -> Mapping[str, str]:
        """Return PostgreSQL's version, the location of the schema, and its size."""
        with self._readers.use_connection() as connection:
            info = connection.info
            return {
                "engine": f"PostgreSQL {info.parameter_status('server_version')}",
                "place": f"schema {self._schema} of {info.dbname} at {info.host}:{info.port}",
                "bytes": str(upkeep.measure_store_bytes(connection)),
                **upkeep.read_clock_and_connections(connection),
            }

    def get_data_version(self) -> int:
        """Return the number of notified commits of all processes."""
        return self._notices.count_commit_notifications()

    def close(self) -> None:
        """Close every connection."""
        with self._group.lock:
            self._session.close()
        self._readers.close_all_connections()
        if self._replica is not None:
            self._replica.close()
        self._notices.close_connection()

    def _read_snapshot_with_retry(self, work: Callable[[TableContext], T], after: list[After]) -> T:
        """Read a snapshot of the replica or the primary, once more if the connection was lost while it was idle."""
        if self._replica is not None and self._replica.is_usable():
            try:
                return self._read_snapshot(self._replica.use_current_connection(), work, after)
            except (TransactionConflict, StoreUnavailable) as error:
                self._replica.disable_temporarily(error)
        try:
            return self._read_snapshot(self._readers.use_connection(), work, after)
        except TransactionConflict:
            self._readers.close_idle_connections()
        try:
            return self._read_snapshot(self._readers.use_connection(), work, after)
        except TransactionConflict as conflict:
            raise StoreUnavailable(conflict.detail) from conflict

    def _read_snapshot(
        self,
        use_connection: AbstractContextManager[TimeLimitedConnection],
        work: Callable[[TableContext], T],
        after: list[After],
    ) -> T:
        with use_connection as connection:
            lifetime = TransactionLifetime.create_for_read()
            after.clear()
            connection.patience_s = session.BEGIN_S
            with translate_driver_errors_and_close_lost(connection):
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            connection.patience_s = ANSWER_S
            pipeline = StatementPipeline(connection)
            try:
                value = work(PostgresContext(pipeline, self.table_admin, lifetime, after))
                lifetime.end_transaction()
                # A statement that writes is rejected, also if its result was not read.
                pipeline.send()
                return value
            finally:
                lifetime.end_transaction()
                if not connection.closed:
                    with translate_driver_errors_and_close_lost(connection):
                        connection.execute("ROLLBACK")

    def _run_exclusively_in_transaction(self, work: Callable[[Execute], None]) -> None:
        """Change the structure of the store in a separate transaction that excludes other processes."""
        self._alone.require_no_transaction()
        with self._group.lock:
            self._change_structure_and_commit(self._begin_structure_change(), work)

    def _run_exclusively_and_create_schema(self, work: Callable[[Execute], None]) -> None:
        """Do the same, creating the schema if it does not exist."""

        def in_schema(execute: Execute) -> None:
            if execute(_SCHEMA_THERE, (self._schema,)).fetchone() is None:
                execute(f'CREATE SCHEMA "{self._schema}"')
            work(execute)

        self._run_exclusively_in_transaction(in_schema)

    def _begin_structure_change(self) -> TimeLimitedConnection:
        """Begin a transaction without a statement timeout, on a new connection if the last one is broken."""
        connection = self._session.get_connection()
        try:
            return self._require_usable_schema(connection)
        except TransactionConflict:
            return self._require_usable_schema(self._session.get_connection())

    def _require_usable_schema(self, connection: TimeLimitedConnection) -> TimeLimitedConnection:
        with translate_driver_errors_and_close_lost(connection):
            # Each statement must see the tables of other processes: no snapshot for the whole transaction.
            connection.execute(
                "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0"
            )
        return connection

    def _change_structure_and_commit(self, connection: TimeLimitedConnection, work: Callable[[Execute], None]) -> None:
        def execute(statement: str, bound: Any = (), *, prepare: bool | None = None) -> Any:
            with translate_driver_errors_and_close_lost(connection):
                return connection.execute(statement, bound, prepare=prepare)

        connection.patience_s = None
        try:
            execute("SELECT pg_advisory_xact_lock(%s)", (self._making,))
            work(execute)
            execute("COMMIT")
        except BaseException:
            self._session.roll_back()
            raise
        finally:
            connection.patience_s = ANSWER_S

    def _require_supported_server(self, connection: TimeLimitedConnection) -> None:
        if connection.info.server_version < _OLDEST:
            raise StorageError("the catalog needs PostgreSQL 13 or newer")
        if connection.info.parameter_status("server_encoding") != "UTF8":
            raise StorageError("the catalog needs a database whose encoding is UTF8")


def _parse_options(config: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := config.keys() - _OPTIONS.keys():
        raise InvalidField(
            f"unknown option {quote_and_truncate_text(min(unknown))} of the PostgreSQL store; use dsn, schema, readers and replica_dsn"
        )
    options = dict(_OPTIONS) | dict(config)
    for name in ("dsn", "replica_dsn"):
        if not isinstance(options[name], str):
            raise InvalidField(f"the option {name} must be a connection string of PostgreSQL")
    if not isinstance(options["schema"], str) or not _SCHEMA.fullmatch(options["schema"]):
        raise InvalidField("the option schema must be up to 48 lower-case letters, digits and underscores")
    if options["schema"].startswith("pg_") or options["schema"] == "information_schema":
        raise InvalidField(f"the option schema: {options['schema']} is reserved by PostgreSQL; choose another name")
    if type(options["readers"]) is not int or options["readers"] < 1:
        raise InvalidField("the option readers must be a number from 1")
    return options


def _run_without_statement_timeout(connection: TimeLimitedConnection, work: Callable[[], T]) -> T:
    """Run a callable whose statements may take minutes."""
    with translate_driver_errors_and_close_lost(connection):
        connection.execute("SET statement_timeout = 0; SET lock_timeout = 0")
    connection.patience_s = None
    try:
        return work()
    finally:
        connection.close()
