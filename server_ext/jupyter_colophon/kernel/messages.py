"""What the record has to say to the person at the notebook, each thing once."""

import threading


class Notices:
    """Lines to be shown with the next cell. Thread-safe; a line with a key is kept back until the key is forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: set[str] = set()
        self._waiting: list[str] = []

    def say_once(self, key: str, line: str) -> None:
        """Keeps a line for the next cell unless one with this key was said already."""
        with self._lock:
            if key not in self._said:
                self._said.add(key)
                self._waiting.append(line)

    def forget(self, key: str) -> bool:
        """Lets a line with this key be said again; whether one had been."""
        with self._lock:
            if key not in self._said:
                return False
            self._said.discard(key)
            return True

    def take(self) -> list[str]:
        """The lines that wait, oldest first; they are gone then."""
        with self._lock:
            lines, self._waiting = self._waiting, []
            return lines
