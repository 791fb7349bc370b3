"""One at a time for each instance, across threads and processes: `flock` on a file that is there only meanwhile."""

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
from jupyter_colophon.storage.fsync import make_folder
from jupyter_colophon.system.process_files import is_same_file, try_lock

#: How long somebody else's change is waited for.
WAIT_S = 10.0

_log = logging.getLogger(__name__)
#: Windows and some network file systems have no such locks. There, threads of one process take turns, and processes do not.
_WITHOUT = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL}
#: How often a folder is made that others, whose change did not happen, remove meanwhile.
_TRIES = 5
_PAUSES_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02)

_threads: "WeakValueDictionary[str, Lock]" = WeakValueDictionary()
_threads_lock = Lock()
_reported: set[str] = set()


@contextmanager
def locked(folder: Path, file: str, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the lock of this name in the folder, which is made where it is missing.

    Raises StoreUnavailable when others hold it for longer than `wait_s` seconds, and OSError.
    """
    deadline = time.monotonic() + wait_s
    with turn(folder, file, wait_s), locked_file(folder, file, deadline):
        yield


@contextmanager
def turn(folder: Path, file: str, wait_s: float) -> Iterator[None]:
    """The half of it that keeps the threads of this process apart; it touches no file. Raises StoreUnavailable."""
    mine = _turn(f"{folder}{os.sep}{file}")
    if not mine.acquire(timeout=max(wait_s, 0)):
        raise _busy()
    try:
        yield
    finally:
        mine.release()


@contextmanager
def locked_file(folder: Path, file: str, deadline: float) -> Iterator[None]:
    """The half of it that keeps processes apart. `deadline` is of the monotonic clock. Raises as `locked`."""
    path = f"{folder}{os.sep}{file}"
    descriptor = _acquired(folder, path, deadline)
    try:
        yield
    finally:
        _release(path, descriptor)


def _busy() -> StoreUnavailable:
    return StoreUnavailable("somebody else is changing the instance")


def _turn(key: str) -> Lock:
    with _threads_lock:
        turn = _threads.get(key)
        if turn is None:
            turn = _threads[key] = Lock()
        return turn


def _acquired(folder: Path, path: str, deadline: float) -> int:
    """A descriptor that holds the lock of the file that is at this path now."""
    tries = 0
    while True:
        descriptor = _opened(folder, path)
        try:
            if _is_locked(descriptor, folder) and is_same_file(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        # Closed before the next try: who held it removed the file, so the lock is another file's now.
        os.close(descriptor)
        if time.monotonic() >= deadline:
            raise _busy()
        time.sleep(_PAUSES_S[min(tries, len(_PAUSES_S) - 1)])
        tries += 1


def _opened(folder: Path, path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            return os.open(path, flags, 0o600)
        with suppress(FileNotFoundError):
            make_folder(folder)
    return os.open(path, flags, 0o600)


def _is_locked(descriptor: int, folder: Path) -> bool:
    try:
        return try_lock(descriptor)
    except OSError as error:
        if error.errno not in _WITHOUT:
            raise
        if str(folder) not in _reported:
            _reported.add(str(folder))
            _log.warning("The file system of %s has no locks: only one process at a time should change it.", folder)
    return True


def _release(path: str, descriptor: int) -> None:
    """Removed first and let go of then: who waits finds another file under the name, and tries again."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        _log.warning("A lock could not be removed: %s", error)
    finally:
        os.close(descriptor)
