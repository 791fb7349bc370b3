"""Lineage listeners: notify registered listeners of each run that ends (spec WRITE-23).

Each has its own thread and cursor in the change log, so a failing or hanging one affects only itself. Of several
processes on one store, one notifies a listener; another takes over when that one ends.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.core.lineage.lineage_listener import LineageInfo, LineageListener, ListenerContext, ProgramRun
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, HandledBatch
from jupyter_colophon.service.changes.feed import ChangeFeed
from jupyter_colophon.service.schemaspaces.call_with_timeout import TimeoutRunner
from jupyter_colophon.service.schemaspaces.registrations import (
    PackageRegistration,
    find_entry_points,
    list_registrations,
)
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import StorageProvider
from jupyter_colophon.system.worker import Backoff, Worker

GROUP = "jupyter_colophon.lineage_listeners"
#: How long a package may take to load, and a call of a listener may take, in seconds.
LOADING_S, TIMEOUT_S = 5.0, 30.0
#: After how many seconds without a heartbeat another process notifies a listener, and the interval of the checks for timeouts.
LEASE_S, WATCH_S = 30.0, 1.0
_logger = logging.getLogger("jupyter_colophon.lineage_listeners")


@dataclass(frozen=True, slots=True)
class ListenerState:
    """The state of a listener. `problem` is the error on loading, or the last one that it raised; `cursor` is the number of the change
    that was delivered last, None before the first delivery."""

    name: str
    distribution: str
    version: str
    delivered: int = 0
    failed: int = 0
    timed_out: bool = False
    problem: str = ""
    cursor: int | None = None


class LineageListenerManager:
    """All lineage listeners of a server. `options` are their properties by name; False leaves one out."""

    def __init__(self, provider: StorageProvider, feed: ChangeFeed, options: Mapping[str, Any]) -> None:
        self._provider, self._feed, self._options = provider, feed, options
        self._workers: list[_ListenerWorker] = []
        self._missing: list[ListenerState] = []
        self._is_loaded = False
        self._end_listening: Callable[[], None] | None = None
        self._worker = Worker(
            "colophon-lineage-listeners", self._watch_workers_and_load_new, _logger, "lineage listeners", idle_s=WATCH_S
        )

    def load_and_start(self) -> None:
        """Load the installed listeners in the background, and notify them from now on."""
        self._worker.start()

    def get_listener_states(self) -> list[ListenerState]:
        """Return the states of the listeners."""
        return [*(worker.get_listener_state() for worker in self._workers), *self._missing]

    def stop_listeners(self) -> None:
        """Stop; a call that hangs ends with the process."""
        self._worker.stop()
        if self._end_listening is not None:
            self._end_listening()
        for worker in self._workers:
            worker.stop_thread()

    def _watch_workers_and_load_new(self) -> float | None:
        if not self._is_loaded:
            self._is_loaded = True
            for registration in list_registrations(find_entry_points(GROUP), ()):
                if self._options.get(registration.name) is not False and not self._worker.is_stopped:
                    self._load_listener(registration)
        if not self._workers:
            return Worker.DONE
        if self._end_listening is None and not self._worker.is_stopped:
            # While the store is unavailable, the workers poll.
            with suppress(StorageError):
                self._end_listening = self._feed.register_listener(self._wake_workers_on_ended_run)
        for worker in self._workers:
            worker.renew_lease_or_abandon_hanging_call()
        return None

    def _load_listener(self, registration: PackageRegistration) -> None:
        try:
            listener = TimeoutRunner(LOADING_S).call_with_timeout(lambda: registration.load()(), lambda _: None)
            if not isinstance(listener, LineageListener):
                raise TypeError("not a LineageListener")
        except BaseException as error:  # noqa: BLE001  third-party code may raise anything
            _logger.error(
                "the lineage listener %s of the package %s cannot be loaded: %s",
                registration.name,
                registration.distribution,
                _format_error_in_one_line(error),
            )
            self._missing.append(
                ListenerState(
                    registration.name,
                    registration.distribution,
                    registration.version,
                    problem=_format_error_in_one_line(error),
                )
            )
            return
        context = ListenerContext(dict(self._options.get(registration.name) or {}))
        worker = _ListenerWorker(registration, listener, context, self._provider)
        self._workers.append(worker)
        worker.start_thread()

    def _wake_workers_on_ended_run(self, changes: Any) -> None:
        if any(change.operation == "run-end" for change in changes):
            for worker in self._workers:
                worker.check_log_now()


@dataclass(slots=True)
class _ListenerWorker:
    """Notifies one listener, on its own thread."""

    registration: PackageRegistration
    listener: LineageListener
    context: ListenerContext
    provider: StorageProvider
    _follower: ChangeLogFollower = field(init=False)
    _worker: Worker = field(init=False)
    _at: int | None = None
    _delivered: int = 0
    _failed: int = 0
    _problem: str = ""
    #: The change being handled and its start time; the last change that was abandoned.
    _current: "tuple[int, float] | None" = None
    _abandoned: int = 0

    def __post_init__(self) -> None:
        """Prepare the thread."""
        lease = Lease(f"listener:{self.registration.distribution}:{self.registration.name}", self.provider, LEASE_S)
        self._follower = ChangeLogFollower(
            lease, self._handle_changes, where={"type": "dataJob"}, matches=lambda change: change.operation == "run-end"
        )
        self._worker = Worker(
            f"colophon-lineage-listener-{self.registration.name}",
            self._follow_change_log,
            _logger,
            f"listener {self.name}",
            idle_s=lease.heartbeat_s,
            backoff=Backoff(lease.heartbeat_s, lease.heartbeat_s),
            unavailable=(StorageError,),
            finish=self._release_lease,
        )

    @property
    def name(self) -> str:
        """The listener's name; it need not be unique among packages."""
        return self.listener.name or self.registration.name

    def start_thread(self) -> None:
        """Start from the stored cursor, or from now on if there is none."""
        self._worker.start()

    def check_log_now(self) -> None:
        """Check the log at once: a run has ended."""
        self._worker.wake()

    def stop_thread(self) -> None:
        """Stop. A call that is running is not interrupted."""
        self._worker.stop()
        if self._current is None:
            self._worker.join(1)

    def get_listener_state(self) -> ListenerState:
        """Return the state of the listener."""
        current = self._current
        hanging = current is not None and time.monotonic() - current[1] > TIMEOUT_S
        identity = (self.name, self.registration.distribution, self.registration.version)
        return ListenerState(*identity, self._delivered, self._failed, hanging, self._problem, self._at)

    def renew_lease_or_abandon_hanging_call(self) -> None:
        """Renew the lease while the listener works; abandon a run that it hangs on, and continue after it."""
        current = self._current
        if current is None or self._abandoned == current[0]:
            return
        is_hanging = time.monotonic() - current[1] > TIMEOUT_S
        if is_hanging:
            self._abandoned = current[0]
            self._record_listener_failure(f"did not return within {TIMEOUT_S:g} s")
        try:
            if is_hanging:
                self._follower.advance_cursor_and_run(current[0])
            else:
                self._follower.lease.renew_if_due()
        except LeaseLost:
            _logger.info(
                "this process stops notifying the lineage listener %s, because another process notifies it now",
                self.name,
            )
        except StorageError as error:
            _logger.warning("the lineage listener %s cannot use the store of the catalog: %s", self.name, error.detail)

    def _follow_change_log(self) -> None:
        follower = self._follower
        try:
            if not follower.acquire_lease_and_load_cursor():
                self._at = self.provider.tx_runner.run(
                    lambda tx: cursors.get_or_create_position(tx, follower.lease.name)
                )
                return
            self._at = follower.position
            while not self._worker.is_stopped and follower.handle_next_batch():
                self._at = follower.position
        except LeaseLost:
            _logger.info(
                "this process stops notifying the lineage listener %s, because another process notifies it now",
                self.name,
            )

    def _release_lease(self) -> None:
        with suppress(StorageError):
            self._follower.lease.release_lease()

    def _handle_changes(self, changes: Sequence[Change]) -> HandledBatch:
        for count, change in enumerate(changes):
            if self._worker.is_stopped:
                return HandledBatch(count)
            self._call_listener(change)
            # Record each change before handling the next.
            self._follower.advance_cursor_and_run(change.seq)
            self._at = change.seq
        return HandledBatch(len(changes))

    def _call_listener(self, change: Change) -> None:
        run = self.provider.tx_runner.run(lambda tx: runs.find_run_by_urn(tx, str(change.run)), read_only=True)
        if run is None:
            return
        program_run = ProgramRun(run.program, run.run_id, run.urn, run.status, run.actor)
        self._current = (change.seq, time.monotonic())
        try:
            self.listener.on_lineage(self.context, program_run, LineageInfo.from_run(run, f"{run.urn}#{change.seq}"))
            self._delivered += 1
        except BaseException as error:  # noqa: BLE001  third-party code may raise anything, SystemExit too
            self._record_listener_failure(_format_error_in_one_line(error))
        finally:
            self._current = None

    def _record_listener_failure(self, problem: str) -> None:
        self._failed, self._problem = self._failed + 1, problem
        _logger.error(
            "the lineage listener %s of the package %s failed: %s", self.name, self.registration.distribution, problem
        )


def _format_error_in_one_line(error: BaseException) -> str:
    """Return an exception as one line of text."""
    first = str(error).partition("\n")[0][:300]
    return f"{type(error).__name__}: {first}".removesuffix(": ")
