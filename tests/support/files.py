"""Files of instances: a user's folder and a shared one after it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_colophon.storage.files.document_cache import DocumentCache
from jupyter_colophon.storage.files.instances import InstanceFiles

SPACE = "code-snippets"
#: An account without permissions, on every Unix.
_NOBODY = 65_534


def get_user_folder(root: Path) -> Path:
    """Return the folder that is written."""
    return root / "user" / "metadata" / SPACE


def get_shared_folder(root: Path) -> Path:
    """Return the shared folder."""
    return root / "shared" / "metadata" / SPACE


def open_instance_files(root: Path, wait_s: float = 10.0) -> InstanceFiles:
    """Open the instances of both folders with an empty cache."""
    return InstanceFiles(SPACE, [get_user_folder(root), get_shared_folder(root)], cache=DocumentCache(), wait_s=wait_s)


def build_instance_document(number: int = 0, **metadata: Any) -> dict[str, Any]:
    """Build the document of an instance."""
    return {
        "display_name": f"Snippet {number}",
        "metadata": {"number": number, "code": ["print(1)"], **metadata},
        "schema_name": "code-snippet",
    }


def write_file(folder: Path, name: str, text: str | bytes) -> Path:
    """Write a file as an editor does, and create its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def save_instance(files: InstanceFiles, name: str, value: dict[str, Any], *, create: bool = False) -> None:
    """Save an instance as the service does."""
    with files.lock_instance(name) as slot:
        slot.write_document_atomically(value, create=create)


@contextmanager
def drop_root_permissions() -> Iterator[None]:
    """Drop root's permissions if the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def list_left_files_without_locks(root: Path) -> list[str]:
    """List the files in the user's folder, hidden ones included; check that the folder of locks is empty."""
    locks = get_user_folder(root) / ".locks"
    assert not locks.exists() or list(locks.iterdir()) == []
    return sorted(path.name for path in get_user_folder(root).iterdir() if path != locks)
