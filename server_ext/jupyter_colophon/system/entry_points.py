"""Find the entry points of installed packages. Reading the metadata of all packages takes milliseconds, so a result is kept."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points


def find_entry_points(group: str, name: str | None = None) -> Sequence[EntryPoint]:
    """Return the entry points of a group, or those with a name; also of packages that were installed since the last call."""
    folders = tuple((folder, _read_modification_time(folder)) for folder in sys.path)
    return [point for point in _read_entry_points(folders)(group=group) if name in (None, point.name)]


@lru_cache(maxsize=4)
def _read_entry_points(folders: tuple[tuple[str, int], ...]) -> Callable[..., Iterable[EntryPoint]]:
    """Return a function that selects entry points in folders, which change when a package is installed or removed."""
    return entry_points().select


def _read_modification_time(folder: str) -> int:
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return 0
