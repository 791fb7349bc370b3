"""Events of streams: JSON Lines in files that Spark reads as a stream (spec LINEAGE-20).

Spark takes each file once, and hidden ones never. So an event is written to a hidden file, which gets a name of its own
when it is a second old, or large: whoever reads sees whole files that nobody changes any more. What `append` took is on
the disk when it returns.

    <root>/<namespace>/<stream>-<since>/day=<UTC day>/<number>.jsonl

`since` is when the stream was created: a stream created again has other events.
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
from jupyter_colophon.storage.fsync import make_folder, sync_folder
from jupyter_colophon.system.process_files import HAS_LOCKS, ProcessFile
from jupyter_colophon.system.worker import Worker

#: How long a file is hidden, and from which size on it is not.
_HIDDEN_S, _FILE_BYTES = 1.0, 8 * 1024 * 1024
_OPEN, _WHOLE = ".open", ".jsonl"
_FULL = {errno.ENOSPC, errno.EDQUOT}
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _File:
    """A hidden file that events are added to. Its lock says that somebody is there who will show it."""

    file: ProcessFile
    opened: float
    size: int = 0

    @property
    def descriptor(self) -> int:
        """The open file."""
        return self.file.descriptor


class EventFiles:
    """The events that this process writes. Every process has files of its own."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Path, _File] = {}
        self._lock = threading.Lock()
        self._closed = self._adopted = False
        self._worker = Worker("colophon-events", self._show_due, _log, "events of streams")

    def folder(self, namespace: str, stream: str, since: int) -> Path:
        """Where the events of a stream are, below it by day."""
        return self._root / namespace / f"{stream}-{since}"

    def append(self, folder: Path, day: str, lines: Sequence[bytes]) -> None:
        """Add events, each a line of JSON without its end. Raises StoreFull, StorageError, and adds none then."""
        place = folder / f"day={day}"
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the server is stopping")
            try:
                self._write(place, b"".join(line + b"\n" for line in lines))
            except OSError as error:
                kind = StoreFull if error.errno in _FULL else StorageError
                raise kind(f"events cannot be stored ({type(error).__name__})") from error
        self._worker.wake()
        self._worker.start()

    def remove_namespace(self, namespace: str) -> None:
        """Remove the events of all streams of a namespace. Raises StorageError."""
        folder = self._root / namespace
        with self._lock:
            for place in [place for place in self._files if folder in place.parents]:
                self._files.pop(place).file.close()
            try:
                shutil.rmtree(folder)
                sync_folder(self._root)
            except FileNotFoundError:
                return
            except OSError as error:
                raise StorageError(f"events cannot be removed ({type(error).__name__})") from error

    def close(self) -> None:
        """Show everything, and take no more."""
        with self._lock:
            self._closed = True
        self._worker.close(None)
        self._show_all()

    def _write(self, place: Path, text: bytes) -> None:
        file = self._files.get(place)
        if file is None:
            file = self._files[place] = _opened(place)
        try:
            _add(file, text)
        except OSError:
            # Whoever was refused is not to find anything of it later.
            with suppress(OSError):
                os.ftruncate(file.descriptor, file.size)
            raise
        if file.size >= _FILE_BYTES:
            _show(self._files.pop(place))

    def _show_due(self) -> float | None:
        """Show files that are old enough, first those of processes that ended before they could."""
        if not self._adopted:
            self._adopted = True
            _adopt(self._root)
        with self._lock:
            due = time.monotonic() - _HIDDEN_S
            for place in [place for place, file in self._files.items() if file.opened <= due]:
                _show(self._files.pop(place))
            return _HIDDEN_S / 4 if self._files else None

    def _show_all(self) -> None:
        with self._lock:
            while self._files:
                _show(self._files.popitem()[1])


def _opened(place: Path) -> _File:
    make_folder(place)
    file = ProcessFile.create(place / f".{time.time_ns()}-{uuid.uuid4().hex}{_OPEN}")
    try:
        sync_folder(place)
    except OSError:
        file.remove()
        raise
    return _File(file, time.monotonic())


def _add(file: _File, text: bytes) -> None:
    rest = memoryview(text)
    os.lseek(file.descriptor, file.size, os.SEEK_SET)
    while rest:
        rest = rest[os.write(file.descriptor, rest) :]
    os.fsync(file.descriptor)
    file.size += len(text)


def _show(file: _File) -> None:
    """Give a file the name under which it is read. What fails here is done by the next process."""
    try:
        if not HAS_LOCKS:  # Windows renames no file that is open.
            file.file.close()
        _name(file.file.path, file.size)
    except OSError as error:
        _log.warning("events wait for the next start in a hidden file (%s)", type(error).__name__)
    finally:
        if HAS_LOCKS:
            file.file.close()


def _name(path: Path, size: int) -> None:
    if size:
        os.rename(path, path.with_name(path.name.removeprefix(".").removesuffix(_OPEN) + _WHOLE))
    else:
        os.unlink(path)
    sync_folder(path.parent)


def _adopt(root: Path) -> None:
    """Show what processes left behind that were killed, without the line that was never acknowledged."""
    for path in root.glob(f"*/*/day=*/.*{_OPEN}"):
        with suppress(OSError):
            # Without locks nobody knows what is abandoned, but a file that another process has open cannot be renamed.
            if (file := ProcessFile.take_over(path, requires_lock=HAS_LOCKS)) is not None:
                _show_left(file)


def _show_left(file: ProcessFile) -> None:
    try:
        whole = file.read().rfind(b"\n") + 1
        os.ftruncate(file.descriptor, whole)
        os.fsync(file.descriptor)
        _name(file.path, whole)
    finally:
        file.close()
