"""Wait for conditions."""

import threading
from collections.abc import Callable
from typing import Any

_WAIT_S = 120


def wait_for(read: Callable[[], Any], holds: Callable[[Any], Any]) -> Any:
    """Wait until what is read fulfils a condition, and return it."""
    for _ in range(20 * _WAIT_S):
        if holds(value := read()):
            return value
        threading.Event().wait(0.05)
    raise AssertionError(value)
