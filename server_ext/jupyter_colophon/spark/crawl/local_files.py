"""Walking a folder of this machine: which datasets are in it, and what has to be left out."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.spark.crawl.discovered import File, Found, Met, Trouble, Wanted
from jupyter_colophon.spark.names import dataset_names, file_formats
from jupyter_colophon.spark.plans.observation import DataRef, Kind

#: Folders that say: what lies beside them is a table of another format, whose files alone tell less or more than it has.
_TABLE_FORMATS = {"_delta_log": "Delta", ".hoodie": "Hudi"}


@dataclass(frozen=True, slots=True)
class _Entries:
    """What is in a folder, by name; what is hidden is left out."""

    folders: list[os.DirEntry[str]]
    files: list[os.DirEntry[str]]
    names: frozenset[str]


class Walk:
    """One walk below a root, which is a folder or a file. Iterating gives what is met, in the order of names."""

    def __init__(self, root: Path, wanted: Wanted) -> None:
        # A link keeps its own name, as in the lineage of who reads it.
        # Two slashes at its beginning are one, though POSIX would let them be something else.
        self._root, self._wanted = Path(re.sub(r"^//+", "/", os.path.abspath(root))), wanted
        self._seen: set[tuple[int, int]] = set()

    def __iter__(self) -> Iterator[Met]:
        """Walk."""
        if not self._root.is_dir():
            yield from self._single(self._root)
            return
        waiting = [self._root]
        while waiting:
            folder = waiting.pop()
            below: list[Path] = []
            yield from self._folder(folder, below)
            waiting += reversed(below)

    def listings(self) -> Iterator[Mapping[str, str]]:
        """Files are called by their paths."""
        if self._root.is_dir() and (root := dataset_names.file(f"file:{self._root / 'x'}")):
            yield {"prefix": Urn.parse(root).parts[1].removesuffix("x")}

    def lacks(self, urn: str) -> str | None:
        """The name below the root of a file or folder that is wanted, and not there."""
        path = Path(Urn.parse(urn).parts[1])
        if dataset_names.file(f"file:{path}") != urn or self._root not in path.parents or _is_there(path):
            return None
        name, above = self._name(path), path.relative_to(self._root).parents
        is_out = any(self._wanted.excludes(one.as_posix()) for one in above)
        return name if self._wanted(name) and not is_out else None

    def _folder(self, folder: Path, below: list[Path]) -> Iterator[Met]:
        """What is in one folder; folders to walk into are added to `below`."""
        try:
            if not self._is_new(folder):
                yield Trouble(self._name(folder), "was met already, by another name", is_failure=False)
                return
            entries = _entries(folder)
        except OSError as error:
            yield Trouble(self._name(folder), error.strerror or str(error))
            return
        if (other := _table_format(folder, entries)) is not None:
            reason = f"is a table of {other}: crawl it by its catalog"
            yield Trouble(self._name(folder), reason, is_failure=False)
            return
        if any(file_formats.PARTITION.fullmatch(one.name) for one in entries.folders):
            yield from self._whole(folder, deep=True)
            return
        is_whole = "_SUCCESS" in entries.names or any(file_formats.PART.fullmatch(one.name) for one in entries.files)
        if is_whole:
            yield from self._whole(folder, deep=False)
        else:
            for one in entries.files:
                yield from self._single(Path(one.path))
        below += [Path(one.path) for one in entries.folders if not self._wanted.excludes(self._name(Path(one.path)))]

    def _single(self, path: Path) -> Iterator[Met]:
        """A file that is a dataset by itself."""
        name = self._name(path)
        if not self._wanted(name):
            return
        if packed := file_formats.packed_otherwise(path.name):
            yield Trouble(name, f"Spark cannot unpack .{packed}", is_failure=False)
        elif format_ := file_formats.of_name(path.name):
            yield self._found(path, path.parent, [path], format_)
        elif path == self._root:
            yield Trouble(name, "is no file of a format that is known")

    def _whole(self, folder: Path, *, deep: bool) -> Iterator[Met]:
        """A folder that is one dataset; `deep` where its partitions are folders in it."""
        if not self._wanted(self._name(folder)):
            return
        try:
            paths = sorted(_files_below(folder)) if deep else [Path(one.path) for one in _entries(folder).files]
            of_paths = {path: file_formats.of_name(path.name) or _told_by_bytes(path) for path in paths}
        except OSError as error:
            yield Trouble(self._name(folder), error.strerror or str(error))
            return
        found = sorted({format_ for format_ in of_paths.values() if format_})
        if len(found) > 1:
            yield Trouble(self._name(folder), f"holds files of several formats: {', '.join(found)}")
        elif found:
            yield self._found(folder, folder, [path for path in paths if of_paths[path]], found[0])

    def _found(self, place: Path, base: Path, paths: list[Path], format_: str) -> Met:
        name = self._name(place)
        try:
            files = [_file(path, base) for path in paths]
        except OSError as error:
            return Trouble(name, error.strerror or str(error))
        try:
            location = f"file:{place}"
            location.encode()
        except UnicodeEncodeError:
            return Trouble(name, "its name is not UTF-8")
        if (urn := dataset_names.file(location)) is None:
            return Trouble(name, "its path is longer than 512 bytes, or has control characters")
        ref = DataRef(urn, Kind.FILE, format=format_, location=location)
        size = sum(one.size for one in files)
        first = next((str(base / one.path) for one in files if one.size), "")
        return Found(name, ref, state_of(files), place=str(place), first=first, bytes=size, files=len(files))

    def _is_new(self, folder: Path) -> bool:
        told = folder.stat()
        identity = (told.st_dev, told.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def _name(self, path: Path) -> str:
        name = path.name or str(path) if path == self._root else path.relative_to(self._root).as_posix()
        return name.encode("utf-8", "replace").decode()


def state_of(files: list[File]) -> str:
    """What changes when a file comes, goes, or has another size or time."""
    digest = sha256()
    for one in sorted(files, key=lambda file: file.path):
        digest.update(f"{one.path}\0{one.size}\0{one.modified_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def files_in(folder: Path) -> list[File]:
    """All files of a table's folder. Raises OSError."""
    return [_file(path, folder) for path in _files_below(folder)]


def _entries(folder: Path) -> _Entries:
    with os.scandir(folder) as found:
        everything = sorted(found, key=lambda entry: entry.name)
    shown = [one for one in everything if not one.name.startswith((".", "_"))]
    folders = {one.name: one for one in shown if _is_folder(one)}
    files = [one for one in shown if one.name not in folders]
    return _Entries([*folders.values()], files, frozenset(one.name for one in everything))


def _is_there(path: Path) -> bool:
    """Whether something is, or nobody lets us know."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """A link that leads to itself is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder and below, but for what is hidden; a link that leads back is not followed."""
    waiting, seen = [folder], set()
    while waiting:
        at = waiting.pop()
        told = at.stat()
        if (told.st_dev, told.st_ino) in seen:
            continue
        seen.add((told.st_dev, told.st_ino))
        entries = _entries(at)
        waiting += [Path(one.path) for one in entries.folders]
        yield from (Path(one.path) for one in entries.files)


def _table_format(folder: Path, entries: _Entries) -> str | None:
    for name, told in _TABLE_FORMATS.items():
        if name in entries.names:
            return told
    is_iceberg = "metadata" in entries.names and any((folder / "metadata").glob("*.metadata.json"))
    return "Iceberg" if is_iceberg else None


def _told_by_bytes(path: Path) -> str | None:
    """The format of a file without an extension."""
    is_bare = "." not in path.name and path.is_file()
    return file_formats.of_bytes(path) if is_bare else None


def _file(path: Path, base: Path) -> File:
    """A file that can be read. Raises OSError."""
    told = path.stat()
    if not stat.S_ISREG(told.st_mode):
        raise OSError(0, "is no ordinary file")
    if not os.access(path, os.R_OK):
        raise PermissionError(13, "Permission denied")
    return File(path.relative_to(base).as_posix(), told.st_size, told.st_mtime_ns)
