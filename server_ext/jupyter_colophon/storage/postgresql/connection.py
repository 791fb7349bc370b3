"""Connections that never wait for a lost server, and translation of the driver's errors (spec STORE-20)."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import psycopg
from psycopg.abc import Buffer, PQGen
from psycopg.adapt import AdaptersMap, Dumper, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper

from jupyter_colophon.core.errors import (
    InvalidField,
    StorageError,
    StoreDamaged,
    StoreFull,
    StoreUnavailable,
    TransactionConflict,
    TransactionTimeout,
)
from jupyter_colophon.storage.postgresql.dialect import decode_text_with_nul, encode_text_without_nul
from jupyter_colophon.storage.postgresql.statement_batch import StatementSender

T = TypeVar("T")
#: Timeouts for connecting, for a statement, and for any answer, in seconds. A lost server is detected within 5 seconds, by
#: statements that may wait for other transactions within 7.
CONNECT_S, STATEMENT_S, ANSWER_S = 3, 4.0, 4.5
#: How long a statement waits for a lock of another transaction, in seconds.
TURN_S = 2.0
#: The pause before connecting again to a server that could not be reached, in seconds.
_PAUSE_S = 0.5
#: Defaults for libpq unless the connection string sets them: a lost peer is detected within 4 seconds.
_NETWORK: Mapping[str, Any] = {
    "connect_timeout": CONNECT_S,
    "tcp_user_timeout": 4_000,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "application_name": "jupyter-colophon",
}
_LOST = "the connection to the database was lost: try again"
#: The SQLSTATEs with which a server ends a connection.
_ENDED = ("08", "57P", "25P03", "25P04")
_CONFLICTS = ("40001", "40P01", "55P03")
_REFUSED = ("53", "25006", "28", "3D000", "42501")
_DAMAGED = ("XX001", "XX002")
_logger = logging.getLogger("jupyter_colophon.storage")


class TimeLimitedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits at most `patience_s` (None: unlimited) for the server."""

    patience_s: float | None = ANSWER_S
    on_silence: Callable[[], None] | None = None
    #: Sends the statements of transactions.
    sender: StatementSender

    def wait(self, gen: PQGen[T], *arguments: Any, **options: Any) -> T:
        """Run a generator of the driver; treat a silent server as lost."""
        return super().wait(
            gen if self.patience_s is None else self._poll_generator(gen, self.patience_s), *arguments, **options
        )

    def _poll_generator(self, gen: PQGen[T], patience_s: float) -> PQGen[T]:
        """Run the driver's steps, returning control every tenth of a second."""
        until = time.monotonic() + patience_s
        try:
            awaited = next(gen)
            while True:
                ready = yield awaited
                if not ready and time.monotonic() > until:
                    self.close()
                    if self.on_silence is not None:
                        self.on_silence()
                    raise psycopg.OperationalError("the database server does not respond")
                awaited = gen.send(ready)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    @property
    def is_idle(self) -> bool:
        """Whether the connection is usable and outside any transaction."""
        return self.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE

    @property
    def is_sound(self) -> bool:
        """Whether it is inside a transaction without a failed statement."""
        return self.pgconn.transaction_status == psycopg.pq.TransactionStatus.INTRANS


class _NulEscapingDumper(Dumper):
    """Send a string without U+0000; PostgreSQL infers its type."""

    def dump(self, obj: str) -> bytes:
        return encode_text_without_nul(obj).encode()


class _NulUnescapingLoader(Loader):
    def load(self, data: Buffer) -> str:
        return decode_text_with_nul(str(data, "utf-8"))


def _create_adapters() -> AdaptersMap:
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(str, _NulEscapingDumper)
    # One type for all integers: otherwise a statement would be prepared again for each size of each number.
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_loader("text", _NulUnescapingLoader)
    return adapters


class PostgresServer:
    """Connect to the database; after a failure, connecting is refused for a moment."""

    def __init__(self, dsn: str, schema: str, option: str = "dsn") -> None:
        """`option` is the storage option of the connection string."""
        self.schema = schema
        try:
            self._where = dict(_NETWORK) | conninfo_to_dict(dsn)
        except psycopg.ProgrammingError:
            # The driver's message contains a part of the string, which may be the password.
            raise InvalidField(f"the option {option} is not a valid PostgreSQL connection string") from None
        self._adapters = _create_adapters()
        self._failed: float | None = None

    def connect_with_settings(self, **settings: str) -> TimeLimitedConnection:
        """Connect with these settings for the session. Raises StoreUnavailable."""
        self.require_recently_reachable()
        try:
            connection = self._open_connection(settings)
        except psycopg.Error as error:
            reason = " ".join(str(error).split())
            if self._failed is None:
                _logger.warning("the database cannot be reached: %s", reason)
            self._record_connection_failure()
            raise StoreUnavailable("the database cannot be reached", reason) from error
        self._failed = None
        return connection

    def require_recently_reachable(self) -> None:
        """Raise StoreUnavailable if the server did not answer a moment ago, instead of waiting again."""
        if self._failed is not None and time.monotonic() < self._failed + _PAUSE_S:
            raise StoreUnavailable("the database cannot be reached")

    def _record_connection_failure(self) -> None:
        self._failed = time.monotonic()

    def _open_connection(self, settings: dict[str, str]) -> TimeLimitedConnection:
        where = self._where | {"client_encoding": "utf8"}
        connection = TimeLimitedConnection.connect(
            **where, autocommit=True, prepare_threshold=None, context=self._adapters
        )
        connection.sender, connection.on_silence = StatementSender(connection), self._record_connection_failure
        defaults = {"search_path": f'"{self.schema}"', "statement_timeout": f"{STATEMENT_S * 1000:.0f}", "jit": "off"}
        try:
            connection.execute("; ".join(f"SET {name} = {value}" for name, value in (defaults | settings).items()))
        except psycopg.Error:
            connection.close()
            raise
        return connection


@contextlib.contextmanager
def translate_driver_errors_and_close_lost(connection: TimeLimitedConnection) -> Iterator[None]:
    """Translate the driver's errors to ours, and close the connection if it is unusable."""
    try:
        yield
    except psycopg.Error as error:
        raise translate_driver_error(connection, error) from error


def translate_driver_error(connection: TimeLimitedConnection, error: psycopg.Error) -> StorageError | InvalidField:
    """Return our error for an error of the driver before COMMIT was sent; after a lost connection, a retry helps."""
    state = error.sqlstate or ""
    if close_connection_if_lost(connection, error):
        return TransactionConflict(_LOST)
    if state in _CONFLICTS:
        return TransactionConflict("another transaction conflicted with this one")
    if state == "22003":
        return InvalidField("a sum would exceed the range of its column")
    if state == "57014":
        return TransactionTimeout("a transaction took too long and was cancelled")
    if state == "53100":
        return StoreFull("no space left for the catalog")
    if state in _DAMAGED:
        return StoreDamaged("the catalog's database is damaged")
    if state.startswith(_REFUSED):
        return StoreUnavailable(f"the database refused a statement for now (SQLSTATE {state}): try again later")
    return StorageError(f"the catalog's database reported an error ({state or type(error).__name__})")


def close_connection_if_lost(connection: TimeLimitedConnection, error: psycopg.Error) -> bool:
    """Return whether the connection is unusable, and close it in that case."""
    if (error.sqlstate or "").startswith(_ENDED):
        connection.close()
    return connection.closed
