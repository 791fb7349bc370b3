"""Which store somebody chose."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """A storage provider's name, and its options."""

    provider: str
    options: Mapping[str, Any] = field(default_factory=dict)


def sqlite_file(path: Path) -> StoreChoice:
    """The store in this file."""
    return StoreChoice("sqlite", {"path": str(path.expanduser())})
