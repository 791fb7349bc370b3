"""Threads for questions that look through many entities: slow ones leave those of everything else free."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, TypeVar

from jupyter_colophon.core.errors import StoreUnavailable

T = TypeVar("T")
#: How many questions are worked on at once, and how many more may wait.
THREADS: Final = 4
WAITING_MAX: Final = 60


@dataclass(slots=True)
class QuestionPool:
    """The pool of one server."""

    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="colophon-question")
    )
    _pending: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Do it on a thread of the pool. Raises StoreUnavailable where too many wait already."""
        with self._lock:
            if self._pending >= THREADS + WAITING_MAX:
                raise StoreUnavailable("too many questions are being worked on: ask again later")
            self._pending += 1
        future = self._threads.submit(work)
        future.add_done_callback(self._release)
        return future

    def close(self) -> None:
        """Begin nothing more, and wait for what was begun."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _release(self, _: object) -> None:
        with self._lock:
            self._pending -= 1
