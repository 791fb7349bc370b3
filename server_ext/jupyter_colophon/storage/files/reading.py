"""Reading one instance's file: bounded, never through a link out of its folder, and never an error that harms others (spec FAULT-3)."""

import errno
import os
import stat
import time
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from jupyter_colophon.core.documents.json_parsing import compact, parse
from jupyter_colophon.core.errors import MalformedBody, StoreUnavailable, TooLarge
from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.storage.files import symlinks
from jupyter_colophon.storage.files.document_cache import KeptDocuments, Stamp

#: The most that is read of a file, as of a body (spec SEC-13).
BYTES_MAX = 10 * 2**20
#: What is in a file besides the document: Elyra's programs may put it there, and it is not part of it.
NOT_IN_DOCUMENT = ("name", "resource", "reason")

#: What is reported of a file in which an object has the same member twice: no name, as names are content.
REPEATED = "an object in the file has the same member twice: the last one counts"

#: A file that changed less than this before it was read is read again: a second change can leave the same stamp.
_SETTLED_NS = 100_000_000
#: The same where times are kept in whole seconds.
_SETTLED_COARSE_NS = 2_000_000_000
#: How often a file is read that others write in place meanwhile.
_TRIES = 3
#: Errors that are not the file's: too many open files, or too little memory.
_OUR_OWN = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFLNK: "it is a symbolic link, and links are followed only within their folder",
    stat.S_IFDIR: "it is a folder",
    stat.S_IFIFO: "it is a pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}


class _Refused(Exception):
    """The file is not read; the reason is the argument."""


def read(path: str, name: str, *, own: bool, kept: KeptDocuments) -> Held | None:
    """What is at the path, readable or not; None where nothing is. What is unchanged since it was read costs one stat.

    Raises StoreUnavailable where it is this process that can open no file at all.
    """
    try:
        status = symlinks.status(path)
    except (FileNotFoundError, NotADirectoryError):
        kept.forget((path, own))
        return None
    except OSError as error:
        return Held(name, None, path, "!" + _mark(b""), own, f"it cannot be reached: {_why(error)}")
    found = kept.get((path, own), stamp_of(status))
    return found or _read_file(path, name, status, own=own, kept=kept)


def document_of(text: bytes, repeated: list[str] | None = None) -> dict[str, Any]:
    """The document in a file's text. Raises MalformedBody and TooLarge, in sentences without any of its content.

    Names that an object has twice are added to `repeated`, where it is given, and are refused else.
    """
    if len(text) > BYTES_MAX:
        raise TooLarge(f"it has {len(text)} bytes, and {BYTES_MAX} are read at most")
    if text.startswith(b"\xef\xbb\xbf"):
        raise MalformedBody("it begins with a byte order mark")
    if not text.strip():
        raise MalformedBody("it is empty")
    value = parse(text, "it", repeated=repeated)
    if not isinstance(value, dict):
        raise MalformedBody("it is not a JSON object")
    return {key: inner for key, inner in value.items() if key not in NOT_IN_DOCUMENT}


def mark_of(document: dict[str, Any]) -> str:
    """Equal exactly where the documents are, however they are written."""
    return _mark(compact(document).encode())


def stamp_of(status: os.stat_result) -> Stamp:
    """What tells one state of a file from the next."""
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns


def is_settled(stamp: Stamp, now: int) -> bool:
    """Whether a file that was looked at at `now` (ns) cannot change any more without another stamp."""
    changed = max(stamp[0], stamp[3])
    is_coarse = stamp[0] % 1_000_000_000 == 0 and stamp[3] % 1_000_000_000 == 0
    return changed < now - (_SETTLED_COARSE_NS if is_coarse else _SETTLED_NS)


def owner_of(status: os.stat_result) -> str:
    """The account that a file belongs to, by name where it has one."""
    return _account(status.st_uid)


def _read_file(path: str, name: str, status: os.stat_result, *, own: bool, kept: KeptDocuments) -> Held | None:
    text: bytes | None = None
    begun = time.time_ns()
    document, problem = None, ""
    repeated: list[str] = []
    try:
        text, status = _text(path, status)
        document = document_of(text, repeated)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _OUR_OWN:
            raise StoreUnavailable(f"no file can be opened: {_why(error)}") from error
        problem = f"it cannot be read: {_why(error)}"
    except (_Refused, MalformedBody, TooLarge) as error:
        problem = str(error)
    stamp = stamp_of(status)
    if document is not None:
        mark = mark_of(document)
    else:
        mark = "!" + _mark(text if text is not None else repr((stamp, problem)).encode())
    time_ms, warning = status.st_mtime_ns // 1_000_000, REPEATED if repeated and document is not None else ""
    held = Held(name, document, path, mark, own, problem, time_ms, owner_of(status), warning)
    if is_settled(stamp, begun):
        kept.put((path, own), stamp, held)
    return held


def _text(path: str, status: os.stat_result) -> tuple[bytes, os.stat_result]:
    """The whole of a file and its state, which was the same before and after. Raises _Refused and OSError."""
    for _ in range(_TRIES):
        _check(status)
        descriptor = _opened(path)
        try:
            status = os.fstat(descriptor)
            _check(status)
            text = _all(descriptor, status.st_size)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if stamp_of(after) == stamp_of(status):
            return text, status
        status = after
    raise _Refused("it is being written")


def _opened(path: str) -> int:
    try:
        return os.open(path, _FLAGS)
    except OSError as error:
        inside = symlinks.target(path) if error.errno == errno.ELOOP else None
        if inside is None:
            raise
        return symlinks.opened(path, inside, _FLAGS)


def _check(status: os.stat_result) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise _Refused(_KINDS.get(kind, "it is not a regular file"))
    if status.st_size > BYTES_MAX:
        raise _Refused(f"it has {status.st_size} bytes, and {BYTES_MAX} are read at most")


def _all(descriptor: int, size: int) -> bytes:
    parts, wanted = [], size + 1
    while wanted > 0 and (part := os.read(descriptor, wanted)):
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _mark(text: bytes) -> str:
    return blake2b(text, digest_size=16).hexdigest()


def _why(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else "the file system gave no reason"


@lru_cache(maxsize=1_000)
def _account(number: int) -> str:
    try:
        import pwd

        return pwd.getpwuid(number).pw_name
    except (ImportError, KeyError):
        return str(number)
