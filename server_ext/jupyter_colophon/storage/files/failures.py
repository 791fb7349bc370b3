"""What the file system refuses, as our errors. Paths are not part of a sentence: it crosses the wire."""

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
def translate_errors(doing: str) -> Iterator[None]:
    """Turn an OSError into StoreFull where there is no space (or no more quota), StoreUnavailable where this process has
    too many files open, else StorageError."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the file system gave no reason"
        raise _KINDS.get(error.errno, StorageError)(f"{doing}: {reason}") from error
