"""The save sequence: hooks, defaults, validation, storage, and undo (spec INST-7)."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_values import copy_json_deeply
from jupyter_colophon.core.errors import HookFailed, InstanceInvalid, MetadataError, Problem
from jupyter_colophon.core.instances.instance import SaveResult, StoredInstance
from jupyter_colophon.core.model.proposal import WriteCondition
from jupyter_colophon.service.instances import hooks
from jupyter_colophon.service.instances.access import require_namespace_of_instance_exists
from jupyter_colophon.service.instances.class_adapter import InstanceObject
from jupyter_colophon.service.instances.presentation import InstancePresenter
from jupyter_colophon.service.instances.schemas import SchemaLookup
from jupyter_colophon.service.instances.secrets.service import SecretService
from jupyter_colophon.service.instances.stores.protocol import InstanceStore

_logger = logging.getLogger(__name__)


class InstanceSaver:
    """Saves and removes instances of one store. If a hook fails after the change, a second change undoes it."""

    def __init__(
        self,
        store: InstanceStore,
        schemas: SchemaLookup,
        secrets: SecretService,
        presenter: InstancePresenter,
        has_namespace: Callable[[str], bool],
    ) -> None:
        self._store, self._schemas, self._secrets, self._presenter = store, schemas, secrets, presenter
        self._has_namespace = has_namespace

    def run_hooks_and_save(
        self,
        name: str,
        instance: InstanceObject,
        condition: WriteCondition,
        principal: Principal,
        *,
        old: Mapping[str, Any] | None,
        for_update: bool,
    ) -> SaveResult:
        """Save an object with secrets. `old` is a stored document, whose references are kept for unchanged secrets.

        Raises InstanceInvalid, SchemaNotFound, InstanceExists, ConditionFailed, HookFailed, SecretUnavailable, StorageError.
        """
        hooks.call_hook(instance, "pre_save", name, for_update=for_update)
        document = self.apply_defaults_and_validate(name, instance)
        stored_document, new_references = self._secrets.replace_secrets_by_references(self._store, name, document, old)
        try:
            result = self._store.save_instance(name, stored_document, condition, principal)
        except BaseException:
            self._secrets.delete_secrets(new_references)
            raise
        self._call_post_save_or_undo(name, result, principal, new_references, for_update=for_update)
        self._delete_unreferenced_secrets(result.previous, result.stored)
        return result

    def apply_defaults_and_validate(self, name: str, instance: InstanceObject) -> dict[str, Any]:
        """Apply defaults and validate an object; return the document to store."""
        space, schema = self._store.space, instance.schema_name
        if not isinstance(schema, str):
            first = "'schema_name' is a required property"
            raise InstanceInvalid(name, "{unknown}", first, (Problem("/schema_name", first),))
        apply_defaults(instance, self._schemas.get_schema(space, schema))
        self._presenter.require_valid_object(space, name, instance)
        require_namespace_of_instance_exists(space, instance.metadata, self._has_namespace)
        document = dict(instance.prepare_write())
        for member in ("name", "resource", "reason"):
            document.pop(member, None)
        return document

    def run_hooks_and_remove(
        self, stored: StoredInstance, condition: WriteCondition, principal: Principal
    ) -> SaveResult:
        """Remove an instance, with the hooks of its class if an object can be created.

        Raises InstanceNotFound, RemovalNotPermitted, ConditionFailed, HookFailed, StorageError.
        """
        instance = self._create_object_for_removal_hooks(stored)
        if instance is not None:
            hooks.call_hook(instance, "pre_delete", stored.name)
        result = self._store.remove_instance(stored.name, condition, principal)
        if instance is not None:
            try:
                hooks.call_hook(instance, "post_delete", stored.name)
            except MetadataError as error:
                undone = self._undo_removal_unless_recreated(result, principal)
                raise _create_hook_failure(error, "post_delete", stored.name, undone=undone) from _get_original_error(
                    error
                )
        return result

    def delete_secrets_of_removed(self, result: SaveResult) -> None:
        """Delete the secrets of a removed instance."""
        self._delete_unreferenced_secrets(result.previous, result.stored)

    def _call_post_save_or_undo(
        self, name: str, result: SaveResult, principal: Principal, new_references: list[str], *, for_update: bool
    ) -> None:
        """Call `post_save` on a new object of the stored document, if the schema has a class."""
        if result.stored is None or not self._presenter.has_class(self._store.space, result.stored):
            return
        try:
            new_object = self._presenter.create_object_with_secrets(self._store.space, result.stored)
            hooks.call_hook(new_object, "post_save", name, for_update=for_update)
        except MetadataError as error:
            undone = self._undo_save_unless_changed(result, principal)
            if undone:
                self._secrets.delete_secrets(new_references)
            raise _create_hook_failure(error, "post_save", name, undone=undone) from _get_original_error(error)

    def _undo_save_unless_changed(self, result: SaveResult, principal: Principal) -> bool:
        """Undo a save, unless the instance has changed since."""
        condition, previous = WriteCondition(version=result.version), result.previous
        name = result.stored.name if result.stored else ""
        if previous is None or not previous.is_removable:
            return self._undo_or_log_failure(lambda: self._store.remove_instance(name, condition, principal), name)
        document = previous.document
        if document is None:
            return False
        return self._undo_or_log_failure(lambda: self._store.save_instance(name, document, condition, principal), name)

    def _undo_removal_unless_recreated(self, result: SaveResult, principal: Principal) -> bool:
        """Undo a removal, unless the instance was created again since."""
        previous = result.previous
        if previous is None or previous.document is None:
            return False
        document = previous.document
        condition = WriteCondition(version=result.version)
        return self._undo_or_log_failure(
            lambda: self._store.save_instance(previous.name, document, condition, principal), previous.name
        )

    def _undo_or_log_failure(self, undo: Any, name: str) -> bool:
        try:
            undo()
        except MetadataError as error:
            _logger.error(
                "a hook failed after instance %s was changed, and the change cannot be undone: %s", name, error.detail
            )
            return False
        return True

    def _create_object_for_removal_hooks(self, stored: StoredInstance) -> InstanceObject | None:
        """Return the object for the hooks of a removal; None if it cannot be created."""
        try:
            return self._presenter.create_object_with_secrets(self._store.space, stored)
        except Exception as error:  # noqa: BLE001  invalid instances must be removable
            _logger.info(
                "instance %s is removed without calling hooks, because its object cannot be created: %s",
                stored.name,
                type(error).__name__,
            )
            return None

    def _delete_unreferenced_secrets(self, before: StoredInstance | None, now: StoredInstance | None) -> None:
        """Delete secrets that are no longer referred to."""
        space = self._store.space
        references = self._secrets.find_secret_references(space, before.document if before else None)
        remaining = set(self._secrets.find_secret_references(space, now.document if now else None).values())
        self._secrets.delete_secrets(key for key in references.values() if key not in remaining)


def _get_original_error(error: MetadataError) -> BaseException:
    """Return the original error of a hook."""
    return error.__cause__ or error if isinstance(error, HookFailed) else error


def _create_hook_failure(error: MetadataError, hook: str, name: str, *, undone: bool) -> HookFailed:
    cause = _get_original_error(error)
    return hooks.create_hook_failure(hook, name, cause, undone=undone)


def apply_defaults(instance: InstanceObject, schema: Mapping[str, Any]) -> None:
    """Set missing members of `metadata` to the schema's defaults, not nested, and top-level constants (spec INST-7)."""
    members = schema.get("properties", {})
    inner = members.get("metadata", {}).get("properties", {})
    if isinstance(instance.metadata, dict):
        for key, member_schema in inner.items():
            if isinstance(member_schema, Mapping) and "default" in member_schema and key not in instance.metadata:
                instance.metadata[key] = copy_json_deeply(member_schema["default"])
    for key, member_schema in members.items():
        if isinstance(member_schema, Mapping) and "const" in member_schema:
            setattr(instance, key, member_schema["const"])
