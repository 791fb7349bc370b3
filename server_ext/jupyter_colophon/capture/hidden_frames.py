"""Hide the frames of wrappers: from libraries that look at their callers, and from the tracebacks of failed calls.

pandas looks for local variables of the program in `query` and `eval`, and for the statement that sets an item of a temporary
frame. Each wrapper between the program and the library is one or more frames, which these look-ups would find. What
`warnings` counts is in `places.py`.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from jupyter_colophon.capture.places import HIDDEN


def is_wrapper(frame: FrameType) -> bool:
    """Return whether a frame is one of a wrapper."""
    return frame.f_code.co_filename.endswith(HIDDEN)


def hide_wrappers(error: BaseException) -> None:
    """Remove the frames of wrappers from an error's traceback.

    An `except` clause that calls it and then has a bare `raise` adds no frame of its own.
    """
    before, trace = None, error.__traceback__
    while trace is not None:
        if not is_wrapper(trace.tb_frame):
            before = trace
        elif before is None:
            error.__traceback__ = trace.tb_next
        else:
            before.tb_next = trace.tb_next
        trace = trace.tb_next


def count_without_wrappers(original: Callable[[], int]) -> Callable[[], int]:
    """Return a function that counts frames as `original`, from its own up to the program, but not those of wrappers.

    Libraries pass the number as `stacklevel` to `warnings`, which does not count wrappers either.
    """

    def count_frames() -> int:
        count = original()
        frame: FrameType | None = sys._getframe()
        for _ in range(count - 1):
            if frame is None:
                break
            count -= is_wrapper(frame)
            frame = frame.f_back
        return count

    return count_frames


class StackWithoutWrappers:
    """Takes the place of the module `sys` in a module of a library that looks at the frames of its callers."""

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of `sys`."""
        return getattr(sys, name)

    def _getframe(self, depth: int = 0) -> FrameType:
        """Return the frame `depth` calls below the caller, as `sys._getframe`, without counting wrappers.

        Raises:
            ValueError: The stack is not that deep.
        """
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if not is_wrapper(frame):
                if depth <= 0:
                    return frame
                depth -= 1
            frame = frame.f_back
        raise ValueError("call stack is not deep enough")


STACK: Final = StackWithoutWrappers()
