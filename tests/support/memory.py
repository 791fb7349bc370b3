"""A folder in memory, for files that are made by the thousand and need not outlive the machine."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MEMORY = Path("/dev/shm")
_FREE = 2**30


def memory() -> Path | None:
    """The machine's folder in memory; None where there is none, or where it is nearly full."""
    usable = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    return _MEMORY if usable and shutil.disk_usage(_MEMORY).free > _FREE else None


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder, in memory where that is possible, that is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="colophon-", dir=memory()) as folder:
        yield Path(folder)
