"""The threads on which one application runs, so that its calls delay only each other."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from jupyter_colophon.core.errors import SystemAppUnavailable

T = TypeVar("T")
#: How many calls of one application run at once, and how many more may wait.
THREADS: Final = 4
WAITING: Final = 28


@dataclass(slots=True)
class CallThreads:
    """Starts threads on demand. They end with the process: Python cannot stop one that hangs, which must not prevent
    the end of the server.
    """

    app: str
    _waiting: "deque[tuple[Future[Any], Callable[[], Any]]]" = field(default_factory=deque)
    _running: int = 0
    _is_closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def submit_call(self, work: Callable[[], T]) -> "Future[T]":
        """Run work on a thread. Raises SystemAppUnavailable if too many calls wait."""
        future: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                raise SystemAppUnavailable(self.app, "the server is stopping")
            if len(self._waiting) >= WAITING:
                # Calls whose clients waited long enough.
                self._waiting = deque(item for item in self._waiting if not item[0].cancelled())
            if len(self._waiting) >= WAITING:
                raise SystemAppUnavailable(self.app, f"{THREADS} calls are running, and {WAITING} are waiting")
            self._waiting.append((future, work))
            if self._running < THREADS:
                self._running += 1
                threading.Thread(target=self._run_waiting_calls, name=f"colophon-app-{self.app}", daemon=True).start()
        return future

    def cancel_waiting(self) -> None:
        """Start no further calls."""
        with self._lock:
            self._is_closed = True
            waiting, self._waiting = self._waiting, deque()
        for future, _ in waiting:
            future.cancel()

    def _run_waiting_calls(self) -> None:
        while (call := self._take_next_call()) is not None:
            future, work = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001  the caller of the future handles it
                future.set_exception(error)
            else:
                future.set_result(result)

    def _take_next_call(self) -> "tuple[Future[Any], Callable[[], Any]] | None":
        """Return the next call; without one, the thread ends."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._running -= 1
            return None
