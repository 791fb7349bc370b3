"""The files that a program names by a path in a file system of pyarrow or fsspec, which it gives beside the path."""

import os
from typing import Any, Final

from jupyter_colophon.capture.locations import has_scheme

#: The beginning of a URL for the kinds of file systems, where it is not their name.
_BEGINNINGS: Final = {"local": "", "file": "", "gcs": "gs://"}
#: The kinds whose files outlive the program, of pyarrow; those of fsspec are named as in its URLs.
_ARROW: Final = frozenset({"local", "s3", "gcs", "abfs", "hdfs"})


def resolve_path(target: Any, file_system: Any) -> Any:
    """Return what `list_locations` accepts for a path, or a list of paths, in a file system.

    None in a file system that is not known. What is not a path, a URL, and a path without a file system are returned unchanged.
    """
    if file_system is None:
        return target
    if isinstance(target, list | tuple):
        return [resolve_path(each, file_system) for each in target]
    if not isinstance(target, str | os.PathLike):
        return target
    path, beginning = os.fspath(target), _find_beginning(file_system)
    if not isinstance(path, str) or has_scheme(path):
        return target
    return None if beginning is None else beginning + path


def _find_beginning(file_system: Any) -> str | None:
    """Return what comes before the paths of a file system; None if it has no lasting files, or is not known."""
    kind = getattr(file_system, "type_name", None)
    if kind == "subtree":
        beginning = _find_beginning(file_system.base_fs)
        return None if beginning is None else f"{beginning}{file_system.base_path.rstrip('/')}/"
    if isinstance(kind, str) and kind.startswith("py"):
        # A file system of fsspec within one of pyarrow.
        return _find_beginning(getattr(file_system.handler, "fs", None))
    if kind is None:
        protocol = getattr(file_system, "protocol", None)
        kind = protocol[0] if isinstance(protocol, tuple | list) and protocol else protocol
    elif kind not in _ARROW:
        return None
    return _BEGINNINGS.get(kind, f"{kind}://") if isinstance(kind, str) else None
