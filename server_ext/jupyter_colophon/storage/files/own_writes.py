"""Remember this process's own writes, so that its watch can skip them."""

import os
from pathlib import Path

from jupyter_colophon.storage.files.filenames import SUFFIX

#: Modification time (ns), size and inode, which a rename does not change.
_FileState = tuple[int, int, int]
#: The most files to remember.
_KEPT_MAX = 10_000


class OwnFileWrites:
    """The states of files as this process wrote them in one folder. Each is reported once, as any later change is
    foreign.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = f"{folder}{os.sep}"
        self._states: dict[str, _FileState | None] = {}

    def record_own_write(self, name: str, status: os.stat_result | None) -> None:
        """Record that this process saved or removed a file."""
        if len(self._states) >= _KEPT_MAX:
            self._states.clear()
        self._states[name] = None if status is None else _get_file_state(status)

    def was_written_by_this_process(self, name: str) -> bool:
        """Return whether the file is as this process left it, and forget it."""
        if name not in self._states:
            return False
        left = self._states.pop(name)
        try:
            return _get_file_state(os.lstat(f"{self._folder}{name}{SUFFIX}")) == left
        except OSError:
            return left is None


def _get_file_state(status: os.stat_result) -> _FileState:
    return status.st_mtime_ns, status.st_size, status.st_ino
