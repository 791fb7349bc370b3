"""Leases: only one process at a time does a piece of work, on any machine.

The holder increments a heartbeat. A process that observes the same heartbeat for the duration of the lease, by its own
monotonic clock, takes the lease over: clocks of two machines are never compared. A holder that was too slow learns this
in the transaction that would record its progress, which is then rolled back.
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
    """The state of a lease as this process knows it. All methods raise StorageError."""

    name: str
    provider: StorageProvider
    duration_s: float
    _holder: str = field(default_factory=lambda: uuid.uuid4().hex)
    #: Whether this process held the lease at its last check, and the time of its last heartbeat (monotonic).
    _is_held: bool = False
    _renewed: float = 0.0
    #: The other holder's heartbeat, and the time since when it is unchanged (monotonic); None before it was observed.
    _observed: tuple[str, int, float] | None = None

    @property
    def heartbeat_s(self) -> float:
        """The interval of the holder's heartbeats and of the others' checks, in seconds."""
        return self.duration_s / 6

    @property
    def is_held(self) -> bool:
        """Whether this process held the lease at its last check."""
        return self._is_held

    def acquire_or_keep_and_run(self, work: Callable[[TableContext], None] = lambda tx: None) -> bool:
        """Take or keep the lease and run `also` in the same transaction. Return False if another process holds the
        lease.
        """
        row = self.provider.tx_runner.run(lambda tx: _read_lease_row(tx, self.name), read_only=True)
        stale = None
        if row is not None and row["owner"] not in (_NOBODY, self._holder):
            stale = self._find_stale_heartbeat(row)
            if stale is None:
                self._is_held = False
                return False

        def claim(tx: TableContext) -> bool:
            if not _is_claimed_in_row(tx, self.name, self._holder, stale):
                return False
            work(tx)
            return True

        self._is_held = self.provider.tx_runner.run(claim)
        self._renewed = time.monotonic()
        return self._is_held

    def require_and_renew_in_transaction(self, tx: TableContext) -> None:
        """Increment the heartbeat in a transaction that may commit only while this process holds the lease. Raises
        LeaseLost.
        """
        row = _read_lease_row(tx, self.name)
        if row is None or row["owner"] != self._holder:
            self._is_held = False
            raise LeaseLost(self.name)
        tx.get_table(_TABLE).update({"name": self.name, "heartbeat": row["heartbeat"] + 1})

    def run_in_transaction_while_held(self, work: Callable[[TableContext], None]) -> None:
        """Run `write` in a transaction that commits only while this process holds the lease. Raises LeaseLost."""

        def run_while_held(tx: TableContext) -> None:
            self.require_and_renew_in_transaction(tx)
            work(tx)

        self.provider.tx_runner.run(run_while_held)
        self._renewed = time.monotonic()

    def renew_if_due(self) -> None:
        """Increment the heartbeat if it is due, during long work. Raises LeaseLost."""
        if time.monotonic() - self._renewed >= self.heartbeat_s:
            self.run_in_transaction_while_held(lambda tx: None)

    def release_lease(self) -> None:
        """Release the lease, so that another process can take it immediately."""
        if not self._is_held:
            return

        def release(tx: TableContext) -> None:
            row = _read_lease_row(tx, self.name)
            if row is not None and row["owner"] == self._holder:
                tx.get_table(_TABLE).update({"name": self.name, "owner": _NOBODY})

        self.provider.tx_runner.run(release)
        self._is_held = False

    def release_and_delete(self) -> None:
        """Release the lease, whose name is not used again soon, and delete its row."""

        def delete(tx: TableContext) -> None:
            row = _read_lease_row(tx, self.name)
            if row is not None and row["owner"] == self._holder:
                tx.get_table(_TABLE).delete((self.name,))

        self.provider.tx_runner.run(delete)
        self._is_held = False

    def _find_stale_heartbeat(self, row: Row) -> int | None:
        """Return the other holder's heartbeat if it is unchanged for the duration of the lease."""
        now = time.monotonic()
        if self._observed is None or self._observed[:2] != (row["owner"], row["heartbeat"]):
            self._observed = (row["owner"], row["heartbeat"], now)
        return row["heartbeat"] if now - self._observed[2] >= self.duration_s else None


def is_lease_free(tx: TableContext, name: str) -> bool:
    """Return whether no process holds a lease."""
    row = _read_lease_row(tx, name)
    return row is None or row["owner"] == _NOBODY


def _is_claimed_in_row(tx: TableContext, name: str, held_by: str, stale: int | None) -> bool:
    """Take a lease that is free or already held, or whose heartbeat is still the `stale` one."""
    row = _read_lease_row(tx, name) or {"name": name, "owner": _NOBODY, "heartbeat": 0}
    if row["owner"] not in (_NOBODY, held_by) and row["heartbeat"] != stale:
        return False
    tx.get_table(_TABLE).upsert({"name": name, "owner": held_by, "heartbeat": row["heartbeat"] + 1})
    return True


def _read_lease_row(tx: TableContext, name: str) -> Row | None:
    return tx.get_table(_TABLE).read((name,))
