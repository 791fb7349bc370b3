"""Changing one file so that it is the old one or the new one, whatever happens (spec INST-10)."""

import contextlib
import errno
import os
from pathlib import Path

from jupyter_colophon.storage.files.filenames import SUFFIX, temporary_of
from jupyter_colophon.storage.fsync import sync_folder

#: A file system that has no hard links (FAT, some network ones) says one of these.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_SAVED = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def save(folder: Path, name: str, text: bytes, *, create: bool) -> os.stat_result:
    """Let the text be the instance's file, and stay it through a power cut. The folder exists.

    Raises OSError: FileExistsError where a file is to be created and there is one already; after any other, the file
    is as it was, except that a failure of the last step, the folder's fsync, may come after the change.
    """
    temporary, target = f"{folder}{os.sep}{temporary_of(name)}", f"{folder}{os.sep}{name}{SUFFIX}"
    try:
        status = _written(temporary, text)
        if create:
            _link(temporary, target)
        else:
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if create:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # What is left of it is swept at the next start.
    status = _notify_watchers(target, status)
    sync_folder(folder)
    return status


def remove(folder: Path, name: str) -> None:
    """Remove the instance's file for good. Raises OSError."""
    os.unlink(folder / f"{name}{SUFFIX}")
    sync_folder(folder)


def _written(path: str, text: bytes) -> os.stat_result:
    descriptor = os.open(path, _NEW, 0o600)
    try:
        _close_to_others(descriptor)
        rest = memoryview(text)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _notify_watchers(path: str, status: os.stat_result) -> os.stat_result:
    """Report the saved file as modified to programs that ignore renames, and return its new status.

    Elyra's cache drops a file when it is modified or deleted, and ignores renames; from watchdog 7 on also new times and
    modes. Setting the size that the file has is a modification which changes no byte, so a power cut at this point loses
    nothing. Only the file that was just written is touched: another program may have replaced it since. A failure is
    ignored, as the file is saved.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(path, _SAVED)
        try:
            if os.path.samestat(os.fstat(descriptor), status):
                os.ftruncate(descriptor, status.st_size)
                return os.fstat(descriptor)
        finally:
            os.close(descriptor)
    return status


def _close_to_others(descriptor: int) -> None:
    """Whatever the umask is. Where a mount decides who may do what (FAT, some network ones), it does."""
    if os.chmod in os.supports_fd:
        with contextlib.suppress(PermissionError):
            os.chmod(descriptor, 0o600)


def _link(temporary: str, target: str) -> None:
    """Give the file its name unless there is one of it already."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Our own processes are kept apart by the lock; another program could come between these two.
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.rename(temporary, target)
