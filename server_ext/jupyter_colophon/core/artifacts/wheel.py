"""Read a wheel: pure Python, of limited size, with its plugins in entry points. Nothing is extracted or imported."""

import re
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser, Error
from email.parser import HeaderParser
from io import BytesIO
from typing import Final

from jupyter_colophon.core.artifacts.artifact import ArtifactKey, PluginUse
from jupyter_colophon.core.artifacts.source_modules import SourceModule

#: The entry point groups of plugins.
PIPELINE_GROUP: Final = "jupyter_colophon.pipeline_plugins"
APPLICATION_GROUP: Final = "jupyter_colophon.application_plugins"
USES: Final[dict[str, PluginUse]] = {PIPELINE_GROUP: "pipeline", APPLICATION_GROUP: "application"}
#: Maximum number of files, and of bytes of all files and of one source after decompression.
_FILES_MAX: Final = 2_000
_BYTES_MAX: Final = 64 * 1024 * 1024
_SOURCE_BYTES_MAX: Final = 1024 * 1024
#: What a pure wheel does not contain: compiled code, and files that Python executes when it starts.
_REFUSED_SUFFIXES: Final = (".so", ".pyd", ".dll", ".dylib", ".pyc", ".pth")
_SYMBOLIC_LINK: Final = 0o120000
_FILE_TYPE: Final = 0o170000
_ENTRY_POINT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)\s*:\s*([A-Za-z_][A-Za-z0-9_]*)\s*")


class InvalidWheel(Exception):
    """A file that is not a pure wheel."""


class Wheel:
    """A wheel in memory, whose names and sizes are checked."""

    def __init__(self, content: bytes) -> None:
        """Open a wheel. Raises InvalidWheel."""
        try:
            self._archive = zipfile.ZipFile(BytesIO(content))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise InvalidWheel(f"it is not a zip file ({error})") from None
        self._files = {entry.filename: entry for entry in _check_entries(self._archive.infolist())}
        folders = {name.partition("/")[0] for name in self._files if name.endswith(".dist-info/METADATA")}
        if len(folders) != 1:
            raise InvalidWheel("it must have one folder .dist-info with the file METADATA")
        (self._info,) = folders

    def check(self, key: ArtifactKey) -> None:
        """Raise InvalidWheel unless it is a pure wheel with the name and version of an artifact."""
        metadata = HeaderParser().parsestr(self._read_text("METADATA"))
        if _normalize(metadata.get("Name", "")) != _normalize(key.name):
            raise InvalidWheel(f"its METADATA has the name {metadata.get('Name', '')!r}, and not {key.name!r}")
        if metadata.get("Version", "") != key.version:
            raise InvalidWheel(f"its METADATA has the version {metadata.get('Version', '')!r}, and not {key.version!r}")
        tags = HeaderParser().parsestr(self._read_text("WHEEL"))
        if tags.get("Root-Is-Purelib", "").lower() != "true":
            raise InvalidWheel("it is not a pure wheel: its file WHEEL lacks Root-Is-Purelib: true")
        if not any(tag.endswith("-none-any") for tag in tags.get_all("Tag", [])):
            raise InvalidWheel("it is not a pure wheel: its file WHEEL has no tag that ends with -none-any")

    @property
    def description(self) -> str:
        """Return the summary in its metadata."""
        return HeaderParser().parsestr(self._read_text("METADATA")).get("Summary", "")

    def list_plugins(self) -> list[tuple[PluginUse, str, str]]:
        """Return use, module and class of the entry points of plugins. Raises InvalidWheel."""
        if f"{self._info}/entry_points.txt" not in self._files:
            return []
        parser = ConfigParser(delimiters=("=",), interpolation=None, strict=False)
        # Names are case-sensitive.
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        try:
            parser.read_string(self._read_text("entry_points.txt"))
        except Error as error:
            raise InvalidWheel(f"its entry_points.txt is malformed ({type(error).__name__})") from None
        return [
            (use, *_parse_entry_point(name, value))
            for group, use in USES.items()
            if parser.has_section(group)
            for name, value in parser.items(group)
        ]

    def load_module(self, name: str) -> SourceModule | None:
        """Return a module by its name; None if it has no such module. Raises InvalidWheel, SyntaxError, ValueError."""
        path = name.replace(".", "/")
        for file, is_package in ((f"{path}/__init__.py", True), (f"{path}.py", False)):
            if file in self._files:
                return SourceModule.parse(name, self._read(file), is_package=is_package)
        return None

    def _read_text(self, name: str) -> str:
        return self._read(f"{self._info}/{name}").decode("utf-8", "replace")

    def _read(self, name: str) -> bytes:
        entry = self._files.get(name)
        if entry is None:
            raise InvalidWheel(f"it lacks the file {name}")
        if entry.file_size > _SOURCE_BYTES_MAX:
            raise InvalidWheel(f"{name} has more than {_SOURCE_BYTES_MAX:,} bytes")
        try:
            return self._archive.read(entry)
        except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, OSError) as error:
            raise InvalidWheel(f"{name} cannot be read ({type(error).__name__})") from None


def _check_entries(entries: list[zipfile.ZipInfo]) -> Iterator[zipfile.ZipInfo]:
    """Yield the files of an archive. Raises InvalidWheel for names or sizes that are refused."""
    if len(entries) > _FILES_MAX:
        raise InvalidWheel(f"it has more than {_FILES_MAX:,} files")
    if sum(entry.file_size for entry in entries) > _BYTES_MAX:
        raise InvalidWheel(f"its files have more than {_BYTES_MAX:,} bytes")
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        _check_name(name)
        if name.casefold() in seen:
            raise InvalidWheel(f"it has the file {name} twice")
        seen.add(name.casefold())
        if (entry.external_attr >> 16) & _FILE_TYPE == _SYMBOLIC_LINK:
            raise InvalidWheel(f"{name} is a symbolic link")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1:
            raise InvalidWheel(f"{name} is encrypted, or compressed by another method than deflate")
        if not entry.is_dir():
            yield entry


def _check_name(name: str) -> None:
    parts = name.rstrip("/").split("/")
    if not name or "\\" in name or "\0" in name or ":" in parts[0] or any(part in ("", ".", "..") for part in parts):
        raise InvalidWheel(f"the name {name!r} refers to a file outside the wheel")
    if name.lower().endswith(_REFUSED_SUFFIXES):
        raise InvalidWheel(f"it is not a pure wheel: it contains {name}")
    if parts[0].endswith(".data"):
        raise InvalidWheel(f"{name} would be installed outside the folder of packages")


def _parse_entry_point(name: str, value: str) -> tuple[str, str]:
    match = _ENTRY_POINT.fullmatch(value.strip())
    if match is None:
        raise InvalidWheel(f"the entry point {name} must be MODULE:CLASS, and not {value!r}")
    return match[1], match[2]


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
