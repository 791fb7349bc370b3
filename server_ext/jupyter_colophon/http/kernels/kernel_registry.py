"""The kernels of each server, in a file that the server keeps locked while it lives.

An abandoned file means that its server was killed, and lists the kernels that it had: their tokens ended
with it, so no one else can record how their runs ended. The files are per store, in Jupyter's data directory.
"""

import hashlib
import json
import os
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.system.private_folders import create_private_folder
from jupyter_colophon.system.process_files import HAS_LOCKS, ProcessFile


class KernelRegistry:
    """The kernels of this server; the file is created with the first of them."""

    def __init__(self, store: StorageChoice) -> None:
        choice = json.dumps([store.provider, dict(store.options)], sort_keys=True, default=str)
        self._root = Path(jupyter_data_dir()) / "colophon"
        # The hash only: the store's options may contain a password.
        self._folder = self._root / "servers" / hashlib.sha256(choice.encode()).hexdigest()[:16]
        self._file: ProcessFile | None = None
        self._kernels: Counter[str] = Counter()
        self._lock = Lock()

    def record_started_kernel(self, kernel: str, actor: str) -> None:
        """Record a kernel that starts in the name of a user. Raises OSError."""
        if not HAS_LOCKS:
            return
        with self._lock:
            if self._file is None:
                create_private_folder(self._folder, self._root)
                self._file = ProcessFile.create_locked(self._folder / f"{uuid.uuid4().hex}.kernels", flags=os.O_APPEND)
            os.write(self._file.descriptor, f"{json.dumps([kernel, actor])}\n".encode())
            self._kernels[kernel] += 1

    def remove_ended_kernel(self, kernel: str) -> None:
        """Remove a kernel that has ended and whose runs are recorded as ended."""
        with self._lock:
            self._kernels[kernel] -= 1

    def keep_kernel_file_for_next_server(self) -> None:
        """Leave the kernels whose end this server could not record to the next server."""
        with self._lock:
            file, self._file = self._file, None
            if file is not None and not +self._kernels:
                file.delete_and_unlock()
            elif file is not None:
                file.close()

    def end_kernels_of_killed_servers(self, end_kernel: Callable[[str, str], None]) -> None:
        """Call `end` with each kernel of killed servers, and its actor; if it raises, they are kept for a later call."""
        for path in sorted(self._folder.glob("*.kernels")):
            with suppress(OSError):
                if (file := ProcessFile.take_over_if_abandoned(path)) is not None:
                    _end_kernels_of_file(file, end_kernel)


def _end_kernels_of_file(file: ProcessFile, end_kernel: Callable[[str, str], None]) -> None:
    try:
        *lines, _unfinished = file.read_content().decode("utf-8").split("\n")
        for line in dict.fromkeys(lines):
            end_kernel(*json.loads(line))
    except BaseException:
        file.close()
        raise
    file.delete_and_unlock()
