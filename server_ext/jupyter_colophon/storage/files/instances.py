"""The files of one schemaspace: one instance a file, in folders of which the first is written (spec INST-9)."""

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
from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.storage.files import filenames, leftovers, reading, saving
from jupyter_colophon.storage.files.document_cache import PROCESS_WIDE, KeptDocuments
from jupyter_colophon.storage.files.failures import translate_errors
from jupyter_colophon.storage.files.leftovers import Leftover
from jupyter_colophon.storage.files.listing import Listing
from jupyter_colophon.storage.files.locks import WAIT_S, locked, locked_file, turn
from jupyter_colophon.storage.files.own_writes import OurChanges
from jupyter_colophon.storage.fsync import make_folder, remove_folder

#: A folder that this account may not change says one of these.
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


class InstanceFiles:
    """The instances of one schemaspace. Safe from any thread, and beside other processes.

    Of files of one name in several folders, the first one counts, readable or not; the others are shadowed, and
    harm nothing whatever they are. The documents that it hands out are shared: whoever wants to change one, copies it.
    """

    def __init__(
        self, space: str, folders: Sequence[Path], *, kept: KeptDocuments = PROCESS_WIDE, wait_s: float = WAIT_S
    ) -> None:
        """`folders` are those of the schemaspace (`places.space_folders`); `wait_s` is how long a change of another
        process is waited for."""
        self.space, self.folders = space, tuple(folders)
        self.wait_s, self._kept = wait_s, kept
        self.locks = self.folders[0] / filenames.LOCKS
        self._paths = [(f"{folder}{os.sep}", at == 0) for at, folder in enumerate(self.folders)]
        self._listing = Listing(self.folders)
        self.ours = OurChanges(self.folders[0])

    def exists(self) -> bool:
        """Whether the schemaspace has a folder anywhere."""
        return any(folder.is_dir() for folder in self.folders)

    def names(self) -> list[str]:
        """The names of all instances, sorted: one look at each folder, none into a file.

        Raises StorageError where the folder that is written cannot be listed; others that cannot are left out.
        """
        return sorted(self._listing.names())

    def read(self, name: str) -> Held | None:
        """Return the instance, readable or not; None if it does not exist."""
        if filenames.fault(name):
            return None
        for folder, own in self._paths:
            held = reading.read(f"{folder}{name}{filenames.SUFFIX}", name, own=own, kept=self._kept)
            if held is not None:
                return held
        return None

    def read_many(self, names: Iterable[str]) -> Iterator[Held]:
        """Those of the names that are there, in their order. What is unchanged since it was read costs one stat each."""
        for name in names:
            held = self.read(name)
            if held is not None:
                yield held

    @contextmanager
    def slot(self, name: str) -> Iterator["Slot"]:
        """The one place where an instance is changed, by one at a time across threads and processes.

        Do not ask for the same name again within: that waits for itself. Nothing is made before something is written.
        Where the first folder is not there or may not be written, only the threads of this process wait for each other,
        until something is. Raises InvalidName for a name that no file can have, StoreUnavailable after `wait_s`,
        StoreFull, StorageError.
        """
        fault = filenames.fault(name)
        if fault:
            raise InvalidName("instance name", name, fault)
        with ExitStack() as stack:
            stack.enter_context(turn(self.locks, filenames.lock_of(name), self.wait_s))
            slot = Slot(self, name, stack)
            slot.open()
            yield slot

    @contextmanager
    def merging(self, name: str) -> Iterator[None]:
        """Be alone among those who ask for this: who reads an instance, merges into it and saves it where no catalog
        tells versions. Each save takes its slot within. Raises StoreUnavailable after `wait_s`, StorageError."""
        with ExitStack() as stack:
            if self.folders[0].is_dir() and not filenames.fault(name):
                file = f"merge-{filenames.lock_of(name)}"
                with translate_errors(f"{name} cannot be locked"):
                    stack.enter_context(locked(self.locks, file, self.wait_s))
            yield

    def is_our_change(self, name: str) -> bool:
        """Return whether the watch reports one of our own saves: the file is unchanged since, and this was not asked before."""
        return self.ours.claimed(name)

    def sweep(self) -> list[str]:
        """Remove what killed saves of ours left behind, and nobody is using; returns the files that Elyra's did."""
        leftovers.sweep(self.folders[0])
        return [one.file for one in self.leftovers()]

    def leftovers(self) -> list[Leftover]:
        """What killed saves of Elyra's left behind in the folder that is written, and names that cannot be used."""
        return leftovers.found(self.folders[0])

    def recover(self, name: str, which: str) -> Held:
        """Let a leftover be the instance again, where its own file is missing or cannot be read; the leftover is gone then.

        `which` is the leftover's file. Raises InstanceNotFound where there is no such leftover, InstanceExists where the
        instance's own file can be read, InstanceUnreadable where the leftover cannot, and what `Slot.write` raises.
        """
        with self.slot(name) as slot:
            if slot.held is not None and slot.held.own and slot.held.document is not None:
                raise InstanceExists(self.space, name)
            held = slot.write(leftovers.document(self.folders[0], self.space, name, which), create=False)
            leftovers.discard(self.folders[0], self.space, name, which)
            return held

    def discard(self, name: str, which: str) -> None:
        """Delete a leftover. Raises InstanceNotFound if it does not exist, and StorageError."""
        leftovers.discard(self.folders[0], self.space, name, which)


class Slot:
    """An instance while it is changed by us alone. `held` is what is there, at any level; None where nothing is."""

    def __init__(self, files: InstanceFiles, name: str, stack: ExitStack) -> None:
        self._files, self._name, self._stack = files, name, stack
        self._folder = files.folders[0]
        self._path = f"{self._folder}{os.sep}{name}{filenames.SUFFIX}"
        self._is_locked = False
        self.held: Held | None = None

    def open(self) -> None:
        """Lock the file and look at it."""
        if self._folder.is_dir():
            try:
                self._lock()
            except OSError as error:
                if error.errno not in _READ_ONLY:
                    with translate_errors(f"{self._name} cannot be locked"):
                        raise
        self.held = self._files.read(self._name)

    def write(self, document: Mapping[str, Any], *, create: bool) -> Held:
        """Write the document whole and durably to the first folder; what is there, readable or not, is replaced.

        With `create`, raises InstanceExists where there is an instance of the name at any level. Raises MalformedBody and
        TooLarge for what could not be read again, TransactionConflict (ask again), InstanceIsDirectory, StoreFull, StorageError; then the
        file is as it was.
        """
        if create and self.held is not None:
            raise InstanceExists(self._files.space, self._name)
        self._refuse_folder()
        text, kept = _written(document)
        with translate_errors(f"{self._name} cannot be saved"):
            self._settle(create=create)
            try:
                status = saving.save(self._folder, self._name, text, create=create)
            except FileExistsError:
                raise InstanceExists(self._files.space, self._name) from None
        self._files.ours.left(self._name, status)
        time, owner = status.st_mtime_ns // 1_000_000, reading.owner_of(status)
        self.held = Held(self._name, kept, self._path, reading.mark_of(kept), True, "", time, owner)
        return self.held

    def remove(self) -> Held:
        """Remove the file, readable or not; returns what it was. A lower level of the name shows again.

        Raises InstanceNotFound, RemovalNotPermitted where it is not in the first folder, InstanceIsDirectory, and StorageError.
        """
        held = self.held
        if held is None:
            raise InstanceNotFound(self._files.space, self._name)
        if not held.own:
            raise RemovalNotPermitted(self._files.space, self._name)
        self._refuse_folder()
        with translate_errors(f"{self._name} cannot be removed"):
            self._settle(create=False)
            try:
                saving.remove(self._folder, self._name)
            except FileNotFoundError:
                raise InstanceNotFound(self._files.space, self._name) from None
        self.held = self._files.read(self._name)
        if self.held is None:
            self._files.ours.left(self._name, None)
        return held

    def _refuse_folder(self) -> None:
        if os.path.isdir(self._path) and not os.path.islink(self._path):
            raise InstanceIsDirectory(self._name)

    def _settle(self, *, create: bool) -> None:
        """Before the first change: what was looked at without a lock must still be so. Raises OSError."""
        made = make_folder(self._folder)
        if self._is_locked:
            return
        if made:
            self._stack.callback(_remove_empty, self._files.locks, *reversed(made))
        self._lock()
        before, self.held = self.held, self._files.read(self._name)
        if create and self.held is not None:
            raise InstanceExists(self._files.space, self._name)
        if (before and before.mark) != (self.held and self.held.mark):
            raise TransactionConflict(f"{self._name} was changed by somebody else at the same time")

    def _lock(self) -> None:
        deadline = monotonic() + self._files.wait_s
        self._stack.enter_context(locked_file(self._files.locks, filenames.lock_of(self._name), deadline))
        self._is_locked = True


def _written(document: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """A document as it is written (as Elyra does, but with letters as they are), and as it will be read.

    Raises MalformedBody and TooLarge for what reading would refuse, so that no file is written that cannot be read again.
    """
    stored = {key: value for key, value in document.items() if key not in reading.NOT_IN_DOCUMENT}
    try:
        text = json.dumps(stored, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):
        raise MalformedBody("the document cannot be written as JSON") from None
    return text, reading.document_of(text)


def _remove_empty(*folders: Path) -> None:
    """What was made for a change that did not happen goes again."""
    with suppress(OSError):
        for folder in folders:
            remove_folder(folder)
