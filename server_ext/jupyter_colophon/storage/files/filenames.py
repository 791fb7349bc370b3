"""The names of files in a schemaspace's folder. All files except `<name>.json` begin with a dot and are not listed."""

import os
import re
from hashlib import blake2b
from secrets import token_hex

SUFFIX = ".json"
#: The folder of locks within a schemaspace's folder.
LOCKS = ".locks"
#: The backup that Elyra leaves when it is stopped during a save: the name, `.json`, and the time in seconds.
BACKUP = re.compile(r"(?P<name>[^.].*)\.json(?P<time>\d{9,11}\.\d+)\Z", re.DOTALL)

#: The pattern of most names, for a quick check.
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,198}\Z")
_SEPARATOR = re.compile(r"[/\\\x00]")
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}\.tmp\Z", re.DOTALL)
_BYTES_MAX = 255
#: A longer name is replaced by its hash, since the names of lock and temporary files are longer than the file's.
_NAME_BYTES_MAX = 200


def find_filename_problem(name: str) -> str:
    """Return why no file can have this name, "" if one can. The grammar of names is stricter (spec INST-6), but files
    that users put there must be reachable.
    """
    if _PLAIN.match(name):
        return ""
    if not name or name.startswith(".") or _SEPARATOR.search(name):
        return "it must not be empty, begin with a dot, or contain a slash"
    try:
        if len((name + SUFFIX).encode()) > _BYTES_MAX:
            return f"it is longer than {_BYTES_MAX} bytes with {SUFFIX}"
    except UnicodeEncodeError:
        return "it is not valid UTF-8"
    return ""


def get_instance_name_of_file(file: str) -> str | None:
    """Return the instance whose file has this name; None for any other file."""
    if not file.endswith(SUFFIX):
        return None
    name = file[: -len(SUFFIX)]
    return name if _PLAIN.match(name) or not find_filename_problem(name) else None


def get_lock_file_name(name: str) -> str:
    """Return the name of the lock file of an instance."""
    return f"{_shorten_file_name(name)}.lock"


def create_temporary_file_name(name: str) -> str:
    """Return a new name for the temporary file of an instance."""
    return f".{_shorten_file_name(name)}.{token_hex(6)}.tmp"


def get_lock_name_of_temporary_file(temporary: str) -> str | None:
    """Return the lock under which one of our temporary files is written; None for any other file."""
    match = _TEMPORARY.match(temporary)
    return f"{match['name']}.lock" if match else None


def _shorten_file_name(name: str) -> str:
    text = os.fsencode(name)
    return name if len(text) <= _NAME_BYTES_MAX else blake2b(text, digest_size=16).hexdigest()
