"""A catalog that was written at commit e8b857e, on SQLite and on PostgreSQL."""

import gzip
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import psycopg
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from support.postgres import get_or_start_server

_DATA = Path(__file__).parents[1] / "storage" / "data"
#: When the dumps were written.
_WRITTEN_MS = 1_795_438_200_000


@cache
def _compute_age_ms() -> int:
    """Return the age of the dumps. It is the same for every store of this process."""
    return int(time.time() * 1000) - _WRITTEN_MS


def _read_dump(store: str) -> str:
    """Return the statements of a dump. Batches of the inbox get the present time: outcomes are kept for a day."""
    statements = gzip.decompress((_DATA / f"e8b857e-{store}.sql.gz").read_bytes()).decode()
    table, age = ("inbox" if store == "sqlite" else "colophon.inbox"), _compute_age_ms()
    return f"{statements}\nUPDATE {table} SET id = id + {age * 1000}, time = time + {age};\n"


@contextmanager
def _create_sqlite_catalog(folder: Path) -> Iterator[StorageChoice]:
    path = folder / "colophon.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_read_dump("sqlite"))
    yield choose_sqlite_store(path)


@contextmanager
def _create_postgresql_catalog(folder: Path) -> Iterator[StorageChoice]:
    running_server, database = get_or_start_server(), f"old_{folder.name.lower().replace('-', '_')}"
    running_server.execute(f'CREATE DATABASE "{database}"')
    try:
        with psycopg.connect(running_server.get_dsn(database), autocommit=True) as connection:
            connection.execute(_read_dump("postgresql").encode())
        yield StorageChoice("postgresql", {"dsn": running_server.get_dsn(database)})
    finally:
        running_server.execute(f'DROP DATABASE "{database}" WITH (FORCE)')


#: The context manager that creates a store with this catalog in a folder, by provider.
OLD = {"sqlite": _create_sqlite_catalog, "postgresql": _create_postgresql_catalog}
