"""Adapt third-party subclasses of Elyra's MetadataStore to our InstanceStore (spec INST-16)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from threading import RLock
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.documents.json_values import copy_json_deeply
from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, StorageError
from jupyter_colophon.core.instances.instance import SaveResult, StoredInstance
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition

_ABSENT, _EXISTS = ("MetadataNotFoundError", "InstanceNotFound"), ("MetadataExistsError", "InstanceExists")
_NOT_IN_DOCUMENT = ("name", "resource", "reason")


class ElyraStoreAdapter:
    """An InstanceStore over an object with `fetch_instances`, `store_instance` and `delete_instance`.

    It has no versions: a condition on one fails. Unknown errors of the store are raised unchanged.
    """

    keeps_secrets = True

    def __init__(self, space: str, store: Any) -> None:
        self.space, self._store = space, store
        self._lock = RLock()

    def has_stored_instances(self) -> bool:
        """Return whether the store knows the schemaspace."""
        return bool(self._store.schemaspace_exists())

    def list_instance_names(self) -> list[str]:
        """Return the names of all instances, sorted."""
        return sorted(self._fetch_all_by_name())

    def find_instance(self, name: str) -> StoredInstance | None:
        """Return one instance; None if the store has none, or raises its MetadataNotFoundError."""
        try:
            documents = self._store.fetch_instances(name=name, include_invalid=True)
        except Exception as error:
            if _is_error_named(error, _ABSENT):
                return None
            if isinstance(error, ValueError):
                return StoredInstance(name, None, "", f"!{error}", True, str(error))
            raise
        return next(
            (
                self._create_stored_instance(document)
                for document in documents or ()
                if document.get("name", name) == name
            ),
            None,
        )

    def read_existing_instances(self, names: Iterable[str]) -> Iterator[StoredInstance]:
        """Yield the existing instances of these names, fetched at once."""
        requested = list(names)
        by_name = self._fetch_all_by_name() if len(requested) > 1 else {}
        for name in requested:
            stored = (
                self._create_stored_instance(by_name[name])
                if name in by_name
                else self.find_instance(name)
                if len(requested) == 1
                else None
            )
            if stored is not None:
                yield stored

    def read_and_record_current(self, name: str) -> tuple[StoredInstance | None, int | None]:
        """Return one instance, without a version."""
        return self.find_instance(name), None

    def record_and_read_versions(self, stored: Sequence[StoredInstance]) -> Mapping[str, int | None]:
        """Return None for each instance."""
        return {instance.name: None for instance in stored}

    def save_instance(
        self, name: str, document: Mapping[str, Any], condition: WriteCondition, principal: Principal
    ) -> SaveResult:
        """Save the instance in the store. Raises InstanceExists."""
        with self._lock:
            previous = self.find_instance(name)
            if condition.version == ABSENT and previous is not None:
                raise InstanceExists(self.space, name)
            self._require_condition(name, condition, previous)
            document_copy: dict[str, Any] = copy_json_deeply(document)  # type: ignore[assignment]  # a copy is of the same kind
            try:
                returned = self._store.store_instance(name, document_copy, for_update=previous is not None)
            except Exception as error:
                if _is_error_named(error, _EXISTS):
                    raise InstanceExists(self.space, name) from error
                raise
            stored = (
                self._create_stored_instance({"name": name, **returned})
                if isinstance(returned, Mapping)
                else self.find_instance(name)
            )
        return SaveResult(None, stored, previous)

    def remove_instance(self, name: str, condition: WriteCondition, principal: Principal) -> SaveResult:
        """Delete the instance in the store. Raises InstanceNotFound."""
        with self._lock:
            previous = self.find_instance(name)
            if previous is None:
                raise InstanceNotFound(self.space, name)
            self._require_condition(name, condition, previous)
            existing_document = dict(previous.document or {}) | {"name": name, "resource": previous.resource}
            try:
                self._store.delete_instance(existing_document)
            except Exception as error:
                if _is_error_named(error, _ABSENT):
                    raise InstanceNotFound(self.space, name) from error
                if isinstance(error, PermissionError):
                    raise StorageError(f"the store cannot delete {name}: {error}") from error
                raise
        return SaveResult(None, self.find_instance(name), previous)

    def close_store(self) -> None:
        """Do nothing: no resources are held."""

    def _fetch_all_by_name(self) -> dict[str, Mapping[str, Any]]:
        return {
            document["name"]: document
            for document in self._store.fetch_instances(include_invalid=True)
            if "name" in document
        }

    def _create_stored_instance(self, row: Mapping[str, Any]) -> StoredInstance:
        document = {key: value for key, value in row.items() if key not in _NOT_IN_DOCUMENT}
        mark = blake2b(encode_canonical_json(document).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return StoredInstance(row["name"], document, str(row.get("resource") or ""), mark)

    def _require_condition(self, name: str, condition: WriteCondition, stored: StoredInstance | None) -> None:
        if condition.exists and stored is None:
            raise InstanceNotFound(self.space, name)
        condition.require_met(f"instance {name}", ABSENT if stored is None else 0, None)


def _is_error_named(error: Exception, kinds: tuple[str, ...]) -> bool:
    return any(ancestor.__name__ in kinds for ancestor in type(error).__mro__)
