"""The change log as a feed: one thread a process reads it and tells whoever listens (spec WRITE-19)."""

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.service.aspect_redaction import VisibleValues
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.changes import log, signed_chain
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.system.worker import Backoff, Worker

#: How often another process's commits are looked for while anybody listens, in seconds.
POLL_S = 0.2
#: How many changes are read and handed on at once.
SLICE = 500
_logger = logging.getLogger("jupyter_colophon.feed")

Listener = Callable[[Sequence[Change]], None]


class Slice(NamedTuple):
    """Changes that were read, and the number from which to read on: it moves also over what fits no filter."""

    changes: list[Change]
    cursor: int
    #: Whether the log went on after it.
    more: bool


@dataclass(slots=True)
class Feed:
    """Reads the change log and tells listeners of new changes, in their order.

    A listener is called on the feed's own thread; it must hand on and return at once.
    """

    provider: StorageProvider
    gate: Gate
    _listeners: list[Listener] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _after: int = 0
    #: How much was committed when the log was read last.
    _seen: int = -1
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first listener."""
        self._worker = Worker(
            "colophon-feed",
            self._read_on,
            _logger,
            "the change feed",
            backoff=Backoff(POLL_S, 5 * POLL_S),
            unavailable=(StorageError,),
        )

    def head(self) -> int:
        """The number of the newest change; 0 when there is none."""
        return self.provider.tx_runner.run(lambda tx: tx.log.head(), read_only=True)

    def changes(self, after: int, limit: int, where: Mapping[str, str], principal: Principal) -> list[Change]:
        """Changes after a number that the principal may read, oldest first. Raises LogCompacted."""
        return self.read(after, limit, where, principal).changes

    @audited("changes", lambda part: (change.urn for change in part.changes))
    def read(self, after: int, limit: int, where: Mapping[str, str], principal: Principal) -> Slice:
        """Those among the next changes after a number that the principal may read. Raises LogCompacted."""

        def work(tx: TableContext) -> tuple[int, list[Change], bool]:
            signed_chain.require_kept(tx, after)
            # The head first: what is committed while we read is no part of what was passed over.
            return tx.log.head(), *log.page(tx, after, limit, where)

        head, found, full = self.provider.tx_runner.run(work, read_only=True)
        last = found[-1].seq if found else after
        return Slice(self.visible(found, where, principal), last if full else max(head, last), full)

    def require_kept(self, after: int) -> None:
        """Raise LogCompacted where changes after this number are no longer kept."""
        self.provider.tx_runner.run(lambda tx: signed_chain.require_kept(tx, after), read_only=True)

    def visible(self, changes: Sequence[Change], where: Mapping[str, str], principal: Principal) -> list[Change]:
        """Those changes that fit the filter and that the principal may read. Not inside a transaction."""
        fitting = [
            change
            for change in changes
            if all(getattr(change, name) == value for name, value in where.items())
            and self.gate.may_read(principal, change.namespace)
        ]
        if not self.gate.has_policy:
            return fitting
        urns = {change.urn: Urn.parse(change.urn) for change in fitting if change.type == INSTANCE}
        seen = set(self.gate.filter_visible(principal, urns.values()))
        shown = [
            change
            for change in fitting
            if (change.type != INSTANCE or self._shows(change, urns, seen, principal))
            and self._shows_program(change, principal)
        ]
        return self.provider.tx_runner.run(
            lambda tx: _with_visible_values(tx, self.gate, shown, principal), read_only=True
        )

    def _shows_program(self, change: Change, principal: Principal) -> bool:
        """Whether the program may be seen that a change of data, an access, names."""
        program = (change.value or {}).get("program") if change.operation == "access" else None
        return not isinstance(program, str) or bool(self.gate.filter_visible(principal, [Urn.parse(program)]))

    def _shows(self, change: Change, urns: Mapping[str, Urn], seen: Collection[Urn], principal: Principal) -> bool:
        """Whether a change of an instance may be shown: as it is now, as it was, and as it became."""
        urn = urns[change.urn]
        values = (change.previous, change.value) if change.aspect == INSTANCE else ()
        return urn in seen and all(self.gate.may_see_value(principal, urn, value) for value in values)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener of every change from now on; returns what ends that. Raises StorageError."""
        head = self.head()
        with self._lock:
            if not self._listeners:
                self._after = max(self._after, head)
            self._listeners.append(listener)
        self._worker.wake()
        # It stays, asleep while nobody listens: a thread has a connection of its own to the store.
        self._worker.start()

        def end() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return end

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._listeners)

    def wake(self) -> None:
        """Something was committed by this process: look at once."""
        self._worker.wake()

    def close(self) -> None:
        """End the thread."""
        with self._lock:
            self._listeners.clear()
        self._worker.close()

    def _read_on(self) -> float | None:
        if not self._listeners:
            return None
        commits = self.provider.commits()
        if commits != self._seen:
            self._hand_on()
            self._seen = commits
        return POLL_S

    def _hand_on(self) -> None:
        while found := self._slice(self._after):
            with self._lock:
                listeners = list(self._listeners)
                self._after = found[-1].seq
            for listener in listeners:
                self._tell(listener, found)

    def _tell(self, listener: Listener, changes: Sequence[Change]) -> None:
        try:
            listener(changes)
        except Exception:
            # One bad listener harms only itself (spec PROMISE-7).
            _logger.exception("a listener of the change log failed and is told no more")
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

    def _slice(self, after: int) -> list[Change]:
        found, _ = self.provider.tx_runner.run(lambda tx: log.page(tx, after, SLICE, {}), read_only=True)
        return found


def _with_visible_values(tx: TableContext, gate: Gate, changes: Sequence[Change], principal: Principal) -> list[Change]:
    """Changes of aspects without what their values say of entities that may not be seen."""
    visible = VisibleValues(tx, gate, principal)
    return [
        change
        if change.aspect is None
        else replace(
            change,
            previous=visible.value(change.aspect, change.previous),
            value=visible.value(change.aspect, change.value),
        )
        for change in changes
    ]
