"""Files that a process keeps locked while it lives, so that other processes recognize the files of ended processes.

The operating system releases such a lock when the process ends for any reason. Windows has no locks of this kind, since
its locks prevent others from reading the file: there, no file counts as abandoned.
"""

import errno
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_BUSY: Final = {errno.EAGAIN, errno.EACCES}
_BINARY: Final = getattr(os, "O_BINARY", 0)
HAS_LOCKS: Final = sys.platform != "win32"

if sys.platform == "win32":

    def _lock(_descriptor: int, _shared: bool) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
else:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock

    def _lock(descriptor: int, shared: bool) -> None:
        flock(descriptor, (LOCK_SH if shared else LOCK_EX) | LOCK_NB)


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file without waiting; return False if another process has locked it. Raises OSError if locks are not
    supported.
    """
    try:
        _lock(descriptor, shared)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise
    return True


def is_same_file(descriptor: int, path: str | Path) -> bool:
    """Return whether the path still leads to this open file: another process may have replaced or removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def has_creator_ended(path: Path) -> bool:
    """Return whether the process that created this file has ended. Raises FileNotFoundError."""
    descriptor = os.open(path, os.O_RDONLY | _BINARY)
    try:
        return try_lock(descriptor, shared=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)


class ProcessFile:
    """A file that this process holds locked until it closes it or ends."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self.descriptor = path, descriptor

    @classmethod
    def create_locked(
        cls, path: Path, content: bytes = b"", *, requires_lock: bool = True, flags: int = 0
    ) -> "ProcessFile":
        """Create a file that only its owner can read. Raises OSError, also if a lock is required and not supported.

        The file gets its name after it is locked and written: before that, others would consider it abandoned.
        """
        unnamed = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new") if HAS_LOCKS else path
        descriptor = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY | flags, 0o600)
        try:
            _lock_or_accept_unsupported(descriptor, requires_lock and HAS_LOCKS)
            if os.write(descriptor, content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if unnamed != path:
                os.rename(unnamed, path)
        except BaseException:
            os.close(descriptor)
            with suppress(OSError):
                os.unlink(unnamed)
            raise
        return cls(path, descriptor)

    @classmethod
    def take_over_if_abandoned(cls, path: Path, *, requires_lock: bool = True, flags: int = 0) -> "ProcessFile | None":
        """Lock a file whose process has ended; return None if it is running, or another process took the file over.
        Raises OSError.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | _BINARY | flags)
        except FileNotFoundError:
            return None
        try:
            if _lock_or_accept_unsupported(descriptor, requires_lock) and is_same_file(descriptor, path):
                return cls(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def read_content(self) -> bytes:
        """Return the whole content. Raises OSError."""
        with os.fdopen(os.dup(self.descriptor), "rb") as file:
            file.seek(0)
            return file.read()

    def close(self) -> None:
        """Release the lock, so that another process can take the file over."""
        with suppress(OSError):
            os.close(self.descriptor)

    def delete_and_unlock(self) -> None:
        """Delete the file, and release the lock."""
        if not HAS_LOCKS:
            self.close()
        with suppress(OSError):
            os.unlink(self.path)
        if HAS_LOCKS:
            self.close()


def _lock_or_accept_unsupported(descriptor: int, requires_lock: bool) -> bool:
    """Lock the file; if no lock is required, a file system without locks counts as locked."""
    try:
        return try_lock(descriptor)
    except OSError:
        if requires_lock:
            raise
        return True
