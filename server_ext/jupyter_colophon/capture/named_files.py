"""The datasets of files that programs name, with the formats in which a library reads or writes them.

A program names the same few files again and again, and what a call costs matters: a path that was named before, in the same working
folder, is looked up at once.
"""

from functools import lru_cache
from typing import Any, Final

from jupyter_colophon.capture.locations import (
    build_location,
    find_location,
    get_folder_of_path,
    is_pattern,
    list_locations,
)
from jupyter_colophon.capture.origins import Dataset, get_file

_HOME: Final = "~"


def find_file(target: Any, format_: str | None) -> Dataset | None:
    """Return the dataset of a path, a URL, or an open file; None for data in memory and for what is not a file."""
    if type(target) is str and _HOME not in target:
        return find_file_at(target, get_folder_of_path(target), format_)
    location = find_location(target)
    return None if location is None else get_file(location, format_)


def list_files(target: Any, format_: str | None) -> tuple[Dataset, ...]:
    """Return the datasets of a path, a URL, an open file, a pattern, or of a list of them, as `list_locations` does."""
    if type(target) is str and _HOME not in target:
        files = _list_files_at(target, get_folder_of_path(target), format_)
        if files is not None:
            return files
    return tuple(get_file(location, format_) for location in list_locations(target))


@lru_cache(maxsize=1024)
def find_file_at(path: str, folder: str, format_: str | None) -> Dataset | None:
    """Return the dataset of a path or a URL for a working folder."""
    location = build_location(path, folder)
    return None if location is None else get_file(location, format_)


@lru_cache(maxsize=1024)
def _list_files_at(path: str, folder: str, format_: str | None) -> tuple[Dataset, ...] | None:
    """Return the file of a path; None for a pattern, whose files may be others each time."""
    if is_pattern(path):
        return None
    file = find_file_at(path, folder, format_)
    return () if file is None else (file,)
