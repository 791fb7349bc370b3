"""Adapt third-party subclasses of Elyra's MetadataStore to our InstanceStore (spec INST-16)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from threading import RLock
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.documents.json_values import copied
from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, StorageError
from jupyter_colophon.core.instances.instance import Held, Kept
from jupyter_colophon.core.model.proposal import ABSENT, Condition

_ABSENT, _EXISTS = ("MetadataNotFoundError", "InstanceNotFound"), ("MetadataExistsError", "InstanceExists")
_NOT_IN_DOCUMENT = ("name", "resource", "reason")


class ForeignInstances:
    """An InstanceStore over an object with `fetch_instances`, `store_instance` and `delete_instance`.

    It has no versions: a condition on one fails. Unknown errors of the store are raised unchanged.
    """

    keeps_secrets = True

    def __init__(self, space: str, store: Any) -> None:
        self.space, self._store = space, store
        self._lock = RLock()

    def exists(self) -> bool:
        """Return whether the store knows the schemaspace."""
        return bool(self._store.schemaspace_exists())

    def names(self) -> list[str]:
        """Return the names of all instances, sorted."""
        return sorted(self._all())

    def read(self, name: str) -> Held | None:
        """Return one instance; None if the store has none, or raises its MetadataNotFoundError."""
        try:
            found = self._store.fetch_instances(name=name, include_invalid=True)
        except Exception as error:
            if _is(error, _ABSENT):
                return None
            if isinstance(error, ValueError):
                return Held(name, None, "", f"!{error}", True, str(error))
            raise
        return next((self._held(one) for one in found or () if one.get("name", name) == name), None)

    def read_many(self, names: Iterable[str]) -> Iterator[Held]:
        """Yield the existing instances of these names, fetched at once."""
        asked = list(names)
        there = self._all() if len(asked) > 1 else {}
        for name in asked:
            held = self._held(there[name]) if name in there else self.read(name) if len(asked) == 1 else None
            if held is not None:
                yield held

    def current(self, name: str) -> tuple[Held | None, int | None]:
        """Return one instance, without a version."""
        return self.read(name), None

    def versions(self, held: Sequence[Held]) -> Mapping[str, int | None]:
        """Return None for each instance."""
        return {one.name: None for one in held}

    def save(self, name: str, document: Mapping[str, Any], condition: Condition, principal: Principal) -> Kept:
        """Save the instance in the store. Raises InstanceExists."""
        with self._lock:
            previous = self.read(name)
            if condition.version == ABSENT and previous is not None:
                raise InstanceExists(self.space, name)
            self._check(name, condition, previous)
            given: dict[str, Any] = copied(document)  # type: ignore[assignment]  # a copy is of the same kind
            try:
                stored = self._store.store_instance(name, given, for_update=previous is not None)
            except Exception as error:
                if _is(error, _EXISTS):
                    raise InstanceExists(self.space, name) from error
                raise
            held = self._held({"name": name, **stored}) if isinstance(stored, Mapping) else self.read(name)
        return Kept(None, held, previous)

    def remove(self, name: str, condition: Condition, principal: Principal) -> Kept:
        """Delete the instance in the store. Raises InstanceNotFound."""
        with self._lock:
            previous = self.read(name)
            if previous is None:
                raise InstanceNotFound(self.space, name)
            self._check(name, condition, previous)
            known = dict(previous.document or {}) | {"name": name, "resource": previous.resource}
            try:
                self._store.delete_instance(known)
            except Exception as error:
                if _is(error, _ABSENT):
                    raise InstanceNotFound(self.space, name) from error
                if isinstance(error, PermissionError):
                    raise StorageError(f"the store cannot delete {name}: {error}") from error
                raise
        return Kept(None, self.read(name), previous)

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _all(self) -> dict[str, Mapping[str, Any]]:
        return {one["name"]: one for one in self._store.fetch_instances(include_invalid=True) if "name" in one}

    def _held(self, one: Mapping[str, Any]) -> Held:
        document = {key: value for key, value in one.items() if key not in _NOT_IN_DOCUMENT}
        mark = blake2b(compact(document).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return Held(one["name"], document, str(one.get("resource") or ""), mark)

    def _check(self, name: str, condition: Condition, held: Held | None) -> None:
        if condition.exists and held is None:
            raise InstanceNotFound(self.space, name)
        condition.check(f"instance {name}", ABSENT if held is None else 0, None)


def _is(error: Exception, kinds: tuple[str, ...]) -> bool:
    return any(one.__name__ in kinds for one in type(error).__mro__)
