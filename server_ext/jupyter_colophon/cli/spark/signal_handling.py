"""Stop a command that runs on Spark by a signal."""

import logging
import signal
from collections.abc import Callable
from typing import Any


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


def _is_not_py4j(record: logging.LogRecord) -> bool:
    """Return False for log records of Py4J about an interrupted call, which come with a traceback."""
    return record.module != "java_gateway"
