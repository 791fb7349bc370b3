"""Which files of a folder belong to which instance. All that is not `<name>.json` begins with a dot, and is not listed."""

import os
import re
from hashlib import blake2b
from secrets import token_hex

SUFFIX = ".json"
#: The folder of locks within a schemaspace's folder.
LOCKS = ".locks"
#: What Elyra leaves behind when it is stopped in the middle of a save: the name, `.json`, and the time in seconds.
BACKUP = re.compile(r"(?P<name>[^.].*)\.json(?P<time>\d{9,11}\.\d+)\Z", re.DOTALL)

#: The pattern of nearly all names, for a quick check.
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,198}\Z")
_SEPARATOR = re.compile(r"[/\\\x00]")
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}\.tmp\Z", re.DOTALL)
_BYTES_MAX = 255
#: A longer name is replaced by its hash, since the names of lock and temporary files are longer than the file's.
_NAME_BYTES_MAX = 200


def fault(name: str) -> str:
    """Why no file can have this name, or nothing. The grammar of names is narrower (spec INST-6); files that people
    put there themselves need only be reachable."""
    if _PLAIN.match(name):
        return ""
    if not name or name.startswith(".") or _SEPARATOR.search(name):
        return "it must not be empty, begin with a dot, or hold a slash"
    try:
        if len((name + SUFFIX).encode()) > _BYTES_MAX:
            return f"with {SUFFIX} it has more than {_BYTES_MAX} bytes"
    except UnicodeEncodeError:
        return "it is not UTF-8"
    return ""


def name_of(file: str) -> str | None:
    """The instance whose file has this name; None for any other file."""
    if not file.endswith(SUFFIX):
        return None
    name = file[: -len(SUFFIX)]
    return name if _PLAIN.match(name) or not fault(name) else None


def lock_of(name: str) -> str:
    """The name of the file that is locked while an instance is changed."""
    return f"{_short(name)}.lock"


def temporary_of(name: str) -> str:
    """A new name for what is going to be the instance's file."""
    return f".{_short(name)}.{token_hex(6)}.tmp"


def locked_for(temporary: str) -> str | None:
    """The lock under which a temporary file of ours is written; None for any other file."""
    found = _TEMPORARY.match(temporary)
    return f"{found['name']}.lock" if found else None


def _short(name: str) -> str:
    text = os.fsencode(name)
    return name if len(text) <= _NAME_BYTES_MAX else blake2b(text, digest_size=16).hexdigest()
