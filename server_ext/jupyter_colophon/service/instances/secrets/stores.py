"""The stores of secrets of a process: the configured one stores new secrets, and each fetches what it has."""

import logging
from collections.abc import Sequence
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration, SecretUnavailable
from jupyter_colophon.service.instances.secrets.in_environment import EnvironmentSecretStore
from jupyter_colophon.service.instances.secrets.in_keyring import KeyringSecretStore
from jupyter_colophon.service.instances.secrets.protocol import SecretStore
from jupyter_colophon.system.entry_points import find_entry_points

#: The entry point group of secret stores: classes without constructor arguments.
GROUP: Final = "jupyter_colophon.secret_stores"
#: The default secret store: the instance's file, or a file of secrets.
FILE: Final = "file"
_logger = logging.getLogger(__name__)


class SecretStores:
    """Stores secrets in the configured store, and fetches them by references `<store>:<key>` from any."""

    def __init__(self, in_file: SecretStore, chosen: str = FILE, *, variables: Sequence[str] = ()) -> None:
        """`variables` are globs of the environment variables that may be referred to.

        Raises InvalidConfiguration if the store `chosen` is unknown.
        """
        self._stores: dict[str, SecretStore] = {
            FILE: in_file,
            "keyring": KeyringSecretStore(),
            "env": EnvironmentSecretStore(variables),
        }
        store = self.find_store(chosen)
        if store is None:
            raise InvalidConfiguration(f"c.Colophon.secret_store: unknown secret store {chosen!r}")
        #: The configured store.
        self.chosen: SecretStore = store

    def store_secret(self, place: str, value: Any) -> str | None:
        """Store a secret and return its reference; None if its value may stay in the document.

        Raises SecretUnavailable, InvalidSecret.
        """
        key = self.chosen.keep(place, value)
        return None if key is None else f"{self.chosen.name}:{key}"

    def fetch_secret(self, reference: str) -> Any:
        """Return the value of a reference. Raises SecretUnavailable."""
        name, _, key = reference.partition(":")
        store = self.find_store(name)
        if store is None:
            raise SecretUnavailable(f"the secret store {name!r} is not installed")
        return store.fetch(key)

    def delete_secret(self, reference: str) -> None:
        """Delete the secret of a reference; failures are ignored."""
        name, _, key = reference.partition(":")
        store = self.find_store(name)
        if store is not None:
            store.forget(key)

    def find_store(self, name: str) -> SecretStore | None:
        """Return a store by its name; None if it is not installed, or cannot be loaded."""
        if name not in self._stores:
            points = find_entry_points(GROUP, name)
            if not points:
                return None
            try:
                self._stores[name] = points[0].load()()
            except Exception:
                _logger.exception("the secret store %s cannot be loaded", name)
                return None
        return self._stores[name]
