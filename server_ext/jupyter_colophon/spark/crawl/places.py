"""Whether somebody means a folder or a catalog."""

import os
import re
from pathlib import Path

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


class OtherMachine(ValueError):
    """A folder that cannot be walked from here."""


def folder_named(text: str) -> Path | None:
    """The folder or file that is meant; None for a name of a catalog. Raises OtherMachine, FileNotFoundError."""
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() != "file" and not Path(text).exists():
        msg = f"{text}: only folders of this machine are walked; lay a table over it, and crawl that"
        raise OtherMachine(msg)
    told = re.sub(r"^file:(//)?(?=/)", "", text) if scheme else text
    path = Path(told).expanduser()
    is_path = os.sep in told or told.startswith((".", "~"))
    if not path.exists() and not is_path:
        return None
    if not os.path.lexists(path):
        raise FileNotFoundError(2, "No such file or directory", told)
    return path
