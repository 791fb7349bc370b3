"""Connections that never wait for a server which is gone, and the driver's errors as ours (spec STORE-20)."""

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
from jupyter_colophon.storage.postgresql.dialect import original, storable

T = TypeVar("T")
#: How long a server may take to be reached, to do one statement, and to answer at all, in seconds. Whoever asks a
#: lost server is noticed within 5 seconds.
CONNECT_S, STATEMENT_S, ANSWER_S = 3, 4.0, 4.5
#: How long nobody tries again to reach a server that could not be reached, in seconds.
_PAUSE_S = 0.5
#: Defaults for libpq unless the connection string sets them: a lost peer is noticed within 4 seconds.
_NETWORK: Mapping[str, Any] = {
    "connect_timeout": CONNECT_S,
    "tcp_user_timeout": 4_000,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "application_name": "jupyter-colophon",
}
_LOST = "the connection to the database was lost"
#: What a server says last on a connection that it ends.
_ENDED = ("08", "57P", "25P03", "25P04")
_CONFLICTS = ("40001", "40P01", "55P03")
_REFUSED = ("53", "25006", "28", "3D000", "42501")
_DAMAGED = ("XX001", "XX002")
_logger = logging.getLogger("jupyter_colophon.storage")


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which nothing waits longer than `patience_s` (None: for ever) for a word of the server."""

    patience_s: float | None = ANSWER_S
    on_silence: Callable[[], None] | None = None

    def wait(self, gen: PQGen[T], *arguments: Any, **more: Any) -> T:
        """Do what the driver does; a server that says nothing is lost."""
        return super().wait(gen if self.patience_s is None else self._patient(gen, self.patience_s), *arguments, **more)

    def _patient(self, gen: PQGen[T], patience_s: float) -> PQGen[T]:
        """The driver's steps; it comes by every tenth of a second, also when nothing has happened."""
        until = time.monotonic() + patience_s
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > until:
                    self.close()
                    if self.on_silence is not None:
                        self.on_silence()
                    raise psycopg.OperationalError("the server does not answer")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    @property
    def is_idle(self) -> bool:
        """Whether it is whole and outside any transaction."""
        return self.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE

    @property
    def is_sound(self) -> bool:
        """Whether it is inside a transaction in which no statement failed."""
        return self.pgconn.transaction_status == psycopg.pq.TransactionStatus.INTRANS


class _Text(Dumper):
    """A text without U+0000; PostgreSQL finds out its type."""

    def dump(self, obj: str) -> bytes:
        return storable(obj).encode()


class _TextLoader(Loader):
    def load(self, data: Buffer) -> str:
        return original(str(data, "utf-8"))


def _adapters() -> AdaptersMap:
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(str, _Text)
    # One type for all whole numbers: otherwise a statement is prepared again for each size of each number.
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_loader("text", _TextLoader)
    return adapters


class Server:
    """Where the database is, and who may knock: after a failure nobody does for a moment."""

    def __init__(self, dsn: str, schema: str) -> None:
        self.schema = schema
        try:
            self._where = dict(_NETWORK) | conninfo_to_dict(dsn)
        except psycopg.ProgrammingError:
            # The driver's sentence has a piece of the string in it, which may be the password.
            raise InvalidField("the option dsn is not a valid PostgreSQL connection string") from None
        self._adapters = _adapters()
        self._failed: float | None = None

    def connect(self, **settings: str) -> Connection:
        """A connection with these settings for its session. Raises StoreUnavailable."""
        self.require_answers()
        try:
            connection = self._connect(settings)
        except psycopg.Error as error:
            if self._failed is None:
                _logger.warning("the database cannot be reached: %s", " ".join(str(error).split()))
            self._fail()
            raise StoreUnavailable("the database cannot be reached") from error
        self._failed = None
        return connection

    def require_answers(self) -> None:
        """Raise StoreUnavailable where the server did not answer a moment ago: whoever waited for that goes home."""
        if self._failed is not None and time.monotonic() < self._failed + _PAUSE_S:
            raise StoreUnavailable("the database cannot be reached")

    def _fail(self) -> None:
        self._failed = time.monotonic()

    def _connect(self, settings: dict[str, str]) -> Connection:
        where = self._where | {"client_encoding": "utf8"}
        connection = Connection.connect(**where, autocommit=True, prepare_threshold=3, context=self._adapters)
        connection.prepared_max, connection.on_silence = 500, self._fail
        wanted = {"search_path": f'"{self.schema}"', "statement_timeout": f"{STATEMENT_S * 1000:.0f}", "jit": "off"}
        try:
            connection.execute("; ".join(f"SET {name} = {value}" for name, value in (wanted | settings).items()))
        except psycopg.Error:
            connection.close()
            raise
        return connection


@contextlib.contextmanager
def translate_errors(connection: Connection) -> Iterator[None]:
    """Translate the driver's errors to ours, and close the connection if it is unusable."""
    try:
        yield
    except psycopg.Error as error:
        raise translate_error(connection, error) from error


def translate_error(connection: Connection, error: psycopg.Error) -> StorageError:
    """What an error of the driver means to us before COMMIT was sent: with a lost connection a retry helps."""
    state = error.sqlstate or ""
    if is_lost(connection, error):
        return TransactionConflict(_LOST)
    if state in _CONFLICTS:
        return TransactionConflict("other transactions were in the way")
    if state == "57014":
        return TransactionTimeout("a transaction took too long and was given up")
    if state == "53100":
        return StoreFull("no space left for the catalog")
    if state in _DAMAGED:
        return StoreDamaged("the catalog's database is damaged")
    if state.startswith(_REFUSED):
        return StoreUnavailable(f"the database refuses that at present ({state})")
    return StorageError(f"the catalog's store failed ({state or type(error).__name__})")


def is_lost(connection: Connection, error: psycopg.Error) -> bool:
    """Return whether the connection is unusable, and close it then."""
    if (error.sqlstate or "").startswith(_ENDED):
        connection.close()
    return connection.closed
