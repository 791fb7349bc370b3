"""The side of a worker in its connection to the process that started it (see `processes.py`)."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

#: The variable with the descriptors of a worker: that of the channel, then those of the listening sockets.
VARIABLE = "COLOPHON_SERVICE_WORKER"
#: The variable with the number of workers, which share the memory of the machine.
COUNT_VARIABLE = "COLOPHON_SERVICE_PROCESSES"
#: What a worker sends when it accepts connections, and what it receives when another one has replaced it.
READY, REPLACED = b"r", b"x"


def count_workers() -> int:
    """Return how many processes serve the address of this one."""
    return int(os.environ.get(COUNT_VARIABLE, "1"))


@dataclass(frozen=True, slots=True)
class WorkerChannel:
    """The channel to the parent process, and the sockets that all workers share."""

    channel: socket.socket
    sockets: list[socket.socket]

    @classmethod
    def from_environ(cls) -> "WorkerChannel | None":
        """Return the channel of this process; None if it is not a worker."""
        if (value := os.environ.pop(VARIABLE, "")) == "":
            return None
        # The parent waits for these signals, so that they are blocked in its children.
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        channel, *sockets = (socket.socket(fileno=int(number)) for number in value.split(","))
        for inherited in (channel, *sockets):
            inherited.setblocking(False)
            inherited.set_inheritable(False)
        return cls(channel, sockets)

    def report_ready_and_stop_with_parent(self, stop: Callable[[], None], stop_as_replaced: Callable[[], None]) -> None:
        """Report that this process accepts connections; stop when it is replaced, or the parent has ended.

        Call it on the event loop.
        """
        loop = asyncio.get_running_loop()

        def read() -> None:
            message = b""
            # A parent that was killed may have left what this process sent.
            with suppress(ConnectionError):
                message = self.channel.recv(1)
            if message == REPLACED:
                stop_as_replaced()
            else:
                loop.remove_reader(self.channel)
                stop()

        loop.add_reader(self.channel, read)
        self.channel.send(READY)
