"""Several processes of the service behind one address.

The parent binds the sockets, and the workers inherit them: a connection that no worker has accepted yet belongs to all
of them, so none is refused while a worker is replaced (docs/decisions/0040).
"""

import logging
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.http.service.worker import COUNT_VARIABLE, READY, REPLACED, VARIABLE

#: How long a worker may take to start, and to answer its last requests.
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 60.0
#: Seconds between two starts of a worker that ends: doubled from the first to the last.
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0
_SIGNALS: Final = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(slots=True)
class _Worker:
    process: "subprocess.Popen[bytes]"
    channel: socket.socket

    def wait_until_ready(self, timeout_s: float) -> bool:
        """Wait until the worker accepts connections; return whether it does."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.channel, selectors.EVENT_READ)
            # A worker that ends closes its side, which is readable too.
            return bool(selector.select(timeout_s)) and self.channel.recv(1) == READY

    def stop(self) -> None:
        """Let the worker answer its requests and end."""
        with suppress(ProcessLookupError):
            self.process.terminate()

    def leave(self) -> None:
        """Let the worker end, which another one has replaced: it asks its clients to connect again."""
        # A worker that has ended needs no message.
        with suppress(OSError):
            self.channel.send(REPLACED)

    def wait_or_kill(self, timeout_s: float) -> None:
        """Wait until the worker has ended; kill it after a time."""
        try:
            self.process.wait(max(timeout_s, 0.1))
        except subprocess.TimeoutExpired:
            _logger.warning("worker %d did not end in time and is killed", self.process.pid)
            self.process.kill()
            self.process.wait()
        self.channel.close()


class WorkerProcesses:
    """The workers of one address. A worker that ends is replaced; SIGHUP replaces all, each after the one before has ended."""

    def __init__(self, arguments: Sequence[str], sockets: Sequence[socket.socket], count: int) -> None:
        self._arguments, self._sockets, self._count = arguments, sockets, count
        self._workers: list[_Worker] = []
        #: Those of the workers that are still to be replaced.
        self._outdated: list[_Worker] = []
        #: A worker that was replaced and has not ended yet, and when it is killed.
        self._leaving: tuple[_Worker, float] | None = None
        self._pause_s = _FIRST_PAUSE_S

    def run(self) -> int:
        """Run until SIGTERM or SIGINT; return the exit code, which is not 0 if the first worker does not start."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        first = self._start_worker()
        if first is None:
            return 1
        self._workers.append(first)
        try:
            while True:
                pause_s = self._start_missing_workers()
                self._replace_next_worker()
                received = signal.sigtimedwait(_SIGNALS, min(pause_s, self._compute_seconds_to_leave()))
                number = received.si_signo if received is not None else None
                if number in (signal.SIGTERM, signal.SIGINT):
                    return 0
                self._remove_ended_workers()
                if number == signal.SIGHUP:
                    self._outdated = list(self._workers)
        finally:
            self._stop_all()

    def _start_missing_workers(self) -> float:
        """Start workers until there are enough; return the seconds until the next look."""
        while len(self._workers) < self._count:
            worker = self._start_worker()
            if worker is None:
                self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
                return self._pause_s
            self._workers.append(worker)
        self._pause_s = _FIRST_PAUSE_S
        return _LONGEST_PAUSE_S

    def _replace_next_worker(self) -> None:
        """Start another worker for the next outdated one, unless the one before has not ended yet."""
        if self._leaving is not None or not self._outdated:
            return
        new = self._start_worker()
        if new is None:
            _logger.error("the other workers are not replaced: a new one did not start")
            self._outdated.clear()
            return
        old = self._outdated.pop(0)
        self._workers.remove(old)
        self._workers.append(new)
        self._leaving = old, time.monotonic() + STOP_SECONDS
        old.leave()

    def _compute_seconds_to_leave(self) -> float:
        """Return how long the worker that was replaced may still take."""
        return _LONGEST_PAUSE_S if self._leaving is None else max(self._leaving[1] - time.monotonic(), 0.0)

    def _remove_ended_workers(self) -> None:
        for worker in [item for item in self._workers if item.process.poll() is not None]:
            _logger.error("worker %d ended with status %s", worker.process.pid, worker.process.returncode)
            worker.channel.close()
            self._workers.remove(worker)
        self._outdated = [worker for worker in self._outdated if worker in self._workers]
        if self._leaving is not None:
            worker, deadline = self._leaving
            if worker.process.poll() is not None or time.monotonic() >= deadline:
                worker.wait_or_kill(0)
                self._leaving = None

    def _start_worker(self) -> _Worker | None:
        """Start a worker and wait until it accepts connections; None if it does not."""
        ours, theirs = socket.socketpair()
        descriptors = [theirs.fileno(), *(item.fileno() for item in self._sockets)]
        process = subprocess.Popen(  # noqa: S603  our own command
            [sys.executable, "-m", "jupyter_colophon.cli", *self._arguments],
            env=os.environ | {VARIABLE: ",".join(map(str, descriptors)), COUNT_VARIABLE: str(self._count)},
            pass_fds=descriptors,
        )
        theirs.close()
        worker = _Worker(process, ours)
        if worker.wait_until_ready(START_SECONDS):
            _logger.info("worker %d accepts connections", process.pid)
            return worker
        _logger.error("worker %d did not start", process.pid)
        worker.stop()
        worker.wait_or_kill(_FIRST_PAUSE_S)
        return None

    def _stop_all(self) -> None:
        deadline = time.monotonic() + STOP_SECONDS
        workers = [*self._workers, *([self._leaving[0]] if self._leaving is not None else [])]
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.wait_or_kill(deadline - time.monotonic())
