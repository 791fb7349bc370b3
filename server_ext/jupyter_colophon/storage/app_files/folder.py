"""The content of files of system applications. A file never changes: what replaces it has another id.

    <root>/<namespace>/<generation>/<id>

`generation` is the creation time of the namespace, so that a namespace that is created again has a folder of its own.
`root` belongs to one store. A file without a row in the table of files (rows.py) is invisible. A process that is killed
may leave one, which ends with its namespace: it is not removed before, since an older backup has no row of a newer file.
"""

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Final

from jupyter_colophon.core.errors import TooLarge
from jupyter_colophon.storage.files.failures import translate_os_errors
from jupyter_colophon.storage.fsync import create_private_folders, sync_folder_to_disk

#: The folder of files that belong to no namespace, which no namespace can have as its name.
NO_NAMESPACE: Final = "-"
#: How old an incomplete file must be to be removed, in seconds: younger ones are still being written.
ABANDONED_S: Final = 86_400.0
_TEMPORARY: Final = ".tmp"
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class AppFileFolder:
    """Writes and removes content below a folder that all processes of a store share."""

    root: Path
    #: The largest size of a file, in bytes.
    max_bytes: int

    def get_path(self, namespace: str, generation: int, file_id: str) -> Path:
        """Return the path of a file."""
        return self._get_generation_folder(namespace, generation) / file_id

    def write_file(self, namespace: str, generation: int, chunks: Iterable[bytes]) -> tuple[str, int]:
        """Write a new file durably; return its id and its size. Raises TooLarge, StoreFull, StorageError."""
        folder, file_id = self._get_generation_folder(namespace, generation), token_hex(16)
        temporary = folder / f".{file_id}{_TEMPORARY}"
        try:
            with _translate_write_errors():
                create_private_folders(folder)
                file = os.fdopen(os.open(temporary, _NEW, 0o600), "wb")
            with file:
                size = self._write_chunks(file, chunks)
                with _translate_write_errors():
                    file.flush()
                    os.fsync(file.fileno())
            with _translate_write_errors():
                os.rename(temporary, folder / file_id)
                sync_folder_to_disk(folder)
        except BaseException:
            _remove_if_exists(temporary)
            _remove_if_exists(folder / file_id)
            raise
        return file_id, size

    def remove_file(self, namespace: str, generation: int, file_id: str) -> None:
        """Remove a file that has no row. One that cannot be removed ends with its namespace."""
        _remove_if_exists(self.get_path(namespace, generation, file_id))

    def remove_generations(self, namespace: str, newest: int) -> None:
        """Remove the files of a deleted namespace: those of this generation and of earlier ones. Raises StorageError."""
        with translate_os_errors("files of system applications cannot be removed"):
            for generation, folder in self._list_generations(namespace):
                if generation <= newest:
                    with contextlib.suppress(FileNotFoundError):
                        shutil.rmtree(folder)
            with contextlib.suppress(OSError):  # Others may be left, or written now.
                (self.root / namespace).rmdir()

    def remove_temporary_files(self) -> None:
        """Remove incomplete files that processes left that were killed. Raises StorageError."""
        until = time.time() - ABANDONED_S
        with translate_os_errors("files of system applications cannot be removed"):
            for path in self.root.glob(f"*/*/.*{_TEMPORARY}"):
                with contextlib.suppress(FileNotFoundError):
                    if path.stat().st_mtime < until:
                        path.unlink()

    def _list_generations(self, namespace: str) -> Iterator[tuple[int, Path]]:
        for name in _list_names(self.root / namespace):
            if name.isdecimal():
                yield int(name), self.root / namespace / name

    def _get_generation_folder(self, namespace: str, generation: int) -> Path:
        return self.root / (namespace or NO_NAMESPACE) / str(generation)

    def _write_chunks(self, file: BinaryIO, chunks: Iterable[bytes]) -> int:
        """Write chunks, and return their size. An error of the code that yields them is raised unchanged."""
        size = 0
        for chunk in chunks:
            size += len(chunk)
            if size > self.max_bytes:
                raise TooLarge(f"a file may have at most {self.max_bytes} bytes (c.Colophon.max_app_file_bytes)")
            with _translate_write_errors():
                file.write(chunk)
        return size


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading. Raises FileNotFoundError, StorageError."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise
    except OSError:
        with translate_os_errors("the file cannot be read"):
            raise


def _translate_write_errors() -> contextlib.AbstractContextManager[None]:
    return translate_os_errors("the file cannot be stored")


def _list_names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _remove_if_exists(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
