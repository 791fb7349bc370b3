"""Give events to one listener: in one process at a time, those of an entity in their order, each handled once.

An event that fails is stored and retried with increasing pauses, while events of other entities continue; finally it is
parked. So a listener that fails or hangs delays only itself.
"""

import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from jupyter_colophon.apps.background_call import STORE_FAILURES, CallNotStarted, describe_failure
from jupyter_colophon.apps.background_host import BackgroundHost, read_time_ms
from jupyter_colophon.apps.events.event import CatalogEvent, create_event
from jupyter_colophon.apps.events.event_listener import ListenerDeclaration
from jupyter_colophon.apps.events.event_transactions import AlreadyHandled, EventSettlement, EventTransactions
from jupyter_colophon.apps.leased_thread import LEASE_S, LeasedThread
from jupyter_colophon.apps.tables import create_no_namespace_error
from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, HandledBatch
from jupyter_colophon.storage import dead_events
from jupyter_colophon.storage.changes import cursors, log
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff

#: How often an event is tried before it is parked, and the pauses in seconds, shortened by up to half at random.
ATTEMPTS: Final = 8
PAUSES: Final = Backoff(1.0, 300.0)
#: How many events may fail or wait, before the listener gets no further ones.
KEPT: Final = 1_000
#: The leases and cursors of listeners have names that begin with this.
LEASE_PREFIX: Final = "app-listener:"
#: How many changes are read at once.
_BATCH: Final = 200
_logger = logging.getLogger("jupyter_colophon.apps")


@dataclass(slots=True)
class ListenerWorker:
    """Gives events to one listener, on a thread of its own."""

    host: BackgroundHost
    declaration: ListenerDeclaration
    thread: LeasedThread = field(init=False)
    _follower: ChangeLogFollower = field(init=False)
    #: Whether no further event can be read: too many are stored.
    _is_full: bool = False

    def __post_init__(self) -> None:
        """Prepare the thread."""
        name = f"{self.host.app}:{self.declaration.name}"
        lease = Lease(f"{LEASE_PREFIX}{name}:{self.declaration.version}", self.host.provider, LEASE_S)
        self._follower = ChangeLogFollower(lease, self._handle_changes, matches=self._matches_change, batch=_BATCH)
        self.thread = LeasedThread(self.host.app, "listener", self.declaration.name, lease, self._handle_pending)

    def create_cursor(self, tx: TableContext) -> None:
        """Record where a new listener begins, and forget the events of its earlier versions."""
        name, declaration = self._follower.lease.name, self.declaration
        if cursors.find_follower_row(tx, name) is not None:
            return
        if declaration.start == "beginning":
            cursors.start_at_oldest_change(tx, name)
        else:
            cursors.get_or_create_position(tx, name)
        dead_events.delete_events_of_listener_before_version(tx, self.host.app, declaration.name, declaration.version)

    def _handle_pending(self) -> float | None:
        if not self.host.is_enabled():
            self._follower.lease.release_lease()
            return None
        try:
            if not self._follower.acquire_lease_and_load_cursor():
                return None
            return self._handle_stored_and_new()
        except CallNotStarted:
            _logger.error(
                "the listener %s of the system application %s gets no events, since its calls have not returned",
                self.declaration.name,
                self.host.app,
            )
        return None

    def _handle_stored_and_new(self) -> float | None:
        """Handle events until none is due; return the seconds until the next one is."""
        while not self.thread.is_stopped and self.host.is_enabled():
            due = self._retry_due_events()
            self._is_full = False
            if not self._follower.handle_next_batch() or self._is_full:
                return min(due, self._follower.lease.heartbeat_s)
        return None

    def _matches_change(self, change: Change) -> bool:
        return self.declaration.matches(create_event(change, self.host.registry))

    def _handle_changes(self, changes: Sequence[Change]) -> HandledBatch:
        stored = self._list_stored_events()
        waiting, count = {event.urn for event in stored}, len(stored)
        for number, change in enumerate(self.host.remove_confidential_values(changes)):
            self._is_full = count >= KEPT
            if self._is_full or self.thread.is_stopped:
                return HandledBatch(number)
            settlement = EventSettlement(self._follower.lease, self._create_dead_event(change))
            if change.urn in waiting:
                self._store(settlement, settlement.event)
                is_handled = False
            else:
                is_handled = self._try_event(change, settlement)
            if not is_handled:
                waiting.add(change.urn)
                count += 1
            self._follower.position = change.seq
        return HandledBatch(len(changes))

    def _retry_due_events(self) -> float:
        """Retry the first event of each entity that is due; return the seconds until the next one is."""
        while not self.thread.is_stopped:
            now, first = read_time_ms(), dict[str, DeadEvent]()
            for event in self._list_stored_events():
                first.setdefault(event.urn, event)
            pending = [event for event in first.values() if not event.parked]
            due = [event for event in pending if event.due <= now]
            if not due:
                return min((event.due - now for event in pending), default=1_000 * LEASE_S) / 1_000
            for event in due:
                self._retry_event(event)
        return 0.0

    def _retry_event(self, event: DeadEvent) -> None:
        settlement = EventSettlement(self._follower.lease, event, is_stored=True)
        changes = self.host.provider.tx_runner.run(
            lambda tx: log.list_changes_after(tx, event.seq - 1, 1, {"urn": event.urn}), read_only=True
        )
        if not changes or changes[0].seq != event.seq:
            _logger.warning("the event %s was removed from the change log before it was handled", event.seq)
            self._record_handled(settlement)
            return
        (change,) = self.host.remove_confidential_values(changes)
        self._try_event(change, settlement)

    def _try_event(self, change: Change, settlement: EventSettlement) -> bool:
        """Call the listener; return False if the event is stored to be retried. Raises StorageError, LeaseLost."""
        event = create_event(change, self.host.registry)
        assert event is not None  # noqa: S101  the listener wants it
        error = self._call_listener(event, settlement)
        if settlement.has_lost_lease:
            raise LeaseLost(self._follower.lease.name)
        if isinstance(error, STORE_FAILURES):
            raise error
        if error is None or _is_end_of_namespace(error, event.namespace):
            if not settlement.is_done:
                self._record_handled(settlement)
            return True
        _logger.error(
            "the listener %s of the system application %s failed at the event %s",
            self.declaration.name,
            self.host.app,
            event.number,
            exc_info=error,
        )
        return settlement.is_done or not self._store(settlement, self._count_attempt(settlement.event, error))

    def _call_listener(self, event: CatalogEvent, settlement: EventSettlement) -> BaseException | None:
        timeout_s = self.declaration.timeout_s
        transactions = EventTransactions(
            self.host.app,
            self.host.provider,
            self.host.deployment.specs,
            event.namespace,
            timeout_s,
            time.monotonic() + timeout_s,
            event.namespace,
            settlement,
        )
        context = self.host.create_context(transactions)
        return self.thread.caller.call(context, lambda: self.declaration.listener.on_event(context, event), timeout_s)

    def _count_attempt(self, event: DeadEvent, error: BaseException) -> DeadEvent:
        """Return the event after a failed attempt: it is due later, or parked."""
        attempts, now = event.attempts + 1, read_time_ms()
        # Not for cryptography: the pause differs so that failures of many events are not repeated at the same time.
        pause_s = PAUSES.compute_pause_s(attempts) * random.uniform(0.5, 1.0)  # noqa: S311
        return replace(
            event,
            attempts=attempts,
            due=now + int(1_000 * pause_s),
            parked=attempts >= ATTEMPTS,
            problem=describe_failure(error),
            failed=now,
        )

    def _record_handled(self, settlement: EventSettlement) -> None:
        """Record that an event needs no writes, unless another attempt has handled it."""
        self._run_unless_handled(settlement.record_handled)

    def _store(self, settlement: EventSettlement, event: DeadEvent) -> bool:
        """Store an event to be handled later; return False if it was handled in the meantime."""

        def store(tx: TableContext) -> None:
            settlement.claim(tx)
            dead_events.write_event(tx, event)

        return self._run_unless_handled(store)

    def _run_unless_handled(self, work: Callable[[TableContext], None]) -> bool:
        try:
            self.host.provider.tx_runner.run(work)
        except AlreadyHandled:
            return False
        return True

    def _list_stored_events(self) -> list[DeadEvent]:
        key = (self.host.app, self.declaration.name, self.declaration.version)
        return self.host.provider.tx_runner.run(
            lambda tx: dead_events.list_events_of_listener(tx, *key), read_only=True
        )

    def _create_dead_event(self, change: Change) -> DeadEvent:
        return DeadEvent(self.host.app, self.declaration.name, self.declaration.version, change.urn, change.seq)


def _is_end_of_namespace(error: BaseException, namespace: str) -> bool:
    """Return whether a listener used rows of the namespace of its event, which does not exist any more."""
    return isinstance(error, NotFound) and error.detail == create_no_namespace_error(namespace).detail
