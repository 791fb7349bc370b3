"""Background threads: running steps, logging failures, and stopping."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from jupyter_colophon.system.worker import Backoff, Worker

_logger = logging.getLogger("worker under test")


class Unavailable(Exception):
    pass


@contextmanager
def started(step: Callable[[], float | None], **options: object) -> Iterator[Worker]:
    worker = Worker("under-test", step, _logger, "the store", unavailable=(Unavailable,), **options)  # type: ignore[arg-type]
    worker.start()
    try:
        yield worker
    finally:
        worker.close(30)
    assert not worker.is_alive


def test_step_runs_at_start_and_after_wake() -> None:
    runs = threading.Semaphore(0)
    with started(lambda: runs.release()) as worker:
        assert runs.acquire(timeout=30)
        worker.wake()
        assert runs.acquire(timeout=30)


def test_step_runs_again_after_the_seconds_it_returns() -> None:
    runs = threading.Semaphore(0)

    def step() -> float:
        runs.release()
        return 0.001

    with started(step):
        for _ in range(3):
            assert runs.acquire(timeout=30)


def test_outage_is_logged_once_and_its_end_once(caplog: pytest.LogCaptureFixture) -> None:
    failures, done = iter([Unavailable("locked")] * 3), threading.Event()

    def step() -> None:
        if (failure := next(failures, None)) is not None:
            raise failure
        done.set()

    with caplog.at_level(logging.WARNING), started(step, backoff=Backoff(0.001, 0.001)):
        assert done.wait(30)
    assert caplog.messages == ["the store: unavailable, will retry: locked", "the store: available again"]


def test_error_is_logged_with_traceback_and_thread_continues(caplog: pytest.LogCaptureFixture) -> None:
    failures, done = iter([ValueError("a"), ValueError("b"), KeyError("c")]), threading.Event()

    def step() -> None:
        if (failure := next(failures, None)) is not None:
            raise failure
        done.set()

    with started(step, backoff=Backoff(0.001, 0.001)):
        assert done.wait(30)
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [ValueError, KeyError]


def test_wake_ends_backoff_only_if_configured() -> None:
    runs = threading.Semaphore(0)

    def step() -> None:
        runs.release()
        raise Unavailable

    with started(step, backoff=Backoff(3600, 3600)) as worker:
        assert runs.acquire(timeout=30)
        worker.wake(ends_backoff=False)
        assert not runs.acquire(timeout=0.1)
        worker.wake()
        assert runs.acquire(timeout=30)


def test_done_ends_the_thread_until_next_start() -> None:
    runs = threading.Semaphore(0)

    def step() -> float:
        runs.release()
        return Worker.DONE

    with started(step) as worker:
        assert runs.acquire(timeout=30)
        worker.join(30)
        assert not worker.is_alive
        worker.start()
        assert runs.acquire(timeout=30)


def test_wake_during_the_last_step_is_not_lost() -> None:
    entered, woken, runs = threading.Event(), threading.Event(), []

    def step() -> float:
        runs.append(1)
        entered.set()
        woken.wait(30)
        return Worker.DONE

    with started(step) as worker:
        assert entered.wait(30)
        worker.wake()
        woken.set()
        worker.start()
        worker.join(30)
    assert len(runs) == 2


def test_close_ends_a_pause_and_finishes_on_the_thread() -> None:
    entered, finished = threading.Event(), []

    def step() -> None:
        entered.set()
        assert worker.wait_unless_stopped(3600)

    worker = Worker("w", step, _logger, "the store", finish=lambda: finished.append(threading.current_thread().name))
    worker.start()
    assert entered.wait(30)
    worker.close(30)
    assert finished == ["w"]
    worker.start()
    assert not worker.is_alive


def test_pauses_double_up_to_the_maximum() -> None:
    assert [Backoff(1, 5).compute_pause_s(failures) for failures in (1, 2, 3, 4, 5_000)] == [1, 2, 4, 5, 5]
