"""The folders that the operator of the server permits, and nothing outside of them."""

import os
import stat
from pathlib import Path, PurePosixPath
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, NotFound, ServiceContext

#: The environment variable with the permitted folders, separated as in PATH, which replaces those of the setting.
VARIABLE: Final = "COLOPHON_DATAPREP_FOLDERS"
#: The most entries of a folder that are listed.
_ENTRIES_MAX: Final = 2_000
#: How many permitted folders a refusal names.
_NAMED_MAX: Final = 5


def require_permitted_folder(context: ServiceContext, folder: str) -> Path:
    """Return the real path of a folder inside a permitted one, without hidden ones between.

    A relative path is that in the first permitted folder which has it. Raises BadRequest.
    """
    variable = os.environ.get(VARIABLE)
    texts = context.data_folders if variable is None else variable.split(os.pathsep)
    permitted = [root for text in texts if text and (root := _resolve(Path(text).expanduser()))]
    if not permitted:
        raise BadRequest(f"no folder is permitted: set c.Colophon.app_data_folders of the server, or {VARIABLE}")
    for root in permitted:
        real = None if "\0" in folder else _resolve(root / folder)
        if real is not None and real.is_dir() and any(_is_visible_inside(each, real) for each in permitted):
            return real
    # One message for missing, hidden and foreign folders, so that it shows nothing of others.
    named = ", ".join([*map(str, permitted[:_NAMED_MAX]), *(["…"] if len(permitted) > _NAMED_MAX else [])])
    raise BadRequest(f"{folder[:200]!r} is not a folder inside a permitted one: {named} (c.Colophon.app_data_folders)")


def list_folder(root: Path, path: str) -> list[dict[str, Any]]:
    """Return the folders and regular files of a folder by name. Raises NotFound, BadRequest."""
    folder = resolve_inside(root, path)
    if not folder.is_dir():
        raise NotFound("folder", path)
    entries = []
    try:
        with os.scandir(folder) as scanned:
            for entry in scanned:
                if (described := _describe_entry(root, Path(entry.path))) is not None:
                    entries.append(described)
                if len(entries) > _ENTRIES_MAX:
                    raise BadRequest(f"the folder has more than {_ENTRIES_MAX} entries: name one of its folders")
    except OSError:
        raise NotFound("folder", path) from None
    return sorted(entries, key=lambda entry: (entry["type"] == "file", entry["name"]))


def find_file(root: Path, path: str) -> Path:
    """Return the path of a regular file. Raises NotFound."""
    file = resolve_inside(root, path)
    # A named pipe would never end.
    if not file.is_file():
        raise NotFound("file", path)
    return file


def resolve_inside(root: Path, path: str) -> Path:
    """Return the real path of a file or folder inside the root, links followed. Hidden ones are not found. Raises NotFound."""
    parts = PurePosixPath(path).parts
    if any(part.startswith((".", "/")) or "\0" in part or "\\" in part for part in parts):
        raise NotFound("path", path)
    real = _resolve(root.joinpath(*parts))
    if real is None or not real.is_relative_to(root):
        raise NotFound("path", path)
    return real


def _is_visible_inside(root: Path, path: Path) -> bool:
    return path.is_relative_to(root) and not any(part.startswith(".") for part in path.relative_to(root).parts)


def _describe_entry(root: Path, path: Path) -> dict[str, Any] | None:
    """Return an entry; None for hidden and special files, names that are not Unicode, and links to the outside."""
    real = _resolve(path)
    if path.name.startswith(".") or not _is_unicode(path.name) or real is None or not real.is_relative_to(root):
        return None
    try:
        status = real.stat()
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return {"name": path.name, "type": "folder"}
    return {"name": path.name, "type": "file", "bytes": status.st_size} if stat.S_ISREG(status.st_mode) else None


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _resolve(path: Path) -> Path | None:
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
