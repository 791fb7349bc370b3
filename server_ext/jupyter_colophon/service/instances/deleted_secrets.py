"""Secrets of what was removed, for as long as a removal can be undone here: in memory alone."""

import time
from collections.abc import Mapping
from threading import Lock
from typing import Any

#: How long, in seconds; and of how many removals.
KEPT_S, KEPT_MAX = 3_600.0, 1_000


class Undoing:
    """Remembers removed documents, secrets in place, for an hour."""

    def __init__(self) -> None:
        self._removed: dict[tuple[str, str], tuple[float, Mapping[str, Any]]] = {}
        self._lock = Lock()

    def remember(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """It was removed."""
        now = time.monotonic()
        with self._lock:
            self._removed.pop((space, name), None)
            self._removed[space, name] = (now + KEPT_S, document)
            gone = [key for key, (until, _) in self._removed.items() if until <= now]
            for key in gone or list(self._removed)[:-KEPT_MAX]:
                del self._removed[key]

    def removed(self, space: str, name: str) -> Mapping[str, Any] | None:
        """What was removed within the hour."""
        with self._lock:
            found = self._removed.get((space, name))
        return found[1] if found is not None and found[0] > time.monotonic() else None
