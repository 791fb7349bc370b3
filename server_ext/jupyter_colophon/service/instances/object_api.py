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
from jupyter_colophon.core.identity.instance_names import normalize_name, require_instance_name
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.core.model.proposal import ABSENT, Condition
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

    def get_all(self, *, include_invalid: bool = False, of_schema: str | None = None) -> Sequence[InstanceObject]:
        """Return all instances by name, loaded and validated; invalid ones are logged, and left out or returned with `reason`."""
        instances = []
        for stored in self.store.read_many(self.store.list_names()):
            if of_schema and (stored.document is None or stored.document.get("schema_name") != of_schema):
                continue
            try:
                instances.append(self._load_valid(stored))
            except MetadataError as error:
                reason = _get_reason(error)
                _logger.warning("instance %s of %s is not valid (%s): %s", stored.name, self.store.space, reason, error)
                if include_invalid:
                    instances.append(self._create_invalid(stored, reason))
        return instances

    def get(self, name: str) -> InstanceObject:
        """Return one instance, loaded and validated. Raises InstanceNotFound, InstanceUnreadable, InstanceInvalid, SchemaNotFound."""
        stored = self.store.read(name)
        if stored is None:
            raise InstanceNotFound(self.store.space, name)
        with _raise_original():
            return self._load_valid(stored)

    def create(self, name: str | None, instance: InstanceObject) -> InstanceObject:
        """Save a new instance; the default name is derived from its display name. Raises InstanceExists, InvalidName."""
        name = require_instance_name(name or normalize_name(instance.display_name or ""))
        instance.name = name
        with _raise_original():
            self._saver.save(name, instance, Condition(version=ABSENT), self._principal, old=None, for_update=False)
        return self.get(name)

    def update(self, name: str, instance: InstanceObject, *, for_migration: bool = False) -> InstanceObject:
        """Replace an instance, also an invalid one.

        The old instance is not loaded by its class, so that its `on_load` may call this; with `for_migration` the saved one
        is not loaded either, since its class is still migrating it.
        """
        stored = self.store.read(require_instance_name(name))
        if stored is None:
            raise InstanceNotFound(self.store.space, name)
        instance.name = name
        with _raise_original():
            result = self._saver.save(
                name, instance, Condition(), self._principal, old=stored.document, for_update=True
            )
            if for_migration and result.stored is not None:
                return self._presenter.create_stored_object(self.store.space, result.stored)
        return self.get(name)

    def remove(self, name: str) -> None:
        """Remove an instance, readable and valid or not. Raises InstanceNotFound, RemovalNotPermitted."""
        stored = self.store.read(name)
        if stored is None:
            raise InstanceNotFound(self.store.space, name)
        with _raise_original():
            self._saver.forget_secrets(self._saver.remove(stored, Condition(), self._principal))

    def validate(self, name: str, instance: InstanceObject) -> None:
        """Raise InstanceInvalid unless an object satisfies its schema; SchemaNotFound for an unknown schema."""
        self._presenter.require(self.store.space, name, instance)

    def _load_valid(self, stored: StoredInstance) -> InstanceObject:
        instance = self._presenter.load_object(self.store.space, stored)
        self._presenter.require(self.store.space, stored.name, instance)
        return instance

    def _create_invalid(self, stored: StoredInstance, reason: str) -> InstanceObject:
        """Return an invalid instance with what can be read of it."""
        try:
            instance = self._presenter.create_stored_object(self.store.space, stored)
        except Exception:  # noqa: BLE001  shown even if its class raises
            document = {"display_name": stored.name, "metadata": {}} | dict(stored.document or {})
            fallback = document | {"resource": stored.resource, "schema_name": None}
            instance = self._presenter.create_object(self.store.space, stored.name, fallback)
            instance.schema_name = document.get("schema_name")
        if not isinstance(instance.schema_name, str):
            instance.schema_name = UNKNOWN
        instance.reason = reason
        return instance


@contextmanager
def _raise_original() -> Iterator[None]:
    """Raise the original error of a hook."""
    try:
        yield
    except HookFailed as error:
        if error.__cause__ is None:
            raise
        raise error.__cause__ from error


def _get_reason(error: MetadataError) -> str:
    if isinstance(error, HookFailed) and error.__cause__ is not None:
        return type(error.__cause__).__name__
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), type(error).__name__)
