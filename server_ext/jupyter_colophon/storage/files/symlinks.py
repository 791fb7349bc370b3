"""Links within a folder: a mounted ConfigMap shows its files so. None leads out of it (spec SEC-13)."""

import os
import stat

#: The link that is replaced when everything behind the others changes at once.
SWAPPED = "..data"
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def target(path: str) -> str | None:
    """The file that a link leads to, where that is below the link's own folder; else None."""
    if os.open not in os.supports_dir_fd:
        return None
    folder, found = os.path.realpath(os.path.dirname(path)), os.path.realpath(path)
    return found if found.startswith(folder.rstrip(os.sep) + os.sep) else None


def status(path: str) -> os.stat_result:
    """That of the file, or of what its link leads to within the folder. Raises OSError."""
    found = os.lstat(path)
    if not stat.S_ISLNK(found.st_mode):
        return found
    inside = target(path)
    try:
        return found if inside is None else os.lstat(inside)
    except OSError:
        return found  # It leads nowhere.


def opened(path: str, inside: str, flags: int) -> int:
    """A descriptor of what a link leads to. No link is followed on the way: nobody can turn it elsewhere meanwhile.

    Raises OSError.
    """
    folder = os.path.realpath(os.path.dirname(path))
    *steps, last = os.path.relpath(inside, folder).split(os.sep)
    at = os.open(folder, _FOLDER)
    try:
        for step in steps:
            below = os.open(step, _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        return os.open(last, flags, dir_fd=at)
    finally:
        os.close(at)
