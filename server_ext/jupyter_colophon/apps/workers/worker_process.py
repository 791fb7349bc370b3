"""One worker process, as its server knows it: started with the same Python, on a pair of unix domain sockets.

A pair of sockets has no name in the file system, so no other process can connect to it. The process ends with its
server, whatever ends that: its standard input is a pipe from the server, and on Linux the kernel kills it, too.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.apps.handler_call import EncodedResponse, HandlerCall
from jupyter_colophon.apps.workers.frames import ChannelClosed, Frame, receive_frame, send_frame
from jupyter_colophon.apps.workers.messages import decode_answer, encode_call
from jupyter_colophon.apps.workers.worker_output import log_output_in_background
from jupyter_colophon.core.errors import SystemAppTimeout

#: How long a process may take to start, to answer when it is idle, and to end, in seconds.
START_S: Final = 60.0
PING_S: Final = 10.0
STOP_S: Final = 5.0
#: Whether this system has what worker processes need.
HAS_WORKERS: Final = hasattr(socket, "AF_UNIX") and hasattr(os, "killpg")
_MIB: Final = 1024 * 1024


class WorkerFailed(Exception):
    """The process does not start, or has ended; the message is the reason."""


@dataclass(frozen=True, slots=True)
class WorkerLauncher:
    """Starts the worker processes of this server."""

    #: The module that a process runs.
    module: str
    #: The settings of the catalog, as JSON: a process opens the store by itself.
    settings: Mapping[str, Any]
    #: The most memory of a process in MiB; 0 without a limit.
    memory_mib: int

    def start_worker(self, app: str, version: str, service: str, *, has_spark: bool) -> "WorkerProcess":
        """Start a process, and wait until it has loaded the application. Raises WorkerFailed."""
        ours, theirs = socket.socketpair()
        try:
            process = subprocess.Popen(  # noqa: S603  our own command
                [sys.executable, "-m", self.module, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                # Nothing is written: the pipe closes when this server ends for any reason.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # Ctrl+C in a terminal goes to the server, which then stops its workers.
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise WorkerFailed(f"a worker process cannot be started: {error}") from error
        finally:
            theirs.close()
        assert process.stdout is not None  # noqa: S101  a pipe
        log_output_in_background(process.stdout, f"{app}/{service}")
        worker = WorkerProcess(process, ours)
        header = {
            "type": "start",
            "app": app,
            "version": version,
            "service": service,
            "settings": self.settings,
            # JVMs reserve more address space than they use.
            "memoryBytes": 0 if has_spark else self.memory_mib * _MIB,
            # The packages are those of this server.
            "path": sys.path,
        }
        worker.wait_until_ready(header)
        return worker


@dataclass(slots=True)
class WorkerProcess:
    """A process that runs one call at a time. Only one thread uses it."""

    process: "subprocess.Popen[bytes]"
    channel: socket.socket
    #: Whether it has answered a call.
    has_answered: bool = False
    #: Whether jobs ran in it when it was last asked whether it answers.
    has_jobs: bool = False
    _is_ending: bool = field(default=False)

    def wait_until_ready(self, header: Mapping[str, Any]) -> None:
        """Send what the process needs, and wait until it has loaded the application. Raises WorkerFailed."""
        try:
            send_frame(self.channel, Frame(header), START_S)
            answer = receive_frame(self.channel, START_S).header
        except TimeoutError:
            self.stop_now()
            raise WorkerFailed(f"it did not start within {START_S:g} s") from None
        except ChannelClosed:
            raise WorkerFailed(self._describe_end()) from None
        if answer.get("type") != "ready":
            self.stop_now()
            raise WorkerFailed(str(answer.get("problem", "an unknown answer")))

    def is_usable(self) -> bool:
        """Return whether the process runs, and has not announced its end."""
        return not self._is_ending and self.process.poll() is None and not self._is_closed()

    def run_call(self, call: HandlerCall) -> EncodedResponse:
        """Run a handler. Raises what the call raises, and WorkerFailed if the process has ended meanwhile.

        A handler that does not return within the time limit of its route is killed with its process.
        """
        seconds = call.context.get_remaining_seconds()
        if not seconds:
            raise SystemAppTimeout(call.app, call.route.timeout_s)
        try:
            send_frame(self.channel, encode_call(call), seconds)
            frame = receive_frame(self.channel, seconds)
            self._is_ending = bool(frame.header.get("ends"))
            self.has_answered = True
            return decode_answer(frame)
        except TimeoutError:
            self.stop_now()
            raise SystemAppTimeout(call.app, call.route.timeout_s) from None
        except ChannelClosed:
            raise WorkerFailed(self._describe_end()) from None

    def is_healthy(self) -> bool:
        """Return whether the idle process answers; one that does not is killed."""
        try:
            send_frame(self.channel, Frame({"type": "ping"}), PING_S)
            answer = receive_frame(self.channel, PING_S).header
            if answer.get("type") == "pong":
                self.has_jobs = bool(answer.get("jobs"))
                return True
        except (TimeoutError, ChannelClosed):
            pass
        self.stop_now()
        return False

    def stop(self) -> None:
        """Let the idle process end; kill it after a time."""
        # The end of the frames: what was sent is still answered.
        with suppress(OSError):
            self.channel.shutdown(socket.SHUT_WR)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(STOP_S)
        self.stop_now()

    def stop_now(self) -> None:
        """End the process now."""
        if self.process.poll() is None:
            self.send_kill()
            self.process.wait()
        self.channel.close()
        if self.process.stdin is not None:
            self.process.stdin.close()

    def send_kill(self) -> None:
        """Kill the process, and those that it has started, which are in its session. Any thread may do so."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def _is_closed(self) -> bool:
        """Return whether the other side has closed the channel, on which an idle process sends nothing."""
        self.channel.settimeout(0)
        try:
            self.channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def _describe_end(self) -> str:
        """Return how the process has ended."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(STOP_S)
        status = self.process.poll()
        self.stop_now()
        if status is None:
            return "its worker process closed the connection"
        if status < 0:
            return f"its worker process was ended by the signal {-status}"
        return f"its worker process ended with the status {status}"
