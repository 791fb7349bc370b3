"""Folders that stay through a power cut (spec FAULT-2)."""

import errno
import os
from contextlib import suppress
from pathlib import Path

#: Not every file system can sync a folder; it says one of these.
_NO_SYNC = {errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
#: Device and number of the folders that stay, as this process has seen to it.
_staying: set[tuple[int, int]] = set()


def make_folder(folder: Path) -> list[Path]:
    """Make a folder and what is missing above it, readable by its owner alone; returns what was made, outermost first.

    It stays through a power cut then, whoever made it: another thread or process may have made it a moment ago, and not
    be done with it. Raises OSError, and has made nothing then.
    """
    if _mark(folder) in _staying:
        return []
    made: list[Path] = []
    try:
        for one in reversed([one for one in (folder, *folder.parents) if not one.is_dir()]):
            _make(one, made)
        _let_stay(folder)
    except OSError:
        with suppress(OSError):
            for one in reversed(made):
                remove_folder(one)
        raise
    return made


def remove_folder(folder: Path) -> None:
    """Remove an empty folder. Raises OSError."""
    mark = _mark(folder)
    folder.rmdir()
    if mark:
        _staying.discard(mark)


def sync_folder(folder: Path) -> None:
    """What was renamed, made or removed in a folder stays so through a power cut."""
    if os.name == "nt":  # There, a folder cannot be synced.
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def _make(folder: Path, made: list[Path]) -> None:
    """Make it, whatever the umask is. Where a mount decides who may do what (FAT, some network ones), it does."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if folder.is_dir():
            return
        raise
    made.append(folder)
    with suppress(PermissionError):
        os.chmod(folder, 0o700)


def _let_stay(folder: Path) -> None:
    """Sync every folder above it that has a new name in it: one in which this account may make none has not."""
    fresh = set()
    for one in (folder, *folder.parents[:-1]):
        mark = _mark(one)
        if mark is None or mark in _staying or not _is_ours_to_change(one.parent):
            break
        sync_folder(one.parent)
        fresh.add(mark)
    # Not before the outermost is done: who finds one in here looks no further.
    _staying.update(fresh)


def _mark(folder: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_ours_to_change(folder: Path) -> bool:
    return os.access(folder, os.R_OK | os.W_OK, effective_ids=os.access in os.supports_effective_ids)
