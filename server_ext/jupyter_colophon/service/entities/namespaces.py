"""Delete a namespace with its content: invisible at once, removed in the background (spec WRITE-15).

Until everything is removed, nothing can be written in the namespace, and it cannot be created again. So readers never
see old rows in a new namespace, and new rows are never removed.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_colophon.core.access import INTERNAL, Principal
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.service.instances.secrets.stores import SecretStores
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.storage.app_files.rows import read_generation
from jupyter_colophon.storage.changes.stream_files import EventFiles
from jupyter_colophon.storage.entities.deleting_namespaces import (
    is_namespace_being_deleted,
    list_namespaces_being_deleted,
)
from jupyter_colophon.storage.namespace_secrets import list_references_until
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.system.worker import Worker

#: The actor of background deletions; the change of the namespace itself has the requesting user.
_PRINCIPAL = INTERNAL
_logger = logging.getLogger("jupyter_colophon.namespaces")


@dataclass(slots=True)
class NamespaceDeleter:
    """Deletes namespaces on one thread, which runs while there is something to remove."""

    provider: StorageProvider
    write_path: WritePath
    #: The event files of streams; None if events are not stored.
    events: EventFiles | None = None
    #: The files of system applications; None if this process has none.
    app_files: AppFileFolder | None = None
    #: Returns the stores of secrets; None if this process has none.
    get_secret_stores: Callable[[], SecretStores] | None = None
    #: Removes content of a namespace outside the catalog: instances of schemaspaces.
    remove_external: Callable[[str, Principal], None] = lambda name, principal: None
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first deletion."""
        self._worker = Worker(
            "colophon-namespaces",
            self._delete_content_of_deleted_namespaces,
            _logger,
            "clearing deleted namespaces",
            unavailable=(StorageError,),
        )

    def delete_namespace_and_content_in_background(self, name: str, principal: Principal) -> None:
        """Delete a namespace and its content; it is invisible when this returns. Raises NotFound, AccessDenied."""
        self.write_path.start_namespace_deletion(name, principal)
        self.start_or_resume_deletions()

    def delete_remaining_content_now(self, name: str) -> None:
        """Remove all remaining content of a deleted namespace, so that it can be created again. Raises StorageError."""
        while not self._delete_next_content_of_namespace(name):
            pass

    def remove_content_outside_catalog(self, name: str, principal: Principal) -> None:
        """Remove content outside the catalog of a namespace that was empty when deleted. Raises StorageError."""
        self.remove_external(name, principal)
        if self.events is not None:
            self.events.remove_events_of_namespace(name)

    def start_or_resume_deletions(self) -> None:
        """Continue deletions of any process; the thread ends after the last one."""
        if self.provider.tx_runner.run(list_namespaces_being_deleted, read_only=True):
            self._worker.wake()
            self._worker.start()

    def stop_thread(self) -> None:
        """Stop; another process continues the deletions."""
        self._worker.close()

    def _delete_next_content_of_namespace(self, name: str) -> bool:
        """Remove some of a deleted namespace; True when nothing is left. Its files are removed first."""

        def read_ending_generation(tx: TableContext) -> int | None:
            return read_generation(tx, name) if is_namespace_being_deleted(tx, name) else None

        generation = self.provider.tx_runner.run(read_ending_generation, read_only=True)
        if generation is not None and self.events is not None:
            self.events.remove_events_of_namespace(name)
        if generation is not None and self.app_files is not None:
            # Files of a namespace that another process creates now are of a later generation.
            self.app_files.remove_generations(name, generation)
        if generation is not None and self.get_secret_stores is not None:
            self._delete_values_of_secrets(name, generation)
        return self.write_path.delete_next_content_of_namespace(name, _PRINCIPAL)

    def _delete_values_of_secrets(self, name: str, generation: int) -> None:
        references = self.provider.tx_runner.run(lambda tx: list_references_until(tx, name, generation), read_only=True)
        if references and self.get_secret_stores is not None:
            stores = self.get_secret_stores()
            for reference in references:
                stores.delete_secret(reference)

    def _delete_content_of_deleted_namespaces(self) -> float:
        while not self._worker.is_stopped and (
            names := self.provider.tx_runner.run(list_namespaces_being_deleted, read_only=True)
        ):
            for name in sorted(names):
                self._delete_next_content_of_namespace(name)
        return Worker.DONE
