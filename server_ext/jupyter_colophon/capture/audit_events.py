"""Events of the interpreter that capture listens to, by one audit hook.

A hook sees every event, cannot be removed, and an exception of it would prevent what the event is about.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

Listener = Callable[[tuple[Any, ...]], object]

_CHECK: Final = "jupyter_colophon.check"
_listeners: dict[str, Listener] = {}
_is_hooked = False


def listen_to_event(event: str, listener: Listener) -> bool:
    """Call `listener` with the arguments of each event of this name from now on; return whether the interpreter sends events."""
    global _is_hooked
    received: list[object] = []
    if not _is_hooked:
        sys.addaudithook(_receive_event)
        _is_hooked = True
    # Another hook can refuse this one without an error.
    _listeners[_CHECK] = received.append
    sys.audit(_CHECK)
    del _listeners[_CHECK]
    _listeners[event] = listener
    return bool(received)


def _receive_event(event: str, args: tuple[Any, ...]) -> None:
    listener = _listeners.get(event)
    if listener is not None:
        # An event that is not seen is better than a call that fails.
        with suppress(Exception):
            listener(args)
