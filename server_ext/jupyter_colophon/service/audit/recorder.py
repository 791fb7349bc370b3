"""Record access in the audit: changes in their transaction, reads and denials within a second, in the background.

A read does not wait for the store. Which of the entities that were read are marked is looked up when entries are stored.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event, Lock
from typing import Final, NamedTuple

from jupyter_colophon.core.access import Permission, Principal
from jupyter_colophon.core.audit import AuditAction, AuditEvent, AuditOutcome, AuditRules
from jupyter_colophon.core.changes.work_progress import WorkProgress
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import StorageError, StoreUnavailable
from jupyter_colophon.service.admin.log_truncation import delete_audit_entries_older_than_days
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage import audit_log
from jupyter_colophon.storage.changes.signed_chain import measure_unsealed_rows
from jupyter_colophon.storage.sensitive_entities import find_sensitive_entities, replace_column_with_dataset
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.system.worker import Worker

#: For how long reads and denials are collected before they are stored together, in seconds.
PAUSE_S: Final = 0.5
#: How many accesses are stored in one transaction, and how many entities of them may wait for the store.
_AT_ONCE, _WAITING_MAX = 500, 100_000
#: How many of the newest entries are searched for changes that happened since a read.
_RECENT_MAX: Final = 500
#: How often old entries are deleted, in seconds.
_DELETION_PAUSE_S: Final = 3_600.0
_ADMIN: Final[Permission] = "admin"
_logger = logging.getLogger("jupyter_colophon.audit")


class _Access(NamedTuple):
    time: int
    principal: Principal
    action: AuditAction
    outcome: AuditOutcome
    urns: tuple[str, ...]
    detail: str


@dataclass(slots=True)
class AuditRecorder:
    """Records access to one store. `restricts` returns whether anything decides on access besides scopes."""

    provider: StorageProvider
    key: bytes
    now: Callable[[], int]
    rules: AuditRules
    restricts: Callable[[], bool]
    _waiting: deque[_Access] = field(default_factory=deque)
    #: The number of entities in the accesses that wait.
    _waiting_urns: int = 0
    _lock: Lock = field(default_factory=Lock)
    _pending: Event = field(default_factory=Event)
    #: Held while waiting accesses are stored.
    _storing: Lock = field(default_factory=Lock)
    _deleted_at: float = float("-inf")
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first access that is recorded."""
        self._worker = Worker(
            "colophon-audit",
            self._store_and_seal,
            _logger,
            "the audit",
            settle_s=PAUSE_S,
            unavailable=(StorageError,),
            finish=self._store_remaining,
        )

    @property
    def is_active(self) -> bool:
        """Whether access to what is marked, and denials, are recorded now."""
        rules = self.rules
        return rules.mode == "on" or (rules.mode == "auto" and (rules.is_shared or self.restricts()))

    def is_recording_reads_of(self, principal: Principal) -> bool:
        """Return whether reads of a principal are recorded now, at least of what is marked."""
        return not principal.internal and (self._is_recording_every_read_of(principal) or self.is_active)

    def record_reads(self, principal: Principal, action: AuditAction, urns: Iterable[str]) -> None:
        """Record that a principal read these entities, as far as they are marked.

        Raises StoreUnavailable if too much waits for the store: what cannot be recorded is not returned.
        """
        if self.is_recording_reads_of(principal):
            self._add(_Access(self.now(), principal, action, "allowed", tuple(dict.fromkeys(urns)), ""))

    def record_denial(self, principal: Principal, permission: Permission, urn: str, subject: str = "") -> None:
        """Record that a principal was denied a permission on an entity, or with the URN "" on something else.

        Raises StoreUnavailable.
        """
        if not principal.internal and self.is_active:
            action: AuditAction = "read" if permission == "read" else "admin" if permission == _ADMIN else "change"
            self._add(_Access(self.now(), principal, action, "denied", (urn,), subject or permission))

    def record_changes(
        self,
        tx: TableContext,
        changes: Sequence[Row],
        find_marked: Callable[[], AbstractSet[str]],
        principal: Principal,
    ) -> None:
        """Record changes in their transaction; `find_marked` returns the entities that were or are marked themselves."""
        if not changes or not self.is_active:
            return
        marked = {replace_column_with_dataset(urn) for urn in find_marked()}
        sensitive = _select_entities_and_columns_of(marked, {change["urn"] for change in changes})
        sensitive |= find_sensitive_entities(tx, {change["urn"] for change in changes} - sensitive)
        events = [_create_event_of_change(change, principal) for change in changes if change["urn"] in sensitive]
        if events:
            audit_log.append_entries(tx, _merge_equal_events(events))
            tx.on_commit(self._schedule)

    def record_act(self, tx: TableContext, urn: str, principal: Principal, act: str) -> None:
        """Record, in its transaction, what a principal did besides changing metadata: uploading code, using a secret."""
        if self.is_active:
            action: AuditAction = "read" if act.startswith("read ") else "change"
            audit_log.append_entries(tx, [AuditEvent(self.now(), principal, action, "allowed", urn, False, act)])
            tx.on_commit(self._schedule)

    def store_now(self) -> None:
        """Store and seal what waits. Raises StorageError."""
        with self._storing:
            self._store_waiting()
        seal_unsealed_rows(self.provider, self.key, self.now, audit_log.AUDIT_LOG)

    def read_progress(self, tx: TableContext) -> WorkProgress:
        """Return how many accesses of this process are not stored, and how many entries are not sealed."""
        unsealed = measure_unsealed_rows(tx, audit_log.AUDIT_LOG)
        with self._lock:
            waiting, first = self._waiting_urns, self._waiting[0].time if self._waiting else None
        oldest = min((time for time in (first, unsealed.oldest) if time is not None), default=None)
        return WorkProgress("audit", waiting + unsealed.count, oldest, unsealed.sealed, self._worker.problem)

    def close(self) -> None:
        """Store what waits, and end the thread."""
        self._worker.close()
        # During interpreter shutdown no thread can be started.
        if not self._worker.is_alive:
            self._store_remaining()

    def _is_recording_every_read_of(self, principal: Principal) -> bool:
        return self.rules.programs and principal.via is not None

    def _add(self, access: _Access) -> None:
        if not access.urns:
            return
        with self._lock:
            if self._waiting_urns >= _WAITING_MAX:
                raise StoreUnavailable("the audit cannot be written: too many accesses wait for the store")
            self._waiting.append(access)
            self._waiting_urns += len(access.urns)
        self._schedule()

    def _schedule(self) -> None:
        if not self._pending.is_set():
            self._pending.set()
            self._worker.wake()
            self._worker.start()

    def _store_and_seal(self) -> None:
        self._pending.clear()
        try:
            self.store_now()
            self._delete_old_entries()
        except StorageError:
            self._pending.set()
            raise

    def _store_remaining(self) -> None:
        if self._pending.is_set():
            try:
                self._store_and_seal()
            except StorageError as error:
                # Entries without a seal are sealed with later ones.
                if self._waiting:
                    _logger.error("%d accesses are not in the audit: %s", len(self._waiting), error.detail)

    def _store_waiting(self) -> None:
        while self._waiting:
            with self._lock:
                accesses = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
            try:
                events = self.provider.tx_runner.run(partial(self._select_events, accesses), read_only=True)
                if events:
                    self.provider.tx_runner.run(partial(_append_events, events))
            except BaseException:
                with self._lock:
                    self._waiting.extendleft(reversed(accesses))
                raise
            with self._lock:
                self._waiting_urns -= sum(len(access.urns) for access in accesses)

    def _select_events(self, accesses: Sequence[_Access], tx: TableContext) -> list[AuditEvent]:
        """Return the accesses that are recorded, one for each entity."""
        urns = {urn for access in accesses for urn in access.urns}
        sensitive = find_sensitive_entities(tx, urns)
        # The mark, or the entity, may have been removed since it was read.
        changed = audit_log.list_urns_of_changes_since(tx, accesses[0].time, _RECENT_MAX)
        sensitive |= _select_entities_and_columns_of({replace_column_with_dataset(urn) for urn in changed}, urns)
        return _merge_equal_events(
            AuditEvent(
                access.time,
                access.principal,
                access.action,
                access.outcome,
                urn,
                urn in sensitive,
                access.detail,
            )
            for access in accesses
            for urn in access.urns
            if urn in sensitive or access.outcome == "denied" or self._is_recording_every_read_of(access.principal)
        )

    def _delete_old_entries(self) -> None:
        if self.rules.days and time.monotonic() - self._deleted_at >= _DELETION_PAUSE_S:
            self._deleted_at = time.monotonic()
            delete_audit_entries_older_than_days(self.provider, self.key, self.now, self.rules.days)


def _append_events(events: Sequence[AuditEvent], tx: TableContext) -> None:
    audit_log.append_entries(tx, events)


def _select_entities_and_columns_of(subjects: AbstractSet[str], urns: Iterable[str]) -> set[str]:
    """Return the URNs of these subjects and of their columns."""
    return {urn for urn in urns if replace_column_with_dataset(urn) in subjects} if subjects else set()


def _create_event_of_change(change: Row, principal: Principal) -> AuditEvent:
    action: AuditAction = "change"
    detail = " ".join(filter(None, (change["operation"], change["aspect"])))
    if change["operation"] == "access":
        action, detail = "access", parse_stored_json(change["value"])["mode"]
    return AuditEvent(change["time"], principal, action, "allowed", change["urn"], True, detail, change["run"])


def _merge_equal_events(events: Iterable[AuditEvent]) -> list[AuditEvent]:
    """Return the events in their order; of those that differ only in their time, the first with their number."""
    first: dict[AuditEvent, AuditEvent] = {}
    for event in events:
        key = replace(event, time=0)
        known = first.get(key)
        first[key] = event if known is None else replace(known, count=known.count + 1)
    return list(first.values())
