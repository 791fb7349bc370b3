"""Folders that their owner alone can read, whatever the umask and whichever process creates them first."""

import os
from contextlib import suppress
from pathlib import Path

_PRIVATE = 0o700


def create_private_folder(folder: Path, root: Path | None = None) -> None:
    """Create a folder and its missing parents with mode 0700, and restrict what existed from `root` down to it.

    `root` is the outermost folder that belongs to this product, by default the folder itself. Python's
    `mkdir(mode=…, parents=True)` gives its mode to the last folder alone. Raises OSError.
    """
    for one in reversed([one for one in (folder, *folder.parents) if not one.is_dir()]):
        with suppress(FileExistsError):
            os.mkdir(one, _PRIVATE)
        restrict_folder(one)
    for one in (folder, *folder.parents):
        restrict_folder(one)
        if one == (root or folder):
            break


def restrict_folder(folder: Path) -> None:
    """Give mode 0700 to a folder of this account. Nothing happens where there is none.

    Where a mount decides who may do what (FAT, some network file systems), the mode stays as it is.
    """
    with suppress(FileNotFoundError, PermissionError):
        status = folder.stat()
        is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        if is_own and status.st_mode & 0o777 != _PRIVATE:
            folder.chmod(_PRIVATE)
