"""Read the file of one instance: limited in size, never through a link out of its folder, and reporting errors per file
(spec FAULT-3).
"""

import errno
import os
import stat
import time
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_json
from jupyter_colophon.core.errors import MalformedBody, StoreUnavailable, TooLarge
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.storage.files import symlinks
from jupyter_colophon.storage.files.document_cache import DocumentCache, Stamp

#: The most bytes that are read of a file, as of a request body (spec SEC-13).
BYTES_MAX = 10 * 2**20
#: Members that Elyra's programs may add to a file and that are not part of the document.
NOT_IN_DOCUMENT = ("name", "resource", "reason")

#: The warning about a repeated member: without its name, as names are content.
REPEATED = "an object in the file has the same member twice: the last one counts"

#: A file that changed less than this before it was read is read again: a second change may leave the same stamp.
_SETTLED_NS = 100_000_000
#: The same for file systems that store times in whole seconds.
_SETTLED_COARSE_NS = 2_000_000_000
#: How often a file is read again that another program is writing in place.
_TRIES = 3
#: Errors of this process, not of the file: too many open files, or too little memory.
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


class _FileRejected(Exception):
    """The file cannot be read; the argument is the reason."""


def read_instance_file(path: str, name: str, *, is_removable: bool, cache: DocumentCache) -> StoredInstance | None:
    """Read the instance at the path, readable or not; return None if there is none. An unchanged file costs one stat.

    Raises StoreUnavailable if this process can open no file at all.
    """
    try:
        status = symlinks.read_file_or_target_status(path)
    except (FileNotFoundError, NotADirectoryError):
        cache.remove_file((path, is_removable))
        return None
    except OSError as error:
        return StoredInstance(
            name, None, path, "!" + _hash_text(b""), is_removable, f"it cannot be accessed: {_describe_os_error(error)}"
        )
    cached = cache.get_if_unchanged((path, is_removable), get_file_stamp(status))
    return cached or _read_and_cache_file(path, name, status, is_removable=is_removable, cache=cache)


def parse_instance_document(text: bytes, repeated: list[str] | None = None) -> dict[str, Any]:
    """Parse the document in a file. Raises MalformedBody and TooLarge, with messages that have none of its content.

    Repeated member names are added to `repeated` if given, and are rejected otherwise.
    """
    if len(text) > BYTES_MAX:
        raise TooLarge(f"it has {len(text)} bytes; at most {BYTES_MAX} are read")
    if text.startswith(b"\xef\xbb\xbf"):
        raise MalformedBody("it begins with a byte order mark")
    if not text.strip():
        raise MalformedBody("it is empty")
    value = parse_json(text, "it", repeated_names=repeated)
    if not isinstance(value, dict):
        raise MalformedBody("it is not a JSON object")
    return {key: inner for key, inner in value.items() if key not in NOT_IN_DOCUMENT}


def hash_instance_document(document: dict[str, Any]) -> str:
    """Return a hash that is equal for equal documents, regardless of formatting."""
    return _hash_text(encode_canonical_json(document).encode())


def get_file_stamp(status: os.stat_result) -> Stamp:
    """Return what distinguishes states of a file."""
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns


def is_stamp_final(stamp: Stamp, now: int) -> bool:
    """Return whether a file that was inspected at `now` (ns) cannot change any more without getting another stamp."""
    changed = max(stamp[0], stamp[3])
    is_coarse = stamp[0] % 1_000_000_000 == 0 and stamp[3] % 1_000_000_000 == 0
    return changed < now - (_SETTLED_COARSE_NS if is_coarse else _SETTLED_NS)


def get_owner_name(status: os.stat_result) -> str:
    """Return the account that owns a file, by name if it has one."""
    return _get_account_name(status.st_uid)


def _read_and_cache_file(
    path: str, name: str, status: os.stat_result, *, is_removable: bool, cache: DocumentCache
) -> StoredInstance | None:
    text: bytes | None = None
    begun = time.time_ns()
    document, problem = None, ""
    repeated: list[str] = []
    try:
        text, status = _read_unchanged_file(path, status)
        document = parse_instance_document(text, repeated)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _OUR_OWN:
            raise StoreUnavailable(f"this process cannot open any more files: {_describe_os_error(error)}") from error
        problem = f"it cannot be read: {_describe_os_error(error)}"
    except (_FileRejected, MalformedBody, TooLarge) as error:
        problem = str(error)
    stamp = get_file_stamp(status)
    if document is not None:
        mark = hash_instance_document(document)
    else:
        mark = "!" + _hash_text(text if text is not None else repr((stamp, problem)).encode())
    time_ms, warning = status.st_mtime_ns // 1_000_000, REPEATED if repeated and document is not None else ""
    instance = StoredInstance(
        name, document, path, mark, is_removable, problem, time_ms, get_owner_name(status), warning
    )
    if is_stamp_final(stamp, begun):
        cache.add_and_evict_others((path, is_removable), stamp, instance)
    return instance


def _read_unchanged_file(path: str, status: os.stat_result) -> tuple[bytes, os.stat_result]:
    """Read a file; return its content and its state, which was the same before and after. Raises _FileRejected and
    OSError.
    """
    for _ in range(_TRIES):
        _require_regular_small_file(status)
        descriptor = _open_regular_file(path)
        try:
            status = os.fstat(descriptor)
            _require_regular_small_file(status)
            text = _read_all_bytes(descriptor, status.st_size)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if get_file_stamp(after) == get_file_stamp(status):
            return text, status
        status = after
    raise _FileRejected("it is being written by another program")


def _open_regular_file(path: str) -> int:
    try:
        return os.open(path, _FLAGS)
    except OSError as error:
        inside = symlinks.resolve_link_within_folder(path) if error.errno == errno.ELOOP else None
        if inside is None:
            raise
        return symlinks.open_link_target(path, inside, _FLAGS)


def _require_regular_small_file(status: os.stat_result) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise _FileRejected(_KINDS.get(kind, "it is not a regular file"))
    if status.st_size > BYTES_MAX:
        raise _FileRejected(f"it has {status.st_size} bytes; at most {BYTES_MAX} are read")


def _read_all_bytes(descriptor: int, size: int) -> bytes:
    parts, missing = [], size + 1
    while missing > 0 and (part := os.read(descriptor, missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _hash_text(text: bytes) -> str:
    return blake2b(text, digest_size=16).hexdigest()


def _describe_os_error(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else "unknown error of the file system"


@lru_cache(maxsize=1_000)
def _get_account_name(number: int) -> str:
    try:
        import pwd

        return pwd.getpwuid(number).pw_name
    except (ImportError, KeyError):
        return str(number)
