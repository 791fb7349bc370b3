"""Secrets in the system's keyring, by the package `keyring`: Keychain, Credential Locker, Secret Service."""

import json
import secrets
from contextlib import suppress
from typing import Any

from jupyter_colophon.core.errors import SecretUnavailable

#: The service name of our secrets in the keyring.
SERVICE = "jupyter-colophon"


class KeyringSecretStore:
    """Each secret is one entry, as JSON. `keyring` is imported on first use."""

    name = "keyring"
    is_named_by_people = False

    def keep(self, place: str, value: Any) -> str | None:
        """Store a secret under a key that contains its location."""
        key = f"{place}#{secrets.token_hex(8)}"
        try:
            _import_keyring().set_password(SERVICE, key, json.dumps(value))
        except Exception as error:  # noqa: BLE001  backends have their own errors, which may contain the secret
            raise _create_secret_unavailable_error(error) from None
        return key

    def fetch(self, key: str) -> Any:
        """Return the value. Raises SecretUnavailable, also if the keyring is locked."""
        try:
            text = _import_keyring().get_password(SERVICE, key)
        except Exception as error:  # noqa: BLE001  as above
            raise _create_secret_unavailable_error(error) from None
        if text is None:
            raise SecretUnavailable("the secret is not in this account's keyring")
        return json.loads(text)

    def forget(self, key: str) -> None:
        """Remove the entry."""
        with suppress(Exception):
            _import_keyring().delete_password(SERVICE, key)


def _import_keyring() -> Any:
    try:
        import keyring
    except ImportError:
        raise SecretUnavailable(
            'the setting c.Colophon.secret_store is "keyring", but the package keyring is not installed'
        ) from None
    return keyring


def _create_secret_unavailable_error(error: Exception) -> SecretUnavailable:
    if isinstance(error, SecretUnavailable):
        return error
    return SecretUnavailable(f"the keyring cannot be used ({type(error).__name__})")
