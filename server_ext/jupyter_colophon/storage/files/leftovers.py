"""What killed saves left behind: ours is removed, Elyra's is offered for recovery (spec INST-11)."""

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.core.errors import InstanceNotFound, InstanceUnreadable, StoreUnavailable
from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.storage.files import filenames, reading
from jupyter_colophon.storage.files.document_cache import KeptDocuments
from jupyter_colophon.storage.files.failures import translate_errors
from jupyter_colophon.storage.files.locks import locked

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file that a killed save of Elyra's left behind: the instance as it was before that save.

    `time` is when that save began, in milliseconds; `size` is in bytes. `problem` says why it cannot be read, and
    `missing` whether the instance's own file is gone or unreadable, so that this one could take its place.
    """

    name: str
    file: str
    time: int
    size: int
    missing: bool
    problem: str = ""


def found(folder: Path) -> list[Leftover]:
    """Elyra's backups in a folder, by name, the newest first. Raises StorageError."""
    with translate_errors("leftover files cannot be listed"):
        files = _files(folder)
    backups = [match for match in map(filenames.BACKUP.match, files) if match and not filenames.fault(match["name"])]
    leftovers = [_leftover(folder, match["name"], match.string, match["time"]) for match in backups]
    return sorted((one for one in leftovers if one is not None), key=lambda one: (one.name, -one.time))


def document(folder: Path, space: str, name: str, which: str) -> Mapping[str, Any]:
    """The document in a leftover. Raises InstanceNotFound and InstanceUnreadable."""
    held = _held(folder, _checked(space, name, which), name)
    if held is None:
        raise InstanceNotFound(space, which)
    if held.document is None:
        raise InstanceUnreadable(space, name, held.problem)
    return held.document


def discard(folder: Path, space: str, name: str, which: str) -> None:
    """Remove a leftover. Raises InstanceNotFound and StorageError."""
    with translate_errors(f"the leftover file of {name} cannot be removed"):
        try:
            os.unlink(folder / _checked(space, name, which))
        except FileNotFoundError:
            raise InstanceNotFound(space, which) from None


def sweep(folder: Path) -> None:
    """Remove the temporary files and locks of ours that nobody holds. Whatever fails is left for the next time."""
    try:
        files = _files(folder)
    except OSError as error:
        _log.warning("%s could not be swept: %s", folder, error)
        return
    locks = folder / filenames.LOCKS
    for file in files:
        lock = filenames.locked_for(file)
        if lock is not None:
            with suppress(StoreUnavailable, OSError), locked(locks, lock, wait_s=0):
                os.unlink(folder / file)
    with suppress(OSError):
        for file in os.listdir(locks):
            with suppress(StoreUnavailable, OSError), locked(locks, file, wait_s=0):
                """Letting go of it removes it."""


def _files(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _checked(space: str, name: str, which: str) -> str:
    match = filenames.BACKUP.match(which)
    if match is None or match["name"] != name or os.path.basename(which) != which:
        raise InstanceNotFound(space, which)
    return which


def _leftover(folder: Path, name: str, file: str, seconds: str) -> Leftover | None:
    held, own = _held(folder, file, name), _held(folder, f"{name}{filenames.SUFFIX}", name)
    if held is None:
        return None
    with suppress(OSError):
        size = os.lstat(folder / file).st_size
        missing = own is None or own.document is None
        return Leftover(name, file, int(float(seconds) * 1_000), size, missing, held.problem)
    return None


def _held(folder: Path, file: str, name: str) -> Held | None:
    return reading.read(str(folder / file), name, own=True, kept=KeptDocuments(0))
