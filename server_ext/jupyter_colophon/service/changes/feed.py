"""The change feed: one thread per process reads the change log and notifies listeners (spec WRITE-19)."""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.work_progress import WorkProgress
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import AspectRedactor
from jupyter_colophon.service.confidential_values import remove_values_from_changes
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.changes import log, signed_chain
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.system.worker import Backoff, Worker

#: How often to check for commits of other processes while there are listeners, in seconds.
POLL_S = 0.2
#: How many changes are read and passed to listeners at once.
SLICE = 500
_logger = logging.getLogger("jupyter_colophon.feed")

Listener = Callable[[Sequence[Change]], None]


class _Subscription(NamedTuple):
    """A listener, and the number of the last change that it does not get."""

    listener: Listener
    start: int


class ChangeSlice(NamedTuple):
    """The changes that were read, and the number to continue after; it also advances past filtered changes."""

    changes: list[Change]
    cursor: int
    #: Whether the log continues after this slice.
    more: bool


@dataclass(slots=True)
class ChangeFeed:
    """Reads the change log and notifies listeners of new changes, in order.

    A listener is called on the feed's thread and must return at once.
    """

    provider: StorageProvider
    read_policy: ReadPolicy
    registry: Registry
    _listeners: list[_Subscription] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    #: The number of the last change that every listener has received.
    _after: int = 0
    #: When listeners received changes last, in ms.
    _notified: int | None = None
    #: The commit counter when the log was last read.
    _last_commits: int = -1
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first listener."""
        self._worker = Worker(
            "colophon-feed",
            self._poll_log_and_notify,
            _logger,
            "the change feed",
            backoff=Backoff(POLL_S, 5 * POLL_S),
            unavailable=(StorageError,),
        )

    def read_newest_change_number(self) -> int:
        """Return the number of the newest change; 0 if there is none."""
        return self.provider.tx_runner.run(lambda tx: tx.log.get_newest_number(), read_only=True)

    def read_visible_changes(
        self, after: int, limit: int, where: Mapping[str, str], principal: Principal
    ) -> list[Change]:
        """Return the changes after a number that the principal may read, oldest first. Raises LogCompacted."""
        return self.read_slice_of_visible_changes(after, limit, where, principal).changes

    @audit_reads_of_method("changes", lambda part: (change.urn for change in part.changes))
    def read_slice_of_visible_changes(
        self, after: int, limit: int, where: Mapping[str, str], principal: Principal
    ) -> ChangeSlice:
        """Return the next slice after a number, with the changes that the principal may read. Raises LogCompacted."""

        def read_log(tx: TableContext) -> tuple[int, list[Change], bool]:
            signed_chain.require_changes_kept_after(tx, after)
            # Read the head first: changes committed while we read must not be skipped.
            return tx.log.get_newest_number(), *log.read_page_of_changes(tx, after, limit, where)

        head, changes, full = self.provider.tx_runner.run(read_log, read_only=True)
        last = changes[-1].seq if changes else after
        return ChangeSlice(
            self.filter_visible_changes(changes, where, principal), last if full else max(head, last), full
        )

    def require_changes_kept_after(self, after: int) -> None:
        """Raise LogCompacted if changes after this number are no longer kept."""
        self.provider.tx_runner.run(lambda tx: signed_chain.require_changes_kept_after(tx, after), read_only=True)

    def filter_visible_changes(
        self, changes: Sequence[Change], where: Mapping[str, str], principal: Principal
    ) -> list[Change]:
        """Return the changes that match the filter and that the principal may read. Must not be called inside a transaction."""
        matching = [
            change for change in changes if all(getattr(change, name) == value for name, value in where.items())
        ]
        matching = list(self.remove_confidential_values(matching))
        if not self.read_policy.may_hide_from(principal):
            return matching if "read" in principal.scopes else []
        # An instance is decided by the namespace in its document, below.
        others = [change for change in matching if change.type != INSTANCE]
        visible = self.provider.tx_runner.run(
            lambda tx: self.read_policy.filter_visible(tx, principal, others, _get_entity_of_change), read_only=True
        )
        readable = {change.seq for change in visible}
        matching = [change for change in matching if change.type == INSTANCE or change.seq in readable]
        urns = {change.urn: Urn.parse(change.urn) for change in matching if change.type == INSTANCE}
        visible_urns = set(self.read_policy.filter_visible_entities(principal, urns.values()))
        visible_changes = [
            change
            for change in matching
            if (change.type != INSTANCE or self._may_see_instance_change(change, urns, visible_urns, principal))
            and self._may_see_program_of_access(change, principal)
        ]
        return self.provider.tx_runner.run(
            lambda tx: _redact_change_values(tx, self.registry, self.read_policy, visible_changes, principal),
            read_only=True,
        )

    def record_delivery(self, changes: Sequence[Change], principal: Principal) -> None:
        """Record in the audit that a subscriber receives these changes."""
        self.read_policy.record_audited_reads(principal, (change.urn for change in changes), "changes")

    def remove_confidential_values(self, changes: Sequence[Change]) -> Sequence[Change]:
        """Return changes without values of confidential columns. Must not be called inside a transaction."""
        return remove_values_from_changes(self.provider, self.registry, changes)

    def _may_see_program_of_access(self, change: Change, principal: Principal) -> bool:
        """Return whether the program of an access may be seen."""
        program = (change.value or {}).get("program") if change.operation == "access" else None
        return not isinstance(program, str) or bool(
            self.read_policy.filter_visible_entities(principal, [Urn.parse(program)])
        )

    def _may_see_instance_change(
        self, change: Change, urns: Mapping[str, Urn], visible_urns: Collection[Urn], principal: Principal
    ) -> bool:
        """Return whether a change of an instance may be shown: its current, previous and new state must be readable."""
        urn = urns[change.urn]
        values = (change.previous, change.value) if change.aspect == INSTANCE else ()
        return urn in visible_urns and all(
            self.read_policy.may_see_instance_version(principal, urn, value) for value in values
        )

    def register_listener(self, listener: Listener) -> Callable[[], None]:
        """Subscribe a listener to every change from now on; return a function that unsubscribes it. Raises StorageError."""
        head = self.read_newest_change_number()
        with self._lock:
            if not self._listeners:
                self._after = max(self._after, head)
            # A slice that is being read now may contain changes before the head.
            subscription = _Subscription(listener, head)
            self._listeners.append(subscription)
        self._worker.wake()
        # The thread stays asleep without listeners instead of ending, since it has its own store connection.
        self._worker.start()

        def unsubscribe() -> None:
            with self._lock:
                if subscription in self._listeners:
                    self._listeners.remove(subscription)

        return unsubscribe

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return len(self._listeners)

    def read_progress(self, tx: TableContext) -> WorkProgress:
        """Return how many changes the listeners of this process have not received."""
        if not self._listeners:
            return WorkProgress("feed", 0, None, self._notified)
        after = self._after
        row = next(iter(tx.log.read_changes(after, 1, {})), None)
        if row is None:
            return WorkProgress("feed", 0, None, self._notified, self._worker.problem)
        pending = tx.log.get_newest_number() - after
        return WorkProgress("feed", pending, row["time"], self._notified, self._worker.problem)

    def read_log_now(self) -> None:
        """Read the log at once: this process has committed something."""
        self._worker.wake()

    def stop_thread(self) -> None:
        """End the thread."""
        with self._lock:
            self._listeners.clear()
        self._worker.close()

    def _poll_log_and_notify(self) -> float | None:
        if not self._listeners:
            return None
        commits = self.provider.get_data_version()
        if commits != self._last_commits:
            self._notify_all_listeners()
            self._last_commits = commits
        return POLL_S

    def _notify_all_listeners(self) -> None:
        while changes := self._read_slice_of_log(self._after):
            with self._lock:
                subscriptions = list(self._listeners)
            for subscription in subscriptions:
                if later := [change for change in changes if change.seq > subscription.start]:
                    self._notify_listener(subscription, later)
            with self._lock:
                self._after = max(self._after, changes[-1].seq)
            self._notified = time.time_ns() // 1_000_000

    def _notify_listener(self, subscription: _Subscription, changes: Sequence[Change]) -> None:
        try:
            subscription.listener(changes)
        except Exception:
            # A failing listener must not affect others (spec PROMISE-7).
            _logger.exception("a change feed listener raised an exception and was removed")
            with self._lock:
                if subscription in self._listeners:
                    self._listeners.remove(subscription)

    def _read_slice_of_log(self, after: int) -> list[Change]:
        changes, _ = self.provider.tx_runner.run(
            lambda tx: log.read_page_of_changes(tx, after, SLICE, {}), read_only=True
        )
        return changes


def _get_entity_of_change(change: Change) -> tuple[Urn, str]:
    return Urn.parse(change.urn), change.namespace


def _redact_change_values(
    tx: TableContext, registry: Registry, read_policy: ReadPolicy, changes: Sequence[Change], principal: Principal
) -> list[Change]:
    """Return the changes with redacted aspect values."""
    visible = AspectRedactor(tx, registry, read_policy, principal)
    return [
        change
        if change.aspect is None
        else replace(
            change,
            previous=visible.redact_value(change.urn, change.aspect, change.previous),
            value=visible.redact_value(change.urn, change.aspect, change.value),
        )
        for change in changes
    ]
