"""Links within a folder, as a mounted ConfigMap has them. No link may lead out of the folder (spec SEC-13)."""

import os
import stat

#: The link that is replaced to update all files behind other links at once.
SWAPPED = "..data"
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def resolve_link_within_folder(path: str) -> str | None:
    """Return the file that a link leads to if it is below the link's own folder, else None."""
    if os.open not in os.supports_dir_fd:
        return None
    folder, resolved = os.path.realpath(os.path.dirname(path)), os.path.realpath(path)
    return resolved if resolved.startswith(folder.rstrip(os.sep) + os.sep) else None


def read_file_or_target_status(path: str) -> os.stat_result:
    """Return the status of the file, or of the target of its link within the folder. Raises OSError."""
    link_status = os.lstat(path)
    if not stat.S_ISLNK(link_status.st_mode):
        return link_status
    inside = resolve_link_within_folder(path)
    try:
        return link_status if inside is None else os.lstat(inside)
    except OSError:
        return link_status  # A dangling link.


def open_link_target(path: str, inside: str, flags: int) -> int:
    """Open the target of a link. No link on the way is followed, so that the target cannot be changed meanwhile.

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
