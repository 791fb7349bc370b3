"""The outbox of emitted changes that the server has not received: one file per process, in a shared folder.

Each entry is written to the file first, so the entries of a killed process are sent by another one. The holder of the
file's lock owns it: its process while that runs, later the process that sends it.
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
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from jupyter_colophon.system.private_folders import create_private_folder
from jupyter_colophon.system.process_files import ProcessFile

#: The kind of an entry: proposals for the inbox, or the start, accesses, facts or end of a run. Files of their own have a
#: `report` of what a notebook did (kernel/report_file.py), and what a server with notebooks reports to a shared service.
Kind = Literal["emit", "start", "accesses", "facts", "end", "report", "rename-notebooks", "kernel-end"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Maximum size of a file; further entries are dropped.
LARGEST_FILE_BYTES = 64 * 1024 * 1024
_SUFFIX = ".jsonl"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """One request to the server, with its idempotency key. `run` is the run's URN; at the end of a kernel, its id."""

    key: str
    kind: Kind
    run: str
    body: dict[str, Any]

    @property
    def json_line(self) -> bytes:
        """Return the entry as a line of the file."""
        return _encode_json_line({"key": self.key, "kind": self.kind, "run": self.run, "body": self.body})


class OutboxFull(OSError):
    """The file has grown to its limit."""


def find_outbox_folder() -> Path:
    """Return the folder of the outbox: `COLOPHON_OUTBOX`, else `colophon/outbox` in the Jupyter data directory."""
    value = os.environ.get("COLOPHON_OUTBOX")
    return Path(value) if value else _find_jupyter_data_folder() / "colophon" / "outbox"


def is_same_server(item: str, other: str) -> bool:
    """Return whether two URLs mean the same server; servers on this machine may change their ports.

    The path of a single-user server of JupyterHub names its user.
    """
    if not item or item == other:
        return True
    one, another = urlsplit(item), urlsplit(other)
    return one.path == another.path and all(parts.hostname in _LOOPBACK for parts in (one, another))


class OutboxFile:
    """A file of the outbox, held by this process. Thread-safe."""

    def __init__(
        self, file: ProcessFile, server: str, entries: tuple[OutboxEntry, ...] = (), unreadable: int = 0
    ) -> None:
        self._file, self.server, self.unreadable = file, server, unreadable
        self._waiting: dict[str, OutboxEntry] = {item.key: item for item in entries}
        self._lock = threading.Lock()
        self._size = os.fstat(file.descriptor).st_size

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self._file.path

    @classmethod
    def create(cls, folder: Path, server: str) -> "OutboxFile":
        """Create a file of this process. Raises OSError."""
        data = _find_jupyter_data_folder() / "colophon"
        create_private_folder(folder, data if data in folder.parents else None)
        path = folder / f"{time.time_ns():020}-{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
        # Without locks (Windows, some network file systems) two processes may send the same file: the
        # idempotency keys prevent duplicates.
        file = ProcessFile.create_locked(
            path, _encode_json_line({"server": server}), requires_lock=False, flags=os.O_APPEND
        )
        return cls(file, server)

    @classmethod
    def take_over_orphaned(cls, path: Path) -> "OutboxFile | None":
        """Open a file whose process ended; None if it is running, or another process took the file. Raises OSError."""
        file = ProcessFile.take_over_if_abandoned(path, requires_lock=False, flags=os.O_APPEND)
        if file is None:
            return None
        try:
            return cls(file, *_read_outbox_file(file))
        except BaseException:
            file.close()
            raise

    def list_pending_entries(self) -> tuple[OutboxEntry, ...]:
        """Return the pending entries in the order they were added."""
        with self._lock:
            return tuple(self._waiting.values())

    def get_next_entry(self) -> OutboxEntry | None:
        """Return the next entry to send, or None."""
        with self._lock:
            return next(iter(self._waiting.values()), None)

    def __len__(self) -> int:
        return len(self._waiting)

    def append_entry(self, entry: OutboxEntry) -> None:
        """Append an entry to the file, so that it survives a kill of the process. Raises OSError; nothing is stored then."""
        with self._lock:
            line = entry.json_line
            if self._size + len(line) > LARGEST_FILE_BYTES:
                raise OutboxFull(errno.ENOSPC, "the outbox is full: connect to the server, which empties it")
            self._append_line(line)
            self._waiting[entry.key] = entry

    def remove_entry(self, key: str) -> None:
        """Remove an entry that was sent or dropped."""
        with self._lock:
            if self._waiting.pop(key, None) is None:
                return
            # If this cannot be written, the entry is sent again with the same idempotency key.
            with suppress(OSError):
                if self._waiting:
                    self._append_line(_encode_json_line({"done": key}))
                else:
                    os.ftruncate(self._file.descriptor, 0)
                    self._size = 0
                    self._append_line(_encode_json_line({"server": self.server}))

    def sync_to_disk(self) -> None:
        """Sync the file to disk."""
        with suppress(OSError):
            os.fsync(self._file.descriptor)

    def release_or_remove(self) -> None:
        """Release the file: remove it if no entry is pending; otherwise another process may take it."""
        with self._lock:
            if not self._waiting:
                self._file.delete_and_unlock()
            else:
                self.sync_to_disk()
                self._file.close()

    def _append_line(self, line: bytes) -> None:
        try:
            if os.write(self._file.descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            # A partial line would make the next one unreadable.
            with suppress(OSError):
                os.ftruncate(self._file.descriptor, self._size)
            raise
        self._size += len(line)


def list_outbox_files(folder: Path) -> list[Path]:
    """Return all files of the outbox, oldest first."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(_SUFFIX))
    except OSError:
        return []


def claim_orphaned_files(folder: Path) -> Iterator[OutboxFile]:
    """Yield the files that no running process holds, oldest first, each locked until it is released."""
    for path in list_outbox_files(folder):
        # Skip files that cannot be opened or read.
        with suppress(OSError):
            if (file := OutboxFile.take_over_orphaned(path)) is not None:
                yield file


def _read_outbox_file(file: ProcessFile) -> tuple[str, tuple[OutboxEntry, ...], int]:
    """Return the server, the pending entries, and the number of unreadable lines."""
    content = file.read_content()
    if content and not content.endswith(b"\n"):
        # The writer was killed in the middle of a line: start a new one.
        os.write(file.descriptor, b"\n")
    server, unreadable = "", 0
    waiting: dict[str, OutboxEntry] = {}
    for line in filter(None, content.split(b"\n")):
        try:
            value = json.loads(line)
            if "server" in value:
                server = str(value["server"])
            elif "done" in value:
                waiting.pop(value["done"], None)
            else:
                waiting[value["key"]] = _parse_entry(value)
        except (ValueError, KeyError, TypeError):
            unreadable += 1
    return server, tuple(waiting.values()), unreadable


def _parse_entry(value: dict[str, Any]) -> OutboxEntry:
    if value["kind"] not in KINDS or not isinstance(value["body"], dict):
        raise ValueError(value["kind"])
    return OutboxEntry(str(value["key"]), value["kind"], str(value["run"]), value["body"])


def _encode_json_line(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def _find_jupyter_data_folder() -> Path:
    """Return Jupyter's data directory on this system."""
    if value := os.environ.get("JUPYTER_DATA_DIR"):
        return Path(value)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter"
    if appdata := os.environ.get("APPDATA") if sys.platform == "win32" else None:
        return Path(appdata) / "jupyter"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "jupyter"
