"""Which instances there are: one look at each folder."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from jupyter_colophon.storage.files.failures import translate_errors
from jupyter_colophon.storage.files.filenames import SUFFIX, name_of

_log = logging.getLogger(__name__)


class Listing:
    """The names in some folders. Safe from any thread."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._before: dict[Path, set[str]] = {}
        self._reported: set[Path] = set()

    def names(self) -> set[str]:
        """All of them. Raises StorageError where the first folder cannot be listed; others are left out, and logged."""
        found: set[str] = set()
        for at, folder in enumerate(self._folders):
            if at == 0:
                with translate_errors("the instances cannot be listed"):
                    found |= self._names(folder)
            else:
                found |= self._names_or_none(folder)
        return found

    def _names_or_none(self, folder: Path) -> set[str]:
        try:
            return self._names(folder)
        except OSError as error:
            if folder not in self._reported:
                self._reported.add(folder)
                _log.warning("%s is left out: %s", folder, os.strerror(error.errno or 0))
            return set()

    def _names(self, folder: Path) -> set[str]:
        """On some file systems (overlays, memory) a file that is replaced meanwhile may be left out of the listing of
        its folder. So one that was there before, and now is not, is looked at by its name."""
        before = self._before.get(folder, set())
        now = names_in(folder)
        now |= {name for name in before - now if os.path.lexists(folder / f"{name}{SUFFIX}")}
        self._before[folder] = now
        return set(now)


def names_in(folder: Path) -> set[str]:
    """The names of the instances in one folder; none where it does not exist. Raises OSError."""
    try:
        return {name for file in os.listdir(folder) if (name := name_of(file)) is not None}
    except FileNotFoundError:
        return set()
