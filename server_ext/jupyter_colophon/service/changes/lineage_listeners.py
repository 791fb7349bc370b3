"""Lineage listeners: notify registered listeners of each run that ends (spec WRITE-23).

Each has a thread and a place in the change log of its own: one that fails or hangs harms only itself. Of several
processes on one store one notifies it, and another takes over when that one ends.
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
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, Handled
from jupyter_colophon.service.changes.feed import Feed
from jupyter_colophon.service.schemaspaces.call_with_timeout import TimeoutRunner
from jupyter_colophon.service.schemaspaces.registrations import Registration, installed, registrations
from jupyter_colophon.storage.changes import cursors
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import StorageProvider
from jupyter_colophon.system.worker import Backoff, Worker

GROUP = "jupyter_colophon.lineage_listeners"
#: How long a package may take to load, and a call of a listener may take, in seconds.
LOADING_S, HANGING_S = 5.0, 30.0
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


class LineageListeners:
    """All lineage listeners of a server. `options` are their properties by name; False leaves one out."""

    def __init__(self, provider: StorageProvider, feed: Feed, options: Mapping[str, Any]) -> None:
        self._provider, self._feed, self._options = provider, feed, options
        self._workers: list[_ListenerWorker] = []
        self._missing: list[ListenerState] = []
        self._is_loaded = False
        self._end_listening: Callable[[], None] | None = None
        self._worker = Worker("colophon-lineage-listeners", self._watch, _logger, "lineage listeners", idle_s=WATCH_S)

    def start(self) -> None:
        """Load the installed listeners in the background, and notify them from now on."""
        self._worker.start()

    def states(self) -> list[ListenerState]:
        """Return the states of the listeners."""
        return [*(one.state() for one in self._workers), *self._missing]

    def close(self) -> None:
        """Stop; a call that hangs ends with the process."""
        self._worker.stop()
        if self._end_listening is not None:
            self._end_listening()
        for one in self._workers:
            one.close()

    def _watch(self) -> float | None:
        if not self._is_loaded:
            self._is_loaded = True
            for registration in registrations(installed(GROUP), ()):
                if self._options.get(registration.name) is not False and not self._worker.is_stopped:
                    self._take(registration)
        if not self._workers:
            return Worker.DONE
        if self._end_listening is None and not self._worker.is_stopped:
            # While the store is away they look by themselves, a little later.
            with suppress(StorageError):
                self._end_listening = self._feed.listen(self._wake)
        for worker in self._workers:
            worker.watch()
        return None

    def _take(self, of: Registration) -> None:
        try:
            listener = TimeoutRunner(LOADING_S).call(lambda: of.load()(), lambda _: None)
            if not isinstance(listener, LineageListener):
                raise TypeError("not a LineageListener")
        except BaseException as error:  # noqa: BLE001  what strangers wrote may raise anything
            _logger.error("the listener %s of %s did not load: %s", of.name, of.distribution, _line(error))
            self._missing.append(ListenerState(of.name, of.distribution, of.version, problem=_line(error)))
            return
        context = ListenerContext(dict(self._options.get(of.name) or {}))
        worker = _ListenerWorker(of, listener, context, self._provider)
        self._workers.append(worker)
        worker.start()

    def _wake(self, changes: Any) -> None:
        if any(one.operation == "run-end" for one in changes):
            for worker in self._workers:
                worker.wake()


@dataclass(slots=True)
class _ListenerWorker:
    """Notifies one listener, on its own thread."""

    of: Registration
    listener: LineageListener
    context: ListenerContext
    provider: StorageProvider
    _follower: ChangeLogFollower = field(init=False)
    _worker: Worker = field(init=False)
    _at: int | None = None
    _told: int = 0
    _failed: int = 0
    _problem: str = ""
    #: What it is being told, and since when; and the change with which it was given up.
    _busy: "tuple[int, float] | None" = None
    _given_up: int = 0

    def __post_init__(self) -> None:
        """Prepare the thread."""
        lease = Lease(f"listener:{self.of.distribution}:{self.of.name}", self.provider, LEASE_S)
        self._follower = ChangeLogFollower(
            lease, self._handle, where={"type": "dataJob"}, matches=lambda change: change.operation == "run-end"
        )
        self._worker = Worker(
            f"colophon-lineage-listener-{self.of.name}",
            self._follow,
            _logger,
            f"listener {self.name}",
            idle_s=lease.heartbeat_s,
            backoff=Backoff(lease.heartbeat_s, lease.heartbeat_s),
            unavailable=(StorageError,),
            finish=self._release,
        )

    @property
    def name(self) -> str:
        """What it is called; two packages may choose the same word."""
        return self.listener.name or self.of.name

    def start(self) -> None:
        """Begin, with what comes from now on or where it was left."""
        self._worker.start()

    def wake(self) -> None:
        """A run has ended."""
        self._worker.wake()

    def close(self) -> None:
        """Stop. A call that is running is not interrupted."""
        self._worker.stop()
        if self._busy is None:
            self._worker.join(1)

    def state(self) -> ListenerState:
        """Return the state of the listener."""
        busy = self._busy
        hanging = busy is not None and time.monotonic() - busy[1] > HANGING_S
        told = (self.name, self.of.distribution, self.of.version)
        return ListenerState(*told, self._told, self._failed, hanging, self._problem, self._at)

    def watch(self) -> None:
        """Keep the lease while the listener works; give a run up that it does not come back from, and go on after it."""
        busy = self._busy
        if busy is None or self._given_up == busy[0]:
            return
        is_hanging = time.monotonic() - busy[1] > HANGING_S
        if is_hanging:
            self._given_up = busy[0]
            self._note(f"it has not come back for {HANGING_S:g} s")
        try:
            if is_hanging:
                self._follower.record(busy[0])
            else:
                self._follower.lease.renew()
        except LeaseLost:
            _logger.info("another process notifies the listener %s now", self.name)
        except StorageError as error:
            _logger.warning("listener %s: %s", self.name, error.detail)

    def _follow(self) -> None:
        follower = self._follower
        try:
            if not follower.acquire():
                self._at = self.provider.tx_runner.run(lambda tx: cursors.begin(tx, follower.lease.name))
                return
            self._at = follower.position
            while not self._worker.is_stopped and follower.follow_batch():
                self._at = follower.position
        except LeaseLost:
            _logger.info("another process notifies the listener %s now", self.name)

    def _release(self) -> None:
        with suppress(StorageError):
            self._follower.lease.release()

    def _handle(self, changes: Sequence[Change]) -> Handled:
        for count, change in enumerate(changes):
            if self._worker.is_stopped:
                return Handled(count)
            self._call(change)
            # Each is recorded before the next begins.
            self._follower.record(change.seq)
            self._at = change.seq
        return Handled(len(changes))

    def _call(self, change: Change) -> None:
        run = self.provider.tx_runner.run(lambda tx: runs.run(tx, str(change.run)), read_only=True)
        if run is None:
            return
        told = ProgramRun(run.program, run.run_id, run.urn, run.status, run.actor)
        self._busy = (change.seq, time.monotonic())
        try:
            self.listener.on_lineage(self.context, told, LineageInfo.of(run, f"{run.urn}#{change.seq}"))
            self._told += 1
        except BaseException as error:  # noqa: BLE001  what strangers wrote may even end the program
            self._note(_line(error))
        finally:
            self._busy = None

    def _note(self, problem: str) -> None:
        self._failed, self._problem = self._failed + 1, problem
        _logger.error("listener %s of %s failed: %s", self.name, self.of.distribution, problem)


def _line(error: BaseException) -> str:
    """An error of a package in one line."""
    first = str(error).partition("\n")[0][:300]
    return f"{type(error).__name__}: {first}".removesuffix(": ")
