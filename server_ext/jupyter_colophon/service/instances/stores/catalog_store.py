"""Instances in the database, where the record itself is the source of truth (spec MODEL-19)."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_json
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, InstanceExists, InstanceNotFound, MalformedBody
from jupyter_colophon.core.identity.names import make_instance_urn
from jupyter_colophon.core.instances.instance import SaveResult, StoredInstance
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.service.instances.stores.records import (
    SOURCE,
    InstanceRecord,
    InstanceRecords,
    get_version_or_absent,
)

#: How many records are read at once.
_SLICE = 500


class CatalogInstanceStore:
    """An InstanceStore of aspects. All methods raise StorageError while the catalog is unavailable."""

    keeps_secrets = False

    def __init__(self, space: str, records: Callable[[], InstanceRecords]) -> None:
        """`records` opens the catalog if necessary."""
        self.space, self._records = space, records

    def has_stored_instances(self) -> bool:
        """Return whether there are instances."""
        return bool(self.list_instance_names())

    def list_instance_names(self) -> list[str]:
        """Return the names of all instances, sorted."""
        return sorted(
            name
            for name, record in self._records().read_records_of_schemaspace(self.space).items()
            if not _is_record_of_file(record)
        )

    def find_instance(self, name: str) -> StoredInstance | None:
        """Return one instance."""
        return self.read_and_record_current(name)[0]

    def read_existing_instances(self, names: Iterable[str]) -> Iterator[StoredInstance]:
        """Yield the existing instances of these names."""
        requested = list(names)
        for start in range(0, len(requested), _SLICE):
            part = requested[start : start + _SLICE]
            records = self._records().read_existing_records(self.space, part)
            yield from (
                self._create_stored_instance(name, records[name])
                for name in part
                if name in records and not _is_record_of_file(records[name])
            )

    def read_and_record_current(self, name: str) -> tuple[StoredInstance | None, int | None]:
        """Return one instance and its version."""
        record = self._records().read_existing_records(self.space, [name]).get(name)
        if record is None or _is_record_of_file(record):
            return None, None
        return self._create_stored_instance(name, record), record.version

    def record_and_read_versions(self, stored: Sequence[StoredInstance]) -> Mapping[str, int | None]:
        """Return the versions of these instances, None for those changed since they were read."""
        records = self._records().read_existing_records(self.space, [instance.name for instance in stored])
        pairs = ((instance, records.get(instance.name)) for instance in stored)
        return {
            instance.name: record.version
            if record is not None and _hash_record_value(record) == instance.content_hash
            else None
            for instance, record in pairs
        }

    def save_instance(
        self, name: str, document: Mapping[str, Any], condition: WriteCondition, principal: Principal
    ) -> SaveResult:
        """Write the document as the record."""
        value = _parse_as_plain_json(document)
        records = self._records()
        record = records.read_existing_records(self.space, [name]).get(name)
        previous = None if record is None or _is_record_of_file(record) else self._create_stored_instance(name, record)
        self._require_condition(name, condition, record, previous)
        try:
            # The condition was checked against this record, so it must not have changed.
            records.write_record(self.space, name, value, principal, get_version_or_absent(record))
        except (ConditionFailed, AlreadyExists):
            if condition.version == ABSENT:
                raise InstanceExists(self.space, name) from None
            if replace(condition, exists=False) == WriteCondition():
                return self.save_instance(name, document, condition, principal)
            raise
        stored, version = self.read_and_record_current(name)
        return SaveResult(version, stored, previous)

    def remove_instance(self, name: str, condition: WriteCondition, principal: Principal) -> SaveResult:
        """Remove the record."""
        records = self._records()
        record = records.read_existing_records(self.space, [name]).get(name)
        if record is None or _is_record_of_file(record):
            raise InstanceNotFound(self.space, name)
        previous = self._create_stored_instance(name, record)
        self._require_condition(name, condition, record, previous)
        records.delete_record(self.space, name, principal, record.version)
        return SaveResult(ABSENT, None, previous, record.version)

    def close_store(self) -> None:
        """Do nothing: the catalog is closed elsewhere."""

    def _require_condition(
        self, name: str, condition: WriteCondition, record: InstanceRecord | None, previous: StoredInstance | None
    ) -> None:
        if condition.version == ABSENT and previous is not None:
            raise InstanceExists(self.space, name)
        if condition.exists and previous is None:
            raise InstanceNotFound(self.space, name)
        version = ABSENT if previous is None else get_version_or_absent(record)
        condition.require_met(f"instance {name}", version, previous.time if previous else None)

    def _create_stored_instance(self, name: str, record: InstanceRecord) -> StoredInstance:
        urn = str(make_instance_urn(self.space, name))
        return StoredInstance(name, record.value, urn, _hash_record_value(record), True, "", record.time, record.actor)


def _is_record_of_file(record: InstanceRecord) -> bool:
    """Return whether this is the record of an instance in a file."""
    return f'"{SOURCE}":"file"' in record.text and record.value.get(SOURCE) == "file"


def _hash_record_value(record: InstanceRecord) -> str:
    return hashlib.sha256(record.text.encode()).hexdigest()[:32]


def _parse_as_plain_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document as plain JSON. Raises MalformedBody, TooLarge unless it can be read again."""
    try:
        text = encode_canonical_json(document)
        value: dict[str, Any] = parse_json(text.encode())
    except (TypeError, ValueError, RecursionError, UnicodeEncodeError):
        raise MalformedBody("the document is not valid JSON") from None
    return {key: inner for key, inner in value.items() if key not in ("name", "resource", "reason", SOURCE)}
