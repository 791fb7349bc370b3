"""Events of streams: JSON Lines in files that Spark reads as a stream (spec LINEAGE-20).

Spark reads each file once, and ignores hidden ones. So events are written to a hidden file, which is renamed when it is
a second old, or large: readers only see complete files that never change. Events are durable when `append` returns.

    <root>/<namespace>/<stream>-<since>/day=<UTC day>/<number>.jsonl

`since` is the creation time of the stream: a stream that is created again has other events.
"""

import errno
import logging
import os
import shutil
import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jupyter_colophon.core.errors import StorageError, StoreFull, StoreUnavailable
from jupyter_colophon.storage.fsync import create_private_folders, sync_folder_to_disk
from jupyter_colophon.system.process_files import HAS_LOCKS, ProcessFile
from jupyter_colophon.system.worker import Worker

#: The time for which a file is hidden (s), and the size at which it is published earlier.
_HIDDEN_S, _FILE_BYTES = 1.0, 8 * 1024 * 1024
_OPEN, _WHOLE = ".open", ".jsonl"
_FULL = {errno.ENOSPC, errno.EDQUOT}
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _EventFile:
    """A hidden file to which events are added. Its lock shows that a process will publish it."""

    file: ProcessFile
    opened: float
    size: int = 0

    @property
    def descriptor(self) -> int:
        """The descriptor of the open file."""
        return self.file.descriptor


class EventFiles:
    """Write the events of this process to its own files."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Path, _EventFile] = {}
        self._lock = threading.Lock()
        self._closed = self._adopted = False
        self._worker = Worker("colophon-events", self._publish_due_files, _log, "events of streams")

    def get_stream_folder(self, namespace: str, stream: str, since: int) -> Path:
        """Return the folder of a stream's events, which has a folder per day."""
        return self._root / namespace / f"{stream}-{since}"

    def append_events(self, folder: Path, day: str, lines: Sequence[bytes]) -> None:
        """Add events, each a line of JSON without its line end. Raises StoreFull, StorageError; then none is added."""
        file_path = folder / f"day={day}"
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the server is stopping: try again when it has restarted")
            try:
                self._write_to_open_file(file_path, b"".join(line + b"\n" for line in lines))
            except OSError as error:
                kind = StoreFull if error.errno in _FULL else StorageError
                raise kind(f"events cannot be stored ({type(error).__name__})") from error
        self._worker.wake()
        self._worker.start()

    def remove_events_of_namespace(self, namespace: str) -> None:
        """Remove the events of all streams of a namespace. Raises StorageError."""
        folder = self._root / namespace
        with self._lock:
            for file_path in [file_path for file_path in self._files if folder in file_path.parents]:
                self._files.pop(file_path).file.close()
            try:
                shutil.rmtree(folder)
                sync_folder_to_disk(self._root)
            except FileNotFoundError:
                return
            except OSError as error:
                raise StorageError(f"events cannot be removed ({type(error).__name__})") from error

    def publish_all_and_close(self) -> None:
        """Publish all files and accept no more events."""
        with self._lock:
            self._closed = True
        self._worker.close(None)
        self._publish_all_files()

    def _write_to_open_file(self, file_path: Path, text: bytes) -> None:
        file = self._files.get(file_path)
        if file is None:
            file = self._files[file_path] = _open_hidden_file(file_path)
        try:
            _add_to_file(file, text)
        except OSError:
            # The caller got an error, so nothing of it may be published later.
            with suppress(OSError):
                os.ftruncate(file.descriptor, file.size)
            raise
        if file.size >= _FILE_BYTES:
            _publish_file(self._files.pop(file_path))

    def _publish_due_files(self) -> float | None:
        """Publish files that are old enough; first those of processes that ended without publishing them."""
        if not self._adopted:
            self._adopted = True
            _publish_files_of_killed_processes(self._root)
        with self._lock:
            due = time.monotonic() - _HIDDEN_S
            for file_path in [file_path for file_path, file in self._files.items() if file.opened <= due]:
                _publish_file(self._files.pop(file_path))
            return _HIDDEN_S / 4 if self._files else None

    def _publish_all_files(self) -> None:
        with self._lock:
            while self._files:
                _publish_file(self._files.popitem()[1])


def _open_hidden_file(file_path: Path) -> _EventFile:
    create_private_folders(file_path)
    file = ProcessFile.create_locked(file_path / f".{time.time_ns()}-{uuid.uuid4().hex}{_OPEN}")
    try:
        sync_folder_to_disk(file_path)
    except OSError:
        file.delete_and_unlock()
        raise
    return _EventFile(file, time.monotonic())


def _add_to_file(file: _EventFile, text: bytes) -> None:
    rest = memoryview(text)
    os.lseek(file.descriptor, file.size, os.SEEK_SET)
    while rest:
        rest = rest[os.write(file.descriptor, rest) :]
    os.fsync(file.descriptor)
    file.size += len(text)


def _publish_file(file: _EventFile) -> None:
    """Rename a file to its visible name. After a failure, the next process does it."""
    try:
        if not HAS_LOCKS:  # Windows cannot rename an open file.
            file.file.close()
        _rename_to_visible_name(file.file.path, file.size)
    except OSError as error:
        _log.warning(
            "events of a stream cannot be published; they stay in a hidden file until the next start (%s)",
            type(error).__name__,
        )
    finally:
        if HAS_LOCKS:
            file.file.close()


def _rename_to_visible_name(path: Path, size: int) -> None:
    if size:
        os.rename(path, path.with_name(path.name.removeprefix(".").removesuffix(_OPEN) + _WHOLE))
    else:
        os.unlink(path)
    sync_folder_to_disk(path.parent)


def _publish_files_of_killed_processes(root: Path) -> None:
    """Publish the files of killed processes without the last line, which was never acknowledged."""
    for path in root.glob(f"*/*/day=*/.*{_OPEN}"):
        with suppress(OSError):
            # Without locks, abandoned files cannot be distinguished from others, but a file that another process has open cannot
            # be renamed.
            if (file := ProcessFile.take_over_if_abandoned(path, requires_lock=HAS_LOCKS)) is not None:
                _truncate_and_publish_file(file)


def _truncate_and_publish_file(file: ProcessFile) -> None:
    try:
        size = file.read_content().rfind(b"\n") + 1
        os.ftruncate(file.descriptor, size)
        os.fsync(file.descriptor)
        _rename_to_visible_name(file.path, size)
    finally:
        file.close()
