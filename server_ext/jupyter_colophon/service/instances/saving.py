"""The save sequence: hooks, defaults, validation, storage, and undo (spec INST-7)."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_values import copied
from jupyter_colophon.core.errors import HookFailed, InstanceInvalid, MetadataError, Problem
from jupyter_colophon.core.instances.instance import Held, Kept
from jupyter_colophon.core.model.proposal import Condition
from jupyter_colophon.service.instances import hooks
from jupyter_colophon.service.instances.class_adapter import Shaped
from jupyter_colophon.service.instances.gate import require_namespace
from jupyter_colophon.service.instances.presentation import Shown
from jupyter_colophon.service.instances.schemas import Schemas
from jupyter_colophon.service.instances.secrets.service import Secrets
from jupyter_colophon.service.instances.store_protocol import InstanceStore

_logger = logging.getLogger(__name__)


class Saving:
    """Saves and removes instances of one store. If a hook fails after the change, a second change undoes it."""

    def __init__(
        self,
        store: InstanceStore,
        schemas: Schemas,
        secrets: Secrets,
        shown: Shown,
        has_namespace: Callable[[str], bool],
    ) -> None:
        self._store, self._schemas, self._secrets, self._shown = store, schemas, secrets, shown
        self._has_namespace = has_namespace

    def save(
        self,
        name: str,
        instance: Shaped,
        condition: Condition,
        principal: Principal,
        *,
        old: Mapping[str, Any] | None,
        for_update: bool,
    ) -> Kept:
        """Save an object with secrets. `old` is a stored document, whose references are kept for unchanged secrets.

        Raises InstanceInvalid, SchemaNotFound, InstanceExists, ConditionFailed, HookFailed, SecretUnavailable, StorageError.
        """
        hooks.call(instance, "pre_save", name, for_update=for_update)
        document = self.judged(name, instance)
        kept_document, made = self._secrets.put_away(self._store, name, document, old)
        try:
            kept = self._store.save(name, kept_document, condition, principal)
        except BaseException:
            self._secrets.forget(made)
            raise
        self._after_save(name, kept, principal, made, for_update=for_update)
        self._drop_references(kept.previous, kept.held)
        return kept

    def judged(self, name: str, instance: Shaped) -> dict[str, Any]:
        """Apply defaults and validate an object; return the document to store."""
        space, schema = self._store.space, instance.schema_name
        if not isinstance(schema, str):
            first = "'schema_name' is a required property"
            raise InstanceInvalid(name, "{unknown}", first, (Problem("/schema_name", first),))
        apply_defaults(instance, self._schemas.schema(space, schema))
        self._shown.require(space, name, instance)
        require_namespace(space, instance.metadata, self._has_namespace)
        document = dict(instance.prepare_write())
        for member in ("name", "resource", "reason"):
            document.pop(member, None)
        return document

    def remove(self, held: Held, condition: Condition, principal: Principal) -> Kept:
        """Remove an instance, with the hooks of its class if an object can be created.

        Raises InstanceNotFound, RemovalNotPermitted, ConditionFailed, HookFailed, StorageError.
        """
        instance = self._removable(held)
        if instance is not None:
            hooks.call(instance, "pre_delete", held.name)
        kept = self._store.remove(held.name, condition, principal)
        if instance is not None:
            try:
                hooks.call(instance, "post_delete", held.name)
            except MetadataError as error:
                undone = self._put_back(kept, principal)
                raise _failed(error, "post_delete", held.name, undone=undone) from _cause(error)
        return kept

    def forget_secrets(self, kept: Kept) -> None:
        """Delete the secrets of a removed instance."""
        self._drop_references(kept.previous, kept.held)

    def _after_save(self, name: str, kept: Kept, principal: Principal, made: list[str], *, for_update: bool) -> None:
        """Call `post_save` on a new object of the stored document, if the schema has a class."""
        if kept.held is None or not self._shown.has_class(self._store.space, kept.held):
            return
        try:
            stored = self._shown.shaped(self._store.space, kept.held)
            hooks.call(stored, "post_save", name, for_update=for_update)
        except MetadataError as error:
            undone = self._taken_back(kept, principal)
            if undone:
                self._secrets.forget(made)
            raise _failed(error, "post_save", name, undone=undone) from _cause(error)

    def _taken_back(self, kept: Kept, principal: Principal) -> bool:
        """Undo a save, unless the instance has changed since."""
        condition, previous = Condition(version=kept.version), kept.previous
        name = kept.held.name if kept.held else ""
        if previous is None or not previous.own:
            return self._tried(lambda: self._store.remove(name, condition, principal), name)
        document = previous.document
        if document is None:
            return False
        return self._tried(lambda: self._store.save(name, document, condition, principal), name)

    def _put_back(self, kept: Kept, principal: Principal) -> bool:
        """Undo a removal, unless the instance was created again since."""
        previous = kept.previous
        if previous is None or previous.document is None:
            return False
        document = previous.document
        condition = Condition(version=kept.version)
        return self._tried(lambda: self._store.save(previous.name, document, condition, principal), previous.name)

    def _tried(self, undo: Any, name: str) -> bool:
        try:
            undo()
        except MetadataError as error:
            _logger.error("cannot undo a change of instance %s after a failed hook: %s", name, error.detail)
            return False
        return True

    def _removable(self, held: Held) -> Shaped | None:
        """Return the object for the hooks of a removal; None if it cannot be created."""
        try:
            return self._shown.shaped(self._store.space, held)
        except Exception as error:  # noqa: BLE001  invalid instances must be removable
            _logger.info("instance %s is removed without hooks: %s", held.name, type(error).__name__)
            return None

    def _drop_references(self, before: Held | None, now: Held | None) -> None:
        """Delete secrets that are no longer referred to."""
        space = self._store.space
        gone = self._secrets.references(space, before.document if before else None)
        left = set(self._secrets.references(space, now.document if now else None).values())
        self._secrets.forget(key for key in gone.values() if key not in left)


def _cause(error: MetadataError) -> BaseException:
    """Return the original error of a hook."""
    return error.__cause__ or error if isinstance(error, HookFailed) else error


def _failed(error: MetadataError, hook: str, name: str, *, undone: bool) -> HookFailed:
    cause = _cause(error)
    return hooks.failure(hook, name, cause, undone=undone)


def apply_defaults(instance: Shaped, schema: Mapping[str, Any]) -> None:
    """Set missing members of `metadata` to the schema's defaults, not nested, and top-level constants (spec INST-7)."""
    members = schema.get("properties", {})
    inner = members.get("metadata", {}).get("properties", {})
    if isinstance(instance.metadata, dict):
        for key, one in inner.items():
            if isinstance(one, Mapping) and "default" in one and key not in instance.metadata:
                instance.metadata[key] = copied(one["default"])
    for key, one in members.items():
        if isinstance(one, Mapping) and "const" in one:
            setattr(instance, key, one["const"])
