"""Locations of files that programs name by paths, URLs and open files, as in Hadoop: `file:/data/x.csv`, `s3://bucket/x`.

The dataset that a location names is the same as for Spark (`names/dataset_names.py`). Data in memory has no location.
"""

import os
import re
from typing import Any
from urllib.parse import unquote

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")

#: URLs of fsspec that name the file behind a step: `simplecache::s3://bucket/x`, `zip://inner.csv::s3://bucket/x.zip`.
_CHAIN = "::"
#: Schemes without a lasting file.
_IN_MEMORY = frozenset({"memory", "data", "buffer"})


def find_location(target: Any) -> str | None:
    """Return the location of a path, a URL, or an open file; None for data in memory and for what is not a file."""
    if isinstance(target, str | os.PathLike):
        path = os.fspath(target)
        return _build_location(os.fsdecode(path) if isinstance(path, bytes) else path)
    # An open file of Python, fsspec or pathlib; file descriptors and buffers have none.
    for attribute in ("full_name", "path", "name"):
        named = getattr(target, attribute, None)
        if isinstance(named, str) and named and not named.startswith("<"):
            return _build_location_of_open_file(target, named)
    return None


def _build_location(text: str) -> str | None:
    last = text.rpartition(_CHAIN)[2]
    match = _SCHEME.match(last)
    if match is None:
        return f"file:{os.path.abspath(os.path.expanduser(last))}" if last else None
    scheme = match[1].lower()
    if scheme in _IN_MEMORY:
        return None
    if scheme in ("file", "local"):
        path = unquote(last[match.end() :].removeprefix("localhost"))
        return f"file:{os.path.abspath(path)}"
    return last


def _build_location_of_open_file(file: Any, path: str) -> str | None:
    """Return the location of an open file of fsspec, which names its file system; of others, that of its path."""
    protocol = getattr(getattr(file, "fs", None), "protocol", None)
    scheme = protocol[0] if isinstance(protocol, tuple | list) and protocol else protocol
    if isinstance(scheme, str) and scheme not in ("file", "local") and _SCHEME.match(path) is None:
        return _build_location(f"{scheme}://{path}")
    return _build_location(path)
