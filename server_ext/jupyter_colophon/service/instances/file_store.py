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
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.errors import (
    ConditionFailed,
    InstanceExists,
    InstanceNotFound,
    MetadataError,
    StorageError,
    StoreUnavailable,
)
from jupyter_colophon.core.instances.instance import Held, Kept
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.service.instances.masking import Masks
from jupyter_colophon.service.instances.records import (
    DIGEST,
    KEPT,
    PROBLEM,
    Record,
    Records,
    RecordsSource,
    version_of,
)
from jupyter_colophon.service.instances.version_cache import Remembered
from jupyter_colophon.storage.files.instances import InstanceFiles, Slot
from jupyter_colophon.storage.files.reading import owner_of

#: How many files are recorded in one commit, to keep transactions short.
AT_ONCE = 100
#: The prefix of the actor of external edits, before the file owner's account name.
OUTSIDE = "outside:"
_logger = logging.getLogger(__name__)


class _Found(NamedTuple):
    """The records, and that of one file; None if unavailable. With `is_anothers`, the catalog stores its own instance of the name.

    With a `guess`, the record was not read: it is its expected version.
    """

    records: Records | None
    record: Record | None
    is_anothers: bool = False
    guess: int | None = None

    @property
    def before(self) -> int:
        """The current version, -1 if there is none."""
        return version_of(self.record) if self.guess is None else self.guess


class FileInstances:
    """An InstanceStore of files, with records in the catalog for versions, history and search."""

    keeps_secrets = True

    def __init__(self, files: InstanceFiles, masks: Masks, records: RecordsSource, key: Callable[[], bytes]) -> None:
        """`key` is for digests of secrets, and not stored in the catalog."""
        self.space, self.files = files.space, files
        self._masks, self._source, self._key = masks, records, key
        #: Saves that are not recorded yet: the mark of the saved content, and the principal.
        self._unrecorded: dict[str, tuple[str, Principal]] = {}
        self._remembered = Remembered()

    def exists(self) -> bool:
        """Return whether there is a folder."""
        return self.files.exists()

    def names(self) -> list[str]:
        """Return the names of all files at any level, sorted."""
        return self.files.names()

    def read(self, name: str) -> Held | None:
        """Return one file."""
        return self.files.read(name)

    def read_many(self, names: Iterable[str]) -> Iterator[Held]:
        """Yield the existing files of these names."""
        return self.files.read_many(names)

    def current(self, name: str) -> tuple[Held | None, int | None]:
        """Return one file and its record's version; an external edit is recorded first."""
        held = self.files.read(name)
        versions = self.versions([held]) if held is not None else {}
        if held is None or versions.get(name) is not None or self._source.ask() is None:
            return held, versions.get(name)
        # It changed concurrently: try again with the lock held.
        return self._settled(name)

    def versions(self, held: Sequence[Held]) -> Mapping[str, int | None]:
        """Return the versions of these files, None if unrecorded; external edits are recorded first."""
        records = self._source.ask()
        found: dict[str, int | None] = dict.fromkeys(one.name for one in held)
        if records is None:
            return found
        try:
            there = self._records_of(records, [one.name for one in held])
        except StorageError as error:
            self._source.away(error)
            return found
        for one in held:
            record = there.get(one.name)
            if record is not None and self._is_recorded(one, record):
                found[one.name] = record.version
            elif record is None or _is_ours(record):
                now, version = self._settled(one.name)
                found[one.name] = version if now is not None and now.mark == one.mark else None
        return found

    def _records_of(self, records: Records, names: Sequence[str]) -> Mapping[str, Record]:
        """Return the records of these files; missing ones are created together."""
        there = records.of(self.space, names)
        new = [name for name in names if name not in there]
        for start in range(0, len(new), AT_ONCE) if len(new) > 1 else ():
            self.settle_new(new[start : start + AT_ONCE])
        return records.of(self.space, names) if len(new) > 1 else there

    def settle(self, *names: str) -> None:
        """Record the current state of these files, if it is not recorded yet."""
        held = list(self.files.read_many(names))
        known = self.versions(held)
        gone = set(names).difference(one.name for one in held)
        for name in [*(one for one, version in known.items() if version is None), *gone]:
            self._settled(name)

    def settle_new(self, names: Sequence[str]) -> set[str]:
        """Create records of new files, in one commit per author; at most AT_ONCE files.

        Return the names of recorded files; `settle` handles the others.
        """
        records = self._source.ask()
        done: set[str] = set()
        if records is None:
            return done
        try:
            with ExitStack() as alone:
                # Other code holds one lock at a time, so this cannot deadlock.
                slots = [alone.enter_context(self.files.slot(name)) for name in sorted(names)]
                there = records.of(self.space, names)
                found = [slot.held for slot in slots if slot.held is not None and slot.held.name not in there]
                for author in {self._author(held) for held in found}:
                    values = {held.name: self._value(held) for held in found if self._author(held) == author}
                    records.write_all(self.space, values, author)
                    done |= values.keys()
        except MetadataError as error:
            _logger.info(
                "instances of %s cannot be recorded together, and are recorded one by one: %s", self.space, error.detail
            )
        return done

    def unsettled(self) -> list[str] | None:
        """Return the names whose file and record differ, or of which one is missing; None while the catalog is unavailable.

        Raises StorageError.
        """
        records = self._source.ask()
        if records is None:
            return None
        there = records.all(self.space)
        found = []
        for held in self.files.read_many(self.files.names()):
            record = there.pop(held.name, None)
            if record is None or (_is_ours(record) and not self._is_recorded(held, record)):
                found.append(held.name)
        return found + [name for name, one in there.items() if _is_ours(one)]

    def waiting(self) -> list[str]:
        """Return the names of unrecorded saves."""
        return sorted(self._unrecorded)

    def save(self, name: str, document: Mapping[str, Any], condition: Condition, principal: Principal) -> Kept:
        """Write the file, then its record; while the catalog is unavailable, only the file, unless there is a condition."""
        with self.files.slot(name) as slot:
            previous = slot.held
            if condition.version == ABSENT and previous is not None:
                raise InstanceExists(self.space, name)
            found = self._guessed(name, previous, condition) or self._recorded(slot, name)
            self._check(name, condition, previous, found)
            held = slot.write(document, create=condition.version == ABSENT)
            version = self._note(found, held, principal)
        return Kept(version, held, previous)

    def remove(self, name: str, condition: Condition, principal: Principal) -> Kept:
        """Remove the file and its record, or record the instance of a lower level that becomes visible."""
        with self.files.slot(name) as slot:
            previous = slot.held
            if previous is None:
                raise InstanceNotFound(self.space, name)
            found = self._recorded(slot, name)
            self._check(name, condition, previous, found)
            slot.remove()
            uncovered = slot.held
            if uncovered is not None:
                return Kept(self._note(found, uncovered, principal), uncovered, previous)
            self._unrecorded.pop(name, None)
            gone = self._forget(found, name, principal)
        return Kept(ABSENT if gone else None, None, previous)

    def recover(self, name: str, file: str, principal: Principal) -> Held:
        """Restore an instance from an orphaned file, and record the principal. Raises the errors of `InstanceFiles.recover`."""
        held = self.files.recover(name, file)
        self._unrecorded[name] = (held.mark, principal)
        self.settle(name)
        return held

    def take_over(self, name: str, version: int | None, principal: Principal) -> None:
        """Make the catalog's own instance of this name the record of the file, so that its metadata stays.

        Raises ConditionFailed if it has another version, StoreUnavailable while the catalog is unavailable.
        """
        records = self._source.ask()
        if records is None:
            raise StoreUnavailable(f"the catalog, which still stores {name}, is unavailable")
        with self.files.slot(name) as slot:
            if slot.held is None:
                raise InstanceNotFound(self.space, name)
            made = records.write(self.space, name, self._value(slot.held), principal, version)
            self._remembered.keep(slot.held, made)

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _check(self, name: str, condition: Condition, held: Held | None, found: _Found) -> None:
        """Raise ConditionFailed unless the condition holds; StoreUnavailable if it cannot be checked."""
        record = found.record
        if held is None and condition.exists:
            raise InstanceNotFound(self.space, name)
        if held is not None and record is None and condition.version is not None:
            why = "is unavailable" if found.records is None else "has its own instance of this name"
            raise StoreUnavailable(f"cannot check the version of {name}: the catalog {why}")
        condition.check(
            f"instance {name}", ABSENT if held is None else version_of(record) if record else 0, _time(held)
        )

    def _settled(self, name: str) -> tuple[Held | None, int | None]:
        """Record the file with its lock held; return it and its version, None if it cannot be recorded."""
        try:
            with self.files.slot(name) as slot:
                record = self._recorded(slot, name).record
                return slot.held, record.version if record is not None and slot.held is not None else None
        except MetadataError as error:
            _logger.warning("instance %s of %s cannot be recorded: %s", name, self.space, error.detail)
            return self.files.read(name), None

    def _guessed(self, name: str, held: Held | None, condition: Condition) -> _Found | None:
        """Return the expected record without reading it, if no version is requested and this process wrote the last one.

        The catalog refuses the write if the expectation is wrong.
        """
        if name in self._unrecorded or (held is not None and condition.version is not None):
            return None
        guess = ABSENT if held is None else self._remembered.version(held)
        records = self._source.ask() if guess is not None else None
        return None if records is None else _Found(records, None, guess=guess)

    def _recorded(self, slot: Slot, name: str) -> _Found:
        """Return the record of the file, after recording external edits."""
        records = self._source.ask()
        if records is None:
            return _Found(None, None)
        try:
            record = records.of(self.space, [name]).get(name)
            if record is not None and not _is_ours(record):
                return _Found(records, None, is_anothers=True)
            held = slot.held
            if held is None:
                if record is not None:
                    records.remove(self.space, name, self._remover(name, record), record.version)
                self._unrecorded.pop(name, None)
                return _Found(records, None)
            if record is None or not self._is_recorded(held, record):
                records.write(self.space, name, self._value(held), self._author(held), version_of(record))
                record = records.of(self.space, [name]).get(name)
            self._unrecorded.pop(name, None)
            self._remembered.keep(held, version_of(record))
        except StorageError as error:
            _logger.warning("the catalog is unavailable; instances are saved without records: %s", error.detail)
            self._source.away(error)
            return _Found(None, None)
        return _Found(records, record)

    def _note(self, found: _Found, held: Held, principal: Principal) -> int | None:
        """Record a save, now or later; the save itself is done."""
        if found.is_anothers:
            return None
        if found.records is not None:
            try:
                version = self._written(found.records, found, held, principal)
                self._unrecorded.pop(held.name, None)
                return version
            except StorageError as error:
                _logger.warning(
                    "%s of %s is saved, and will be recorded later: %s", held.name, self.space, error.detail
                )
                self._source.away(error)
            except MetadataError as error:
                _logger.warning("%s of %s is saved, but cannot be recorded: %s", held.name, self.space, error.detail)
        self._unrecorded[held.name] = (held.mark, principal)
        return None

    def _written(self, records: Records, found: _Found, held: Held, principal: Principal) -> int | None:
        """Write the record and return its version; None if the catalog has its own instance of the name."""
        value, before = self._value(held), found.before
        try:
            version = records.write(self.space, held.name, value, principal, before)
        except ConditionFailed:
            if found.guess is None:
                raise
            record = records.of(self.space, [held.name]).get(held.name)
            if record is not None and not _is_ours(record):
                return None
            if record is not None and before == ABSENT:
                # The record is of a file that was removed externally.
                records.remove(self.space, held.name, self._remover(held.name, record), record.version)
                record = None
            version = records.write(self.space, held.name, value, principal, version_of(record))
        self._remembered.keep(held, version)
        return version

    def _forget(self, found: _Found, name: str, principal: Principal) -> bool:
        if found.records is None:
            self._unrecorded[name] = ("", principal)
            return False
        if found.record is not None:
            try:
                found.records.remove(self.space, name, principal, found.record.version)
            except StorageError as error:
                self._source.away(error)
                self._unrecorded[name] = ("", principal)
                return False
        return True

    def _author(self, held: Held) -> Principal:
        """Return who wrote the file: the principal of an unrecorded save, or the file's owner."""
        mark, principal = self._unrecorded.get(held.name, ("", None))
        return principal if principal is not None and mark == held.mark else _outside(held.owner)

    def _remover(self, name: str, record: Record) -> Principal:
        """Return who removed a file: the principal of an unrecorded removal, or the folder's owner."""
        mark, principal = self._unrecorded.get(name, ("?", None))
        if principal is not None and not mark:
            return principal
        try:
            return _outside(owner_of(os.stat(self.files.folders[0])))
        except OSError:
            return _outside(record.actor)

    def _is_recorded(self, held: Held, record: Record) -> bool:
        return record.text == compact(self._value(held))

    def _value(self, held: Held) -> dict[str, Any]:
        """Return the value to record: the masked document with a digest of its secrets, or why it cannot be read."""
        if held.document is None:
            return {PROBLEM: held.problem, DIGEST: self._digest(held), KEPT: "file"}
        masked = self._masks.masked(self.space, held.document)
        value = {**masked, KEPT: "file"}
        return value if masked is held.document else value | {DIGEST: self._digest(held)}

    def _digest(self, held: Held) -> str:
        return hmac.digest(
            self._key(), f"{self.space}/{held.name}/{held.mark}".encode(), lambda: blake2b(digest_size=16)
        ).hex()


def _is_ours(record: Record) -> bool:
    """Return whether this is the record of a file, and not an instance stored in the catalog."""
    return f'"{KEPT}":"file"' in record.text and record.value.get(KEPT) == "file"


def _outside(owner: str) -> Principal:
    return Principal(owner if owner.startswith(OUTSIDE) else f"{OUTSIDE}{owner}")


def _time(held: Held | None) -> int | None:
    return None if held is None else held.time
