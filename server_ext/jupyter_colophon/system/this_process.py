"""Limit functions to the process that created them: a forked child inherits them, but not what they are for."""

import os
from collections.abc import Callable


def limit_to_this_process(callback: Callable[[], None]) -> Callable[[], None]:
    """Return a function that calls `callback` in the current process, and does nothing in its forked children."""
    process = os.getpid()

    def call_in_process() -> None:
        if os.getpid() == process:
            callback()

    return call_in_process
