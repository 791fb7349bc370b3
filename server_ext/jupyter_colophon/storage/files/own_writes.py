"""What this process itself did to files, so that its watch need not look into that again."""

import os
from pathlib import Path

from jupyter_colophon.storage.files.filenames import SUFFIX

#: When it was modified (ns), its size, its inode: what stays as it is when a file gets its name.
_Left = tuple[int, int, int]
#: Of how many files.
_KEPT_MAX = 10_000


class OurChanges:
    """How we left files of one folder. Each is reported once: any other change of the file is examined."""

    def __init__(self, folder: Path) -> None:
        self._folder = f"{folder}{os.sep}"
        self._left: dict[str, _Left | None] = {}

    def left(self, name: str, status: os.stat_result | None) -> None:
        """We saved it, or removed it."""
        if len(self._left) >= _KEPT_MAX:
            self._left.clear()
        self._left[name] = None if status is None else _of(status)

    def claimed(self, name: str) -> bool:
        """Whether the file is as we left it; not again before we change it once more."""
        if name not in self._left:
            return False
        left = self._left.pop(name)
        try:
            return _of(os.lstat(f"{self._folder}{name}{SUFFIX}")) == left
        except OSError:
            return left is None


def _of(status: os.stat_result) -> _Left:
    return status.st_mtime_ns, status.st_size, status.st_ino
