"""Stores of several sizes in a folder, to be measured later: fill them, and continue a fill that was interrupted.

Each size has a store of its own, which begins as a copy of the next smaller one. Nothing is flushed while they are filled: a
process may be killed, but not the machine. On SQLite, the process may use 4 GB for pages meanwhile.
"""

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import bulk_fill
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage.secret import read_or_create_store_key
from jupyter_colophon.storage.sqlite.provider import SqliteProvider

if TYPE_CHECKING:
    from support.postgres import PostgresServer

#: After how many entities the progress is printed.
_STEP = 10_000
_COPY = "copy"
#: PostgreSQL's settings, and those while its stores are filled.
_SETTINGS = {"shared_buffers": "512MB", "max_wal_size": "1GB"}
_FILLING = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
#: SQLite's settings while its stores are filled.
_SQLITE_FILLING = ("synchronous = OFF", "cache_size = -4000000", "wal_autocheckpoint = 60000")


class SizedStores(Protocol):
    """The stores of one kind."""

    @property
    def server(self) -> int:
        """The process of the database's server; 0 if there is none."""

    def read_log_bytes(self) -> int:
        """Return how many bytes the server has written to its write-ahead log; 0 if there is no server."""

    def exists(self, name: str) -> bool:
        """Return whether there is a store of this name: its number of entities, or another one."""

    def copy(self, name: str, copied: str) -> None:
        """Copy a store, which nobody has open."""

    def delete(self, name: str) -> None:
        """Delete a store."""

    def choose(self, name: str) -> StorageChoice:
        """Return a store, which need not exist."""


@dataclass(frozen=True, slots=True)
class SqliteStores:
    """Each store has a folder."""

    folder: Path
    server: int = 0

    def read_log_bytes(self) -> int:
        """Return 0: replicas of SQLite do not exist."""
        return 0

    def exists(self, name: str) -> bool:
        """Return whether there is a store of this name."""
        return self._find(name).is_dir()

    def copy(self, name: str, copied: str) -> None:
        """Copy a store, which nobody has open."""
        shutil.rmtree(incomplete := self._find("incomplete"), ignore_errors=True)
        shutil.copytree(self._find(name), incomplete)
        incomplete.rename(self._find(copied))

    def delete(self, name: str) -> None:
        """Delete a store."""
        shutil.rmtree(self._find(name))

    def choose(self, name: str) -> StorageChoice:
        """Return a store, which need not exist."""
        return choose_sqlite_store(self._find(name) / "catalog.db")

    def _find(self, name: str) -> Path:
        return self.folder / f"sqlite-{name}"


@dataclass(frozen=True, slots=True)
class PostgresStores:
    """Each store has a database of one server."""

    running: "PostgresServer"

    @property
    def server(self) -> int:
        """The process of the server."""
        return self.running.pid

    def read_log_bytes(self) -> int:
        """Return how many bytes the server has written to its write-ahead log."""
        return int(self._ask("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))

    def exists(self, name: str) -> bool:
        """Return whether there is a store of this name."""
        return bool(self._ask("SELECT count(*) FROM pg_database WHERE datname = %s", f"store{name}"))

    def copy(self, name: str, copied: str) -> None:
        """Copy a store, which nobody has open."""
        self.running.execute(f'CREATE DATABASE "store{copied}" TEMPLATE "store{name}" STRATEGY file_copy')

    def delete(self, name: str) -> None:
        """Delete a store."""
        self.running.execute(f'DROP DATABASE "store{name}" WITH (FORCE)')

    def choose(self, name: str) -> StorageChoice:
        """Return a store, for which a database is created if there is none."""
        if not self.exists(name):
            self.running.execute(f'CREATE DATABASE "store{name}"')
        return StorageChoice("postgresql", {"dsn": self.running.get_dsn(f"store{name}")})

    def _ask(self, query: str, *values: str) -> Any:
        import psycopg

        with psycopg.connect(self.running.dsn) as connection:
            row = connection.execute(query.encode(), values).fetchone()
        assert row is not None
        return row[0]


@contextmanager
def open_stores(folder: Path, kind: str, *, filling: bool = False) -> Iterator[SizedStores]:
    """Yield the stores below a folder; PostgreSQL runs meanwhile."""
    if kind == "sqlite":
        yield SqliteStores(folder)
        return
    # The server of the tests, with files of its own.
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.postgres import PostgresServer

    running = PostgresServer(kept=folder.resolve() / "postgresql")
    try:
        running.restart(**_SETTINGS, **(_FILLING if filling else {}))
        yield PostgresStores(running)
    finally:
        running.stop()


@contextmanager
def copy_store(stores: SizedStores, size: int) -> Iterator[StorageChoice]:
    """Yield a copy of the store of this size, which is deleted at the end; one of a killed program is deleted before."""
    if stores.exists(_COPY):
        stores.delete(_COPY)
    stores.copy(str(size), _COPY)
    try:
        yield stores.choose(_COPY)
    finally:
        stores.delete(_COPY)


def fill_missing_stores(
    folder: Path, kind: str, sizes: Sequence[int]
) -> Iterator[tuple[int, bulk_fill.FillCost, float]]:
    """Fill the stores that are not complete; yield the size of each, what its entities cost, and the server's CPU seconds."""
    previous = None
    with open_stores(folder, kind, filling=True) as stores:
        for size in sorted(sizes):
            if not stores.exists(str(size)) and previous is not None:
                stores.copy(previous, str(size))
            previous = str(size)
            catalog = open_or_create_catalog(stores.choose(previous), IdentityRules())
            _apply_fill_settings(catalog)
            before = read_cpu_s(stores.server)
            costs = list(_fill_in_steps(catalog, size))
            if costs:
                yield size, bulk_fill.add_costs(costs), read_cpu_s(stores.server) - before
            catalog.close()


def _apply_fill_settings(catalog: Catalog) -> None:
    if isinstance(catalog.provider, SqliteProvider):
        # No setting does that: users' writes are always durable.
        for setting in _SQLITE_FILLING:
            catalog.provider._writer.execute(f"PRAGMA {setting}")


def _fill_in_steps(catalog: Catalog, size: int) -> Iterator[bulk_fill.FillCost]:
    filled = bulk_fill.count_filled_entities(catalog)
    while filled < size:
        cost = bulk_fill.fill_catalog(catalog, min(size, filled + _STEP))
        filled += cost.entities
        print(f"{time.strftime('%H:%M:%S')} {filled:,} of {size:,}: {_format_cost(cost)}", flush=True)
        yield cost
    # Otherwise a thread would seal the changes while the store is measured.
    seal_unsealed_rows(catalog.provider, read_or_create_store_key(catalog.provider), lambda: int(time.time() * 1e3))


def _format_cost(cost: bulk_fill.FillCost) -> str:
    rate = cost.entities / (cost.entities_s + cost.runs_s)
    cpu_ms = cost.entities_cpu_s / cost.entities * 1e3
    run_ms = cost.runs_cpu_s / cost.entities * bulk_fill.ENTITIES_OF_RUN * 1e3
    return f"{rate:.0f} a second, CPU ms of an entity {cpu_ms:.3f}, of a run {run_ms:.2f}, memory {read_memory_mb()} MB"


def read_memory_mb() -> int:
    """Return the resident memory of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1]) // 1024


def read_cpu_s(server: int) -> float:
    """Return the CPU seconds of a server's processes, without those that ended; 0 for no server."""
    if not server:
        return 0.0
    nanoseconds = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            if server in (parent, int(stat.parent.name)):
                nanoseconds += int((stat.parent / "schedstat").read_text().split()[0])
        except OSError:
            continue
    return nanoseconds / 1e9
