"""Instances in files, each with its record in the catalog (spec MODEL-20).

The file is the source of truth. A save holds the file's lock during all steps: external edits are recorded first, then
the condition is checked, the file is written, and the change is committed.
"""

import hmac
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from typing import Any, NamedTuple

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.errors import (
    ConditionFailed,
    InstanceExists,
    InstanceNotFound,
    MetadataError,
    StorageError,
    StoreUnavailable,
)
from jupyter_colophon.core.instances.instance import SaveResult, StoredInstance
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.service.instances.masking import SecretMasker
from jupyter_colophon.service.instances.stores.records import (
    DIGEST,
    PROBLEM,
    SOURCE,
    InstanceRecord,
    InstanceRecords,
    InstanceRecordsSource,
    get_version_or_absent,
)
from jupyter_colophon.service.instances.stores.version_cache import VersionCache
from jupyter_colophon.storage.files.instances import InstanceFiles, LockedInstance
from jupyter_colophon.storage.files.reading import get_owner_name

#: How many files are recorded in one commit, to keep transactions short.
RECORD_BATCH = 100
#: The prefix of the actor of external edits, before the file owner's account name.
EXTERNAL_PREFIX = "outside:"
_logger = logging.getLogger(__name__)


class _FoundRecord(NamedTuple):
    """The records, and that of one file; None if unavailable. With `has_other_instance`, the catalog stores its own instance of the name.

    With a `expected_version`, the record was not read: it is its expected version.
    """

    records: InstanceRecords | None
    record: InstanceRecord | None
    has_other_instance: bool = False
    expected_version: int | None = None

    @property
    def before(self) -> int:
        """The current version, -1 if there is none."""
        return get_version_or_absent(self.record) if self.expected_version is None else self.expected_version

    @property
    def version(self) -> int | None:
        """The current version, None if there is none."""
        return None if self.before == ABSENT else self.before


class FileInstanceStore:
    """An InstanceStore of files, with records in the catalog for versions, history and search."""

    keeps_secrets = True

    def __init__(
        self, files: InstanceFiles, masks: SecretMasker, records: InstanceRecordsSource, key: Callable[[], bytes]
    ) -> None:
        """`key` is for digests of secrets, and not stored in the catalog."""
        self.space, self.files = files.space, files
        self._masks, self._source, self._key = masks, records, key
        #: Saves that are not recorded yet: the mark of the saved content, and the principal.
        self._unrecorded: dict[str, tuple[str, Principal]] = {}
        self._version_cache = VersionCache()

    def has_stored_instances(self) -> bool:
        """Return whether there is a folder."""
        return self.files.exists_any_folder()

    def list_instance_names(self) -> list[str]:
        """Return the names of all files at any level, sorted."""
        return self.files.list_instance_names()

    def find_instance(self, name: str) -> StoredInstance | None:
        """Return one file."""
        return self.files.find_instance(name)

    def read_existing_instances(self, names: Iterable[str]) -> Iterator[StoredInstance]:
        """Yield the existing files of these names."""
        return self.files.read_existing_instances(names)

    def read_and_record_current(self, name: str) -> tuple[StoredInstance | None, int | None]:
        """Return one file and its record's version; an external edit is recorded first."""
        stored = self.files.find_instance(name)
        versions = self.record_and_read_versions([stored]) if stored is not None else {}
        if stored is None or versions.get(name) is not None or self._source.get_records_or_none() is None:
            return stored, versions.get(name)
        # It changed concurrently: try again with the lock held.
        return self._lock_and_record_file(name)

    def record_and_read_versions(self, stored: Sequence[StoredInstance]) -> Mapping[str, int | None]:
        """Return the versions of these files, None if unrecorded; external edits are recorded first."""
        records = self._source.get_records_or_none()
        versions: dict[str, int | None] = dict.fromkeys(instance.name for instance in stored)
        if records is None:
            return versions
        try:
            by_name = self._read_or_create_records(records, [instance.name for instance in stored])
        except StorageError as error:
            self._source.record_failure_and_pause(error)
            return versions
        for instance in stored:
            record = by_name.get(instance.name)
            if record is not None and self._is_recorded_state(instance, record):
                versions[instance.name] = record.version
            elif record is None or _is_file_record(record):
                now, version = self._lock_and_record_file(instance.name)
                versions[instance.name] = (
                    version if now is not None and now.content_hash == instance.content_hash else None
                )
        return versions

    def _read_or_create_records(self, records: InstanceRecords, names: Sequence[str]) -> Mapping[str, InstanceRecord]:
        """Return the records of these files; missing ones are created together."""
        by_name = records.read_existing_records(self.space, names)
        new = [name for name in names if name not in by_name]
        for start in range(0, len(new), RECORD_BATCH) if len(new) > 1 else ():
            self.create_records_of_new_files(new[start : start + RECORD_BATCH])
        return records.read_existing_records(self.space, names) if len(new) > 1 else by_name

    def record_current_state_of_files(self, *names: str) -> None:
        """Record the current state of these files, if it is not recorded yet."""
        stored = list(self.files.read_existing_instances(names))
        versions = self.record_and_read_versions(stored)
        gone = set(names).difference(instance.name for instance in stored)
        for name in [*(unrecorded for unrecorded, version in versions.items() if version is None), *gone]:
            self._lock_and_record_file(name)

    def create_records_of_new_files(self, names: Sequence[str]) -> set[str]:
        """Create records of new files, in one commit per author; at most AT_ONCE files.

        Return the names of recorded files; `record_current_state_of_files` handles the others.
        """
        records = self._source.get_records_or_none()
        done: set[str] = set()
        if records is None:
            return done
        try:
            with ExitStack() as alone:
                # Other code holds one lock at a time, so this cannot deadlock.
                slots = [alone.enter_context(self.files.lock_instance(name)) for name in sorted(names)]
                by_name = records.read_existing_records(self.space, names)
                new_instances = [
                    locked_instance.existing
                    for locked_instance in slots
                    if locked_instance.existing is not None and locked_instance.existing.name not in by_name
                ]
                for author in {self._get_author_of_file(stored) for stored in new_instances}:
                    values = {
                        stored.name: self._build_record_value(stored)
                        for stored in new_instances
                        if self._get_author_of_file(stored) == author
                    }
                    records.create_records_atomically(self.space, values, author)
                    done |= values.keys()
        except MetadataError as error:
            _logger.info(
                "new instances of schemaspace %s cannot be recorded in one transaction, and are recorded one by one: %s",
                self.space,
                error.detail,
            )
        return done

    def list_names_with_outdated_record(self) -> list[str] | None:
        """Return the names whose file and record differ, or of which one is missing; None while the catalog is unavailable.

        Raises StorageError.
        """
        records = self._source.get_records_or_none()
        if records is None:
            return None
        by_name = records.read_records_of_schemaspace(self.space)
        names = []
        for stored in self.files.read_existing_instances(self.files.list_instance_names()):
            record = by_name.pop(stored.name, None)
            if record is None or (_is_file_record(record) and not self._is_recorded_state(stored, record)):
                names.append(stored.name)
        return names + [name for name, unmatched in by_name.items() if _is_file_record(unmatched)]

    def list_unrecorded_saves(self) -> list[str]:
        """Return the names of unrecorded saves."""
        return sorted(self._unrecorded)

    def save_instance(
        self, name: str, document: Mapping[str, Any], condition: WriteCondition, principal: Principal
    ) -> SaveResult:
        """Write the file, then its record; while the catalog is unavailable, only the file, unless there is a condition."""
        with self.files.lock_instance(name) as locked_instance:
            previous = locked_instance.existing
            if condition.version == ABSENT and previous is not None:
                raise InstanceExists(self.space, name)
            found_record = self._get_expected_record(
                name, previous, condition
            ) or self._record_external_edit_of_locked_file(locked_instance, name)
            self._require_condition(name, condition, previous, found_record)
            stored = locked_instance.write_document_atomically(document, create=condition.version == ABSENT)
            version = self._record_save_now_or_later(found_record, stored, principal)
        return SaveResult(version, stored, previous)

    def remove_instance(self, name: str, condition: WriteCondition, principal: Principal) -> SaveResult:
        """Remove the file and its record, or record the instance of a lower level that becomes visible."""
        with self.files.lock_instance(name) as locked_instance:
            previous = locked_instance.existing
            if previous is None:
                raise InstanceNotFound(self.space, name)
            found_record = self._get_expected_record(
                name, previous, condition
            ) or self._record_external_edit_of_locked_file(locked_instance, name)
            self._require_condition(name, condition, previous, found_record)
            locked_instance.remove_file_and_return_instance()
            uncovered = locked_instance.existing
            if uncovered is not None:
                version = self._record_save_now_or_later(found_record, uncovered, principal)
                return SaveResult(version, uncovered, previous, found_record.version)
            self._unrecorded.pop(name, None)
            return self._record_removal_or_postpone(found_record, previous, principal)

    def restore_and_record_instance(self, name: str, file: str, principal: Principal) -> StoredInstance:
        """Restore an instance from an orphaned file, and record the principal. Raises the errors of `InstanceFiles.recover`."""
        stored = self.files.restore_from_backup_and_remove_it(name, file)
        self._unrecorded[name] = (stored.content_hash, principal)
        self.record_current_state_of_files(name)
        return stored

    def adopt_catalog_record_of_file(self, name: str, version: int | None, principal: Principal) -> None:
        """Make the catalog's own instance of this name the record of the file, so that its metadata stays.

        Raises ConditionFailed if it has another version, StoreUnavailable while the catalog is unavailable.
        """
        records = self._source.get_records_or_none()
        if records is None:
            raise StoreUnavailable(f"the catalog, which still stores {name}, is unavailable")
        with self.files.lock_instance(name) as locked_instance:
            if locked_instance.existing is None:
                raise InstanceNotFound(self.space, name)
            written_version = records.write_record(
                self.space, name, self._build_record_value(locked_instance.existing), principal, version
            )
            self._version_cache.store_version(locked_instance.existing, written_version)

    def close_store(self) -> None:
        """Do nothing: no resources are held."""

    def _require_condition(
        self, name: str, condition: WriteCondition, stored: StoredInstance | None, found_record: _FoundRecord
    ) -> None:
        """Raise ConditionFailed unless the condition holds; StoreUnavailable if it cannot be checked."""
        record = found_record.record
        if stored is None and condition.exists:
            raise InstanceNotFound(self.space, name)
        if stored is not None and record is None and condition.version is not None:
            why = "is unavailable" if found_record.records is None else "has its own instance of this name"
            raise StoreUnavailable(f"cannot check the version of {name}: the catalog {why}")
        condition.require_met(
            f"instance {name}",
            ABSENT if stored is None else get_version_or_absent(record) if record else 0,
            _get_time_of_instance(stored),
        )

    def _lock_and_record_file(self, name: str) -> tuple[StoredInstance | None, int | None]:
        """Record the file with its lock held; return it and its version, None if it cannot be recorded."""
        try:
            with self.files.lock_instance(name) as locked_instance:
                record = self._record_external_edit_of_locked_file(locked_instance, name).record
                return (
                    locked_instance.existing,
                    record.version if record is not None and locked_instance.existing is not None else None,
                )
        except MetadataError as error:
            _logger.warning(
                "instance %s of schemaspace %s cannot be recorded in the catalog: %s", name, self.space, error.detail
            )
            return self.files.find_instance(name), None

    def _get_expected_record(
        self, name: str, stored: StoredInstance | None, condition: WriteCondition
    ) -> _FoundRecord | None:
        """Return the expected record without reading it, if no version is requested and this process wrote the last one.

        The catalog refuses the write if the expectation is wrong.
        """
        if name in self._unrecorded or (stored is not None and condition.version is not None):
            return None
        guess = ABSENT if stored is None else self._version_cache.find_version_of_content(stored)
        records = self._source.get_records_or_none() if guess is not None else None
        return None if records is None else _FoundRecord(records, None, expected_version=guess)

    def _record_external_edit_of_locked_file(self, locked_instance: LockedInstance, name: str) -> _FoundRecord:
        """Return the record of the file, after recording external edits."""
        records = self._source.get_records_or_none()
        if records is None:
            return _FoundRecord(None, None)
        try:
            record = records.read_existing_records(self.space, [name]).get(name)
            if record is not None and not _is_file_record(record):
                return _FoundRecord(records, None, has_other_instance=True)
            stored = locked_instance.existing
            if stored is None:
                if record is not None:
                    records.delete_record(self.space, name, self._get_remover_of_file(name, record), record.version)
                self._unrecorded.pop(name, None)
                return _FoundRecord(records, None)
            if record is None or not self._is_recorded_state(stored, record):
                records.write_record(
                    self.space,
                    name,
                    self._build_record_value(stored),
                    self._get_author_of_file(stored),
                    get_version_or_absent(record),
                )
                record = records.read_existing_records(self.space, [name]).get(name)
            self._unrecorded.pop(name, None)
            self._version_cache.store_version(stored, get_version_or_absent(record))
        except StorageError as error:
            _logger.warning(
                "the catalog is unavailable: instances are saved as files, and recorded in the catalog later: %s",
                error.detail,
            )
            self._source.record_failure_and_pause(error)
            return _FoundRecord(None, None)
        return _FoundRecord(records, record)

    def _record_save_now_or_later(
        self, found_record: _FoundRecord, stored: StoredInstance, principal: Principal
    ) -> int | None:
        """Record a save, now or later; the save itself is done."""
        if found_record.has_other_instance:
            return None
        if found_record.records is not None:
            try:
                version = self._write_record_unless_catalog_instance(
                    found_record.records, found_record, stored, principal
                )
                self._unrecorded.pop(stored.name, None)
                return version
            except StorageError as error:
                _logger.warning(
                    "instance %s of schemaspace %s is saved as a file, and will be recorded in the catalog later: %s",
                    stored.name,
                    self.space,
                    error.detail,
                )
                self._source.record_failure_and_pause(error)
            except MetadataError as error:
                _logger.warning(
                    "instance %s of schemaspace %s is saved as a file, but cannot be recorded in the catalog: %s",
                    stored.name,
                    self.space,
                    error.detail,
                )
        self._unrecorded[stored.name] = (stored.content_hash, principal)
        return None

    def _write_record_unless_catalog_instance(
        self, records: InstanceRecords, found_record: _FoundRecord, stored: StoredInstance, principal: Principal
    ) -> int | None:
        """Write the record and return its version; None if the catalog has its own instance of the name."""
        value, before = self._build_record_value(stored), found_record.before
        try:
            version = records.write_record(self.space, stored.name, value, principal, before)
        except ConditionFailed:
            if found_record.expected_version is None:
                raise
            record = records.read_existing_records(self.space, [stored.name]).get(stored.name)
            if record is not None and not _is_file_record(record):
                return None
            if record is not None and before == ABSENT:
                # The record is of a file that was removed externally.
                records.delete_record(
                    self.space, stored.name, self._get_remover_of_file(stored.name, record), record.version
                )
                record = None
            version = records.write_record(self.space, stored.name, value, principal, get_version_or_absent(record))
        self._version_cache.store_version(stored, version)
        return version

    def _record_removal_or_postpone(
        self, found_record: _FoundRecord, previous: StoredInstance, principal: Principal
    ) -> SaveResult:
        """Record a removal, now or later; the removal itself is done."""
        self._version_cache.forget_version(previous.name)
        removed_version = None
        if found_record.records is not None:
            try:
                if found_record.version is not None:
                    removed_version = self._delete_record_unless_catalog_instance(
                        found_record.records, found_record.version, previous.name, principal
                    )
                return SaveResult(ABSENT, None, previous, removed_version)
            except StorageError as error:
                self._source.record_failure_and_pause(error)
        self._unrecorded[previous.name] = ("", principal)
        return SaveResult(None, None, previous)

    def _delete_record_unless_catalog_instance(
        self, records: InstanceRecords, expected_version: int, name: str, principal: Principal
    ) -> int | None:
        """Delete the record and return its version; None if the catalog has its own instance of the name."""
        try:
            records.delete_record(self.space, name, principal, expected_version)
        except ConditionFailed:
            # Another process has recorded the same content again since.
            record = records.read_existing_records(self.space, [name]).get(name)
            if record is None or not _is_file_record(record):
                return None
            records.delete_record(self.space, name, principal, record.version)
            return record.version
        return expected_version

    def _get_author_of_file(self, stored: StoredInstance) -> Principal:
        """Return who wrote the file: the principal of an unrecorded save, or the file's owner."""
        mark, principal = self._unrecorded.get(stored.name, ("", None))
        return (
            principal
            if principal is not None and mark == stored.content_hash
            else _create_principal_of_file_owner(stored.owner)
        )

    def _get_remover_of_file(self, name: str, record: InstanceRecord) -> Principal:
        """Return who removed a file: the principal of an unrecorded removal, or the folder's owner."""
        mark, principal = self._unrecorded.get(name, ("?", None))
        if principal is not None and not mark:
            return principal
        try:
            return _create_principal_of_file_owner(get_owner_name(os.stat(self.files.folders[0])))
        except OSError:
            return _create_principal_of_file_owner(record.actor)

    def _is_recorded_state(self, stored: StoredInstance, record: InstanceRecord) -> bool:
        return record.text == encode_canonical_json(self._build_record_value(stored))

    def _build_record_value(self, stored: StoredInstance) -> dict[str, Any]:
        """Return the value to record: the masked document with a digest of its secrets, or why it cannot be read."""
        if stored.document is None:
            return {PROBLEM: stored.problem, DIGEST: self._compute_secrets_digest(stored), SOURCE: "file"}
        masked = self._masks.mask_secrets_in_document(self.space, stored.document)
        value = {**masked, SOURCE: "file"}
        return value if masked is stored.document else value | {DIGEST: self._compute_secrets_digest(stored)}

    def _compute_secrets_digest(self, stored: StoredInstance) -> str:
        return hmac.digest(
            self._key(), f"{self.space}/{stored.name}/{stored.content_hash}".encode(), lambda: blake2b(digest_size=16)
        ).hex()


def _is_file_record(record: InstanceRecord) -> bool:
    """Return whether this is the record of a file, and not an instance stored in the catalog."""
    return f'"{SOURCE}":"file"' in record.text and record.value.get(SOURCE) == "file"


def _create_principal_of_file_owner(owner: str) -> Principal:
    return Principal(owner if owner.startswith(EXTERNAL_PREFIX) else f"{EXTERNAL_PREFIX}{owner}")


def _get_time_of_instance(stored: StoredInstance | None) -> int | None:
    return None if stored is None else stored.time
