"""The worker processes of one service in this server. Calls wait in one queue, from which idle workers take them.

Each worker has a thread, which starts its process, waits for its answers, and starts another process after an end.
"""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from jupyter_colophon.apps.app_log import get_app_logger
from jupyter_colophon.apps.call_threads import WAITING
from jupyter_colophon.apps.handler_call import EncodedResponse, HandlerCall
from jupyter_colophon.apps.workers.worker_process import WorkerFailed, WorkerProcess
from jupyter_colophon.core.errors import SystemAppFailed, SystemAppUnavailable
from jupyter_colophon.system.worker import Backoff

T = TypeVar("T")
#: How often an idle process is asked whether it answers, in seconds.
HEALTH_S: Final = 15.0
#: After how long an idle process with Spark ends, and how long calls may take that run while a server stops.
SPARK_IDLE_S: Final = 600.0
DRAIN_S: Final = 5.0
_BACKOFF: Final = Backoff(0.2, 30.0)
_logger = logging.getLogger("jupyter_colophon.apps")


class PoolClosed(SystemAppUnavailable):
    """The processes end, and no further call is run."""


class PendingCall(NamedTuple):
    """A call that waits for a process."""

    call: HandlerCall
    convert: Callable[[EncodedResponse], Any]
    future: "Future[Any]"


@dataclass(slots=True)
class _Slot:
    """The place of a worker, and its thread."""

    number: int
    worker: WorkerProcess | None = None
    #: How many processes in a row ended before they answered a call, and why the last one did.
    failures: int = 0
    problem: str = ""
    restarts: int = 0


@dataclass(slots=True)
class WorkerPool:
    """Runs calls of one service in worker processes; their number may change at any time."""

    app: str
    service: str
    #: Starts a process. Raises WorkerFailed.
    start_worker: Callable[[], WorkerProcess]
    #: Whether a process is started by a call, and ends when it is idle.
    is_lazy: bool = False
    count: int = 0
    _slots: dict[int, _Slot] = field(default_factory=dict)
    _waiting: "deque[PendingCall]" = field(default_factory=deque)
    _ended_restarts: int = 0
    _was_ready: bool = False
    _is_closed: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def was_ready(self) -> bool:
        """Return whether any process has been ready for calls."""
        return self._was_ready

    @property
    def problem(self) -> str:
        """Return why a process does not start or has ended; empty if all run."""
        with self._changed:
            return next((slot.problem for slot in self._slots.values() if slot.problem), "")

    def count_running(self) -> int:
        """Return how many processes are ready for calls, or run one."""
        with self._changed:
            return sum(slot.worker is not None for slot in self._slots.values())

    def count_restarts(self) -> int:
        """Return how many processes were started in place of others that failed."""
        with self._changed:
            return self._ended_restarts + sum(slot.restarts for slot in self._slots.values())

    def set_count(self, count: int) -> None:
        """Change the number of processes. Those beyond it end after their calls."""
        with self._changed:
            self.count = 0 if self._is_closed else count
            for number in range(self.count):
                if number not in self._slots:
                    self._slots[number] = slot = _Slot(number)
                    name = f"colophon-app-{self.app}-{self.service}-{number}"
                    threading.Thread(target=self._run_slot, args=(slot,), name=name, daemon=True).start()
            self._changed.notify_all()

    def submit_call(self, call: HandlerCall, convert: Callable[[EncodedResponse], T]) -> "Future[T]":
        """Run a call in the next idle process. Raises PoolClosed, and SystemAppUnavailable if too many calls
        wait, or no process starts.
        """
        future: Future[T] = Future()
        with self._changed:
            if self._is_closed:
                raise PoolClosed(self.app, "the server is stopping")
            if self._slots and all(slot.problem and slot.failures > 1 for slot in self._slots.values()):
                problem = next(iter(self._slots.values())).problem
                raise SystemAppUnavailable(self.app, f"the processes of its service {self.service} fail: {problem}")
            if len(self._waiting) >= WAITING:
                # Calls whose clients waited long enough.
                self._waiting = deque(item for item in self._waiting if not item.future.cancelled())
            if len(self._waiting) >= WAITING:
                raise SystemAppUnavailable(
                    self.app, f"{self.count} calls of its service {self.service} are running, and {WAITING} are waiting"
                )
            self._waiting.append(PendingCall(call, convert, future))
            # Not only one: it might be the thread of a process that starts.
            self._changed.notify_all()
        return future

    def stop_and_return_waiting(self) -> Collection[PendingCall]:
        """Start no further calls, and return those that wait. Each process ends after the call that it runs."""
        with self._changed:
            self._is_closed, self.count = True, 0
            waiting, self._waiting = self._waiting, deque()
            self._changed.notify_all()
        return waiting

    def close(self) -> None:
        """Start no further calls; wait for those that run, and end all processes."""
        for item in self.stop_and_return_waiting():
            item.future.cancel()
        with self._changed:
            self._changed.wait_for(lambda: not self._slots, DRAIN_S)
            # The calls of these fail, and their threads end.
            for slot in self._slots.values():
                if slot.worker is not None:
                    slot.worker.send_kill()
            self._changed.wait_for(lambda: not self._slots, 2 * DRAIN_S)

    def _run_slot(self, slot: _Slot) -> None:
        """Keep a process running while this slot is wanted."""
        try:
            while self._wait_until_needed(slot):
                worker = self._start_or_wait(slot)
                if worker is not None:
                    self._answer_calls(slot, worker)
        finally:
            with self._changed:
                self._ended_restarts += slot.restarts
                del self._slots[slot.number]
                is_requested = self._is_requested(slot)
                self._changed.notify_all()
            if is_requested:
                # The number was increased while this thread ended.
                self.set_count(self.count)

    def _is_requested(self, slot: _Slot) -> bool:
        return slot.number < self.count

    def _wait_until_needed(self, slot: _Slot) -> bool:
        """Wait until a process is to start; return False if the slot is not requested any more."""
        with self._changed:
            if self.is_lazy:
                self._changed.wait_for(lambda: not self._is_requested(slot) or bool(self._waiting))
            return self._is_requested(slot)

    def _start_or_wait(self, slot: _Slot) -> WorkerProcess | None:
        """Start a process; after a failure, wait before the next one is started."""
        if slot.failures:
            # Servers that fail at the same time do not start again at the same time.
            pause = _BACKOFF.compute_pause_s(slot.failures) * random.uniform(0.5, 1.0)  # noqa: S311  no secret
            with self._changed:
                if self._changed.wait_for(lambda: not self._is_requested(slot), pause):
                    return None
        try:
            worker = self.start_worker()
        except WorkerFailed as error:
            self._record_failure(slot, str(error))
            return None
        except Exception as error:
            _logger.exception("a worker process of the system application %s cannot be started", self.app)
            self._record_failure(slot, type(error).__name__)
            return None
        with self._changed:
            slot.worker, slot.problem, self._was_ready = worker, "", True
        return worker

    def _answer_calls(self, slot: _Slot, worker: WorkerProcess) -> None:
        """Answer calls until the process ends, or the slot is not requested any more."""
        idle_since = time.monotonic()
        problem = ""
        while worker.is_usable():
            item = self._take_next_call(slot)
            if item is not None:
                if not worker.is_usable():
                    self._put_back(item)
                elif item.future.set_running_or_notify_cancel():
                    problem = self._run_call(worker, item) or problem
                idle_since = time.monotonic()
            elif not self._is_requested(slot) or self._is_idle_for_long(idle_since):
                with self._changed:
                    slot.worker = None
                worker.stop()
                return
            elif worker.is_healthy():
                slot.failures = 0
                idle_since = time.monotonic() if worker.has_jobs else idle_since
            else:
                problem = "a worker process did not answer while it was idle"
        worker.stop_now()
        slot.failures = 0 if worker.has_answered else slot.failures
        self._record_failure(slot, problem or "a worker process has ended")
        slot.restarts += 1

    def _is_idle_for_long(self, since: float) -> bool:
        return self.is_lazy and time.monotonic() - since > SPARK_IDLE_S

    def _run_call(self, worker: WorkerProcess, item: PendingCall) -> str:
        """Run one call; return why the process has ended, if it has."""
        try:
            response = worker.run_call(item.call)
            item.future.set_result(item.convert(response))
        except WorkerFailed as error:
            item.future.set_exception(SystemAppFailed(self.app, str(error)))
            return str(error)
        except BaseException as error:  # noqa: BLE001  the caller of the future handles it
            item.future.set_exception(error)
            return "" if worker.is_usable() else str(error)
        return ""

    def _take_next_call(self, slot: _Slot) -> PendingCall | None:
        """Return the next call; None after a time without one, or if the slot is not requested any more."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting) or not self._is_requested(slot), HEALTH_S)
            return self._waiting.popleft() if self._waiting and self._is_requested(slot) else None

    def _put_back(self, item: PendingCall) -> None:
        """Let another process run a call that has not begun."""
        with self._changed:
            self._waiting.appendleft(item)
            self._changed.notify_all()

    def _record_failure(self, slot: _Slot, problem: str) -> None:
        get_app_logger(self.app).error(
            "the service %s of the system application %s: %s", self.service, self.app, problem
        )
        with self._changed:
            slot.worker, slot.problem = None, problem
            slot.failures += 1
