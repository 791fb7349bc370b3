"""The choice of a store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class StorageChoice:
    """The name of a storage provider, and its options."""

    provider: str
    options: Mapping[str, Any] = field(default_factory=dict)


def choose_sqlite_store(path: Path) -> StorageChoice:
    """Return the choice of the SQLite store in this file."""
    return StorageChoice("sqlite", {"path": str(path.expanduser())})
