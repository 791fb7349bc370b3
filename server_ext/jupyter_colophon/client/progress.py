"""One line on a terminal that says how far a long work is; nothing where nobody watches."""

import time
from typing import TextIO

#: How often it is drawn anew at most, in seconds.
_PAUSE_S = 0.1
_CLEAR = "\r\x1b[K"


class Line:
    """The line; it is gone when the work is done. `watched` where somebody sees the stream though it is no terminal."""

    def __init__(self, stream: TextIO, *, watched: bool = False) -> None:
        self._stream, self._drawn, self._there = stream, 0.0, False
        self._watched = watched or stream.isatty()

    def show(self, what: str, steps: int) -> None:
        """Say what is being done, and how many steps of it are."""
        now = time.monotonic()
        if self._watched and now - self._drawn >= _PAUSE_S:
            self._drawn, self._there = now, True
            self._stream.write(f"{_CLEAR}{what} {steps or ''}")
            self._stream.flush()

    def clear(self) -> None:
        """Make room for other words."""
        if self._there:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._there = False

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()
