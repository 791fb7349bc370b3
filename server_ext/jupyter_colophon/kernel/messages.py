"""Messages for the user of the notebook, each shown once."""

import threading


class NoticeQueue:
    """Lines to show with the next cell. Thread-safe; a line is shown once per key until the key is forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown_keys: set[str] = set()
        self._waiting: list[str] = []

    def add_line_once(self, key: str, line: str) -> None:
        """Add a line for the next cell unless one with this key was added before."""
        with self._lock:
            if key not in self._shown_keys:
                self._shown_keys.add(key)
                self._waiting.append(line)

    def forget_line(self, key: str) -> bool:
        """Allow a line with this key again; return whether one was added before."""
        with self._lock:
            if key not in self._shown_keys:
                return False
            self._shown_keys.discard(key)
            return True

    def take_lines(self) -> list[str]:
        """Remove and return the pending lines, oldest first."""
        with self._lock:
            lines, self._waiting = self._waiting, []
            return lines
