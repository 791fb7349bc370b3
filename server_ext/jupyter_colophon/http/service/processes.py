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

from jupyter_colophon.http.service.worker import COUNT_VARIABLE, VARIABLE

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
            return bool(selector.select(timeout_s)) and self.channel.recv(1) == b"r"

    def stop(self) -> None:
        """Let the worker answer its requests and end."""
        with suppress(ProcessLookupError):
            self.process.terminate()

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
    """The workers of one address. A worker that ends is replaced; SIGHUP replaces all, one by one."""

    def __init__(self, arguments: Sequence[str], sockets: Sequence[socket.socket], count: int) -> None:
        self._arguments, self._sockets, self._count = arguments, sockets, count
        self._workers: list[_Worker] = []
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
                received = signal.sigtimedwait(_SIGNALS, pause_s)
                number = received.si_signo if received is not None else None
                if number in (signal.SIGTERM, signal.SIGINT):
                    return 0
                self._remove_ended_workers()
                if number == signal.SIGHUP:
                    self._replace_workers_one_by_one()
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

    def _remove_ended_workers(self) -> None:
        for worker in [item for item in self._workers if item.process.poll() is not None]:
            _logger.error("worker %d ended with status %s", worker.process.pid, worker.process.returncode)
            worker.channel.close()
            self._workers.remove(worker)

    def _replace_workers_one_by_one(self) -> None:
        for old in list(self._workers):
            new = self._start_worker()
            if new is None:
                _logger.error("the other workers are not replaced: a new one did not start")
                return
            self._workers.append(new)
            self._workers.remove(old)
            old.stop()
            old.wait_or_kill(STOP_SECONDS)

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
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.wait_or_kill(deadline - time.monotonic())
