"""The kernels that a server has, in a file which it keeps locked as long as it lives.

Who finds such a file free knows that its server ended without a word, and which kernels that left behind: their tokens
went with it, so nobody else can tell how their runs ended. The files are those of one store, in Jupyter's data folder.
"""

import hashlib
import json
import sys
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TextIO

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.client.private_folders import create_private_folder
from jupyter_colophon.core.store import StoreChoice

if sys.platform != "win32":  # Windows has no locks of this kind: there nobody knows what a server left behind.
    import fcntl


class Roll:
    """The kernels of this server; the file is there from the first of them on."""

    def __init__(self, store: StoreChoice) -> None:
        told = json.dumps([store.provider, dict(store.options)], sort_keys=True, default=str)
        self._root = Path(jupyter_data_dir()) / "colophon"
        # No more than that of the store's options, which may hold a password.
        self._folder = self._root / "servers" / hashlib.sha256(told.encode()).hexdigest()[:16]
        self._path = self._folder / f"{uuid.uuid4().hex}.kernels"
        self._file: TextIO | None = None
        self._here: Counter[str] = Counter()
        self._lock = Lock()

    def enter(self, kernel: str, actor: str) -> None:
        """A kernel begins, in the name of somebody. Raises OSError."""
        if sys.platform == "win32":
            return
        with self._lock:
            if self._file is None:
                create_private_folder(self._folder, self._root)
                self._file = _made(self._path)
            self._file.write(f"{json.dumps([kernel, actor])}\n")
            self._file.flush()
            self._here[kernel] += 1

    def strike(self, kernel: str) -> None:
        """A kernel has ended, and its runs with it."""
        with self._lock:
            self._here[kernel] -= 1

    def close(self) -> None:
        """The server ends; what it could not record of its kernels, the next one does."""
        with self._lock:
            file, self._file = self._file, None
            if file is not None:
                if not +self._here:
                    self._path.unlink(missing_ok=True)
                file.close()

    def left(self, end: Callable[[str, str], None]) -> None:
        """Have `end` called with each kernel that servers left behind, and its actor; what raises is left for later."""
        for path in sorted(self._folder.glob("*.kernels")):
            with suppress(OSError), path.open("r+", encoding="utf-8") as file:
                _lock(file)
                for line in dict.fromkeys(file):
                    # The last one may not have been written to its end.
                    if line.endswith("\n"):
                        end(*json.loads(line))
                path.unlink(missing_ok=True)


def _made(path: Path) -> TextIO:
    """A new file, locked. It gets its name then: else it looked like one that a killed server left."""
    unnamed = path.with_suffix(".new")
    file = unnamed.open("w", encoding="utf-8")
    try:
        _lock(file)
        unnamed.rename(path)
    except BaseException:
        file.close()
        unnamed.unlink(missing_ok=True)
        raise
    return file


def _lock(file: TextIO) -> None:
    """Raises BlockingIOError where another process has it, OSError where there are no locks."""
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
