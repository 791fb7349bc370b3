"""Calls of functions that look at the variables of their caller, such as DuckDB, which finds tables among them.

A wrapper stands between the program and the function, so the function would find the wrapper's variables. The call is evaluated
as an expression among the variables of the program instead.
"""

import functools
import os
import sys
import sysconfig
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from jupyter_colophon.capture.hidden_frames import is_wrapper
from jupyter_colophon.capture.places import HIDDEN, set_place

_NAME: Final = "__colophon_call__"
_CALL: Final = compile(f"{_NAME}()", f"<colophon>{HIDDEN}", "eval")
#: The folders of the standard library and of installed packages: of this environment, and of those below it and of the user.
PACKAGES: Final = tuple(
    {
        f"{folder}{os.sep}"
        for folder in (
            *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
            *(each for each in sys.path if os.path.basename(each) in ("site-packages", "dist-packages")),
        )
    }
)


def call_from_program(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `original` so that it finds the variables of the program that called the wrapper."""

    def call(*args: Any, **kwargs: Any) -> Any:
        frame = find_program_frame()
        bound = functools.partial(original, *args, **kwargs)
        if frame is None:
            return bound()
        # In top-level code the variables are the globals; a function has its own beside them.
        local = {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)
        local[_NAME] = bound
        return eval(_CALL, frame.f_globals, local)  # noqa: S307  a constant expression

    return functools.update_wrapper(set_place(call, original), original)


def call_without_variables(original: Callable[..., Any], *args: Any) -> Any:
    """Call `original` so that it finds no variables of a caller."""
    return eval(_CALL, {_NAME: functools.partial(original, *args), "__builtins__": {}})  # noqa: S307  a constant expression


def find_program_frame() -> FrameType | None:
    """Return the innermost frame outside of this package and its wrappers."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (is_wrapper(frame) or _is_own(frame)):
        frame = frame.f_back
    return frame


def _is_own(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("jupyter_colophon.")


def is_called_by_package() -> bool:
    """Return whether the call comes from an installed package or the standard library: what they keep for themselves is no data.

    IPython stores the history of cells in a database, its completion keeps pickles, and so do many other packages.
    """
    frame = find_program_frame()
    return frame is not None and frame.f_code.co_filename.startswith(PACKAGES)
