"""Files with keys, found by conditions on them (the PartitionedFileSet of CDAP)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from jupyter_colophon.apps.files.stored_file import StoredFile, require_valid_file_name
from jupyter_colophon.core.errors import InvalidField, quote_and_truncate_text

if TYPE_CHECKING:
    from jupyter_colophon.apps.files.app_files import AppFiles

KeyValue = str | int
#: A value, or the first value and the one after the last; None means that there is no limit.
Condition = KeyValue | tuple[KeyValue | None, KeyValue | None]


@dataclass(frozen=True, slots=True)
class PartitionedFiles:
    """A set of partitions: each is a file with a value of every key, stored as `<name>/<key>=<value>/…`.

    Values are texts or integers, of one type for each key.
    """

    files: "AppFiles"
    name: str
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise InvalidName and InvalidField for an invalid declaration."""
        require_valid_file_name(self.name)
        if not self.keys or len(set(self.keys)) < len(self.keys) or not all(map(str.isidentifier, self.keys)):
            raise InvalidField("partitions need keys that are different identifiers")

    def add(
        self, keys: Mapping[str, KeyValue], content: bytes | BinaryIO, *, metadata: Mapping[str, str] | None = None
    ) -> StoredFile:
        """Store a new partition. Raises AlreadyExists, InvalidField, and the errors of `AppFiles.put`."""
        name = self.get_file_name(keys)
        return self.files.put_with_keys(name, content, metadata or {}, {key: keys[key] for key in self.keys})

    def get(self, keys: Mapping[str, KeyValue]) -> StoredFile:
        """Return a partition. Raises NotFound, InvalidField."""
        return self.files.get(self.get_file_name(keys))

    def open(self, keys: Mapping[str, KeyValue]) -> BinaryIO:
        """Open the content of a partition; close it after use. Raises NotFound, InvalidField, StorageError."""
        return self.files.open(self.get_file_name(keys))

    def list(self, conditions: Mapping[str, Condition] | None = None) -> Iterator[StoredFile]:
        """Yield the partitions whose keys fulfil all conditions: `{"year": 2026, "month": (3, 6)}` has March to May.

        Values of the first keys limit what is read. Raises InvalidField for an unknown key.
        """
        required = conditions or {}
        if unknown := required.keys() - set(self.keys):
            raise InvalidField(f"the partitions {self.name} have no key {quote_and_truncate_text(min(unknown))}")
        fixed = list(takewhile(lambda key: not isinstance(required.get(key, ()), tuple), self.keys))
        parts = [self.name, *(_format_part(key, required[key]) for key in fixed)]
        prefix = "/".join(parts) + ("/" if len(fixed) < len(self.keys) else "")
        return (
            file
            for file in self.files.list(prefix)
            if file.keys and all(_has_matching_value(file.keys[key], condition) for key, condition in required.items())
        )

    def set_metadata(self, keys: Mapping[str, KeyValue], metadata: Mapping[str, str]) -> StoredFile:
        """Replace the metadata of a partition. Raises NotFound, InvalidField."""
        return self.files.set_metadata(self.get_file_name(keys), metadata)

    def delete(self, keys: Mapping[str, KeyValue]) -> None:
        """Delete a partition. Raises NotFound, InvalidField."""
        self.files.delete(self.get_file_name(keys))

    def get_file_name(self, keys: Mapping[str, KeyValue]) -> str:
        """Return the name of the file of a partition. Raises InvalidField unless each key has a value."""
        if keys.keys() != set(self.keys):
            raise InvalidField(f"a partition of {self.name} needs the keys {', '.join(self.keys)}")
        return "/".join([self.name, *(_format_part(key, keys[key]) for key in self.keys)])


def _format_part(key: str, value: object) -> str:
    if type(value) is not int and not isinstance(value, str):
        raise InvalidField(f"the key {key} of a partition must be a text or an integer")
    return f"{key}={quote(str(value), safe='')}"


def _has_matching_value(value: KeyValue, condition: Condition) -> bool:
    if not isinstance(condition, tuple):
        return type(value) is type(condition) and value == condition
    low, high = condition
    if any(limit is not None and type(limit) is not type(value) for limit in condition):
        raise InvalidField("the limits of a condition must have the type of the key's values")
    return (low is None or value >= low) and (high is None or value < high)  # type: ignore[operator]
