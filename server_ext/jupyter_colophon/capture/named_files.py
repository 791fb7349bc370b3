"""The datasets of files that programs name, with the formats in which a library reads or writes them."""

from typing import Any

from jupyter_colophon.capture.locations import find_location, find_location_in_folder, list_locations
from jupyter_colophon.capture.origins import Dataset, get_file


def find_file(target: Any, format_: str | None) -> Dataset | None:
    """Return the dataset of a path, a URL, or an open file; None for data in memory and for what is not a file."""
    location = find_location(target)
    return None if location is None else get_file(location, format_)


def find_file_in_folder(path: str, folder: str, format_: str | None) -> Dataset | None:
    """Return the dataset of a path or a URL for a working folder."""
    location = find_location_in_folder(path, folder)
    return None if location is None else get_file(location, format_)


def list_files(target: Any, format_: str | None) -> tuple[Dataset, ...]:
    """Return the datasets of a path, a URL, an open file, a pattern, or of a list of them, as `list_locations` does."""
    return tuple([get_file(location, format_) for location in list_locations(target)])
