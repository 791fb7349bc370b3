"""The moment at which a shell ends, while there is still time to tell the server."""

import atexit
import os
from collections.abc import Callable
from typing import Any


def at_farewell(shell: object, say: Callable[[], None]) -> Callable[[], None]:
    """Has `say` called when the shell ends: at a kernel's request to shut down, else at the interpreter's exit.

    A kernel that holds a JVM is terminated before its exit functions run: Jupyter gives it 2.5 s, and the JVM ends first.
    Called twice, `say` must not mind. Gives a function that undoes it.
    """
    process = os.getpid()

    def say_here() -> None:
        # A forked child inherits the functions and not the threads: the session is its parent's.
        if os.getpid() == process:
            say()

    atexit.register(say_here)
    undo = _before_shutdown(getattr(shell, "kernel", None), say_here)

    def end() -> None:
        atexit.unregister(say_here)
        undo()

    return end


def _before_shutdown(kernel: Any, say: Callable[[], None]) -> Callable[[], None]:
    """Puts a call before the kernel's own `do_shutdown`, on this one kernel; a shell without a kernel has none."""
    original = getattr(kernel, "do_shutdown", None)
    if original is None:
        return lambda: None

    def do_shutdown(restart: bool) -> Any:
        say()
        return original(restart)

    kernel.do_shutdown = do_shutdown

    def undo() -> None:
        # Where somebody wrapped it after us, ours stays inside theirs, and says nothing new.
        if vars(kernel).get("do_shutdown") is do_shutdown:
            del kernel.do_shutdown

    return undo
