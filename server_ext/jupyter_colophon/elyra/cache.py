"""Elyra's cache of instances, for code that configures or uses it."""

import os
from collections import OrderedDict
from copy import deepcopy
from typing import Any

from traitlets import Bool, Integer
from traitlets.config import SingletonConfigurable

#: Identifies the state of a file; None if there is no file.
Stamp = tuple[int, int, int, int] | None


class FileMetadataCache(SingletonConfigurable):
    """A cache of documents by path that evicts the least recently used beyond `max_size`.

    An entry is invalid as soon as its file changes. Our stores do not need this: they have their own cache
    (`storage/files/document_cache.py`).
    """

    max_size = Integer(128, min=1, max=1024, config=True, help="The maximum number of entries in the cache.")
    enabled = Bool(True, config=True, help="Whether the cache is enabled.")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.hits = self.misses = self.trims = 0
        self._entries: OrderedDict[str, tuple[Stamp, dict[str, Any]]] = OrderedDict()
        if self.enabled:
            #: Elyra watches folders with it; here files are checked on access.
            self.observer = None

    def __len__(self) -> int:
        for path in [path for path in self._entries if path not in self]:
            del self._entries[path]
        return len(self._entries)

    def __contains__(self, path: str) -> bool:
        return path in self._entries and self._entries[path][0] == _read_file_stamp(path)

    def add_item(self, path: str, entry: dict[str, Any]) -> None:
        """Add a copy of an entry."""
        if not self.enabled:
            return
        self._entries[path] = _read_file_stamp(path), deepcopy(entry)
        self._entries.move_to_end(path)
        if len(self._entries) > self.max_size:
            self.trims += 1
            self._entries.popitem(last=False)

    def get_item(self, path: str) -> dict[str, Any] | None:
        """Return a copy of an entry; None if there is none."""
        if not self.enabled:
            return None
        if path not in self:
            self._entries.pop(path, None)
            self.misses += 1
            return None
        self.hits += 1
        self._entries.move_to_end(path)
        return deepcopy(self._entries[path][1])

    def remove_item(self, path: str) -> dict[str, Any] | None:
        """Remove an entry and return it."""
        return self._entries.pop(path, (None, None))[1] if self.enabled else None


def _read_file_stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns
