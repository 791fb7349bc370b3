"""Background threads: start, wake, stop and join them, wait after failures, and report outages."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol


@dataclass(frozen=True, slots=True)
class Backoff:
    """The pauses after failures in seconds, doubled from the first to the longest."""

    first_s: float
    longest_s: float

    def compute_pause_s(self, failures: int) -> float:
        """Return how long to wait after this many failures in a row."""
        return min(self.first_s * 2.0 ** min(failures - 1, 30), self.longest_s)


BACKOFF: Final = Backoff(0.5, 30.0)


class Outage(Protocol):
    """Reports once that something is unavailable, and once that it is available again."""

    def begin(self, reason: str) -> None:
        """Report why it is unavailable, unless that was reported already."""

    def end(self) -> None:
        """Report that it is available again, if it was unavailable."""


class LoggedOutage:
    """An outage that is reported in the log."""

    def __init__(self, logger: logging.Logger, subject: str, level: int = logging.WARNING) -> None:
        self._logger, self._subject, self._level = logger, subject, level
        self._is_ongoing = False

    def begin(self, reason: str) -> None:
        """Log why it is unavailable, unless that was logged already."""
        if not self._is_ongoing:
            self._is_ongoing = True
            self._logger.log(self._level, "%s: unavailable, will retry: %s", self._subject, reason)

    def end(self) -> None:
        """Log that it is available again, if it was unavailable."""
        if self._is_ongoing:
            self._is_ongoing = False
            self._logger.log(self._level, "%s: available again", self._subject)


class Worker:
    """Run a step repeatedly on its own thread, until it is stopped.

    The step returns the seconds until it is due again, None for `idle_s` (which may be None: wait for `wake`), or DONE
    to end the thread; `start` begins another one. If the step raises one of `unavailable`, that is reported once; any
    other exception is logged with its traceback. After both the step is retried with increasing pauses.
    """

    DONE: Final = -1.0

    def __init__(
        self,
        name: str,
        step: Callable[[], float | None],
        logger: logging.Logger,
        subject: str,
        *,
        idle_s: float | None = None,
        settle_s: float = 0.0,
        backoff: Backoff = BACKOFF,
        outage: Outage | None = None,
        unavailable: tuple[type[Exception], ...] = (),
        finish: Callable[[], None] | None = None,
    ) -> None:
        """Create a worker; `subject` names in the log what is unavailable or failed, unless `outage` reports it
        elsewhere.

        `settle_s` is the pause after a `wake`, so that one step handles several. `finish` is called on the thread when
        the worker is stopped.
        """
        self._name, self._step, self._finish, self._logger, self._subject = name, step, finish, logger, subject
        self._outage = outage or LoggedOutage(logger, subject)
        self._idle_s, self._settle_s = idle_s, settle_s
        self._backoff, self._unavailable = backoff, unavailable
        self._lock = threading.Lock()
        self._woken, self._hurried, self._stopped = threading.Event(), threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._failures = 0
        self._fault: type[Exception] | None = None
        #: Why the last step failed; empty if it succeeded.
        self.problem = ""

    @property
    def is_stopped(self) -> bool:
        """Return whether the worker was stopped: long steps check this."""
        return self._stopped.is_set()

    @property
    def is_alive(self) -> bool:
        """Return whether the thread runs."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def start(self) -> None:
        """Start the thread unless it runs, or the worker was stopped."""
        with self._lock:
            if self._thread is None and not self.is_stopped:
                thread = threading.Thread(target=self._run_steps, name=self._name, daemon=True)
                # An interpreter that is shutting down starts no threads.
                with suppress(RuntimeError):
                    thread.start()
                    self._thread = thread

    def wake(self, *, ends_backoff: bool = True) -> None:
        """Run the step now; during a pause after a failure only if `ends_backoff`."""
        self._woken.set()
        if ends_backoff:
            self._hurried.set()

    def stop(self) -> None:
        """Stop running the step, without waiting for the thread."""
        self._stopped.set()
        self.wake()

    def join(self, timeout_s: float | None) -> None:
        """Wait for the end of the thread."""
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_s)

    def close(self, timeout_s: float | None = 5.0) -> None:
        """Stop, and wait for the end of the thread."""
        self.stop()
        self.join(timeout_s)

    def wait_unless_stopped(self, seconds: float) -> bool:
        """Wait within a step; return True as soon as the worker is stopped."""
        return self._stopped.wait(seconds)

    def _run_steps(self) -> None:
        delay: float | None = 0.0
        while not self._wait_until_due_or_stopped(delay):
            self._woken.clear()
            self._hurried.clear()
            delay = self._run_once()
            if delay == self.DONE:
                if self._end_thread_unless_woken():
                    return
                delay = 0.0
        if self._finish is not None:
            try:
                self._finish()
            except Exception:
                self._logger.exception("%s: an error occurred while it stopped", self._subject)

    def _wait_until_due_or_stopped(self, delay: float | None) -> bool:
        """Wait until the step is due; return whether the worker was stopped instead."""
        if self._failures:
            self._hurried.wait(delay)
        elif self._woken.wait(delay) and self._settle_s:
            self._stopped.wait(self._settle_s)
        return self.is_stopped

    def _end_thread_unless_woken(self) -> bool:
        """Return whether the thread may end: it was not woken in the meantime."""
        with self._lock:
            if self._woken.is_set():
                return False
            self._thread = None
            return True

    def _run_once(self) -> float | None:
        try:
            delay = self._step()
        except self._unavailable as error:
            self._outage.begin(str(error))
            self.problem = str(error)
        except Exception as error:
            # Whatever the error is, no other thread does this work.
            if type(error) is not self._fault:
                self._logger.exception("%s: failed, will retry", self._subject)
            self._fault = type(error)
            self.problem = "an unexpected error, see the log"
        else:
            self._outage.end()
            self._failures, self._fault, self.problem = 0, None, ""
            return self._idle_s if delay is None else delay
        self._failures += 1
        return self._backoff.compute_pause_s(self._failures)
