"""Delivery to one sink: by one process at a time, in the order of the log, with retries, and finally dead letters.

A failed change holds up later ones while it is retried, so that no receiver gets a later state before an earlier one; then
it becomes a dead letter. While a sink accepts nothing at all, the worker waits, and no change becomes a dead letter.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from jupyter_colophon.composition import Catalog, read_time_ms
from jupyter_colophon.core.changes.inbox import DeadLetter, Rejection
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import DeliveryFailed, DeliveryRejected, SinkUnavailable, StorageError
from jupyter_colophon.relay.sink_factory import DeliveryOptions
from jupyter_colophon.relay.sink_protocol import FailureSink, Sink
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, HandledBatch
from jupyter_colophon.storage.changes import dead_letters, log, sinks
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff, LoggedOutage, Worker

#: Maximum number of changes per delivery, and the maximum pauses in seconds: after a failed change, and while the sink
#: accepts nothing.
BATCH_MAX, MAX_PAUSE_S, MAX_WAIT_S = 100, 300.0, 5.0
_logger = logging.getLogger("jupyter_colophon.relay")


@dataclass(slots=True)
class SinkWorker:
    """Deliver to one sink from one process, on a separate thread."""

    name: str
    sink: Sink
    options: DeliveryOptions
    catalog: Catalog
    _lease: Lease = field(init=False)
    _follower: ChangeLogFollower = field(init=False)
    _outage: LoggedOutage = field(init=False)
    _worker: Worker = field(init=False)
    #: Number of attempts for the next change, and the number of the last dead letter that was delivered.
    _attempts: int = 0
    _failed: int = 0

    def __post_init__(self) -> None:
        """Create the thread."""
        subject = f"the sink {self.name}"
        self._lease = Lease(
            sinks.get_follower_name_of_sink(self.name), self.catalog.provider, self.options.lease_seconds
        )
        self._follower = ChangeLogFollower(
            self._lease, self._deliver_changes, matches=self._is_namespace_selected, batch=BATCH_MAX
        )
        self._outage = LoggedOutage(_logger, subject)
        self._worker = Worker(
            f"colophon-sink-{self.name}",
            self._deliver_pending,
            _logger,
            f"delivery to {subject}",
            idle_s=self._lease.heartbeat_s,
            backoff=Backoff(min(0.5, self._lease.heartbeat_s), self._lease.heartbeat_s),
            unavailable=(StorageError,),
            finish=self._close_sink_and_release_lease,
        )

    def start(self) -> None:
        """Start delivering."""
        self._worker.start()

    def wake(self) -> None:
        """Deliver new changes."""
        self._worker.wake()

    def stop(self) -> None:
        """Start no further delivery."""
        self._worker.stop()

    def close(self, timeout_s: float) -> None:
        """Stop, and let another process take over; a delivery that has begun has this long to finish."""
        self._worker.close(timeout_s)

    def _deliver_pending(self) -> None:
        try:
            if self._acquire_lease():
                self._redeliver_requested()
                while not self._worker.is_stopped and self._follower.handle_next_batch():
                    self._redeliver_requested()
                self._deliver_failures()
        except LeaseLost:
            _logger.info("sink %s: another process delivers now", self.name)

    def _acquire_lease(self) -> bool:
        was_held = self._lease.is_held
        if not self._follower.acquire_lease_and_load_cursor():
            return False
        if not was_held:

            def begin(tx: TableContext) -> None:
                row = sinks.get_or_create_sink_state(tx, self.name)
                # The settings may have changed: an old problem will be reported again by the next attempt.
                sinks.update_delivery_state(tx, self.name, problem="")
                self._attempts, self._failed = int(row["attempts"] or 0), int(row["failed"] or 0)

            self._lease.run_in_transaction_while_held(begin)
        return True

    def _close_sink_and_release_lease(self) -> None:
        self.sink.close()
        try:
            self._lease.release_lease()
        except StorageError as error:
            _logger.warning("sink %s: the lease was not released, and will expire: %s", self.name, error.detail)

    def _update_state(self, **changes: object) -> None:
        self._lease.run_in_transaction_while_held(lambda tx: sinks.update_delivery_state(tx, self.name, **changes))

    def _is_namespace_selected(self, change: Change) -> bool:
        namespaces = self.options.namespaces
        return not namespaces or change.namespace in namespaces

    def _deliver_visible(self, changes: Sequence[Change]) -> DeliveryFailed | None:
        """Deliver those of the changes that the sink may receive; return the error, or None."""
        visible = select_changes_of_sink(self.catalog, self.options, changes)
        return self._try_delivery(lambda: self.sink.deliver(visible)) if visible else None

    def _deliver_changes(self, changes: Sequence[Change]) -> HandledBatch:
        """Deliver changes together, or after a failure only the first."""
        error = self._deliver_visible(changes)
        if error is None:
            self._attempts = 0
            self._outage.end()
            self._follower.batch = min(2 * self._follower.batch, BATCH_MAX)
            return HandledBatch(
                len(changes), lambda tx: sinks.update_delivery_state(tx, self.name, attempts=0, problem="")
            )
        if len(changes) > 1 and not isinstance(error, SinkUnavailable):
            # Deliver them one by one to find the one that fails.
            self._follower.batch = 1
            return HandledBatch(0)
        self._attempts += 1
        if isinstance(error, SinkUnavailable):
            self._outage.begin(error.detail)
            self._record_failure_and_wait(error, MAX_WAIT_S)
            return HandledBatch(0)
        if self._attempts < self.options.attempts and not isinstance(error, DeliveryRejected):
            self._record_failure_and_wait(error, MAX_PAUSE_S)
            return HandledBatch(0)
        return self._store_dead_letter(changes[0], error)

    def _store_dead_letter(self, change: Change, error: DeliveryFailed) -> HandledBatch:
        """Make a change a dead letter, and continue with the next."""
        detail = f"sink {self.name}: change {change.seq} was not delivered and is now a dead letter: {error.detail}"
        _logger.warning("%s", detail)
        attempts, self._attempts = self._attempts, 0

        def record(tx: TableContext) -> None:
            sinks.add_dead_letter_of_change(
                tx, self.name, change, Rejection.from_error(error), attempts, read_time_ms()
            )
            sinks.update_delivery_state(tx, self.name, attempts=0, problem=error.detail)

        return HandledBatch(1, record)

    def _record_failure_and_wait(self, error: DeliveryFailed, max_s: float) -> None:
        """Record a failed attempt, and wait before the next one."""
        self._update_state(attempts=self._attempts, problem=error.detail)
        end = time.monotonic() + Backoff(self.options.retry_delay_seconds, max_s).compute_pause_s(self._attempts)
        while (left := end - time.monotonic()) > 0 and not self._worker.wait_unless_stopped(
            min(left, self._lease.heartbeat_s)
        ):
            self._lease.renew_if_due()

    def _deliver_failures(self) -> None:
        """Deliver proposals that could not be applied, if the sink accepts them."""
        sink, run = self.sink, self.catalog.provider.tx_runner.run
        if not isinstance(sink, FailureSink):
            return
        while not self._worker.is_stopped:
            failures = run(
                partial(dead_letters.list_failures_after, after=self._failed, limit=BATCH_MAX), read_only=True
            )
            for turn, letter in failures:
                if (
                    letter is not None
                    and self._is_letter_selected(letter)
                    and not self._deliver_failure(sink, turn, letter)
                ):
                    return
                self._update_state(failed=turn, problem="")
                self._failed = turn
            if not failures:
                return

    def _deliver_failure(self, sink: FailureSink, failure_number: int, letter: DeadLetter) -> bool:
        """Deliver a dead letter; return False if the sink accepts nothing now."""
        error = self._try_delivery(lambda: sink.deliver_failure(letter, failure_number))
        if isinstance(error, SinkUnavailable):
            self._update_state(problem=error.detail)
            return False
        if error is not None:
            # It is a dead letter already.
            _logger.warning(
                "sink %s: failed proposal %s was not delivered: %s", self.name, failure_number, error.detail
            )
        return True

    def _is_letter_selected(self, letter: DeadLetter) -> bool:
        namespaces, identity, principal = self.options.namespaces, self.catalog.identity, self.options.principal
        urns = [proposal.urn for proposal in letter.proposals]
        if namespaces and not any(identity.get_namespace(urn) in namespaces for urn in urns):
            return False
        if principal is None:
            return True
        # A message that could not be parsed names no entities.
        return bool(urns) and len(self.catalog.reader.read_policy.filter_visible_entities(principal, urns)) == len(urns)

    def _redeliver_requested(self) -> None:
        """Repeat deliveries that an administrator requested."""
        run = self.catalog.provider.tx_runner.run
        while (seq := run(lambda tx: sinks.find_first_redelivery(tx, self.name), read_only=True)) is not None:
            if not self._redeliver_change(seq):
                return

    def _redeliver_change(self, seq: int) -> bool:
        """Repeat the delivery of a change; return False if the sink accepts nothing now."""

        def read(tx: TableContext) -> list[Change]:
            return [change for change in log.list_changes_after(tx, seq - 1, 1, {}) if change.seq == seq]

        changes = self.catalog.provider.tx_runner.run(read, read_only=True)
        error = self._deliver_visible(changes)
        if isinstance(error, SinkUnavailable):
            return False
        if not changes:
            _logger.warning("sink %s: change %s is no longer in the log and cannot be delivered again", self.name, seq)

        def record(tx: TableContext) -> None:
            sinks.delete_redelivery_request(tx, self.name, seq)
            if error is not None:
                sinks.add_dead_letter_of_change(
                    tx, self.name, changes[0], Rejection.from_error(error), 1, read_time_ms()
                )

        self._lease.run_in_transaction_while_held(record)
        return True

    def _try_delivery(self, deliver: Callable[[], None]) -> DeliveryFailed | None:
        """Deliver something; return the error, or None."""
        try:
            deliver()
        except DeliveryFailed as error:
            return error
        except Exception as error:
            # Another package's code: only the log has the details.
            _logger.exception("sink %s failed", self.name)
            return DeliveryFailed(f"the sink failed ({type(error).__name__})")
        return None


def select_changes_of_sink(catalog: Catalog, options: DeliveryOptions, changes: Sequence[Change]) -> Sequence[Change]:
    """Return the changes that a sink may receive, without confidential values."""
    if options.principal is None:
        return catalog.feed.remove_confidential_values(changes)
    return catalog.feed.filter_visible_changes(changes, {}, options.principal)
