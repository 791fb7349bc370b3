"""Files that killed saves of Elyra left in a schemaspace: list, recover or discard them (spec INST-11)."""

from collections.abc import Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InstanceNotFound, StoreUnavailable
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from jupyter_colophon.service.instances.stores.protocol import InstanceStore
from jupyter_colophon.storage.files.leftovers import ElyraBackup


@dataclass(frozen=True, slots=True)
class InstanceFileRecovery:
    """The orphaned files of one schemaspace, for an authorised principal."""

    store: FileInstanceStore
    principal: Principal

    @classmethod
    def from_store(cls, store: InstanceStore, principal: Principal) -> "InstanceFileRecovery":
        """Create it for a store of files. Raises StoreUnavailable for other kinds of store."""
        if not isinstance(store, FileInstanceStore):
            raise StoreUnavailable(f"instances of {store.space} are not in files")
        return cls(store, principal)

    def list_orphaned_files(self) -> Sequence[ElyraBackup]:
        """Return all orphaned files, by instance name, newest first. Raises StorageError."""
        return self.store.files.list_elyra_backups()

    def restore_instance_from_file(self, file: str, name: str = "") -> str:
        """Restore an instance from an orphaned file, and record that; return the instance's name.

        Raises InstanceNotFound if there is no such file (of this name), InstanceExists if the instance can be read,
        InstanceUnreadable if the file cannot, StorageError.
        """
        name = name or self._find_instance_name_of_file(file)
        self.store.restore_and_record_instance(name, file, self.principal)
        return name

    def delete_orphaned_file(self, file: str, name: str = "") -> None:
        """Delete an orphaned file. Raises InstanceNotFound if there is no such file, StorageError."""
        self.store.files.delete_backup(name or self._find_instance_name_of_file(file), file)

    def _find_instance_name_of_file(self, file: str) -> str:
        name = next((leftover.name for leftover in self.list_orphaned_files() if leftover.file == file), None)
        if name is None:
            raise InstanceNotFound(self.store.space, file)
        return name
