"""The secrets of namespaces, such as passwords of connections (docs/how-to/keep-secrets.md).

The catalog has their names and descriptions; the values are in the store of secrets of the settings.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidName, InvalidSecret, NotFound, SecretUnavailable
from jupyter_colophon.core.identity.names import Urn, make_namespace_urn
from jupyter_colophon.service.instances.secrets.stores import SecretStores
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import namespace_secrets as rows
from jupyter_colophon.storage.entities.aspects import find_entity_summary
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext

#: The most characters of a value and of a description, and the most secrets of a namespace.
VALUE_MAX, DESCRIPTION_MAX, SECRETS_MAX = 64 * 1024, 1_000, 1_000
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class SecretDetails:
    """A secret without its value. Times are in milliseconds since 1970."""

    name: str
    description: str
    created_ms: int
    created_by: str
    updated_ms: int
    updated_by: str


@dataclass(frozen=True, slots=True)
class NamespaceSecretService:
    """Stores and returns the secrets of namespaces.

    Who may read a namespace may list the names; everything else needs the right to change the namespace. All methods
    raise NotFound for a namespace that does not exist or may not be read.
    """

    provider: StorageProvider
    write_path: WritePath
    #: Returns the stores of secrets; None in a process without one.
    get_stores: Callable[[], SecretStores] | None = field(repr=False)
    now: Callable[[], int]

    def put(self, namespace: str, name: str, value: str, description: str, principal: Principal) -> SecretDetails:
        """Create a secret, or replace its value and description.

        Raises AccessDenied, InvalidName, InvalidSecret, and SecretUnavailable if the value cannot be stored.
        """
        urn = self._require_may_change(namespace, principal)
        _require_valid_name(name)
        _require_valid_text(value, VALUE_MAX, "value", least=1)
        _require_valid_text(description, DESCRIPTION_MAX, "description")
        stores = self._get_stores()
        reference = stores.store_secret(f"namespaces/{namespace}/{name}", value)
        if reference is None:
            raise SecretUnavailable("the store of secrets keeps no values outside of documents")
        try:
            row, former = self.provider.tx_runner.run(
                lambda tx: self._write(tx, urn, namespace, name, description, reference, principal)
            )
        except BaseException:
            stores.delete_secret(reference)
            raise
        if former is not None:
            stores.delete_secret(former)
        return _describe(row)

    def read_value(self, namespace: str, name: str, principal: Principal) -> str:
        """Return the value of a secret. Raises AccessDenied, NotFound, SecretUnavailable."""
        urn = self._require_may_change(namespace, principal)
        row = self.provider.tx_runner.run(lambda tx: self._require_secret(tx, urn, namespace, name), read_only=True)
        if not principal.internal:
            self.provider.tx_runner.run(lambda tx: self._record(tx, urn, principal, f"read secret {name}"))
        return str(self._get_stores().fetch_secret(row["reference"]))

    def list(self, namespace: str, principal: Principal) -> list[SecretDetails]:
        """Return the secrets of a namespace by name, without their values."""
        urn = self._require_may_read(namespace, principal)

        def read(tx: TableContext) -> list[Row]:
            _require_namespace(tx, urn, namespace)
            return rows.list_secrets(tx, namespace)

        return [_describe(row) for row in self.provider.tx_runner.run(read, read_only=True)]

    def delete(self, namespace: str, name: str, principal: Principal) -> SecretDetails:
        """Delete a secret, and return what it was. Raises AccessDenied, NotFound."""
        urn = self._require_may_change(namespace, principal)

        def delete(tx: TableContext) -> Row:
            row = self._require_secret(tx, urn, namespace, name)
            rows.delete_secret(tx, namespace, name)
            self._record(tx, urn, principal, f"delete secret {name}")
            return row

        row = self.provider.tx_runner.run(delete)
        self._get_stores().delete_secret(row["reference"])
        return _describe(row)

    def _write(
        self,
        tx: TableContext,
        urn: Urn,
        namespace: str,
        name: str,
        description: str,
        reference: str,
        principal: Principal,
    ) -> tuple[Row, str | None]:
        """Write the row of a secret; return it, and the reference of the former value."""
        _require_namespace(tx, urn, namespace)
        former, now = rows.find_secret(tx, namespace, name), self.now()
        if former is None and len(rows.list_secrets(tx, namespace)) >= SECRETS_MAX:
            raise InvalidSecret(f"the namespace has {SECRETS_MAX} secrets: delete some")
        row = {
            "context": namespace,
            "name": name,
            "description": description,
            "reference": reference,
            "created": now if former is None else former["created"],
            "created_by": principal.user if former is None else former["created_by"],
            "updated": now,
            "updated_by": principal.user,
        }
        rows.write_secret(tx, row)
        self._record(tx, urn, principal, f"put secret {name}")
        return row, None if former is None else former["reference"]

    def _require_secret(self, tx: TableContext, urn: Urn, namespace: str, name: str) -> Row:
        _require_namespace(tx, urn, namespace)
        row = rows.find_secret(tx, namespace, name)
        if row is None:
            raise NotFound("secret", f"{name} of the namespace {namespace}")
        return row

    def _require_may_read(self, namespace: str, principal: Principal) -> Urn:
        urn = _make_urn(namespace)
        self.write_path.require_may_act_on_entity(principal, "read", urn)
        return urn

    def _require_may_change(self, namespace: str, principal: Principal) -> Urn:
        urn = _make_urn(namespace)
        self.write_path.require_may_act_on_entity(principal, "admin", urn)
        return urn

    def _record(self, tx: TableContext, urn: Urn, principal: Principal, act: str) -> None:
        audit = self.write_path.access_control.audit
        if audit is not None:
            audit.record_act(tx, str(urn), principal, act)

    def _get_stores(self) -> SecretStores:
        if self.get_stores is None:
            raise SecretUnavailable("this process has no store of secrets")
        return self.get_stores()


def _make_urn(namespace: str) -> Urn:
    """Return the URN of a namespace. Raises NotFound for a name that no namespace can have."""
    try:
        return make_namespace_urn(namespace)
    except InvalidName:
        raise NotFound("Namespace", namespace) from None


def _require_namespace(tx: TableContext, urn: Urn, namespace: str) -> None:
    if find_entity_summary(tx, str(urn)) is None:
        raise NotFound("Namespace", namespace)


def _require_valid_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidName(
            "name of a secret", name, "use at most 64 letters, digits, _, . and -, and begin with a letter or digit"
        )


def _require_valid_text(text: object, most: int, what: str, least: int = 0) -> None:
    """Raise InvalidSecret, without the text, unless it is a text of a valid length."""
    if not isinstance(text, str) or not least <= len(text) <= most:
        raise InvalidSecret(f"the {what} of a secret must be a text of {least} to {most} characters")


def _describe(row: Row) -> SecretDetails:
    return SecretDetails(
        row["name"], row["description"], row["created"], row["created_by"], row["updated"], row["updated_by"]
    )
