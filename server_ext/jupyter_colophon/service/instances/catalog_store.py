"""Instances in the database, where the record itself is the source of truth (spec MODEL-19)."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import compact, parse
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, InstanceExists, InstanceNotFound, MalformedBody
from jupyter_colophon.core.identity.names import instance
from jupyter_colophon.core.instances.instance import Held, Kept
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.service.instances.records import KEPT, Record, Records, version_of

#: How many records are read at once.
_SLICE = 500


class CatalogInstances:
    """An InstanceStore of aspects. All methods raise StorageError while the catalog is unavailable."""

    keeps_secrets = False

    def __init__(self, space: str, records: Callable[[], Records]) -> None:
        """`records` opens the catalog if necessary."""
        self.space, self._records = space, records

    def exists(self) -> bool:
        """Return whether there are instances."""
        return bool(self.names())

    def names(self) -> list[str]:
        """Return the names of all instances, sorted."""
        return sorted(name for name, one in self._records().all(self.space).items() if not _is_of_file(one))

    def read(self, name: str) -> Held | None:
        """Return one instance."""
        return self.current(name)[0]

    def read_many(self, names: Iterable[str]) -> Iterator[Held]:
        """Yield the existing instances of these names."""
        asked = list(names)
        for start in range(0, len(asked), _SLICE):
            part = asked[start : start + _SLICE]
            found = self._records().of(self.space, part)
            yield from (
                self._held(name, found[name]) for name in part if name in found and not _is_of_file(found[name])
            )

    def current(self, name: str) -> tuple[Held | None, int | None]:
        """Return one instance and its version."""
        record = self._records().of(self.space, [name]).get(name)
        if record is None or _is_of_file(record):
            return None, None
        return self._held(name, record), record.version

    def versions(self, held: Sequence[Held]) -> Mapping[str, int | None]:
        """Return the versions of these instances, None for those changed since they were read."""
        found = self._records().of(self.space, [one.name for one in held])
        pairs = ((one, found.get(one.name)) for one in held)
        return {
            one.name: record.version if record is not None and _mark(record) == one.mark else None
            for one, record in pairs
        }

    def save(self, name: str, document: Mapping[str, Any], condition: Condition, principal: Principal) -> Kept:
        """Write the document as the record."""
        value = _plain(document)
        records = self._records()
        record = records.of(self.space, [name]).get(name)
        previous = None if record is None or _is_of_file(record) else self._held(name, record)
        self._check(name, condition, record, previous)
        try:
            # The condition was checked against this record, so it must not have changed.
            records.write(self.space, name, value, principal, version_of(record))
        except (ConditionFailed, AlreadyExists):
            if condition.version == ABSENT:
                raise InstanceExists(self.space, name) from None
            if replace(condition, exists=False) == Condition():
                return self.save(name, document, condition, principal)
            raise
        held, version = self.current(name)
        return Kept(version, held, previous)

    def remove(self, name: str, condition: Condition, principal: Principal) -> Kept:
        """Remove the record."""
        records = self._records()
        record = records.of(self.space, [name]).get(name)
        if record is None or _is_of_file(record):
            raise InstanceNotFound(self.space, name)
        previous = self._held(name, record)
        self._check(name, condition, record, previous)
        records.remove(self.space, name, principal, record.version)
        return Kept(ABSENT, None, previous)

    def close(self) -> None:
        """Do nothing: the catalog is closed elsewhere."""

    def _check(self, name: str, condition: Condition, record: Record | None, previous: Held | None) -> None:
        if condition.version == ABSENT and previous is not None:
            raise InstanceExists(self.space, name)
        if condition.exists and previous is None:
            raise InstanceNotFound(self.space, name)
        version = ABSENT if previous is None else version_of(record)
        condition.check(f"instance {name}", version, previous.time if previous else None)

    def _held(self, name: str, record: Record) -> Held:
        urn = str(instance(self.space, name))
        return Held(name, record.value, urn, _mark(record), True, "", record.time, record.actor)


def _is_of_file(record: Record) -> bool:
    """Return whether this is the record of an instance in a file."""
    return f'"{KEPT}":"file"' in record.text and record.value.get(KEPT) == "file"


def _mark(record: Record) -> str:
    return hashlib.sha256(record.text.encode()).hexdigest()[:32]


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document as plain JSON. Raises MalformedBody, TooLarge unless it can be read again."""
    try:
        text = compact(document)
        value: dict[str, Any] = parse(text.encode())
    except (TypeError, ValueError, RecursionError, UnicodeEncodeError):
        raise MalformedBody("the document is not valid JSON") from None
    return {key: inner for key, inner in value.items() if key not in ("name", "resource", "reason", KEPT)}
