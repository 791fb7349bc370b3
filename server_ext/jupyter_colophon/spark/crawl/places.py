"""Distinguish folders from names of a catalog."""

import os
import re
from pathlib import Path

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


class RemoteFolder(ValueError):
    """A folder that is not on this machine."""


def resolve_local_path(text: str) -> Path | None:
    """Return the folder or file; None for a name of a catalog. Raises RemoteFolder, FileNotFoundError."""
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() != "file" and not Path(text).exists():
        msg = f"{text}: only local folders can be crawled; create an external table and crawl that instead"
        raise RemoteFolder(msg)
    location = re.sub(r"^file:(//)?(?=/)", "", text) if scheme else text
    path = Path(location).expanduser()
    is_path = os.sep in location or location.startswith((".", "~"))
    if not path.exists() and not is_path:
        return None
    if not os.path.lexists(path):
        raise FileNotFoundError(2, "No such file or directory", location)
    return path
