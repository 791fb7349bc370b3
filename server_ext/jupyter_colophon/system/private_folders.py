"""Create folders that only their owner can read, with any umask and whichever process creates them first."""

import os
from contextlib import suppress
from pathlib import Path

_PRIVATE = 0o700


def create_private_folder(folder: Path, root: Path | None = None) -> None:
    """Create a folder and its missing parents with mode 0700, and restrict existing ones from `root` down to it.

    `root` is the outermost folder that belongs to this product, by default the folder itself. Python's `mkdir(mode=…,
    parents=True)` applies its mode only to the last folder. Raises OSError.
    """
    for path in reversed([path for path in (folder, *folder.parents) if not path.is_dir()]):
        with suppress(FileExistsError):
            os.mkdir(path, _PRIVATE)
        restrict_folder_to_owner(path)
    for path in (folder, *folder.parents):
        restrict_folder_to_owner(path)
        if path == (root or folder):
            break


def restrict_folder_to_owner(folder: Path) -> None:
    """Set mode 0700 on a folder of this account.

    A missing folder is ignored. If the mount decides on permissions (FAT, some network file systems), the mode is
    unchanged.
    """
    with suppress(FileNotFoundError, PermissionError):
        status = folder.stat()
        is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        if is_own and status.st_mode & 0o777 != _PRIVATE:
            folder.chmod(_PRIVATE)
