"""Stop a command that runs on Spark by a signal."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from jupyter_colophon.cli.parser import CommandParser


class InterruptHandler:
    """Handle Ctrl+C and SIGTERM by raising KeyboardInterrupt, so that the run is recorded as killed."""

    def __init__(self) -> None:
        self._is_deferred = self._is_requested = False
        for signal_number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signal_number, self)

    def __call__(self, *_: object) -> None:
        """Handle a signal."""
        self._is_requested = True
        logging.getLogger().addFilter(_is_not_py4j)
        logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
        if not self._is_deferred:
            raise KeyboardInterrupt

    def defer_signals(self) -> None:
        """Defer signals until `run_uninterrupted` returns: before that, there is no run to record."""
        self._is_deferred = True

    def run_uninterrupted(self, function: Callable[[], Any]) -> Any:
        """Call a function to its end, then raise for a signal that arrived: an interrupted start would leave a JVM behind."""
        self._is_deferred = True
        try:
            return function()
        finally:
            self._is_deferred = False
            if self._is_requested:
                raise KeyboardInterrupt


def add_stop_option(parser: CommandParser) -> None:
    """Declare the option of processes that a server starts."""
    parser.add_argument(
        "--stop-on-stdin-eof",
        action="store_true",
        help="Stop at the end of standard input, that is, when the process that writes to it exits.",
    )


def stop_on_stdin_eof() -> None:
    """Wait for the end of standard input, and stop this process."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _is_not_py4j(record: logging.LogRecord) -> bool:
    """Return False for log records of Py4J about an interrupted call, which come with a traceback."""
    return record.module != "java_gateway"
