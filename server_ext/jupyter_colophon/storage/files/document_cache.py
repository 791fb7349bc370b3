"""Documents that were read, kept for as long as their files stay as they were."""

from threading import Lock

from jupyter_colophon.core.instances.instance import Held

#: When it was modified (ns), its size (bytes), its inode, when its inode changed (ns).
Stamp = tuple[int, int, int, int]
#: The path, and whether its folder is the one that is written.
Key = tuple[str, bool]

#: What one file costs besides its text.
_EACH = 1_024


class KeptDocuments:
    """Bounded by the bytes of their files, each counted with a kilobyte more. Safe from any thread.

    When it is full, what came last goes first: of more files than fit, read one after the other again and again, the
    first ones stay, where the usual rule would throw each out just before it is needed.
    """

    def __init__(self, bytes_max: int = 16 * 2**20) -> None:
        self._bytes_max, self._bytes = bytes_max, 0
        self._held: dict[Key, tuple[Stamp, Held]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Key, stamp: Stamp) -> Held | None:
        """What was read when the file was in this state."""
        found = self._held.get(key)
        return found[1] if found is not None and found[0] == stamp else None

    def put(self, key: Key, stamp: Stamp, held: Held) -> None:
        """Keep what was read of a file in this state."""
        with self._lock:
            self._drop(key)
            while self._held and self._bytes + _cost(stamp, held) > self._bytes_max:
                self._drop(next(reversed(self._held)))
            if _cost(stamp, held) <= self._bytes_max:
                self._held[key] = (stamp, held)
                self._bytes += _cost(stamp, held)

    def forget(self, key: Key) -> None:
        """Let go of a file that is gone."""
        if key in self._held:
            with self._lock:
                self._drop(key)

    def _drop(self, key: Key) -> None:
        found = self._held.pop(key, None)
        if found is not None:
            self._bytes -= _cost(*found)


def _cost(stamp: Stamp, held: Held) -> int:
    return _EACH + (stamp[1] if held.document is not None else 0)


#: What this process has read of all schemaspaces.
PROCESS_WIDE = KeptDocuments()
