"""A cache of documents that were read, valid while their files are unchanged."""

from threading import Lock

from jupyter_colophon.core.instances.instance import StoredInstance

#: Modification time (ns), size (bytes), inode, and change time of the inode (ns).
Stamp = tuple[int, int, int, int]
#: The path, and whether its folder is the one that is written.
Key = tuple[str, bool]

#: The cost of a file in addition to its size, in bytes.
_EACH = 1_024


class DocumentCache:
    """A cache limited by the size of the files plus a kilobyte each. Safe for threads.

    When it is full, the newest document is evicted first. If more files than fit are read in turn again and again, the
    first ones stay cached, whereas LRU would evict each one just before it is needed.
    """

    def __init__(self, bytes_max: int = 16 * 2**20) -> None:
        self._bytes_max, self._bytes = bytes_max, 0
        self._held: dict[Key, tuple[Stamp, StoredInstance]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def get_if_unchanged(self, key: Key, stamp: Stamp) -> StoredInstance | None:
        """Return the document of a file in this state, None if it is not cached."""
        entry = self._held.get(key)
        return entry[1] if entry is not None and entry[0] == stamp else None

    def add_and_evict_others(self, key: Key, stamp: Stamp, instance: StoredInstance) -> None:
        """Add the document of a file in this state."""
        with self._lock:
            self._remove_entry(key)
            while self._held and self._bytes + _compute_cost(stamp, instance) > self._bytes_max:
                self._remove_entry(next(reversed(self._held)))
            if _compute_cost(stamp, instance) <= self._bytes_max:
                self._held[key] = (stamp, instance)
                self._bytes += _compute_cost(stamp, instance)

    def remove_file(self, key: Key) -> None:
        """Remove a file that no longer exists."""
        if key in self._held:
            with self._lock:
                self._remove_entry(key)

    def _remove_entry(self, key: Key) -> None:
        entry = self._held.pop(key, None)
        if entry is not None:
            self._bytes -= _compute_cost(*entry)


def _compute_cost(stamp: Stamp, instance: StoredInstance) -> int:
    return _EACH + (stamp[1] if instance.document is not None else 0)


#: The cache of this process, for all schemaspaces.
PROCESS_WIDE = DocumentCache()
