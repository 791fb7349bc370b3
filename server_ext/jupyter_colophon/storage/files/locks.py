"""Lock instances across threads and processes: `flock` on a file that exists only while it is locked."""

import errno
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.storage.fsync import create_private_folders
from jupyter_colophon.system.process_files import is_same_file, try_lock

#: The timeout for the lock of another change.
WAIT_S = 10.0

_log = logging.getLogger(__name__)
#: Errors of Windows and some network file systems, which have no such locks: only threads of one process exclude each
#: other there.
_WITHOUT = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL}
#: How often a folder is created again if other processes remove it after an abandoned change.
_TRIES = 5
_PAUSES_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02)

_threads: "WeakValueDictionary[str, Lock]" = WeakValueDictionary()
_threads_lock = Lock()
_reported: set[str] = set()


@contextmanager
def hold_thread_and_file_lock(folder: Path, file: str, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the lock of this name in the folder, which is created if it is missing.

    Raises StoreUnavailable after `wait_s` seconds, and OSError.
    """
    deadline = time.monotonic() + wait_s
    with hold_thread_lock(folder, file, wait_s), hold_file_lock(folder, file, deadline):
        yield


@contextmanager
def hold_thread_lock(folder: Path, file: str, wait_s: float) -> Iterator[None]:
    """Hold the lock against other threads of this process; it uses no file. Raises StoreUnavailable."""
    lock = _get_or_create_thread_lock(f"{folder}{os.sep}{file}")
    if not lock.acquire(timeout=max(wait_s, 0)):
        raise _build_busy_error()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def hold_file_lock(folder: Path, file: str, deadline: float) -> Iterator[None]:
    """Hold the lock against other processes. `deadline` is a monotonic time. Raises the errors of `hold_thread_and_file_lock`."""
    path = f"{folder}{os.sep}{file}"
    descriptor = _wait_for_file_lock(folder, path, deadline)
    try:
        yield
    finally:
        _remove_and_release_lock_file(path, descriptor)


def _build_busy_error() -> StoreUnavailable:
    return StoreUnavailable("the instance is being changed by another process")


def _get_or_create_thread_lock(key: str) -> Lock:
    with _threads_lock:
        turn = _threads.get(key)
        if turn is None:
            turn = _threads[key] = Lock()
        return turn


def _wait_for_file_lock(folder: Path, path: str, deadline: float) -> int:
    """Return a descriptor that holds the lock of the file that is at this path now."""
    tries = 0
    while True:
        descriptor = _open_lock_file(folder, path)
        try:
            if _is_locked_at_path(descriptor, folder) and is_same_file(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        # Closed before the next try: its previous holder removed the file, so the lock is another file now.
        os.close(descriptor)
        if time.monotonic() >= deadline:
            raise _build_busy_error()
        time.sleep(_PAUSES_S[min(tries, len(_PAUSES_S) - 1)])
        tries += 1


def _open_lock_file(folder: Path, path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            return os.open(path, flags, 0o600)
        with suppress(FileNotFoundError):
            create_private_folders(folder)
    return os.open(path, flags, 0o600)


def _is_locked_at_path(descriptor: int, folder: Path) -> bool:
    try:
        return try_lock(descriptor)
    except OSError as error:
        if error.errno not in _WITHOUT:
            raise
        if str(folder) not in _reported:
            _reported.add(str(folder))
            _log.warning(
                "The file system of %s does not support locks: change it from one process at a time only.", folder
            )
    return True


def _remove_and_release_lock_file(path: str, descriptor: int) -> None:
    """Remove the file before releasing it, so that waiting processes find another file under the name and try again."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        _log.warning("the lock file of an instance cannot be removed: %s", error)
    finally:
        os.close(descriptor)
