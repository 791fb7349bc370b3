"""Group commit: whoever writes does so together with all who wait, in one transaction (spec STORE-14).

There is one connection that writes in a process, and at any time one thread that uses it: the first of those who
wait. It takes the others' callables along, each inside a savepoint, and commits once for all of them, so that many
writers cost one fsync, and one writer alone pays for no hand-over between threads. Then it leaves, and the first of
those who came meanwhile is the next: nobody waits for more than the group before its own.
"""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from jupyter_colophon.core.errors import CommitUnknown, StorageError, TransactionConflict
from jupyter_colophon.storage.spi import RetryPolicy, TableContext
from jupyter_colophon.storage.transaction_lifetime import Life

T = TypeVar("T")
#: How many callables share a commit at most: they also share its failure.
GROUP = 256
#: After how many seconds a group takes no more of them along: other processes wait for it, too.
GROUP_S = 0.5
#: From how many seconds on a callable is a slow one.
SLOW_S = 0.25
_logger = logging.getLogger("jupyter_colophon.storage")

After = Callable[[], None]


class Session(Protocol):
    """The one connection that writes. All its methods raise StorageError, TransactionConflict where a retry helps."""

    def begin(self) -> None:
        """Begin the shared transaction."""

    def commit(self) -> None:
        """Make it durable. Raises CommitUnknown when nobody knows whether that happened."""

    def rollback(self) -> None:
        """Undo it, whatever state it is in; never raises."""

    def savepoint(self) -> None:
        """Begin a part of it."""

    def release(self) -> None:
        """End the part."""

    def rollback_to(self) -> bool:
        """Undo the part alone; False where the store has undone the whole already."""

    def context(self, life: Life, after: list[After]) -> TableContext:
        """What a callable can reach while `life` lasts; what it wants done after the commit goes into `after`."""


class _Job(Generic[T]):
    """A callable that waits, and what became of it."""

    def __init__(self, work: Callable[[TableContext], T], retry: RetryPolicy) -> None:
        self.work, self.pauses = work, _pauses(retry)
        self.after: list[After] = []
        self.value: T
        self.error: BaseException | None = None
        #: Whether it is done; whether its thread is the one that writes; whether one was interrupted while calling it.
        self.done = self.leads = self.suspect = False
        #: Held until it is done, or until its thread is to write.
        self.turn = threading.Lock()
        self.turn.acquire()

    def attempt(self, session: Session) -> None:
        """Call it once; what an earlier attempt left is forgotten, its error as well: it may have seen what never came."""
        self.after.clear()
        self.error = None
        life = Life.of_a_write()
        began = time.monotonic()
        try:
            self.value = self.work(session.context(life, self.after))
            life.check()
        finally:
            life.end()
            if (took := time.monotonic() - began) > SLOW_S:
                _logger.warning("a transaction held up the other writers for %.0f ms", took * 1000)

    def end(self, error: BaseException | None) -> None:
        """This is what became of it, for good."""
        self.error, self.done = error, True
        self.turn.release()

    def result(self) -> T:
        """What it returned; raises what it raised."""
        if self.error is not None:
            raise self.error
        follow(self.after)
        return self.value


class GroupCommit:
    """Runs callables on the session, many in one transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session
        #: Guards the two that follow, and who leads.
        self._mutex = threading.Lock()
        self._waiting: deque[_Job[Any]] = deque()
        self._led = False
        #: Held by the thread that uses the session; also taken by whoever needs it for something else.
        self.lock = threading.Lock()

    def run(self, work: Callable[[TableContext], T], retry: RetryPolicy) -> T:
        """Run a callable in the next transaction, here or on the thread that is writing; its actions are done here."""
        job = _Job(work, retry)
        try:
            self._line_up(job)
            if not job.leads:
                job.turn.acquire()
            while not job.done:
                with self.lock:
                    self._settle(self._next(), job)
        finally:
            self._leave(job)
        return job.result()

    def _line_up(self, job: _Job[Any]) -> None:
        with self._mutex:
            self._waiting.append(job)
            if not self._led:
                self._led = job.leads = True

    def _next(self) -> list[_Job[Any]]:
        with self._mutex:
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), GROUP))]

    def _leave(self, job: _Job[Any]) -> None:
        """Let another thread write. One that is interrupted while it waits takes its callable along."""
        with self._mutex:
            if not job.done and job in self._waiting:
                self._waiting.remove(job)
            if job.leads:
                job.leads = False
                self._led = bool(self._waiting)
                if self._led:
                    self._waiting[0].leads = True
                    self._waiting[0].turn.release()

    def _put_back(self, jobs: list[_Job[Any]]) -> None:
        with self._mutex:
            self._waiting.extendleft(job for job in reversed(jobs) if not job.done and not job.leads)

    def _settle(self, jobs: list[_Job[Any]], mine: _Job[Any]) -> None:
        """Bring them to their end, or at least mine, as often as other processes' transactions are in the way."""
        try:
            while jobs and not mine.done:
                try:
                    jobs = self._attempt(jobs)
                except TransactionConflict as conflict:
                    jobs = _patient(jobs, conflict, mine)
        except StorageError as error:
            for job in jobs:
                job.end(_alike(error))
        except BaseException:
            # Somebody ended the thread that is writing: the others are no part of that.
            self._put_back(jobs)
            raise
        self._put_back(jobs)

    def _attempt(self, jobs: list[_Job[Any]]) -> list[_Job[Any]]:
        """One transaction; those that are left, or to be done again because another one took everything with it."""
        called = 0
        try:
            self._session.begin()
            began = time.monotonic()
            while called < len(jobs) and (called == 0 or time.monotonic() - began < GROUP_S):
                job = jobs[called]
                if not self._step(job, alone=len(jobs) == 1):
                    self._session.rollback()
                    job.end(job.error)
                    return [other for other in jobs if other is not job]
                called += 1
        except BaseException:
            self._session.rollback()
            raise
        self._commit(jobs[:called])
        return jobs[called:]

    def _commit(self, jobs: list[_Job[Any]]) -> None:
        try:
            self._session.commit()
            for job in jobs:
                job.end(job.error)
        except Exception:
            self._session.rollback()
            raise
        except BaseException:
            # Interrupted in the midst: what may be durable must not be done once more.
            for job in jobs:
                if not job.done:
                    job.end(CommitUnknown("the process was interrupted while it committed"))
            self._session.rollback()
            raise

    def _step(self, job: _Job[Any], *, alone: bool) -> bool:
        """Call one; False when its failure ended the shared transaction."""
        if not alone:
            self._session.savepoint()
        try:
            job.attempt(self._session)
            if not alone:
                # Fails where the callable went on after a failure of the store: that is its own failure.
                self._session.release()
        except TransactionConflict:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and not job.suspect:
                # That was meant for this thread. A callable that does it again is itself to blame.
                job.suspect = True
                raise
            job.error = error
            return not alone and self._undone()
        return True

    def _undone(self) -> bool:
        try:
            return self._session.rollback_to()
        except StorageError:
            return False


def follow(actions: list[After]) -> None:
    """Do what was to be done after a transaction; it has succeeded, whatever becomes of that."""
    for action in actions:
        try:
            action()
        except Exception:
            _logger.exception("what was to follow a transaction failed")


def _alike(error: StorageError) -> StorageError:
    """The same error once more: it is raised on each job's own thread, and each needs a traceback of its own."""
    kind = type(error)
    same = kind.__new__(kind, *error.args)
    same.__dict__.update(error.__dict__)
    same.__cause__ = error.__cause__
    return same


def _patient(jobs: list[_Job[Any]], conflict: TransactionConflict, mine: _Job[Any]) -> list[_Job[Any]]:
    """Those that have the patience to try again, after a pause; the others end with the conflict."""
    pauses = [(job, next(job.pauses, None)) for job in jobs]
    for job, pause in pauses:
        if pause is None:
            job.end(_alike(conflict))
    patient = [(job, pause) for job, pause in pauses if pause is not None]
    if patient and not mine.done:
        _logger.debug("a transaction is tried again: %s", conflict.detail)
        time.sleep(min(pause for _, pause in patient))
    return [job for job, _ in patient]


def _pauses(retry: RetryPolicy) -> Iterator[float]:
    """How long to wait before each further try: ever longer, never quite the same, and not for ever."""
    deadline = time.monotonic() + retry.deadline_s
    longest = retry.first_pause_s
    for _ in range(retry.attempts):
        if time.monotonic() > deadline:
            return
        yield random.uniform(0.2, 1.0) * longest  # noqa: S311  no secret
        longest = min(2 * longest, retry.longest_pause_s)
