"""The description of a file, and the grammar of names and metadata."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.errors import InvalidField, InvalidName
from jupyter_colophon.storage.spi import Row

NAME_BYTES_MAX: Final = 1_000
#: The size limit of the metadata of a file, in bytes as JSON.
METADATA_BYTES_MAX: Final = 16_384


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file: its name, its size in bytes, who stored it when (ms since 1970), and its metadata.

    `keys` are those of a partition, and empty for another file.
    """

    name: str
    size: int
    created_ms: int
    created_by: str
    metadata: Mapping[str, str]
    keys: Mapping[str, str | int]


def require_valid_file_name(name: str) -> None:
    """Raise InvalidName unless a name is a relative path without empty parts, `.` and `..`."""
    if not isinstance(name, str) or not name.isprintable() or "\\" in name:
        raise InvalidName("file name", str(name), "it must have neither control characters nor a backslash")
    if any(part in ("", ".", "..") for part in name.split("/")):
        raise InvalidName("file name", name, "it must be a relative path without empty parts, . and ..")
    if len(name.encode()) > NAME_BYTES_MAX:
        raise InvalidName("file name", name, f"it is longer than {NAME_BYTES_MAX} bytes")


def encode_metadata(metadata: Mapping[str, str]) -> str:
    """Return metadata as JSON. Raises InvalidField unless they are texts by name, of limited size."""
    if not all(isinstance(key, str) and isinstance(value, str) for key, value in metadata.items()):
        raise InvalidField("the metadata of a file must be texts by name")
    text = json.dumps(dict(metadata), ensure_ascii=False)
    if len(text.encode()) > METADATA_BYTES_MAX:
        raise InvalidField(f"the metadata of a file may have at most {METADATA_BYTES_MAX} bytes")
    return text


def parse_file_row(row: Row) -> StoredFile:
    """Return the description of a file."""
    return StoredFile(
        row["name"],
        row["size"],
        row["created"],
        row["created_by"],
        json.loads(row["metadata"]),
        json.loads(row["keys"]),
    )
