"""Call a function when a shell shuts down, while there is still time to reach the server."""

import atexit
from collections.abc import Callable
from typing import Any

from jupyter_colophon.system.this_process import limit_to_this_process


def call_on_shutdown(shell: object, callback: Callable[[], None]) -> Callable[[], None]:
    """Call `callback` when the shell ends: at a kernel's shutdown request, or else at the interpreter's exit.

    A kernel with a JVM is terminated before its exit functions run: Jupyter gives it 2.5 s, and the JVM ends first.
    `callback` may be called twice. Return a function that unregisters it.
    """
    # A forked child inherits the functions but not the threads: the session belongs to its parent.
    run_callback = limit_to_this_process(callback)
    atexit.register(run_callback)
    undo = _call_before_shutdown(getattr(shell, "kernel", None), run_callback)

    def unregister() -> None:
        atexit.unregister(run_callback)
        undo()

    return unregister


def _call_before_shutdown(kernel: Any, callback: Callable[[], None]) -> Callable[[], None]:
    """Call `callback` before the `do_shutdown` of this kernel; do nothing without a kernel."""
    original = getattr(kernel, "do_shutdown", None)
    if original is None:
        return lambda: None

    def do_shutdown(restart: bool) -> Any:
        callback()
        return original(restart)

    kernel.do_shutdown = do_shutdown

    def undo() -> None:
        # If other code has wrapped it since, our wrapper stays inside theirs, where a second call has no effect.
        if vars(kernel).get("do_shutdown") is do_shutdown:
            del kernel.do_shutdown

    return undo
