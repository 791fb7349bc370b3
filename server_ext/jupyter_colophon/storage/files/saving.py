"""Replace a file atomically and durably (spec INST-10)."""

import contextlib
import errno
import os
from pathlib import Path

from jupyter_colophon.storage.files.filenames import SUFFIX, create_temporary_file_name
from jupyter_colophon.storage.fsync import sync_folder_to_disk

#: The errors of a file system without hard links (FAT, some network ones).
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_SAVED = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def save_file_durably(folder: Path, name: str, text: bytes, *, create: bool) -> os.stat_result:
    """Write the text to the instance's file durably. The folder exists.

    Raises OSError: FileExistsError if the file is to be created and exists. After any other error the file is
    unchanged, except that the last step, the fsync of the folder, may fail after the change.
    """
    temporary, target = f"{folder}{os.sep}{create_temporary_file_name(name)}", f"{folder}{os.sep}{name}{SUFFIX}"
    try:
        status = _write_and_sync_file(temporary, text)
        if create:
            _rename_unless_exists(temporary, target)
        else:
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if create:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # The next start removes the rest.
    status = _notify_watchers_by_touching(target, status)
    sync_folder_to_disk(folder)
    return status


def remove_file_durably(folder: Path, name: str) -> None:
    """Remove the instance's file durably. Raises OSError."""
    os.unlink(folder / f"{name}{SUFFIX}")
    sync_folder_to_disk(folder)


def _write_and_sync_file(path: str, text: bytes) -> os.stat_result:
    descriptor = os.open(path, _NEW, 0o600)
    try:
        _make_private(descriptor)
        rest = memoryview(text)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _notify_watchers_by_touching(path: str, status: os.stat_result) -> os.stat_result:
    """Report the saved file as modified to programs that ignore renames, and return its new status.

    Elyra's cache drops a file when it is modified or deleted, and ignores renames; since watchdog 7 also changes of
    times and modes. Only the file that was just written is changed: another program may have replaced it since. A
    failure is ignored, as the file is saved.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(path, _SAVED)
        try:
            if os.path.samestat(os.fstat(descriptor), status):
                return _notify_without_changing_content(descriptor, status)
        finally:
            os.close(descriptor)
    return status


def _notify_without_changing_content(descriptor: int, status: os.stat_result) -> os.stat_result:
    """Modify an open file without changing a byte, so that a power failure loses nothing; return its new status.

    Allocating space that the file has writes no data. Where the file system cannot do that, the C library does nothing
    to a text: then the size is set to the same value, after which the last block is written to the disk again.
    """
    with contextlib.suppress(AttributeError, OSError):  # Not on macOS and Windows, nor on every file system.
        os.posix_fallocate(descriptor, 0, status.st_size)
        new_status = os.fstat(descriptor)
        if new_status.st_mtime_ns != status.st_mtime_ns:
            return new_status
    os.ftruncate(descriptor, status.st_size)
    return os.fstat(descriptor)


def _make_private(descriptor: int) -> None:
    """Make a file private regardless of the umask. Some file systems (FAT, some network ones) fix permissions by mount
    options.
    """
    if os.chmod in os.supports_fd:
        with contextlib.suppress(PermissionError):
            os.chmod(descriptor, 0o600)


def _rename_unless_exists(temporary: str, target: str) -> None:
    """Rename the file unless its new name exists."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # The lock excludes our own processes; another program could create the file in between.
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.rename(temporary, target)
