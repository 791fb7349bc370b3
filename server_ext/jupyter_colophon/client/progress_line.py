"""A progress line on a terminal; nothing is shown on other streams."""

import time
from typing import TextIO

from jupyter_colophon.core.display_text import count_display_columns

#: Minimum time between two updates, in seconds.
_PAUSE_S = 0.1
_ERASE = "\x1b[K"


class ProgressLine:
    """A progress line that is erased at the end. `watched` shows it also if the stream is not a terminal."""

    def __init__(self, stream: TextIO, *, watched: bool = False) -> None:
        self._stream, self._drawn, self._length = stream, 0.0, 0
        self._is_terminal = stream.isatty()
        self._watched = watched or self._is_terminal

    def show(self, subject: str, steps: int) -> None:
        """Show the current operation and the number of its steps."""
        now = time.monotonic()
        if self._watched and now - self._drawn >= _PAUSE_S:
            self._drawn = now
            self._replace_line(f"{subject} {steps or ''}".rstrip())

    def clear(self) -> None:
        """Erase the line."""
        if self._length:
            self._replace_line("")

    def _replace_line(self, text: str) -> None:
        """Replace the line. A notebook's output has no erase sequence: overwrite the old text with blanks."""
        blanks = "" if self._is_terminal else " " * (self._length - count_display_columns(text))
        erased = _ERASE if self._is_terminal else ""
        self._stream.write(f"\r{erased}{text}{blanks}" + ("" if text or self._is_terminal else "\r"))
        self._stream.flush()
        self._length = count_display_columns(text)

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()
