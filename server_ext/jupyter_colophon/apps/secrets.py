"""The secrets of a namespace, as applications use them."""

from collections.abc import Sequence
from dataclasses import dataclass

from jupyter_colophon.apps.transaction_thread import require_no_transaction
from jupyter_colophon.core.access import Principal
from jupyter_colophon.service.namespace_secrets import NamespaceSecretService, SecretDetails


@dataclass(frozen=True, slots=True)
class NamespaceSecrets:
    """Stores and returns secrets of a namespace with the rights of a principal.

    All methods raise NotFound for a namespace that does not exist, and AccessDenied if the principal may not change it.
    """

    namespace: str
    _service: NamespaceSecretService
    _principal: Principal

    def put(self, name: str, value: str, description: str = "") -> SecretDetails:
        """Create or replace a secret.

        Raises InvalidName, InvalidSecret for an invalid value or description, and SecretUnavailable if it cannot be stored.
        """
        require_no_transaction()
        return self._service.put(self.namespace, name, value, description, self._principal)

    def get(self, name: str) -> str:
        """Return the value of a secret. Raises NotFound, and SecretUnavailable if its store does not have it now."""
        require_no_transaction()
        return self._service.read_value(self.namespace, name, self._principal)

    def list(self) -> Sequence[SecretDetails]:
        """Return the secrets by name, without their values."""
        require_no_transaction()
        return self._service.list(self.namespace, self._principal)

    def delete(self, name: str) -> None:
        """Delete a secret. Raises NotFound."""
        require_no_transaction()
        self._service.delete(self.namespace, name, self._principal)
