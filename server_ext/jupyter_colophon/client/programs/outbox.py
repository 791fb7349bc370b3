"""What programs have said and no server has got yet: one file a process, in a folder that all share.

A line is written before anybody may rely on it, so a process that is killed leaves what it said to the next one. The
file belongs to who holds its lock: its process while that lives, then whoever ships it.
"""

import errno
import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from jupyter_colophon.system.private_folders import create_private_folder
from jupyter_colophon.system.process_files import ProcessFile

#: What an entry is: proposals for the inbox, or how a run began, what it touched, how far it is, how it ended.
Kind = Literal["emit", "start", "accesses", "facts", "end"]
KINDS: tuple[Kind, ...] = ("emit", "start", "accesses", "facts", "end")
#: A process says no more than this while nobody takes it.
LARGEST_FILE_BYTES = 64 * 1024 * 1024
_SUFFIX = ".jsonl"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to tell the server, with the idempotency key under which it is done once. `run` is the run's URN."""

    key: str
    kind: Kind
    run: str
    body: dict[str, Any]

    @property
    def line(self) -> bytes:
        """It as a line of the file."""
        return _line({"key": self.key, "kind": self.kind, "run": self.run, "body": self.body})


class SpoolFull(OSError):
    """The file has grown to its limit."""


def default_folder() -> Path:
    """Where the outbox is: `COLOPHON_OUTBOX`, else `colophon/outbox` in the Jupyter data directory."""
    told = os.environ.get("COLOPHON_OUTBOX")
    return Path(told) if told else _data_folder() / "colophon" / "outbox"


def same_place(one: str, other: str) -> bool:
    """Whether what was said for one server is for the other: servers of this machine change their ports."""
    if not one or one == other:
        return True
    return all(urlsplit(url).hostname in _LOOPBACK for url in (one, other))


class SpoolFile:
    """A file of the outbox, held by this process. Thread-safe."""

    def __init__(self, file: ProcessFile, server: str, entries: tuple[Entry, ...] = (), torn: int = 0) -> None:
        self._file, self.server, self.torn = file, server, torn
        self._waiting: dict[str, Entry] = {one.key: one for one in entries}
        self._lock = threading.Lock()
        self._size = os.fstat(file.descriptor).st_size

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._file.path

    @classmethod
    def create(cls, folder: Path, server: str) -> "SpoolFile":
        """Create a file of this process. Raises OSError."""
        data = _data_folder() / "colophon"
        create_private_folder(folder, data if data in folder.parents else None)
        path = folder / f"{time.time_ns():020}-{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
        # Without locks (Windows, some network file systems) two processes may ship a file: what arrives twice is done
        # once, by its key.
        file = ProcessFile.create(path, _line({"server": server}), requires_lock=False, flags=os.O_APPEND)
        return cls(file, server)

    @classmethod
    def take_over(cls, path: Path) -> "SpoolFile | None":
        """Open a file whose process ended; None where it lives, or another one took the file over. Raises OSError."""
        file = ProcessFile.take_over(path, requires_lock=False, flags=os.O_APPEND)
        if file is None:
            return None
        try:
            return cls(file, *_read(file))
        except BaseException:
            file.close()
            raise

    def waiting(self) -> tuple[Entry, ...]:
        """What nobody has got, in the order in which it was said."""
        with self._lock:
            return tuple(self._waiting.values())

    def first(self) -> Entry | None:
        """What is told next."""
        with self._lock:
            return next(iter(self._waiting.values()), None)

    def __len__(self) -> int:
        return len(self._waiting)

    def append(self, entry: Entry) -> None:
        """Keeps an entry: whoever kills the process now does not take it away. Raises OSError, and keeps nothing then."""
        with self._lock:
            line = entry.line
            if self._size + len(line) > LARGEST_FILE_BYTES:
                raise SpoolFull(errno.ENOSPC, "the outbox is full")
            self._write(line)
            self._waiting[entry.key] = entry

    def done(self, entry: Entry) -> None:
        """Somebody has got it, or nobody will."""
        with self._lock:
            self._waiting.pop(entry.key, None)
            # Where that cannot be noted it is told once more, under its key.
            with suppress(OSError):
                if self._waiting:
                    self._write(_line({"done": entry.key}))
                else:
                    os.ftruncate(self._file.descriptor, 0)
                    self._size = 0
                    self._write(_line({"server": self.server}))

    def sync(self) -> None:
        """Makes what was said outlast a power cut."""
        with suppress(OSError):
            os.fsync(self._file.descriptor)

    def release(self) -> None:
        """Lets go of it: it is removed where nothing waits, and is anybody's otherwise."""
        with self._lock:
            if not self._waiting:
                self._file.remove()
            else:
                self.sync()
                self._file.close()

    def _write(self, line: bytes) -> None:
        try:
            if os.write(self._file.descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            # Half a line would make the next one unreadable.
            with suppress(OSError):
                os.ftruncate(self._file.descriptor, self._size)
            raise
        self._size += len(line)


def left_in(folder: Path) -> list[Path]:
    """The files of the outbox, oldest first, whoever holds them."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(_SUFFIX))
    except OSError:
        return []


def left_behind(folder: Path) -> Iterator[SpoolFile]:
    """The files that no living process holds, oldest first, each held by us until it is released."""
    for path in left_in(folder):
        # One that cannot be opened or read harms only itself.
        with suppress(OSError):
            if (file := SpoolFile.take_over(path)) is not None:
                yield file


def _read(file: ProcessFile) -> tuple[str, tuple[Entry, ...], int]:
    """The server, what waits, and how many lines cannot be read."""
    content = file.read()
    if content and not content.endswith(b"\n"):
        # Whoever wrote it was killed in the middle; what we note comes on a line of its own.
        os.write(file.descriptor, b"\n")
    server, torn = "", 0
    waiting: dict[str, Entry] = {}
    for line in filter(None, content.split(b"\n")):
        try:
            told = json.loads(line)
            if "server" in told:
                server = str(told["server"])
            elif "done" in told:
                waiting.pop(told["done"], None)
            else:
                waiting[told["key"]] = _entry(told)
        except (ValueError, KeyError, TypeError):
            torn += 1
    return server, tuple(waiting.values()), torn


def _entry(told: dict[str, Any]) -> Entry:
    if told["kind"] not in KINDS or not isinstance(told["body"], dict):
        raise ValueError(told["kind"])
    return Entry(str(told["key"]), told["kind"], str(told["run"]), told["body"])


def _line(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def _data_folder() -> Path:
    """Jupyter's data directory, as Jupyter finds it on this system."""
    if told := os.environ.get("JUPYTER_DATA_DIR"):
        return Path(told)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter"
    if appdata := os.environ.get("APPDATA") if sys.platform == "win32" else None:
        return Path(appdata) / "jupyter"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "jupyter"
