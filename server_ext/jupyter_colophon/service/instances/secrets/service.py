"""Convert between documents with secrets and stored documents with references."""

from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_colophon.core.documents.json_values import equals_json
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.errors import (
    InstanceInvalid,
    InvalidSecret,
    Problem,
    SecretUnavailable,
)
from jupyter_colophon.core.instances.instance_texts import PLACEHOLDER
from jupyter_colophon.service.instances.masking import (
    SecretMasker,
    ValuePath,
    copy_with_values_at_paths,
    copy_without_members,
    get_secret_reference,
    get_value_at_path,
    is_mask,
)
from jupyter_colophon.service.instances.secrets.in_environment import EnvironmentSecretStore
from jupyter_colophon.service.instances.secrets.stores import FILE, SecretStores
from jupyter_colophon.service.instances.stores.protocol import InstanceStore


class SecretService:
    """Stores new secrets in the configured store, and fetches existing ones from any store."""

    def __init__(self, masks: SecretMasker, stores: SecretStores) -> None:
        """With the store `file`, values stay in documents of instance stores that keep them."""
        self._masks = masks
        self._stores = stores

    def replace_secrets_by_references(
        self, store: InstanceStore, name: str, document: Mapping[str, Any], old: Mapping[str, Any] | None
    ) -> tuple[Mapping[str, Any], list[str]]:
        """Return the document to store, and the new references, to be deleted if the save fails.

        An unchanged secret keeps its reference. Raises SecretUnavailable, InstanceInvalid.
        """
        space = store.space
        stays = store.keeps_secrets and self._stores.chosen.name == FILE
        replacements: dict[ValuePath, Any] = {}
        new_references: list[str] = []
        try:
            for words in self._masks.find_secret_paths(space, document):
                value = get_value_at_path(document, words)
                was = get_value_at_path(old, words) if old is not None else None
                if value is None or is_mask(value) or get_secret_reference(value) is not None:
                    continue
                if (old_key := get_secret_reference(was)) is not None and self._is_stored_under_key(old_key, value):
                    if not (stays and old_key.startswith(f"{FILE}:")):
                        replacements[words] = was
                elif (
                    not stays
                    and (key := self._stores.store_secret(f"{space}/{name}{format_pointer(words)}", value)) is not None
                ):
                    new_references.append(key)
                    replacements[words] = {PLACEHOLDER: key}
        except InvalidSecret as error:
            self.delete_secrets(new_references)
            where = Problem(format_pointer(words), error.detail)
            raise InstanceInvalid(name, str(document.get("schema_name")), error.detail, (where,)) from None
        except BaseException:
            self.delete_secrets(new_references)
            raise
        return (copy_with_values_at_paths(document, replacements) if replacements else document), new_references

    def replace_secret_names_by_references(
        self, space: str, name: str, document: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the document with references for names of secrets, if the store uses names instead of values.

        The values behind the names are validated then. Raises InstanceInvalid for an invalid name.
        """
        if not self._stores.chosen.is_named_by_people:
            return document
        replacements: dict[ValuePath, Any] = {}
        for words in self._masks.find_secret_paths(space, document):
            value = get_value_at_path(document, words)
            if value is None or is_mask(value) or get_secret_reference(value) is not None:
                continue
            try:
                key = self._stores.store_secret(f"{space}/{name}{format_pointer(words)}", value)
            except InvalidSecret as error:
                where = Problem(format_pointer(words), error.detail)
                raise InstanceInvalid(name, str(document.get("schema_name")), error.detail, (where,)) from None
            if key is not None:
                replacements[words] = {PLACEHOLDER: key}
        return copy_with_values_at_paths(document, replacements) if replacements else document

    def fill_available_secrets(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the document with the values of secrets, without unavailable ones.

        Raises nothing: `find_missing` reports unavailable secrets, and validation does if they are required.
        """
        values, gone = self._fetch_secrets_and_failures(space, document)
        full = copy_with_values_at_paths(document, values) if values else document
        return copy_without_members(full, list(gone)) if gone else full

    def fill_deletable_secrets(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the document with the values of secrets that are deleted with it; names written by users stay."""
        values, _ = self._fetch_secrets_and_failures(space, document)
        keys = self.find_secret_references(space, document)
        forgotten = {words: value for words, value in values.items() if not self.may_users_write_reference(keys[words])}
        return copy_with_values_at_paths(document, forgotten) if forgotten else document

    def find_unavailable_secrets(self, space: str, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Return which secrets of a stored document are unavailable, and why."""
        return tuple(
            Problem(format_pointer(words), why)
            for words, why in self._fetch_secrets_and_failures(space, document)[1].items()
        )

    def find_secret_references(self, space: str, document: Mapping[str, Any] | None) -> dict[ValuePath, str]:
        """Return the references of a stored document, by path."""
        if document is None:
            return {}
        named = (
            (words, get_secret_reference(get_value_at_path(document, words)))
            for words in self._masks.find_secret_paths(space, document)
        )
        return {words: key for words, key in named if key is not None}

    def may_users_write_reference(self, key: str) -> bool:
        """Return whether users may write this reference: its store has known names as keys."""
        store = self._stores.find_store(key.partition(":")[0])
        return store is not None and store.is_named_by_people

    def explain_refused_reference(self, key: str) -> str:
        """Return the reason why users may not write this reference; "" if they may."""
        name, _, inner = key.partition(":")
        store = self._stores.find_store(name)
        if store is None or not store.is_named_by_people:
            return "not a reference to a secret of this instance"
        try:
            if isinstance(store, EnvironmentSecretStore):
                store.require_allowed_variable(inner)
        except InvalidSecret as error:
            return error.detail
        return ""

    def delete_secrets(self, keys: Iterable[str]) -> None:
        """Delete the secrets of these references."""
        for key in keys:
            self._stores.delete_secret(key)

    def _is_stored_under_key(self, key: str, value: Any) -> bool:
        try:
            return equals_json(self._stores.fetch_secret(key), value)
        except SecretUnavailable:
            return False

    def _fetch_secrets_and_failures(
        self, space: str, document: Mapping[str, Any]
    ) -> tuple[dict[ValuePath, Any], dict[ValuePath, str]]:
        values: dict[ValuePath, Any] = {}
        gone: dict[ValuePath, str] = {}
        for words, key in self.find_secret_references(space, document).items():
            try:
                values[words] = self._stores.fetch_secret(key)
            except SecretUnavailable as error:
                gone[words] = error.detail
        return values, gone
