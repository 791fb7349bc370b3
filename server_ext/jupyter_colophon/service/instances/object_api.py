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
from jupyter_colophon.core.identity.instance_names import normalized, require_instance_name
from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.service.instances.class_adapter import Shaped
from jupyter_colophon.service.instances.presentation import UNKNOWN, Shown
from jupyter_colophon.service.instances.saving import Saving
from jupyter_colophon.service.instances.store_protocol import InstanceStore

_REASONS: tuple[tuple[type[MetadataError], str], ...] = (
    (InstanceInvalid, "ValidationError"),
    (InstanceUnreadable, "ValueError"),
    (SecretUnavailable, "ValueError"),
    (SchemaNotFound, "SchemaNotFoundError"),
)
_logger = logging.getLogger(__name__)


class InstanceObjects:
    """The instances of one store, with secrets. Errors of hooks are raised unchanged."""

    def __init__(self, store: InstanceStore, saving: Saving, shown: Shown, principal: Principal) -> None:
        self.store = store
        self._saving, self._shown, self._principal = saving, shown, principal

    def get_all(self, *, include_invalid: bool = False, of_schema: str | None = None) -> Sequence[Shaped]:
        """Return all instances by name, loaded and validated; invalid ones are logged, and left out or returned with `reason`."""
        found = []
        for held in self.store.read_many(self.store.names()):
            if of_schema and (held.document is None or held.document.get("schema_name") != of_schema):
                continue
            try:
                found.append(self._valid(held))
            except MetadataError as error:
                reason = _reason(error)
                _logger.warning("instance %s of %s is not valid (%s): %s", held.name, self.store.space, reason, error)
                if include_invalid:
                    found.append(self._invalid(held, reason))
        return found

    def get(self, name: str) -> Shaped:
        """Return one instance, loaded and validated. Raises InstanceNotFound, InstanceUnreadable, InstanceInvalid, SchemaNotFound."""
        held = self.store.read(name)
        if held is None:
            raise InstanceNotFound(self.store.space, name)
        with _as_raised():
            return self._valid(held)

    def create(self, name: str | None, instance: Shaped) -> Shaped:
        """Save a new instance; the default name is derived from its display name. Raises InstanceExists, InvalidName."""
        name = require_instance_name(name or normalized(instance.display_name or ""))
        instance.name = name
        with _as_raised():
            self._saving.save(name, instance, Condition(version=ABSENT), self._principal, old=None, for_update=False)
        return self.get(name)

    def update(self, name: str, instance: Shaped, *, for_migration: bool = False) -> Shaped:
        """Replace an instance, also an invalid one.

        The old instance is not loaded by its class, so that its `on_load` may call this; with `for_migration` the saved one
        is not loaded either, since its class is still migrating it.
        """
        held = self.store.read(require_instance_name(name))
        if held is None:
            raise InstanceNotFound(self.store.space, name)
        instance.name = name
        with _as_raised():
            kept = self._saving.save(name, instance, Condition(), self._principal, old=held.document, for_update=True)
            if for_migration and kept.held is not None:
                return self._shown.shaped(self.store.space, kept.held)
        return self.get(name)

    def remove(self, name: str) -> None:
        """Remove an instance, readable and valid or not. Raises InstanceNotFound, RemovalNotPermitted."""
        held = self.store.read(name)
        if held is None:
            raise InstanceNotFound(self.store.space, name)
        with _as_raised():
            self._saving.forget_secrets(self._saving.remove(held, Condition(), self._principal))

    def validate(self, name: str, instance: Shaped) -> None:
        """Raise InstanceInvalid unless an object satisfies its schema; SchemaNotFound for an unknown schema."""
        self._shown.require(self.store.space, name, instance)

    def _valid(self, held: Held) -> Shaped:
        instance = self._shown.loaded(self.store.space, held)
        self._shown.require(self.store.space, held.name, instance)
        return instance

    def _invalid(self, held: Held, reason: str) -> Shaped:
        """Return an invalid instance with what can be read of it."""
        try:
            found = self._shown.shaped(self.store.space, held)
        except Exception:  # noqa: BLE001  shown even if its class raises
            document = {"display_name": held.name, "metadata": {}} | dict(held.document or {})
            given = document | {"resource": held.resource, "schema_name": None}
            found = self._shown.made(self.store.space, held.name, given)
            found.schema_name = document.get("schema_name")
        if not isinstance(found.schema_name, str):
            found.schema_name = UNKNOWN
        found.reason = reason
        return found


@contextmanager
def _as_raised() -> Iterator[None]:
    """Raise the original error of a hook."""
    try:
        yield
    except HookFailed as error:
        if error.__cause__ is None:
            raise
        raise error.__cause__ from error


def _reason(error: MetadataError) -> str:
    if isinstance(error, HookFailed) and error.__cause__ is not None:
        return type(error.__cause__).__name__
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), type(error).__name__)
