"""Instances of one schemaspace as objects of their schemas' classes, as in Elyra's MetadataManager."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import (
    HookFailed,
    InstanceInvalid,
    InstanceNotFound,
    InstanceUnreadable,
    MetadataError,
    SchemaNotFound,
    SecretUnavailable,
)
from jupyter_colophon.core.identity.instance_names import generate_instance_name, require_instance_name
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.service.instances.class_adapter import InstanceObject
from jupyter_colophon.service.instances.presentation import UNKNOWN, InstancePresenter
from jupyter_colophon.service.instances.saving import InstanceSaver
from jupyter_colophon.service.instances.stores.protocol import InstanceStore

_REASONS: tuple[tuple[type[MetadataError], str], ...] = (
    (InstanceInvalid, "ValidationError"),
    (InstanceUnreadable, "ValueError"),
    (SecretUnavailable, "ValueError"),
    (SchemaNotFound, "SchemaNotFoundError"),
)
_logger = logging.getLogger(__name__)


class InstanceObjects:
    """The instances of one store, with secrets. Errors of hooks are raised unchanged."""

    def __init__(
        self, store: InstanceStore, saver: InstanceSaver, presenter: InstancePresenter, principal: Principal
    ) -> None:
        self.store = store
        self._saver, self._presenter, self._principal = saver, presenter, principal

    def load_all_instances(
        self, *, include_invalid: bool = False, of_schema: str | None = None
    ) -> Sequence[InstanceObject]:
        """Return all instances by name, loaded and validated; invalid ones are logged, and left out or returned with `reason`."""
        instances = []
        for stored in self.store.read_existing_instances(self.store.list_instance_names()):
            if of_schema and (stored.document is None or stored.document.get("schema_name") != of_schema):
                continue
            try:
                instances.append(self._load_valid_object(stored))
            except MetadataError as error:
                reason = _get_reason_of_error(error)
                _logger.warning(
                    "instance %s of schemaspace %s is not valid (%s): %s", stored.name, self.store.space, reason, error
                )
                if include_invalid:
                    instances.append(self._create_invalid_object(stored, reason))
        return instances

    def load_instance(self, name: str) -> InstanceObject:
        """Return one instance, loaded and validated. Raises InstanceNotFound, InstanceUnreadable, InstanceInvalid, SchemaNotFound."""
        stored = self.store.find_instance(name)
        if stored is None:
            raise InstanceNotFound(self.store.space, name)
        with _raise_original_hook_error():
            return self._load_valid_object(stored)

    def save_new_instance(self, name: str | None, instance: InstanceObject) -> InstanceObject:
        """Save a new instance; the default name is derived from its display name. Raises InstanceExists, InvalidName."""
        name = require_instance_name(name or generate_instance_name(instance.display_name or ""))
        instance.name = name
        with _raise_original_hook_error():
            self._saver.run_hooks_and_save(
                name, instance, WriteCondition(version=ABSENT), self._principal, old=None, for_update=False
            )
        return self.load_instance(name)

    def replace_existing_instance(
        self, name: str, instance: InstanceObject, *, for_migration: bool = False
    ) -> InstanceObject:
        """Replace an instance, also an invalid one.

        The old instance is not loaded by its class, so that its `on_load` may call this; with `for_migration` the saved one
        is not loaded either, since its class is still migrating it.
        """
        stored = self.store.find_instance(require_instance_name(name))
        if stored is None:
            raise InstanceNotFound(self.store.space, name)
        instance.name = name
        with _raise_original_hook_error():
            result = self._saver.run_hooks_and_save(
                name, instance, WriteCondition(), self._principal, old=stored.document, for_update=True
            )
            if for_migration and result.stored is not None:
                return self._presenter.create_object_with_secrets(self.store.space, result.stored)
        return self.load_instance(name)

    def remove_instance(self, name: str) -> None:
        """Remove an instance, readable and valid or not. Raises InstanceNotFound, RemovalNotPermitted."""
        stored = self.store.find_instance(name)
        if stored is None:
            raise InstanceNotFound(self.store.space, name)
        with _raise_original_hook_error():
            self._saver.delete_secrets_of_removed(
                self._saver.run_hooks_and_remove(stored, WriteCondition(), self._principal)
            )

    def require_valid_object(self, name: str, instance: InstanceObject) -> None:
        """Raise InstanceInvalid unless an object satisfies its schema; SchemaNotFound for an unknown schema."""
        self._presenter.require_valid_object(self.store.space, name, instance)

    def _load_valid_object(self, stored: StoredInstance) -> InstanceObject:
        instance = self._presenter.create_object_and_run_on_load(self.store.space, stored)
        self._presenter.require_valid_object(self.store.space, stored.name, instance)
        return instance

    def _create_invalid_object(self, stored: StoredInstance, reason: str) -> InstanceObject:
        """Return an invalid instance with what can be read of it."""
        try:
            instance = self._presenter.create_object_with_secrets(self.store.space, stored)
        except Exception:  # noqa: BLE001  shown even if its class raises
            document = {"display_name": stored.name, "metadata": {}} | dict(stored.document or {})
            fallback = document | {"resource": stored.resource, "schema_name": None}
            instance = self._presenter.create_object_of_schema_class(self.store.space, stored.name, fallback)
            instance.schema_name = document.get("schema_name")
        if not isinstance(instance.schema_name, str):
            instance.schema_name = UNKNOWN
        instance.reason = reason
        return instance


@contextmanager
def _raise_original_hook_error() -> Iterator[None]:
    """Raise the original error of a hook."""
    try:
        yield
    except HookFailed as error:
        if error.__cause__ is None:
            raise
        raise error.__cause__ from error


def _get_reason_of_error(error: MetadataError) -> str:
    if isinstance(error, HookFailed) and error.__cause__ is not None:
        return type(error.__cause__).__name__
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), type(error).__name__)
