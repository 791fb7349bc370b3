"""What killed saves of Elyra's left behind among the files of a schemaspace: told, brought back, or thrown away (spec INST-11)."""

from collections.abc import Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InstanceNotFound, StoreUnavailable
from jupyter_colophon.service.instances.file_store import FileInstances
from jupyter_colophon.service.instances.store_protocol import InstanceStore
from jupyter_colophon.storage.files.leftovers import Leftover


@dataclass(frozen=True, slots=True)
class Recovery:
    """The leftovers of one schemaspace, for one who may do this."""

    store: FileInstances
    principal: Principal

    @classmethod
    def of(cls, store: InstanceStore, principal: Principal) -> "Recovery":
        """Those among the files of this store. Raises StoreUnavailable for a store of another kind."""
        if not isinstance(store, FileInstances):
            raise StoreUnavailable(f"instances of {store.space} are not in files")
        return cls(store, principal)

    def leftovers(self) -> Sequence[Leftover]:
        """All of them, by the names of their instances, the newest first. Raises StorageError."""
        return self.store.files.leftovers()

    def recover(self, file: str, name: str = "") -> str:
        """Let a leftover be its instance again, and record that; returns the instance's name.

        Raises InstanceNotFound where there is no such leftover (of this name), InstanceExists where the instance can be
        read, InstanceUnreadable where the leftover cannot, StorageError.
        """
        name = name or self._name(file)
        self.store.recover(name, file, self.principal)
        return name

    def discard(self, file: str, name: str = "") -> None:
        """Throw a leftover away. Raises InstanceNotFound where there is no such one, StorageError."""
        self.store.files.discard(name or self._name(file), file)

    def _name(self, file: str) -> str:
        found = next((one.name for one in self.leftovers() if one.file == file), None)
        if found is None:
            raise InstanceNotFound(self.store.space, file)
        return found
