"""The files of one schemaspace: one file per instance, in several folders of which the first is written (spec INST-9)."""

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from jupyter_colophon.core.errors import (
    InstanceExists,
    InstanceIsDirectory,
    InstanceNotFound,
    InvalidName,
    MalformedBody,
    RemovalNotPermitted,
    TransactionConflict,
)
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.storage.files import filenames, leftovers, reading, saving
from jupyter_colophon.storage.files.document_cache import PROCESS_WIDE, DocumentCache
from jupyter_colophon.storage.files.failures import translate_os_errors
from jupyter_colophon.storage.files.leftovers import ElyraBackup
from jupyter_colophon.storage.files.listing import FolderListing
from jupyter_colophon.storage.files.locks import WAIT_S, hold_file_lock, hold_thread_and_file_lock, hold_thread_lock
from jupyter_colophon.storage.files.own_writes import OwnFileWrites
from jupyter_colophon.storage.fsync import create_private_folders, remove_empty_folder

#: The errors of a folder that this account may not change.
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


class InstanceFiles:
    """The instances of one schemaspace. Safe for threads and beside other processes.

    Of files with one name in several folders, the first one counts, readable or not; the others are shadowed. Returned
    documents are shared: copy one before changing it.
    """

    def __init__(
        self, space: str, folders: Sequence[Path], *, cache: DocumentCache = PROCESS_WIDE, wait_s: float = WAIT_S
    ) -> None:
        """`folders` are those of the schemaspace (`paths.list_space_folders`); `wait_s` is the timeout for the lock of
        an instance.
        """
        self.space, self.folders = space, tuple(folders)
        self.wait_s, self._cache = wait_s, cache
        self.locks = self.folders[0] / filenames.LOCKS
        self._paths = [(f"{folder}{os.sep}", at == 0) for at, folder in enumerate(self.folders)]
        self._listing = FolderListing(self.folders)
        self.ours = OwnFileWrites(self.folders[0])

    def exists_any_folder(self) -> bool:
        """Return whether any folder of the schemaspace exists."""
        return any(folder.is_dir() for folder in self.folders)

    def list_instance_names(self) -> list[str]:
        """Return the names of all instances, sorted, by listing each folder.

        Raises StorageError if the first folder cannot be listed; other unreadable folders are skipped.
        """
        return sorted(self._listing.list_instance_names())

    def find_instance(self, name: str) -> StoredInstance | None:
        """Return the instance, readable or not; None if it does not exist."""
        if filenames.find_filename_problem(name):
            return None
        for folder, own in self._paths:
            instance = reading.read_instance_file(
                f"{folder}{name}{filenames.SUFFIX}", name, is_removable=own, cache=self._cache
            )
            if instance is not None:
                return instance
        return None

    def read_existing_instances(self, names: Iterable[str]) -> Iterator[StoredInstance]:
        """Yield the existing ones of these instances, in the order of the names. An unchanged one costs one stat."""
        for name in names:
            instance = self.find_instance(name)
            if instance is not None:
                yield instance

    @contextmanager
    def lock_instance(self, name: str) -> Iterator["LockedInstance"]:
        """Lock an instance for changes, across threads and processes.

        The lock is not reentrant. Nothing is created before something is written; if the first folder does not exist or
        is not writable, only threads of this process exclude each other until then. Raises InvalidName for an
        impossible file name, StoreUnavailable after `wait_s`, StoreFull, StorageError.
        """
        fault = filenames.find_filename_problem(name)
        if fault:
            raise InvalidName("instance name", name, fault)
        with ExitStack() as stack:
            stack.enter_context(hold_thread_lock(self.locks, filenames.get_lock_file_name(name), self.wait_s))
            locked_instance = LockedInstance(self, name, stack)
            locked_instance.lock_and_read()
            yield locked_instance

    @contextmanager
    def lock_instance_for_merge(self, name: str) -> Iterator[None]:
        """Lock the merging of an instance: reading it, merging and saving it, if no catalog compares versions. Each
        save locks the instance inside. Raises StoreUnavailable after `wait_s`, StorageError.
        """
        with ExitStack() as stack:
            if self.folders[0].is_dir() and not filenames.find_filename_problem(name):
                file = f"merge-{filenames.get_lock_file_name(name)}"
                with translate_os_errors(f"{name} cannot be locked"):
                    stack.enter_context(hold_thread_and_file_lock(self.locks, file, self.wait_s))
            yield

    def was_saved_by_this_process(self, name: str) -> bool:
        """Return whether a reported change is our own save: the file is unchanged since, and this was not asked before."""
        return self.ours.was_written_by_this_process(name)

    def remove_temporary_files_and_list_backups(self) -> list[str]:
        """Remove temporary files of interrupted saves that are not in use; return the names of Elyra's backups."""
        leftovers.remove_unused_temporary_files(self.folders[0])
        return [leftover.file for leftover in self.list_elyra_backups()]

    def list_elyra_backups(self) -> list[ElyraBackup]:
        """Return Elyra's backups of interrupted saves in the first folder."""
        return leftovers.list_elyra_backups(self.folders[0])

    def restore_from_backup_and_remove_it(self, name: str, backup: str) -> StoredInstance:
        """Restore an instance from a backup if its own file is missing or unreadable, and remove the backup.

        `backup` is the name of the backup. Raises InstanceNotFound if there is no such backup, InstanceExists if the
        instance's own file is readable, InstanceUnreadable if the backup is not, and the errors of
        `LockedInstance.write`.
        """
        with self.lock_instance(name) as locked_instance:
            if (
                locked_instance.existing is not None
                and locked_instance.existing.is_removable
                and locked_instance.existing.document is not None
            ):
                raise InstanceExists(self.space, name)
            instance = locked_instance.write_document_atomically(
                leftovers.read_backup_document(self.folders[0], self.space, name, backup), create=False
            )
            leftovers.remove_backup(self.folders[0], self.space, name, backup)
            return instance

    def delete_backup(self, name: str, backup: str) -> None:
        """Delete a backup. Raises InstanceNotFound if it does not exist, and StorageError."""
        leftovers.remove_backup(self.folders[0], self.space, name, backup)


class LockedInstance:
    """An instance that is locked for changes. `existing` is the instance in any folder, None if there is none."""

    def __init__(self, files: InstanceFiles, name: str, stack: ExitStack) -> None:
        self._files, self._name, self._stack = files, name, stack
        self._folder = files.folders[0]
        self._path = f"{self._folder}{os.sep}{name}{filenames.SUFFIX}"
        self._is_locked = False
        self.existing: StoredInstance | None = None

    def lock_and_read(self) -> None:
        """Lock the file and read it."""
        if self._folder.is_dir():
            try:
                self._lock_file()
            except OSError as error:
                if error.errno not in _READ_ONLY:
                    with translate_os_errors(f"{self._name} cannot be locked"):
                        raise
        self.existing = self._files.find_instance(self._name)

    def write_document_atomically(self, document: Mapping[str, Any], *, create: bool) -> StoredInstance:
        """Write the document atomically and durably to the first folder, replacing an existing file, readable or not.

        With `create`, raises InstanceExists if an instance of the name exists in any folder. Raises MalformedBody and
        TooLarge for a document that could not be read again, TransactionConflict (try again), InstanceIsDirectory,
        StoreFull, StorageError; the file is then unchanged.
        """
        if create and self.existing is not None:
            raise InstanceExists(self._files.space, self._name)
        self._require_target_is_no_folder()
        text, written = _encode_document_and_reparse(document)
        with translate_os_errors(f"{self._name} cannot be saved"):
            self._lock_folder_and_require_unchanged(create=create)
            try:
                status = saving.save_file_durably(self._folder, self._name, text, create=create)
            except FileExistsError:
                raise InstanceExists(self._files.space, self._name) from None
        self._files.ours.record_own_write(self._name, status)
        time, owner = status.st_mtime_ns // 1_000_000, reading.get_owner_name(status)
        self.existing = StoredInstance(
            self._name, written, self._path, reading.hash_instance_document(written), True, "", time, owner
        )
        return self.existing

    def remove_file_and_return_instance(self) -> StoredInstance:
        """Remove the file, readable or not, and return the removed instance. The file of the next folder becomes
        visible.

        Raises InstanceNotFound, RemovalNotPermitted if it is not in the first folder, InstanceIsDirectory, and
        StorageError.
        """
        instance = self.existing
        if instance is None:
            raise InstanceNotFound(self._files.space, self._name)
        if not instance.is_removable:
            raise RemovalNotPermitted(self._files.space, self._name)
        self._require_target_is_no_folder()
        with translate_os_errors(f"{self._name} cannot be removed"):
            self._lock_folder_and_require_unchanged(create=False)
            try:
                saving.remove_file_durably(self._folder, self._name)
            except FileNotFoundError:
                raise InstanceNotFound(self._files.space, self._name) from None
        self.existing = self._files.find_instance(self._name)
        if self.existing is None:
            self._files.ours.record_own_write(self._name, None)
        return instance

    def _require_target_is_no_folder(self) -> None:
        if os.path.isdir(self._path) and not os.path.islink(self._path):
            raise InstanceIsDirectory(self._name)

    def _lock_folder_and_require_unchanged(self, *, create: bool) -> None:
        """Create the folder and lock it before the first write; check that what was read without a lock is unchanged.
        Raises OSError.
        """
        created = create_private_folders(self._folder)
        if self._is_locked:
            return
        if created:
            self._stack.callback(_remove_empty_folders, self._files.locks, *reversed(created))
        self._lock_file()
        before, self.existing = self.existing, self._files.find_instance(self._name)
        if create and self.existing is not None:
            raise InstanceExists(self._files.space, self._name)
        if (before and before.content_hash) != (self.existing and self.existing.content_hash):
            raise TransactionConflict(f"{self._name} was changed at the same time by another process")

    def _lock_file(self) -> None:
        deadline = monotonic() + self._files.wait_s
        self._stack.enter_context(hold_file_lock(self._files.locks, filenames.get_lock_file_name(self._name), deadline))
        self._is_locked = True


def _encode_document_and_reparse(document: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """Return a document as it is written (formatted as by Elyra, but with non-ASCII characters unescaped) and as it
    will be read.

    Raises MalformedBody and TooLarge for a document that could not be read again.
    """
    stored = {key: value for key, value in document.items() if key not in reading.NOT_IN_DOCUMENT}
    try:
        text = json.dumps(stored, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):
        raise MalformedBody("the document cannot be written as JSON") from None
    return text, reading.parse_instance_document(text)


def _remove_empty_folders(*folders: Path) -> None:
    """Remove folders that were created for a write that did not happen."""
    with suppress(OSError):
        for folder in folders:
            remove_empty_folder(folder)
