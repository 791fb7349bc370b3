"""Call third-party code with a timeout (spec SEC-17)."""

from collections.abc import Callable
from threading import Event, Lock, Thread, local
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_thread_state = local()


class TimedOut(Exception):
    """The call did not finish in time. It continues, and its result is passed to a callback."""


class TimeoutRunner:
    """Runs calls, each on its own thread, with a timeout.

    Python cannot stop a thread: one that hangs is abandoned, and ends with the process.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def call_with_timeout(
        self, work: Callable[[], T], on_late_result: Callable[[Callable[[], T]], None], *, wait: bool = True
    ) -> T:
        """Return or raise the result of `work`. Raises TimedOut after the timeout, or at once without `wait`; `late` is called
        later, on the other thread, with a function that returns or raises the result.
        """
        task = _TimedTask(work, on_late_result)
        Thread(target=task.run_and_store_result, name="colophon-schemaspaces", daemon=True).start()
        if task.done.wait(self.seconds if wait else 0) or not task.is_abandoned():
            return task.get_result_or_raise()
        raise TimedOut(
            f"no result within {self.seconds:g} s" if wait else "the package is still loading: try again later"
        )


def is_in_timed_call() -> bool:
    """Return whether this thread runs such a call, which must not wait for itself when it uses what is being loaded."""
    return bool(getattr(_thread_state, "active", False))


class _TimedTask(Generic[T]):
    def __init__(self, work: Callable[[], T], late: Callable[[Callable[[], T]], None]) -> None:
        self._work, self._late = work, late
        self._lock = Lock()
        self._is_late = False
        self._value: Any = None
        self._error: BaseException | None = None
        self.done = Event()

    def run_and_store_result(self) -> None:
        _thread_state.active = True
        try:
            self._value = self._work()
        except BaseException as error:  # noqa: BLE001  an import may raise anything, SystemExit too
            self._error = error
        with self._lock:
            self.done.set()
            is_late = self._is_late
        if is_late:
            self._late(self.get_result_or_raise)

    def is_abandoned(self) -> bool:
        """Stop waiting; return False if the result has just arrived."""
        with self._lock:
            self._is_late = not self.done.is_set()
            return self._is_late

    def get_result_or_raise(self) -> T:
        if self._error is not None:
            raise self._error
        value: T = self._value
        return value
