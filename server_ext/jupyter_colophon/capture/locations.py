"""Locations of files that programs name by paths, URLs and open files, as in Hadoop: `file:/data/x.csv`, `s3://bucket/x`.

The dataset that a location names is the same as for Spark (`names/dataset_names.py`). Data in memory has no location.
"""

import glob
import os
import re
from functools import lru_cache
from itertools import islice
from typing import Any, Final
from urllib.parse import unquote

from jupyter_colophon.capture.names.dataset_names import split_partition_folders

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")

#: URLs of fsspec that name the file behind a step: `simplecache::s3://bucket/x`, `zip://inner.csv::s3://bucket/x.zip`.
_CHAIN = "::"
#: How an absolute path begins on POSIX; paths of Windows all depend on the working folder or its drive.
ROOT: Final = ("/",) if os.sep == "/" else ()
#: Schemes without a lasting file.
_IN_MEMORY = frozenset({"memory", "data", "buffer"})

_PATTERN: Final = re.compile(r"[*?\[]")
#: Number of files that a pattern may name; of more, their folder is recorded.
MAX_FILES: Final = 100


def find_location(target: Any) -> str | None:
    """Return the location of a path, a URL, or an open file; None for data in memory and for what is not a file."""
    if type(target) is str:
        return _build_location(target)
    if isinstance(target, str | os.PathLike):
        path = os.fspath(target)
        return _build_location(os.fsdecode(path) if isinstance(path, bytes) else path)
    # An open file of Python, fsspec or pathlib, or a table of Delta Lake; file descriptors and buffers have none.
    for attribute in ("full_name", "path", "table_uri", "name"):
        named = getattr(target, attribute, None)
        if isinstance(named, str) and named and not named.startswith("<"):
            return _build_location_of_open_file(target, named)
    return None


def is_pattern(path: str) -> bool:
    """Return whether a path names several files by `*`, `?` or `[`."""
    return _PATTERN.search(path) is not None


def is_path(target: Any) -> bool:
    """Return whether a program names a file by a path or a URL: an open file may have other content."""
    return isinstance(target, str | os.PathLike)


def has_scheme(path: str) -> bool:
    """Return whether a path is a URL."""
    return _SCHEME.match(path) is not None


def list_locations(target: Any) -> list[str]:
    """Return the locations of a path, a URL, an open file, a pattern such as `data/*.parquet`, or of a list of them.

    Folders of partitions stand for their dataset, and so does the folder of very many files.
    """
    if type(target) is str and not is_pattern(target):
        location = _build_location(target)
        return [] if location is None else [location]
    if isinstance(target, list | tuple):
        return list(dict.fromkeys(location for each in target for location in list_locations(each)))
    text = os.fspath(target) if isinstance(target, str | os.PathLike) else None
    match = _PATTERN.search(text) if isinstance(text, str) else None
    if match is None or not isinstance(text, str):
        location = find_location(target)
        return [] if location is None else [location]
    folder = text[: match.start()].rpartition("/")[0] or "."
    files: list[str] = []
    if not ("**" in text or "=*" in text or _SCHEME.match(text)):
        files = list(islice(glob.iglob(text), MAX_FILES + 1))
    paths = files if 0 < len(files) <= MAX_FILES else [folder]
    locations = [location for path in paths if (location := find_location(path)) is not None]
    return list(dict.fromkeys(split_partition_folders(location)[0] for location in locations))


def _build_location(text: str) -> str | None:
    if "~" in text:
        return _build_location_in_folder(text, "")
    return find_location_in_folder(text, _get_folder_of_path(text))


def _get_folder_of_path(path: str) -> str:
    """Return the working folder, if a path depends on it; otherwise "", since the folder may have been deleted."""
    return "" if path.startswith(ROOT) else os.getcwd()


def _build_location_in_folder(text: str, folder: str) -> str | None:
    """Return the location of a path or URL, for a working folder; "" is the current one."""
    last = text.rpartition(_CHAIN)[2]
    match = _SCHEME.match(last)
    if match is None:
        path = os.path.expanduser(last) if last.startswith("~") else last
        return f"file:{os.path.abspath(os.path.join(folder, path))}" if path else None
    scheme = match[1].lower()
    if scheme in _IN_MEMORY:
        return None
    if scheme in ("file", "local"):
        path = unquote(last[match.end() :].removeprefix("localhost"))
        return f"file:{os.path.abspath(os.path.join(folder, path))}"
    return last


#: The same, without `~`, whose meaning may change. A program names the same few files again and again.
find_location_in_folder: Final = lru_cache(maxsize=1024)(_build_location_in_folder)


def _build_location_of_open_file(file: Any, path: str) -> str | None:
    """Return the location of an open file of fsspec, which names its file system; of others, that of its path."""
    protocol = getattr(getattr(file, "fs", None), "protocol", None)
    scheme = protocol[0] if isinstance(protocol, tuple | list) and protocol else protocol
    if isinstance(scheme, str) and scheme not in ("file", "local") and _SCHEME.match(path) is None:
        return _build_location(f"{scheme}://{path}")
    return _build_location(path)
