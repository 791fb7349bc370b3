"""Leases: one process at a time does a piece of work, whichever machine it runs on.

The holder counts heartbeats. A process that sees the same count for as long as the lease lasts, by its own monotonic
clock, takes it over: no two clocks are ever compared. A holder that was too slow finds out in the transaction in which it
would record what it did, and that transaction is rolled back.
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext

_TABLE = "leases"
_NOBODY = ""


class LeaseLost(Exception):
    """Another process holds the lease now."""


@dataclass(slots=True)
class Lease:
    """What one process knows of a lease. Everything raises StorageError."""

    name: str
    provider: StorageProvider
    duration_s: float
    _holder: str = field(default_factory=lambda: uuid.uuid4().hex)
    #: Whether this process held it when it looked last, and since when its last heartbeat counts (monotonic).
    _is_held: bool = False
    _renewed: float = 0.0
    #: The other holder's heartbeat, and since when it is the same (monotonic); None before one was seen.
    _observed: tuple[str, int, float] | None = None

    @property
    def heartbeat_s(self) -> float:
        """How often the holder counts a heartbeat, and others look at it, in seconds."""
        return self.duration_s / 6

    @property
    def is_held(self) -> bool:
        """Whether this process held it when it looked last."""
        return self._is_held

    def acquire(self, work: Callable[[TableContext], None] = lambda tx: None) -> bool:
        """Take the lease, or keep it; do `work` in the same transaction. Return False where another process holds it."""
        row = self.provider.tx_runner.run(lambda tx: _read(tx, self.name), read_only=True)
        stale = None
        if row is not None and row["owner"] not in (_NOBODY, self._holder):
            stale = self._stale_beat(row)
            if stale is None:
                self._is_held = False
                return False

        def claim(tx: TableContext) -> bool:
            if not _claim(tx, self.name, self._holder, stale):
                return False
            work(tx)
            return True

        self._is_held = self.provider.tx_runner.run(claim)
        self._renewed = time.monotonic()
        return self._is_held

    def heartbeat(self, tx: TableContext) -> None:
        """Count a heartbeat in a transaction that may commit only while this process holds the lease. Raises LeaseLost."""
        row = _read(tx, self.name)
        if row is None or row["owner"] != self._holder:
            self._is_held = False
            raise LeaseLost(self.name)
        tx.table(_TABLE).update({"name": self.name, "heartbeat": row["heartbeat"] + 1})

    def run(self, work: Callable[[TableContext], None]) -> None:
        """Do this in a transaction that commits only while this process holds the lease. Raises LeaseLost."""

        def guarded(tx: TableContext) -> None:
            self.heartbeat(tx)
            work(tx)

        self.provider.tx_runner.run(guarded)
        self._renewed = time.monotonic()

    def renew(self) -> None:
        """Count a heartbeat if one is due, during work that takes long. Raises LeaseLost."""
        if time.monotonic() - self._renewed >= self.heartbeat_s:
            self.run(lambda tx: None)

    def release(self) -> None:
        """Let another process take the lease at once."""
        if not self._is_held:
            return

        def release(tx: TableContext) -> None:
            row = _read(tx, self.name)
            if row is not None and row["owner"] == self._holder:
                tx.table(_TABLE).update({"name": self.name, "owner": _NOBODY})

        self.provider.tx_runner.run(release)
        self._is_held = False

    def _stale_beat(self, row: Row) -> int | None:
        """Return the other holder's heartbeat if it has been the same for as long as the lease lasts."""
        now = time.monotonic()
        if self._observed is None or self._observed[:2] != (row["owner"], row["heartbeat"]):
            self._observed = (row["owner"], row["heartbeat"], now)
        return row["heartbeat"] if now - self._observed[2] >= self.duration_s else None


def is_free(tx: TableContext, name: str) -> bool:
    """Return whether no process holds a lease."""
    row = _read(tx, name)
    return row is None or row["owner"] == _NOBODY


def _claim(tx: TableContext, name: str, holder: str, stale: int | None) -> bool:
    """Take a lease that is free or ours, or whose heartbeat is still the `stale` one."""
    row = _read(tx, name) or {"name": name, "owner": _NOBODY, "heartbeat": 0}
    if row["owner"] not in (_NOBODY, holder) and row["heartbeat"] != stale:
        return False
    tx.table(_TABLE).upsert({"name": name, "owner": holder, "heartbeat": row["heartbeat"] + 1})
    return True


def _read(tx: TableContext, name: str) -> Row | None:
    return tx.table(_TABLE).read((name,))
