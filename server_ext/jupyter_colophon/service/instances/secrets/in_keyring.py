"""Secrets in the system's keyring, by the package `keyring`: Keychain, Credential Locker, Secret Service."""

import json
import secrets
from contextlib import suppress
from typing import Any

from jupyter_colophon.core.errors import SecretUnavailable

#: Under which our secrets are in the keyring.
SERVICE = "jupyter-colophon"


class InKeyring:
    """Each secret is an entry of its own, as JSON. `keyring` is loaded when the first is needed."""

    name = "keyring"
    is_named_by_people = False

    def keep(self, place: str, value: Any) -> str | None:
        """Keep it under a key that says where it belongs."""
        key = f"{place}#{secrets.token_hex(8)}"
        try:
            _keyring().set_password(SERVICE, key, json.dumps(value))
        except Exception as error:  # noqa: BLE001  each backend has errors of its own, which may tell the secret
            raise _unavailable(error) from None
        return key

    def fetch(self, key: str) -> Any:
        """The value. Raises SecretUnavailable, also where the keyring is locked."""
        try:
            found = _keyring().get_password(SERVICE, key)
        except Exception as error:  # noqa: BLE001  as above
            raise _unavailable(error) from None
        if found is None:
            raise SecretUnavailable("it is not in this account's keyring")
        return json.loads(found)

    def forget(self, key: str) -> None:
        """Take the entry out."""
        with suppress(Exception):
            _keyring().delete_password(SERVICE, key)


def _keyring() -> Any:
    try:
        import keyring
    except ImportError:
        raise SecretUnavailable('the setting secrets is "keyring", and the package keyring is not installed') from None
    return keyring


def _unavailable(error: Exception) -> SecretUnavailable:
    if isinstance(error, SecretUnavailable):
        return error
    return SecretUnavailable(f"the keyring cannot be used ({type(error).__name__})")
