"""One line on a terminal that says how far a long work is; nothing where nobody watches."""

import time
from typing import TextIO

from jupyter_colophon.core.display_text import width

#: How often it is drawn anew at most, in seconds.
_PAUSE_S = 0.1
_ERASE = "\x1b[K"


class Line:
    """The line; it is gone when the work is done. `watched` where somebody sees the stream though it is no terminal."""

    def __init__(self, stream: TextIO, *, watched: bool = False) -> None:
        self._stream, self._drawn, self._length = stream, 0.0, 0
        self._is_terminal = stream.isatty()
        self._watched = watched or self._is_terminal

    def show(self, what: str, steps: int) -> None:
        """Say what is being done, and how many steps of it are."""
        now = time.monotonic()
        if self._watched and now - self._drawn >= _PAUSE_S:
            self._drawn = now
            self._write(f"{what} {steps or ''}".rstrip())

    def clear(self) -> None:
        """Make room for other words."""
        if self._length:
            self._write("")

    def _write(self, text: str) -> None:
        """Replace the line. A notebook's output knows no escape that erases: blanks cover what was there."""
        blanks = "" if self._is_terminal else " " * (self._length - width(text))
        erased = _ERASE if self._is_terminal else ""
        self._stream.write(f"\r{erased}{text}{blanks}" + ("" if text or self._is_terminal else "\r"))
        self._stream.flush()
        self._length = width(text)

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()
