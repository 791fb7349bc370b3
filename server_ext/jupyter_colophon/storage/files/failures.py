"""Translate errors of the file system. Messages have no paths, since they are sent to clients."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from jupyter_colophon.core.errors import StorageError, StoreFull, StoreUnavailable

_KINDS: dict[int | None, type[StorageError]] = {
    errno.ENOSPC: StoreFull,
    errno.EDQUOT: StoreFull,
    errno.EFBIG: StoreFull,
    errno.EMFILE: StoreUnavailable,
    errno.ENFILE: StoreUnavailable,
    errno.ENOMEM: StoreUnavailable,
}


@contextmanager
def translate_os_errors(activity: str) -> Iterator[None]:
    """Translate an OSError into StoreFull (no space or quota), StoreUnavailable (too many open files), or else
    StorageError.
    """
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "unknown error of the file system"
        raise _KINDS.get(error.errno, StorageError)(f"{activity}: {reason}") from error
