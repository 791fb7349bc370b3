"""How a command that has Spark under way is ended from outside."""

import logging
import signal
from collections.abc import Callable
from typing import Any


class Ending:
    """What ends a run on Spark from outside, by Ctrl-C or SIGTERM: it is recorded as killed."""

    def __init__(self) -> None:
        self._waits = self._asked = False
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self)

    def __call__(self, *_: object) -> None:
        """Take the signal."""
        self._asked = True
        logging.getLogger().addFilter(_is_ours)
        logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
        if not self._waits:
            raise KeyboardInterrupt

    def defer(self) -> None:
        """Keep a signal that arrives from now on until `late` has done its work: before that no run would record it."""
        self._waits = True

    def late(self, work: Callable[[], Any]) -> Any:
        """Do this to its end, and end the run then: of a JVM whose start is broken off nobody gets rid any more."""
        self._waits = True
        try:
            return work()
        finally:
            self._waits = False
            if self._asked:
                raise KeyboardInterrupt


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether it is not what Py4J logs, in nobody's name and with a traceback, of a call that was broken off."""
    return record.module != "java_gateway"
