"""Files of interrupted saves: ours are removed, Elyra's can be recovered (spec INST-11)."""

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.core.errors import InstanceNotFound, InstanceUnreadable, StoreUnavailable
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.storage.files import filenames, reading
from jupyter_colophon.storage.files.document_cache import DocumentCache
from jupyter_colophon.storage.files.failures import translate_os_errors
from jupyter_colophon.storage.files.locks import hold_thread_and_file_lock

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ElyraBackup:
    """A backup that an interrupted save of Elyra left: the instance before that save.

    `time` is the beginning of that save, in milliseconds; `size` is in bytes. `problem` is why it cannot be read, and
    `missing` whether the instance's own file is missing or unreadable, so that the backup could replace it.
    """

    name: str
    file: str
    time: int
    size: int
    missing: bool
    problem: str = ""


def list_elyra_backups(folder: Path) -> list[ElyraBackup]:
    """Return Elyra's backups in a folder, by name, newest first. Raises StorageError."""
    with translate_os_errors("leftover files cannot be listed"):
        files = _list_file_names(folder)
    backups = [
        match
        for match in map(filenames.BACKUP.match, files)
        if match and not filenames.find_filename_problem(match["name"])
    ]
    leftovers = [_parse_backup_file_name(folder, match["name"], match.string, match["time"]) for match in backups]
    return sorted(
        (leftover for leftover in leftovers if leftover is not None),
        key=lambda leftover: (leftover.name, -leftover.time),
    )


def read_backup_document(folder: Path, space: str, name: str, backup: str) -> Mapping[str, Any]:
    """Return the document of a backup. Raises InstanceNotFound and InstanceUnreadable."""
    instance = _read_backup_file(folder, _require_backup_of_instance(space, name, backup), name)
    if instance is None:
        raise InstanceNotFound(space, backup)
    if instance.document is None:
        raise InstanceUnreadable(space, name, instance.problem)
    return instance.document


def remove_backup(folder: Path, space: str, name: str, backup: str) -> None:
    """Remove a backup. Raises InstanceNotFound and StorageError."""
    with translate_os_errors(f"the leftover file of {name} cannot be removed"):
        try:
            os.unlink(folder / _require_backup_of_instance(space, name, backup))
        except FileNotFoundError:
            raise InstanceNotFound(space, backup) from None


def remove_unused_temporary_files(folder: Path) -> None:
    """Remove our temporary files and locks that are not in use. Failures are left for the next time."""
    try:
        files = _list_file_names(folder)
    except OSError as error:
        _log.warning("temporary files in the folder %s cannot be removed: %s", folder, error)
        return
    locks = folder / filenames.LOCKS
    for file in files:
        lock = filenames.get_lock_name_of_temporary_file(file)
        if lock is not None:
            with suppress(StoreUnavailable, OSError), hold_thread_and_file_lock(locks, lock, wait_s=0):
                os.unlink(folder / file)
    with suppress(OSError):
        for file in os.listdir(locks):
            with suppress(StoreUnavailable, OSError), hold_thread_and_file_lock(locks, file, wait_s=0):
                """Releasing the lock removes it."""


def _list_file_names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _require_backup_of_instance(space: str, name: str, backup: str) -> str:
    match = filenames.BACKUP.match(backup)
    if match is None or match["name"] != name or os.path.basename(backup) != backup:
        raise InstanceNotFound(space, backup)
    return backup


def _parse_backup_file_name(folder: Path, name: str, file: str, seconds: str) -> ElyraBackup | None:
    instance, own = _read_backup_file(folder, file, name), _read_backup_file(folder, f"{name}{filenames.SUFFIX}", name)
    if instance is None:
        return None
    with suppress(OSError):
        size = os.lstat(folder / file).st_size
        missing = own is None or own.document is None
        return ElyraBackup(name, file, int(float(seconds) * 1_000), size, missing, instance.problem)
    return None


def _read_backup_file(folder: Path, file: str, name: str) -> StoredInstance | None:
    return reading.read_instance_file(str(folder / file), name, is_removable=True, cache=DocumentCache(0))
