"""Group commit: concurrent writers of a process share one transaction (spec STORE-14).

A process has one connection for writing, used by one thread at a time: the first of the waiting ones, the leader. It
runs the callables of the others too, each in a savepoint, and commits once for all of them. Many writers then cost one
fsync, and a single writer needs no other thread. Then the first of the threads that arrived meanwhile becomes the
leader: no thread waits longer than for the group before its own.
"""

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

from jupyter_colophon.core.errors import CommitUnknown, StorageError, TransactionConflict
from jupyter_colophon.storage.spi import Locks, RetryPolicy, TableContext
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime

T = TypeVar("T")
#: The most callables in one commit, which also fail together if it fails.
GROUP = 256
#: The time after which a group takes no more callables, in seconds, since other processes wait as well.
GROUP_S = 0.5
#: The most locks of one commit; a group with more excludes all other writers.
LOCKS_MAX = 64
#: The duration from which a callable is logged as slow, in seconds.
SLOW_S = 0.25
_logger = logging.getLogger("jupyter_colophon.storage")

After = Callable[[], None]


class WriteSession(Protocol):
    """The connection for writing. All its methods raise StorageError, TransactionConflict if a retry may help."""

    def lock_and_begin(self, locks: Locks | None, *, at_once: bool) -> None:
        """Begin the shared transaction with these locks (`spi.TransactionRunner.run`). Unless `at_once`, the store may wait
        for them with the first read.
        """

    def commit(self) -> None:
        """Commit durably. Raises CommitUnknown if the outcome is unknown."""

    def roll_back(self) -> None:
        """Roll back in whatever state the transaction is; never raises."""

    def set_savepoint(self) -> None:
        """Set a savepoint before a callable."""

    def release_savepoint(self) -> None:
        """Release the savepoint after a callable."""

    def roll_back_to_savepoint(self) -> bool:
        """Roll back to the savepoint; return False if the store has rolled back the whole transaction."""

    def create_context(self, lifetime: TransactionLifetime, after: list[After]) -> TableContext:
        """Create the context for a callable, valid while `lifetime` is open; actions after the commit are added to `after`."""


class _PendingWrite(Generic[T]):
    """A waiting callable and its result."""

    def __init__(self, work: Callable[[TableContext], T], retry: RetryPolicy, locks: Locks | None) -> None:
        self.work, self.pauses, self.locks = work, _iterate_retry_pauses(retry), locks
        self.after: list[After] = []
        self.value: T
        self.error: BaseException | None = None
        #: Whether it is finished; whether its thread is the leader; whether it was interrupted before.
        self.done = self.is_leader = self.was_interrupted = False
        #: Held until it is finished, or until its thread becomes the leader.
        self.ready = threading.Lock()
        self.ready.acquire()

    def run_once_on_session(self, session: WriteSession) -> None:
        """Call it once, discarding the state of earlier attempts, which may have seen data that was rolled back."""
        self.after.clear()
        self.error = None
        lifetime = TransactionLifetime.create_for_write()
        began = time.monotonic()
        try:
            self.value = self.work(session.create_context(lifetime, self.after))
            lifetime.require_open()
        finally:
            lifetime.end_transaction()
            if (took := time.monotonic() - began - lifetime.waited_s) > SLOW_S:
                _logger.warning("a write transaction held its locks for %.0f ms", took * 1000)

    def finish_with_result_or_error(self, error: BaseException | None) -> None:
        """Finish with a result or an error."""
        self.error, self.done = error, True
        self.ready.release()

    def get_result_or_raise(self) -> T:
        """Return the result or raise the error of the callable."""
        if self.error is not None:
            raise self.error
        run_actions_after_commit(self.after)
        return self.value


class GroupCommit:
    """Run callables on the session, many in one transaction."""

    def __init__(self, session: WriteSession) -> None:
        self._session = session
        #: Protects the queue and the choice of the leader.
        self._mutex = threading.Lock()
        self._waiting: deque[_PendingWrite[Any]] = deque()
        self._has_leader = False
        #: Held by the thread that uses the session, and by other users of its connection.
        self.lock = threading.Lock()

    def run_in_next_transaction(self, work: Callable[[TableContext], T], retry: RetryPolicy, locks: Locks | None) -> T:
        """Run a callable in the next transaction, on this thread or on the leader's; its actions run here."""
        job = _PendingWrite(work, retry, locks)
        try:
            self._enqueue_and_wait_for_turn(job)
            if not job.is_leader:
                job.ready.acquire()
            while not job.done:
                with self.lock:
                    self._run_group_with_retries(self._take_next_group(), job)
        finally:
            self._pass_leadership(job)
        return job.get_result_or_raise()

    def _enqueue_and_wait_for_turn(self, job: _PendingWrite[Any]) -> None:
        with self._mutex:
            self._waiting.append(job)
            if not self._has_leader:
                self._has_leader = job.is_leader = True

    def _take_next_group(self) -> list[_PendingWrite[Any]]:
        with self._mutex:
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), GROUP))]

    def _pass_leadership(self, job: _PendingWrite[Any]) -> None:
        """Let another thread become the leader. An interrupted waiting thread removes its callable."""
        with self._mutex:
            if not job.done and job in self._waiting:
                self._waiting.remove(job)
            if job.is_leader:
                job.is_leader = False
                self._has_leader = bool(self._waiting)
                if self._has_leader:
                    self._waiting[0].is_leader = True
                    self._waiting[0].ready.release()

    def _return_group_to_queue(self, jobs: list[_PendingWrite[Any]]) -> None:
        with self._mutex:
            self._waiting.extendleft(job for job in reversed(jobs) if not job.done and not job.is_leader)

    def _run_group_with_retries(self, jobs: list[_PendingWrite[Any]], own_job: _PendingWrite[Any]) -> None:
        """Finish these callables, or at least this thread's own, retrying after conflicts with other processes."""
        try:
            while jobs and not own_job.done:
                try:
                    jobs = self._run_group_in_transaction(jobs)
                except TransactionConflict as conflict:
                    jobs = _pause_and_select_retryable(jobs, conflict, own_job)
        except StorageError as error:
            for job in jobs:
                job.finish_with_result_or_error(_copy_error_for_thread(error))
        except BaseException:
            # The leader's thread was interrupted: this does not concern the other callables.
            self._return_group_to_queue(jobs)
            raise
        self._return_group_to_queue(jobs)

    def _run_group_in_transaction(self, jobs: list[_PendingWrite[Any]]) -> list[_PendingWrite[Any]]:
        """Run one transaction; return the callables that are left, or that must be repeated after a rollback of all."""
        called = 0
        try:
            self._session.lock_and_begin(_merge_locks(jobs), at_once=len(jobs) > 1)
            began = time.monotonic()
            while called < len(jobs) and (called == 0 or time.monotonic() - began < GROUP_S):
                job = jobs[called]
                if not self._run_job_in_savepoint(job, alone=len(jobs) == 1):
                    self._session.roll_back()
                    job.finish_with_result_or_error(job.error)
                    return [other for other in jobs if other is not job]
                called += 1
        except BaseException:
            self._session.roll_back()
            raise
        self._commit_and_finish_jobs(jobs[:called])
        return jobs[called:]

    def _commit_and_finish_jobs(self, jobs: list[_PendingWrite[Any]]) -> None:
        try:
            self._session.commit()
            for job in jobs:
                job.finish_with_result_or_error(job.error)
        except Exception:
            self._session.roll_back()
            raise
        except BaseException:
            # Interrupted during the commit: what may be durable must not be repeated.
            for job in jobs:
                if not job.done:
                    job.finish_with_result_or_error(CommitUnknown("the process was interrupted during a commit"))
            self._session.roll_back()
            raise

    def _run_job_in_savepoint(self, job: _PendingWrite[Any], *, alone: bool) -> bool:
        """Run one callable; return False if its failure ended the shared transaction."""
        if not alone:
            self._session.set_savepoint()
        try:
            job.run_once_on_session(self._session)
            if not alone:
                # Fails if the callable continued after a failure of the store: then this is its own failure.
                self._session.release_savepoint()
        except TransactionConflict:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and not job.was_interrupted:
                # The interrupt was meant for this thread. A callable that is interrupted again gets the error itself.
                job.was_interrupted = True
                raise
            job.error = error
            return not alone and self._roll_back_to_savepoint()
        return True

    def _roll_back_to_savepoint(self) -> bool:
        try:
            return self._session.roll_back_to_savepoint()
        except StorageError:
            return False


def run_actions_after_commit(actions: list[After]) -> None:
    """Run the actions after a transaction, which has succeeded in any case."""
    for action in actions:
        try:
            action()
        except Exception:
            _logger.exception("an action after a committed transaction failed; its writes are stored")


def _merge_locks(jobs: Sequence[_PendingWrite[Any]]) -> Locks | None:
    """Return the locks of all these callables; None if one of them has none, or if they are too many."""
    exclusive: set[str] = set()
    shared: set[str] = set()
    for job in jobs:
        if job.locks is None:
            return None
        exclusive |= job.locks.exclusive
        shared |= job.locks.shared
    shared -= exclusive
    return Locks(frozenset(exclusive), frozenset(shared)) if len(exclusive) + len(shared) <= LOCKS_MAX else None


def _copy_error_for_thread(error: StorageError) -> StorageError:
    """Return a copy of an error: it is raised on each thread, and each needs its own traceback."""
    kind = type(error)
    same = kind.__new__(kind, *error.args)
    same.__dict__.update(error.__dict__)
    same.__cause__ = error.__cause__
    return same


def _pause_and_select_retryable(
    jobs: list[_PendingWrite[Any]], conflict: TransactionConflict, own_job: _PendingWrite[Any]
) -> list[_PendingWrite[Any]]:
    """Pause and return the callables whose policy allows a retry; the others fail with the conflict."""
    pauses = [(job, next(job.pauses, None)) for job in jobs]
    for job, pause in pauses:
        if pause is None:
            job.finish_with_result_or_error(_copy_error_for_thread(conflict))
    patient = [(job, pause) for job, pause in pauses if pause is not None]
    if patient and not own_job.done:
        _logger.debug("a transaction conflicted with another one and is retried: %s", conflict.detail)
        time.sleep(min(pause for _, pause in patient))
    return [job for job, _ in patient]


def _iterate_retry_pauses(retry: RetryPolicy) -> Iterator[float]:
    """Yield the pauses before each retry: increasing, randomized and limited."""
    deadline = time.monotonic() + retry.deadline_s
    longest = retry.first_pause_s
    for _ in range(retry.attempts):
        if time.monotonic() > deadline:
            return
        yield random.uniform(0.2, 1.0) * longest  # noqa: S311  no secret
        longest = min(2 * longest, retry.longest_pause_s)
