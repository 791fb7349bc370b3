"""Events of streams: JSON Lines in files that Spark reads as a stream (spec LINEAGE-20).

Spark takes each file once, and hidden ones never. So an event is written to a hidden file, which gets a name of its own
when it is a second old, or large: whoever reads sees whole files that nobody changes any more. What `append` took is on
the disk when it returns.

    <root>/<namespace>/<stream>-<since>/day=<UTC day>/<number>.jsonl

`since` is when the stream was made: one that is made anew has other events.
"""

import errno
import logging
import os
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jupyter_colophon.core.errors import StorageError, StoreFull, StoreUnavailable
from jupyter_colophon.storage.folders import make_folder, sync_folder

if sys.platform == "win32":

    def _take(_descriptor: int) -> None:
        """There, nobody can rename a file that somebody has open: no lock is needed."""
else:
    from fcntl import LOCK_EX, LOCK_NB, flock

    def _take(descriptor: int) -> None:
        flock(descriptor, LOCK_EX | LOCK_NB)


#: How long a file is hidden, and from which size on it is not.
_HIDDEN_S, _FILE_BYTES = 1.0, 8 * 1024 * 1024
_OPEN, _WHOLE = ".open", ".jsonl"
_FULL = {errno.ENOSPC, errno.EDQUOT}
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _File:
    """A hidden file that events are added to. Its lock says that somebody is there who will show it."""

    path: Path
    descriptor: int
    opened: float
    size: int = 0


class EventFiles:
    """The events that this process writes. Every process has files of its own."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Path, _File] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def folder(self, namespace: str, stream: str, since: int) -> Path:
        """Where the events of a stream are, below it by day."""
        return self._root / namespace / f"{stream}-{since}"

    def append(self, folder: Path, day: str, lines: Sequence[bytes]) -> None:
        """Add events, each a line of JSON without its end. Raises StoreFull, StorageError, and adds none then."""
        place = folder / f"day={day}"
        with self._changed:
            if self._closed:
                raise StoreUnavailable("the server is stopping")
            try:
                self._write(place, b"".join(line + b"\n" for line in lines))
            except OSError as error:
                kind = StoreFull if error.errno in _FULL else StorageError
                raise kind(f"events cannot be stored ({type(error).__name__})") from error
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="colophon-events", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def remove_namespace(self, namespace: str) -> None:
        """Remove the events of all streams of a namespace. Raises StorageError."""
        folder = self._root / namespace
        with self._changed:
            for place in [place for place in self._files if folder in place.parents]:
                with suppress(OSError):
                    os.close(self._files.pop(place).descriptor)
            try:
                shutil.rmtree(folder)
                sync_folder(self._root)
            except FileNotFoundError:
                return
            except OSError as error:
                raise StorageError(f"events cannot be removed ({type(error).__name__})") from error

    def close(self) -> None:
        """Show everything, and take no more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

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

    def _work(self) -> None:
        """Show files that are old enough, first those of processes that ended before they could."""
        _adopt(self._root)
        with self._changed:
            while not self._closed or self._files:
                due = time.monotonic() - (0 if self._closed else _HIDDEN_S)
                for place in [place for place, file in self._files.items() if self._closed or file.opened <= due]:
                    _show(self._files.pop(place))
                if not self._closed:
                    self._changed.wait(_HIDDEN_S / 4 if self._files else None)


def _opened(place: Path) -> _File:
    make_folder(place)
    path = place / f".{time.time_ns()}-{uuid.uuid4().hex}{_OPEN}"
    descriptor = os.open(path, _NEW, 0o600)
    try:
        _take(descriptor)
        sync_folder(place)
    except OSError:
        os.close(descriptor)
        with suppress(OSError):
            os.unlink(path)
        raise
    return _File(path, descriptor, time.monotonic())


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
        if sys.platform == "win32":
            os.close(file.descriptor)
        _name(file.path, file.size)
    except OSError as error:
        _log.warning("events wait for the next start in a hidden file (%s)", type(error).__name__)
    finally:
        with suppress(OSError):
            os.close(file.descriptor)


def _name(path: Path, size: int) -> None:
    if size:
        os.rename(path, path.with_name(path.name.removeprefix(".").removesuffix(_OPEN) + _WHOLE))
    else:
        os.unlink(path)
    sync_folder(path.parent)


def _adopt(root: Path) -> None:
    """Show what processes left behind that were killed, without the line that was never acknowledged."""
    for path in root.glob(f"*/*/day=*/.*{_OPEN}"):
        with suppress(OSError):  # Somebody else has it, or was quicker.
            descriptor = os.open(path, os.O_RDWR)
            try:
                _take(descriptor)
                text = path.read_bytes()
                whole = text.rfind(b"\n") + 1
                os.ftruncate(descriptor, whole)
                os.fsync(descriptor)
                _name(path, whole)
            finally:
                os.close(descriptor)
