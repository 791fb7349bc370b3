"""Threads that users share: they take turns, so the requests of one user do not delay those of others.

One pool is for queries that scan many entities, another for all other requests, so that slow queries do not block those.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from jupyter_colophon.core.errors import StoreUnavailable

T = TypeVar("T")
#: How many queries run at once, and how many of one user may wait.
QUERY_THREADS: Final = 4
QUERIES_WAITING_MAX: Final = 60


@dataclass(slots=True)
class _WaitingWork(Generic[T]):
    user: str
    work: Callable[[], T]
    future: "Future[T]" = field(default_factory=Future)

    def run_and_set_result(self) -> None:
        """Do the work and set the result of the future, unless it was cancelled."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self.work()
        except BaseException as error:  # noqa: BLE001  the caller of the future handles it
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class FairPool:
    """A pool of threads. One user has at most all of them but one, which stays free for other users.

    Users without waiting or running work take no memory.
    """

    def __init__(self, name: str, threads: int, waiting_max: int | None = None) -> None:
        self._size, self._waiting_max = threads, waiting_max
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        #: The waiting work by user; the first user is the next in turn.
        self._waiting: dict[str, deque[_WaitingWork[Any]]] = {}
        #: Since when each waiting user waits for a turn.
        self._turn_since: dict[str, float] = {}
        self._running: Counter[str] = Counter()
        self._is_closed = False
        self._lock = threading.Lock()

    def submit_work(self, user: str, work: Callable[[], T]) -> "Future[T]":
        """Run the work of a user on a thread of the pool. Raises StoreUnavailable if too much work of the user waits."""
        submitted = _WaitingWork(user, work)
        with self._lock:
            if self._is_closed:
                raise StoreUnavailable("the server is stopping: try again when it has restarted")
            queue = self._waiting.setdefault(user, deque())
            if self._waiting_max is not None and len(queue) >= self._waiting_max:
                raise StoreUnavailable(f"you have {self._waiting_max} waiting queries: try again later")
            queue.append(submitted)
            self._turn_since.setdefault(user, time.monotonic())
            self._start_waiting_work()
        return submitted.future

    def measure_wait_for_turn_s(self) -> float:
        """Return for how long the user who waits longest has waited for a turn; 0 while a thread is free.

        A user with much waiting work waits once for each turn, so this is also the delay of a user who sends little.
        """
        with self._lock:
            if not self._turn_since or self._running.total() < self._size:
                return 0.0
            return time.monotonic() - min(self._turn_since.values())

    def refuse_new_and_wait(self) -> None:
        """Refuse new and waiting work, and wait for running work."""
        with self._lock:
            self._is_closed = True
            waiting = [work for queue in self._waiting.values() for work in queue]
            self._waiting.clear()
            self._turn_since.clear()
        for work in waiting:
            if work.future.set_running_or_notify_cancel():
                work.future.set_exception(StoreUnavailable("the server is stopping: try again when it has restarted"))
        self._threads.shutdown(wait=True)

    def _start_waiting_work(self) -> None:
        """Start work while there are threads for it, one of each user in turn. The caller holds the lock."""
        while self._running.total() < self._size and (user := self._choose_next_user()) is not None:
            queue = self._waiting.pop(user)
            work = queue.popleft()
            del self._turn_since[user]
            if queue:
                # Other users come first now.
                self._waiting[user] = queue
                self._turn_since[user] = time.monotonic()
            self._running[user] += 1
            self._threads.submit(self._run_and_start_next, work)

    def _choose_next_user(self) -> str | None:
        return next((user for user in self._waiting if self._running[user] < self._size - 1), None)

    def _run_and_start_next(self, work: _WaitingWork[Any]) -> None:
        work.run_and_set_result()
        with self._lock:
            self._running[work.user] -= 1
            if not self._running[work.user]:
                del self._running[work.user]
            self._start_waiting_work()
