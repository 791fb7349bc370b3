"""Threads for queries that scan many entities, so that slow ones do not block other requests.

Users take turns, so the slow queries of one user do not delay those of others.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from jupyter_colophon.core.errors import StoreUnavailable

T = TypeVar("T")
THREADS: Final = 4
#: How many queries of one user run at once; one thread stays free for other users.
RUNNING_MAX: Final = THREADS - 1
#: How many queries of one user may wait.
WAITING_MAX: Final = 60


@dataclass(slots=True)
class _WaitingQuery(Generic[T]):
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


@dataclass(slots=True)
class QueryPool:
    """The pool of one server."""

    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="colophon-query")
    )
    #: The waiting queries by user; the first user is the next in turn.
    _waiting: dict[str, deque[_WaitingQuery[Any]]] = field(default_factory=dict)
    _running: Counter[str] = field(default_factory=Counter)
    _closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def submit_query(self, user: str, work: Callable[[], T]) -> "Future[T]":
        """Run the query of a user on a thread of the pool. Raises StoreUnavailable if too many of the user's queries wait."""
        query = _WaitingQuery(user, work)
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the server is stopping: try again when it has restarted")
            queue = self._waiting.setdefault(user, deque())
            if len(queue) >= WAITING_MAX:
                raise StoreUnavailable(f"you have {WAITING_MAX} waiting queries: try again later")
            queue.append(query)
            self._start_waiting_queries()
        return query.future

    def refuse_new_and_wait(self) -> None:
        """Refuse new and waiting queries, and wait for running ones."""
        with self._lock:
            self._closed = True
            waiting = [query for queue in self._waiting.values() for query in queue]
            self._waiting.clear()
        for query in waiting:
            if query.future.set_running_or_notify_cancel():
                query.future.set_exception(StoreUnavailable("the server is stopping: try again when it has restarted"))
        self._threads.shutdown(wait=True)

    def _start_waiting_queries(self) -> None:
        """Start queries while there are threads for them, one of each user in turn. The caller holds the lock."""
        while self._running.total() < THREADS and (user := self._choose_next_user()) is not None:
            queue = self._waiting.pop(user)
            query = queue.popleft()
            if queue:
                # Other users come first now.
                self._waiting[user] = queue
            self._running[user] += 1
            self._threads.submit(self._run_query_and_start_next, query)

    def _choose_next_user(self) -> str | None:
        return next((user for user in self._waiting if self._running[user] < RUNNING_MAX), None)

    def _run_query_and_start_next(self, query: _WaitingQuery[Any]) -> None:
        query.run_and_set_result()
        with self._lock:
            self._running[query.user] -= 1
            if not self._running[query.user]:
                del self._running[query.user]
            self._start_waiting_queries()
