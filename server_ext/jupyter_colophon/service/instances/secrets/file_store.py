"""Secrets in one file of mode 0600, for instances in the database, whose rows, logs and backups must not contain them."""

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_colophon.core.errors import MetadataError, SecretUnavailable
from jupyter_colophon.storage.files import saving
from jupyter_colophon.storage.files.locks import hold_thread_and_file_lock
from jupyter_colophon.storage.fsync import create_private_folders

#: The file's name, without its ending.
_FILE = "secrets"


class FileSecretStore:
    """A JSON object of keys and values in `<folder>/secrets.json`, replaced atomically, under a lock."""

    name = "file"
    is_named_by_people = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{_FILE}.json"

    def keep(self, place: str, value: Any) -> str | None:
        """Store a secret under an unguessable key."""
        key = f"{place}#{secrets.token_hex(8)}"
        try:
            self._change_secrets_under_lock(lambda secrets_by_key: secrets_by_key.__setitem__(key, value))
        except (OSError, ValueError, MetadataError) as error:
            raise SecretUnavailable(f"the file of secrets cannot be written ({type(error).__name__})") from None
        return key

    def fetch(self, key: str) -> Any:
        """Return the value. Raises SecretUnavailable if the file has none, as on another machine."""
        try:
            return self._read_secrets()[key]
        except KeyError:
            raise SecretUnavailable("the secret is not in this machine's file of secrets") from None
        except (OSError, ValueError) as error:
            raise SecretUnavailable(f"the file of secrets cannot be read ({type(error).__name__})") from None

    def forget(self, key: str) -> None:
        """Remove a secret, if it exists."""
        try:
            self._change_secrets_under_lock(lambda secrets_by_key: secrets_by_key.pop(key, None))
        except (OSError, ValueError, MetadataError):
            return

    def _read_secrets(self) -> dict[str, Any]:
        try:
            document = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        if not isinstance(document, dict):
            raise ValueError("not a JSON object")
        return document

    def _change_secrets_under_lock(self, change: Callable[[dict[str, Any]], Any]) -> None:
        create_private_folders(self._folder)
        with hold_thread_and_file_lock(self._folder, f".{_FILE}.lock"):
            secrets_by_key = self._read_secrets()
            change(secrets_by_key)
            saving.save_file_durably(self._folder, _FILE, json.dumps(secrets_by_key).encode(), create=False)
