"""Walk a local folder: find its datasets, and places that must be skipped."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jupyter_colophon.capture.names import dataset_names, file_formats
from jupyter_colophon.capture.observation import DataRef, DatasetKind
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.spark.crawl.discovered import CrawledFile, CrawlIssue, Discovered, FoundDataset, PathFilter

#: Folders that mark a table of another format, whose data is not that of its files.
_TABLE_FORMATS = {"_delta_log": "Delta", ".hoodie": "Hudi"}


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of a folder by name, without hidden ones."""

    folders: list[os.DirEntry[str]]
    files: list[os.DirEntry[str]]
    names: frozenset[str]


class FolderWalk:
    """A walk below a root, which is a folder or a file. Iteration yields results in the order of names."""

    def __init__(self, root: Path, selection: PathFilter) -> None:
        # A link keeps its own name, as in the lineage of programs that read it.
        # Collapse two leading slashes, to which POSIX allows a special meaning.
        self._root, self._selection = Path(re.sub(r"^//+", "/", os.path.abspath(root))), selection
        self._seen: set[tuple[int, int]] = set()

    def __iter__(self) -> Iterator[Discovered]:
        """Walk the root."""
        if not self._root.is_dir():
            yield from self._inspect_file(self._root)
            return
        waiting = [self._root]
        while waiting:
            folder = waiting.pop()
            below: list[Path] = []
            yield from self._walk_folder(folder, below)
            waiting += reversed(below)

    def list_entity_filters(self) -> Iterator[Mapping[str, str]]:
        """Yield a filter for the name prefix of all files below the root."""
        if self._root.is_dir() and (root := dataset_names.build_file_urn(f"file:{self._root / 'x'}")):
            yield {"prefix": Urn.parse(root).parts[1].removesuffix("x")}

    def find_name_of_missing_dataset(self, urn: str) -> str | None:
        """Return the name below the root of a selected file or folder that no longer exists; else None."""
        path = Path(Urn.parse(urn).parts[1])
        if dataset_names.build_file_urn(f"file:{path}") != urn or self._root not in path.parents or _may_exist(path):
            return None
        name, above = self._format_relative_name(path), path.relative_to(self._root).parents
        is_out = any(self._selection.is_excluded(parent.as_posix()) for parent in above)
        return name if self._selection(name) and not is_out else None

    def _walk_folder(self, folder: Path, visited_parents: list[Path]) -> Iterator[Discovered]:
        """Yield the results of one folder; add the folders to walk next to `visited_parents`."""
        try:
            if not self._mark_visited_if_new(folder):
                yield CrawlIssue(
                    self._format_relative_name(folder), "was already crawled under another name", is_failure=False
                )
                return
            entries = _list_entries(folder)
        except OSError as error:
            yield CrawlIssue(self._format_relative_name(folder), error.strerror or str(error))
            return
        if (other := _detect_table_format(folder, entries)) is not None:
            reason = f"is a {other} table; crawl the catalog that contains it"
            yield CrawlIssue(self._format_relative_name(folder), reason, is_failure=False)
            return
        if any(file_formats.PARTITION.fullmatch(entry.name) for entry in entries.folders):
            yield from self._inspect_folder(folder, deep=True)
            return
        is_whole = "_SUCCESS" in entries.names or any(
            file_formats.PART.fullmatch(entry.name) for entry in entries.files
        )
        if is_whole:
            yield from self._inspect_folder(folder, deep=False)
        else:
            for entry in entries.files:
                yield from self._inspect_file(Path(entry.path))
        visited_parents += [
            Path(entry.path)
            for entry in entries.folders
            if not self._selection.is_excluded(self._format_relative_name(Path(entry.path)))
        ]

    def _inspect_file(self, path: Path) -> Iterator[Discovered]:
        """Yield a file that is a dataset."""
        name = self._format_relative_name(path)
        if not self._selection(name):
            return
        if packed := file_formats.find_unsupported_compression(path.name):
            yield CrawlIssue(name, f"Spark cannot decompress .{packed}", is_failure=False)
        elif format_ := file_formats.detect_format_from_name(path.name):
            yield self._create_dataset(path, path.parent, [path], format_)
        elif path == self._root:
            yield CrawlIssue(name, "has no supported file format")

    def _inspect_folder(self, folder: Path, *, deep: bool) -> Iterator[Discovered]:
        """Yield a folder that is one dataset; `deep` if its partitions are subfolders."""
        if not self._selection(self._format_relative_name(folder)):
            return
        try:
            paths = sorted(_walk_files(folder)) if deep else [Path(entry.path) for entry in _list_entries(folder).files]
            of_paths = {
                path: file_formats.detect_format_from_name(path.name) or _detect_by_content(path) for path in paths
            }
        except OSError as error:
            yield CrawlIssue(self._format_relative_name(folder), error.strerror or str(error))
            return
        formats = sorted({format_ for format_ in of_paths.values() if format_})
        if len(formats) > 1:
            yield CrawlIssue(
                self._format_relative_name(folder), f"contains files of several formats: {', '.join(formats)}"
            )
        elif formats:
            yield self._create_dataset(folder, folder, [path for path in paths if of_paths[path]], formats[0])

    def _create_dataset(self, place: Path, base: Path, paths: list[Path], format_: str) -> Discovered:
        name = self._format_relative_name(place)
        try:
            files = [_stat_file(path, base) for path in paths]
        except OSError as error:
            return CrawlIssue(name, error.strerror or str(error))
        try:
            location = f"file:{place}"
            location.encode()
        except UnicodeEncodeError:
            return CrawlIssue(name, "the name is not valid UTF-8")
        if (urn := dataset_names.build_file_urn(location)) is None:
            return CrawlIssue(name, "the path is longer than 512 bytes or contains control characters")
        ref = DataRef(urn, DatasetKind.FILE, format=format_, location=location)
        size = sum(file.size for file in files)
        first = next((str(base / file.path) for file in files if file.size), "")
        return FoundDataset(
            name, ref, compute_files_state(files), path=str(place), first=first, bytes=size, files=len(files)
        )

    def _mark_visited_if_new(self, folder: Path) -> bool:
        status = folder.stat()
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def _format_relative_name(self, path: Path) -> str:
        name = path.name or str(path) if path == self._root else path.relative_to(self._root).as_posix()
        return name.encode("utf-8", "replace").decode()


def compute_files_state(files: list[CrawledFile]) -> str:
    """Return a hash that changes if a file is added, removed, or has another size or time."""
    digest = sha256()
    for current in sorted(files, key=lambda file: file.path):
        digest.update(f"{current.path}\0{current.size}\0{current.modified_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def list_table_files(folder: Path) -> list[CrawledFile]:
    """Return all files of a table's folder. Raises OSError."""
    return [_stat_file(path, folder) for path in _walk_files(folder)]


def _list_entries(folder: Path) -> _Entries:
    with os.scandir(folder) as entries:
        everything = sorted(entries, key=lambda entry: entry.name)
    visible = [item for item in everything if not item.name.startswith((".", "_"))]
    folders = {item.name: item for item in visible if _is_folder(item)}
    files = [item for item in visible if item.name not in folders]
    return _Entries([*folders.values()], files, frozenset(item.name for item in everything))


def _may_exist(path: Path) -> bool:
    """Return whether a path exists, or this cannot be determined."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder; a link to itself is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _walk_files(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder, except hidden ones; circular links are not followed."""
    waiting, seen = [folder], set()
    while waiting:
        at = waiting.pop()
        status = at.stat()
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        entries = _list_entries(at)
        waiting += [Path(entry.path) for entry in entries.folders]
        yield from (Path(entry.path) for entry in entries.files)


def _detect_table_format(folder: Path, entries: _Entries) -> str | None:
    for name, table_format in _TABLE_FORMATS.items():
        if name in entries.names:
            return table_format
    is_iceberg = "metadata" in entries.names and any((folder / "metadata").glob("*.metadata.json"))
    return "Iceberg" if is_iceberg else None


def _detect_by_content(path: Path) -> str | None:
    """Return the format of a file without an extension."""
    is_bare = "." not in path.name and path.is_file()
    return file_formats.detect_format_from_bytes(path) if is_bare else None


def _stat_file(path: Path, base: Path) -> CrawledFile:
    """Return a readable, regular file. Raises OSError."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "is not a regular file")
    if not os.access(path, os.R_OK):
        raise PermissionError(13, "Permission denied")
    return CrawledFile(path.relative_to(base).as_posix(), status.st_size, status.st_mtime_ns)
