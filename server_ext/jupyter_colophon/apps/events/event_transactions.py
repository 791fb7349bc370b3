"""Transactions of a listener: its writes are committed together with the record that the event is handled."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from jupyter_colophon.apps.tables import OpenTransaction
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.dead_events import delete_event, find_event
from jupyter_colophon.storage.spi import TableContext

T = TypeVar("T")


class AlreadyHandled(StorageError):
    """The event was handled, or its attempt was given up: nothing more is written for it."""


@dataclass(slots=True)
class EventSettlement:
    """Records that an event is handled, once, in a transaction of the process that holds the lease.

    An attempt that was given up cannot commit later: by then the cursor has advanced, or the attempts are counted.
    """

    lease: Lease
    event: DeadEvent
    #: Whether the event has a row in the table of dead events; otherwise it is read from the change log.
    is_stored: bool = False
    is_done: bool = False
    has_lost_lease: bool = False

    def record_handled(self, tx: TableContext) -> None:
        """Record it. Raises AlreadyHandled, LeaseLost."""
        self.claim(tx)
        if self.is_stored:
            delete_event(tx, self.event)
        tx.on_commit(self._mark_done)

    def claim(self, tx: TableContext) -> None:
        """Require that this attempt is the current one, and advance the cursor. Raises AlreadyHandled, LeaseLost."""
        try:
            self.lease.require_and_renew_in_transaction(tx)
        except LeaseLost:
            self.has_lost_lease = True
            raise
        if self.is_stored:
            if find_event(tx, self.event) != self.event:
                raise AlreadyHandled("the event was handled, or is not being handled any more")
            return
        row = cursors.find_follower_row(tx, self.lease.name)
        if row is None or row["seq"] >= self.event.seq:
            raise AlreadyHandled("the event was handled, or is not being handled any more")
        cursors.write_position(tx, self.lease.name, self.event.seq)

    def _mark_done(self) -> None:
        self.is_done = True


@dataclass(frozen=True, slots=True)
class EventTransactions(AppTransactions):
    """The transactions of one call of a listener. The first one that writes settles the event; there is no second one.

    `context` is the namespace of the event, as it was then: its rows cannot be used once it was created again.
    """

    event_namespace: str
    settlement: EventSettlement

    def begin(self, transaction: OpenTransaction, *, read_only: bool) -> None:
        """Settle the event with the writes of the transaction."""
        transaction.require_generation_of_event(self.event_namespace, self.settlement.event.seq)
        if self.context != self.event_namespace:
            transaction.require_namespace(self.context)
        if not read_only:
            self.settlement.record_handled(transaction.tx)

    def run_on_platform_tables(self, work: Callable[[TableContext], T], *, read_only: bool) -> T:
        """Run a callable of the platform, in the namespace of the event as it was then."""

        def run_in_generation(tx: TableContext) -> T:
            if self.context == self.event_namespace:
                transaction = OpenTransaction(tx)
                transaction.require_generation_of_event(self.context, self.settlement.event.seq)
                transaction.require_generation(self.context)
            return work(tx)

        return AppTransactions.run_on_platform_tables(self, run_in_generation, read_only=read_only)
