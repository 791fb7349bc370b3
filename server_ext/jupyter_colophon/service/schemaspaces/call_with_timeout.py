"""Calling what strangers wrote without waiting for it for ever (spec SEC-17)."""

from collections.abc import Callable
from threading import Event, Lock, Thread, local
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_inside = local()


class Overdue(Exception):
    """It is not there in time. It goes on, and what it comes to is handed over."""


class Patience:
    """Calls things, each on a thread of its own, and waits for each for so many seconds.

    Python cannot stop a thread: one that never comes back is left alone, and ends with the process.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def call(self, work: Callable[[], T], late: Callable[[Callable[[], T]], None], *, wait: bool = True) -> T:
        """What `work` returns or raises. Raises Overdue, at once unless it is waited for; `late` then gets it, on
        the other thread, as a call that returns or raises it."""
        task = _Task(work, late)
        Thread(target=task.run, name="colophon-schemaspaces", daemon=True).start()
        if task.done.wait(self.seconds if wait else 0) or not task.abandoned():
            return task.result()
        raise Overdue(f"it did not answer within {self.seconds:g} s" if wait else "its package is late")


def called_by_us() -> bool:
    """Whether this thread is inside of such a call: who loads may ask for what is loaded, and must not wait for itself."""
    return bool(getattr(_inside, "active", False))


class _Task(Generic[T]):
    def __init__(self, work: Callable[[], T], late: Callable[[Callable[[], T]], None]) -> None:
        self._work, self._late = work, late
        self._lock = Lock()
        self._is_late = False
        self._value: Any = None
        self._error: BaseException | None = None
        self.done = Event()

    def run(self) -> None:
        _inside.active = True
        try:
            self._value = self._work()
        except BaseException as error:  # noqa: BLE001  an import may even end the program
            self._error = error
        with self._lock:
            self.done.set()
            is_late = self._is_late
        if is_late:
            self._late(self.result)

    def abandoned(self) -> bool:
        """Wait no more; False where it came just now."""
        with self._lock:
            self._is_late = not self.done.is_set()
            return self._is_late

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        value: T = self._value
        return value
