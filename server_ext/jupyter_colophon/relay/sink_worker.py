"""Delivering to one sink: one process at a time, in the log's order, with retries, and dead letters at last.

A change that fails holds up those behind it while it is retried, so that no receiver gets a later state before an earlier
one; then it becomes a dead letter. A sink that takes nothing at all is waited for: no change becomes a dead letter for that.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from jupyter_colophon.composition import Catalog, now_ms
from jupyter_colophon.core.changes.inbox import DeadLetter, Refusal
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import DeliveryFailed, DeliveryRejected, SinkUnavailable, StorageError
from jupyter_colophon.relay.sink_factory import DeliveryOptions
from jupyter_colophon.relay.sink_protocol import FailureSink, Sink
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, Handled
from jupyter_colophon.storage.changes import dead_letters, log, sinks
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff, LoggedOutage, Worker

#: How many changes are delivered at once, where all goes well, and the longest pauses, in seconds: after a change failed,
#: and while the sink takes nothing.
BATCH_MAX, LONGEST_PAUSE_S, LONGEST_WAIT_S = 100, 300.0, 5.0
_logger = logging.getLogger("jupyter_colophon.relay")


@dataclass(slots=True)
class SinkWorker:
    """Delivers to one sink from one process, on a thread of its own."""

    name: str
    sink: Sink
    handling: DeliveryOptions
    catalog: Catalog
    _lease: Lease = field(init=False)
    _follower: ChangeLogFollower = field(init=False)
    _outage: LoggedOutage = field(init=False)
    _worker: Worker = field(init=False)
    #: How often the next change was tried, and the last failure that the sink was notified of.
    _attempts: int = 0
    _failed: int = 0

    def __post_init__(self) -> None:
        """Prepare the thread."""
        subject = f"the sink {self.name}"
        self._lease = Lease(sinks.follower(self.name), self.catalog.provider, self.handling.lease_s)
        self._follower = ChangeLogFollower(self._lease, self._handle, matches=self._matches, batch=BATCH_MAX)
        self._outage = LoggedOutage(_logger, subject)
        self._worker = Worker(
            f"colophon-sink-{self.name}",
            self._deliver_all,
            _logger,
            f"delivery to {subject}",
            idle_s=self._lease.heartbeat_s,
            backoff=Backoff(min(0.5, self._lease.heartbeat_s), self._lease.heartbeat_s),
            unavailable=(StorageError,),
            finish=self._release,
        )

    def start(self) -> None:
        """Deliver from now on."""
        self._worker.start()

    def wake(self) -> None:
        """Deliver new changes."""
        self._worker.wake()

    def stop(self) -> None:
        """Begin no further delivery."""
        self._worker.stop()

    def close(self, timeout_s: float) -> None:
        """Stop, and let another process continue; a delivery that has begun has this long."""
        self._worker.close(timeout_s)

    def _deliver_all(self) -> None:
        try:
            if self._acquire():
                self._redeliver()
                while not self._worker.is_stopped and self._follower.follow_batch():
                    self._redeliver()
                self._deliver_failures()
        except LeaseLost:
            _logger.info("another process delivers to the sink %s now", self.name)

    def _acquire(self) -> bool:
        was_held = self._lease.is_held
        if not self._follower.acquire():
            return False
        if not was_held:

            def begin(tx: TableContext) -> None:
                row = sinks.begin(tx, self.name)
                # The sink may have other settings now: what was wrong before shows again with the next attempt.
                sinks.note(tx, self.name, problem="")
                self._attempts, self._failed = int(row["attempts"] or 0), int(row["failed"] or 0)

            self._lease.run(begin)
        return True

    def _release(self) -> None:
        self.sink.close()
        try:
            self._lease.release()
        except StorageError as error:
            _logger.warning("the sink %s: the lease was not released, and expires: %s", self.name, error.detail)

    def _note(self, **changes: object) -> None:
        self._lease.run(lambda tx: sinks.note(tx, self.name, **changes))

    def _matches(self, change: Change) -> bool:
        namespaces = self.handling.namespaces
        return not namespaces or change.namespace in namespaces

    def _handle(self, changes: Sequence[Change]) -> Handled:
        """Deliver changes together, or after a failure the first alone."""
        error = self._try(lambda: self.sink.deliver(changes))
        if error is None:
            self._attempts = 0
            self._outage.end()
            self._follower.batch = min(2 * self._follower.batch, BATCH_MAX)
            return Handled(len(changes), lambda tx: sinks.note(tx, self.name, attempts=0, problem=""))
        if len(changes) > 1 and not isinstance(error, SinkUnavailable):
            # Delivered one by one, they show which of them it was.
            self._follower.batch = 1
            return Handled(0)
        self._attempts += 1
        if isinstance(error, SinkUnavailable):
            self._outage.begin(error.detail)
            self._wait(error, LONGEST_WAIT_S)
            return Handled(0)
        if self._attempts < self.handling.attempts and not isinstance(error, DeliveryRejected):
            self._wait(error, LONGEST_PAUSE_S)
            return Handled(0)
        return self._give_up(changes[0], error)

    def _give_up(self, change: Change, error: DeliveryFailed) -> Handled:
        """Make a change a dead letter, and go on with the next."""
        detail = f"the sink {self.name}: giving up on change {change.seq}, which is a dead letter now: {error.detail}"
        _logger.warning("%s", detail)
        attempts, self._attempts = self._attempts, 0

        def record(tx: TableContext) -> None:
            sinks.bury(tx, self.name, change, Refusal.of(error), attempts, now_ms())
            sinks.note(tx, self.name, attempts=0, problem=error.detail)

        return Handled(1, record)

    def _wait(self, error: DeliveryFailed, longest_s: float) -> None:
        """Record a failed attempt, and wait before the next one."""
        self._note(attempts=self._attempts, problem=error.detail)
        end = time.monotonic() + Backoff(self.handling.retry_delay_s, longest_s).pause_s(self._attempts)
        while (left := end - time.monotonic()) > 0 and not self._worker.pause(min(left, self._lease.heartbeat_s)):
            self._lease.renew()

    def _deliver_failures(self) -> None:
        """Deliver proposals that could not be applied, up to the newest, if the sink takes them."""
        sink, run = self.sink, self.catalog.provider.tx_runner.run
        if not isinstance(sink, FailureSink):
            return
        while not self._worker.is_stopped:
            failures = run(partial(dead_letters.failures, after=self._failed, limit=BATCH_MAX), read_only=True)
            for turn, letter in failures:
                if letter is not None and self._concerns(letter) and not self._deliver_failure(sink, turn, letter):
                    return
                self._note(failed=turn, problem="")
                self._failed = turn
            if not failures:
                return

    def _deliver_failure(self, sink: FailureSink, turn: int, letter: DeadLetter) -> bool:
        """Return False where the sink takes nothing now."""
        error = self._try(lambda: sink.deliver_failure(letter, turn))
        if isinstance(error, SinkUnavailable):
            self._note(problem=error.detail)
            return False
        if error is not None:
            # It is a dead letter already.
            _logger.warning("the sink %s: giving up on failure %s: %s", self.name, turn, error.detail)
        return True

    def _concerns(self, letter: DeadLetter) -> bool:
        namespaces, identity = self.handling.namespaces, self.catalog.identity
        return not namespaces or any(identity.namespace_of(proposal.urn) in namespaces for proposal in letter.proposals)

    def _redeliver(self) -> None:
        """Deliver once more what an administrator asked for."""
        run = self.catalog.provider.tx_runner.run
        while (seq := run(lambda tx: sinks.again(tx, self.name), read_only=True)) is not None:
            if not self._redeliver_change(seq):
                return

    def _redeliver_change(self, seq: int) -> bool:
        """Return False where the sink takes nothing now."""

        def read(tx: TableContext) -> list[Change]:
            return [change for change in log.changes(tx, seq - 1, 1, {}) if change.seq == seq]

        changes = self.catalog.provider.tx_runner.run(read, read_only=True)
        error = self._try(lambda: self.sink.deliver(changes)) if changes else None
        if isinstance(error, SinkUnavailable):
            return False
        if not changes:
            _logger.warning("the sink %s: change %s is no longer kept, and not delivered again", self.name, seq)

        def record(tx: TableContext) -> None:
            sinks.done_again(tx, self.name, seq)
            if error is not None:
                sinks.bury(tx, self.name, changes[0], Refusal.of(error), 1, now_ms())

        self._lease.run(record)
        return True

    def _try(self, deliver: Callable[[], None]) -> DeliveryFailed | None:
        """Return why the sink did not take something; None where it did."""
        try:
            deliver()
        except DeliveryFailed as error:
            return error
        except Exception as error:
            # Another package's code: the log alone shows what is wrong with it.
            _logger.exception("the sink %s failed", self.name)
            return DeliveryFailed(f"the sink failed ({type(error).__name__})")
        return None
