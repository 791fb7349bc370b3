"""Secrets of removed instances, in memory only, while the removal can be undone."""

import time
from collections.abc import Mapping
from threading import Lock
from typing import Any

#: How long they are kept, in seconds, and for how many removals.
KEEP_S, KEEP_MAX = 3_600.0, 1_000


class RecentlyRemovedInstances:
    """Keeps removed documents with their secrets for an hour."""

    def __init__(self) -> None:
        self._removed: dict[tuple[str, str], tuple[float, Mapping[str, Any]]] = {}
        self._lock = Lock()

    def store_removed_document(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Store a removed document."""
        now = time.monotonic()
        with self._lock:
            self._removed.pop((space, name), None)
            self._removed[space, name] = (now + KEEP_S, document)
            gone = [key for key, (until, _) in self._removed.items() if until <= now]
            for key in gone or list(self._removed)[:-KEEP_MAX]:
                del self._removed[key]

    def find_recently_removed(self, space: str, name: str) -> Mapping[str, Any] | None:
        """Return a document that was removed within the last hour."""
        with self._lock:
            removed = self._removed.get((space, name))
        return removed[1] if removed is not None and removed[0] > time.monotonic() else None
