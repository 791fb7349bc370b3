"""Make changes of folders durable (spec FAULT-2)."""

import errno
import os
from contextlib import suppress
from pathlib import Path

#: The errors of file systems that cannot sync a folder.
_NO_SYNC = {errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
#: Device and inode of the folders that this process has made durable.
_staying: set[tuple[int, int]] = set()


def create_private_folders(folder: Path) -> list[Path]:
    """Create a folder and its missing parents, private to their owner; return the created folders, outermost first.

    The folder is then durable, whoever created it: another thread or process may have created it a moment ago without
    syncing it yet. Raises OSError; then nothing was created.
    """
    if _get_device_and_inode(folder) in _staying:
        return []
    created: list[Path] = []
    try:
        for path in reversed([path for path in (folder, *folder.parents) if not path.is_dir()]):
            _create_private_folder(path, created)
        _sync_parent_folders(folder)
    except OSError:
        with suppress(OSError):
            for path in reversed(created):
                remove_empty_folder(path)
        raise
    return created


def remove_empty_folder(folder: Path) -> None:
    """Remove an empty folder. Raises OSError."""
    mark = _get_device_and_inode(folder)
    folder.rmdir()
    if mark:
        _staying.discard(mark)


def sync_folder_to_disk(folder: Path) -> None:
    """Make renames, creations and removals in a folder durable."""
    if os.name == "nt":  # The file system does not support it.
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def _create_private_folder(folder: Path, created: list[Path]) -> None:
    """Create a folder regardless of the umask. Some file systems (FAT, some network ones) fix permissions by mount
    options.
    """
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if folder.is_dir():
            return
        raise
    created.append(folder)
    with suppress(PermissionError):
        os.chmod(folder, 0o700)


def _sync_parent_folders(folder: Path) -> None:
    """Sync every parent folder that may have a new entry: all in which this account may create one."""
    fresh = set()
    for path in (folder, *folder.parents[:-1]):
        mark = _get_device_and_inode(path)
        if mark is None or mark in _staying or not _is_writable(path.parent):
            break
        sync_folder_to_disk(path.parent)
        fresh.add(mark)
    # Only after the outermost folder: a process that finds this folder here checks no further.
    _staying.update(fresh)


def _get_device_and_inode(folder: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.R_OK | os.W_OK, effective_ids=os.access in os.supports_effective_ids)
