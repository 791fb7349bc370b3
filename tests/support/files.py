"""Instances as files, for tests: a user's folder and a shared one below it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_colophon.storage.files.document_cache import KeptDocuments
from jupyter_colophon.storage.files.instances import InstanceFiles

SPACE = "code-snippets"
#: An account without rights, on every Unix.
_NOBODY = 65_534


def user_folder(root: Path) -> Path:
    """The folder that is written."""
    return root / "user" / "metadata" / SPACE


def shared_folder(root: Path) -> Path:
    """The folder below it."""
    return root / "shared" / "metadata" / SPACE


def files_of(root: Path, wait_s: float = 10.0) -> InstanceFiles:
    """The instances of both, with nothing read yet."""
    return InstanceFiles(SPACE, [user_folder(root), shared_folder(root)], kept=KeptDocuments(), wait_s=wait_s)


def document(number: int = 0, **metadata: Any) -> dict[str, Any]:
    """What an instance may be."""
    return {
        "display_name": f"Snippet {number}",
        "metadata": {"number": number, "code": ["print(1)"], **metadata},
        "schema_name": "code-snippet",
    }


def put(folder: Path, name: str, text: str | bytes) -> Path:
    """A file as an editor leaves it; its folder is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def save(files: InstanceFiles, name: str, value: dict[str, Any], *, create: bool = False) -> None:
    """Save one, as the service does."""
    with files.slot(name) as slot:
        slot.write(value, create=create)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's right to everything, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def left(root: Path) -> list[str]:
    """All that is in the folder that is written, hidden or not, but for its folder of locks, which must be empty."""
    locks = user_folder(root) / ".locks"
    assert not locks.exists() or list(locks.iterdir()) == []
    return sorted(path.name for path in user_folder(root).iterdir() if path != locks)
