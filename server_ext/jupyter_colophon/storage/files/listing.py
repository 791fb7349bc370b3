"""List instances by listing each folder."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from jupyter_colophon.storage.files.failures import translate_os_errors
from jupyter_colophon.storage.files.filenames import SUFFIX, get_instance_name_of_file

_log = logging.getLogger(__name__)


class FolderListing:
    """The names of the instances in several folders. Safe for threads."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._before: dict[Path, set[str]] = {}
        self._reported: set[Path] = set()

    def list_instance_names(self) -> set[str]:
        """Return all names. Raises StorageError if the first folder cannot be listed; others are skipped and logged."""
        names: set[str] = set()
        for at, folder in enumerate(self._folders):
            if at == 0:
                with translate_os_errors("the instances cannot be listed"):
                    names |= self._list_folder_twice(folder)
            else:
                names |= self._list_names_or_log_error(folder)
        return names

    def _list_names_or_log_error(self, folder: Path) -> set[str]:
        try:
            return self._list_folder_twice(folder)
        except OSError as error:
            if folder not in self._reported:
                self._reported.add(folder)
                _log.warning(
                    "the folder %s of instances cannot be listed and is skipped: %s",
                    folder,
                    os.strerror(error.errno or 0),
                )
            return set()

    def _list_folder_twice(self, folder: Path) -> set[str]:
        """List a folder. On some file systems (overlayfs, tmpfs) the listing may omit a file that is being replaced, so
        previously listed files that are missing are checked by name.
        """
        before = self._before.get(folder, set())
        now = list_instance_names_in(folder)
        now |= {name for name in before - now if os.path.lexists(folder / f"{name}{SUFFIX}")}
        self._before[folder] = now
        return set(now)


def list_instance_names_in(folder: Path) -> set[str]:
    """Return the names of the instances in one folder; none if it does not exist. Raises OSError."""
    try:
        return {name for file in os.listdir(folder) if (name := get_instance_name_of_file(file)) is not None}
    except FileNotFoundError:
        return set()
