"""Folders in memory, for thousands of files that need not be durable."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MEMORY = Path("/dev/shm")
_FREE = 2**30


def find_memory_folder() -> Path | None:
    """Return the machine's folder in memory; None if there is none or it is nearly full."""
    usable = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    return _MEMORY if usable and shutil.disk_usage(_MEMORY).free > _FREE else None


def put_test_folders_in_memory() -> None:
    """Put the folders of tests in memory, here and in each child process.

    A store flushes each commit, which is slow on a disk. Full-size tests run on the disk. Folders that the user chose
    are kept, and so are all folders of a machine with too little memory. Files of killed processes are deleted at the
    end.
    """
    folder = find_memory_folder()
    if folder is None or os.environ.get("COLOPHON_TEST_SIZE") == "full":
        return
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder))
    if "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="colophon-", dir=folder)
        # Some tests run as another account, which needs access to this folder.
        Path(tempfile.tempdir).chmod(0o711)
        atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)


@contextmanager
def create_memory_folder() -> Iterator[Path]:
    """Create a temporary folder, in memory if possible."""
    with tempfile.TemporaryDirectory(prefix="colophon-", dir=find_memory_folder()) as folder:
        yield Path(folder)
