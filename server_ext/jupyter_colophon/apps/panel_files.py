"""The files of a panel: the web module and what is beside it in its package.

They are read once, when the application is configured. So a request can only name a file that was found then, whatever
it contains, and all files of a version belong together.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

#: The files that are served, by suffix. Others, such as Python modules, are not.
CONTENT_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".jpg": "image/jpeg",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".map": "application/json",
        ".mjs": "text/javascript; charset=utf-8",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
        ".webp": "image/webp",
        ".woff2": "font/woff2",
    }
)
#: The most files and folders beside a module, and the most bytes of all its files.
FILES_MAX, BYTES_MAX = 500, 16 * 1024 * 1024
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_MODULE_SUFFIXES: Final = (".js", ".mjs")
#: A module is in a folder of its package, so that the files of the package itself are not served.
_PARTS_MIN: Final = 3
_VERSION_LENGTH: Final = 16


@dataclass(frozen=True, slots=True)
class PanelFile:
    """A file as it is sent."""

    content: bytes
    content_type: str
    #: The hash of the content.
    digest: str


@dataclass(frozen=True, slots=True)
class PanelFiles:
    """All files of a panel, by their paths in its folder."""

    #: The name of the module.
    module: str
    files: Mapping[str, PanelFile]
    #: The hash of all files.
    version: str


def read_panel_files(module: str) -> PanelFiles:
    """Read the module `package/folder/panel.js`, and the other files of its folder and of folders in it.

    Raises ValueError for an invalid path, a missing module, and too many or too large files.
    """
    package, *folders, name = _split_module_path(module)
    folder = _find_folder(package, folders, module)
    found: dict[str, PanelFile] = {}
    size = 0
    for path, file in _walk_files(folder):
        content = file.read_bytes()
        size += len(content)
        if size > BYTES_MAX:
            raise ValueError(f"the files beside the module {module!r} have more than {BYTES_MAX} bytes")
        content_type = CONTENT_TYPES[_get_suffix(path)]
        found[path] = PanelFile(content, content_type, sha256(content).hexdigest())
    if name not in found:
        raise ValueError(f"the package {package} has no file {'/'.join((*folders, name))!r}")
    digests = "\n".join(f"{path} {found[path].digest}" for path in sorted(found))
    return PanelFiles(name, found, sha256(digests.encode()).hexdigest()[:_VERSION_LENGTH])


def _split_module_path(module: str) -> list[str]:
    parts = module.split("/")
    is_valid = len(parts) >= _PARTS_MIN and all(_NAME.fullmatch(part) for part in parts)
    if not is_valid or _get_suffix(module) not in _MODULE_SUFFIXES:
        raise ValueError(
            f"{module!r} is not a valid path of a web module: use package/folder/module.js, where the folder has the "
            "files that are served"
        )
    return parts


def _find_folder(package: str, folders: list[str], module: str) -> Traversable:
    if not hasattr(import_module(package), "__path__"):
        raise ValueError(f"the path {module!r} must begin with a package, but {package} is a single module")
    folder = files(package)
    for part in folders:
        folder = folder.joinpath(part)
    if not folder.is_dir():
        raise ValueError(f"the package {package} has no folder {'/'.join(folders)!r}")
    return folder


def _walk_files(folder: Traversable) -> Iterator[tuple[str, Traversable]]:
    """Yield the files that are served, with their paths in the folder. Raises ValueError if there are too many."""
    waiting = [("", folder)]
    seen = 0
    while waiting:
        prefix, parent = waiting.pop()
        for item in parent.iterdir():
            seen += 1
            if seen > FILES_MAX:
                raise ValueError(f"the folder {folder.name!r} of a panel has more than {FILES_MAX} files and folders")
            path = prefix + item.name
            if not _NAME.fullmatch(item.name):
                continue
            if item.is_dir():
                waiting.append((f"{path}/", item))
            elif _get_suffix(path) in CONTENT_TYPES:
                yield path, item


def _get_suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :].lower() if "." in name else ""
