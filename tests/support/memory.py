"""Folders in memory, for files that are made by the thousand and need not outlive the machine."""

import atexit
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


def use_memory() -> None:
    """Keep the folders of tests in memory, here and in each process that is started from here.

    A store flushes each commit, and a disk is slow. The full size of the tests is run on the disk; folders that the
    user chose, and a machine without room, stay as they are. What killed processes leave behind is deleted at the end.
    """
    folder = memory()
    if folder is None or os.environ.get("COLOPHON_TEST_SIZE") == "full":
        return
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder))
    if "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="colophon-", dir=folder)
        # Some tests act as another account, which looks below this folder.
        Path(tempfile.tempdir).chmod(0o711)
        atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder, in memory where that is possible, that is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="colophon-", dir=memory()) as folder:
        yield Path(folder)
