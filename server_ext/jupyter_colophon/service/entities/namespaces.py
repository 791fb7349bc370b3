"""Deleting a namespace with everything in it: gone at once, taken away in the background (spec WRITE-15).

Nothing can be written in the namespace meanwhile, and it can be made anew when nothing of it is left. So no reader
ever sees an old row under a new namespace, and nothing new is ever taken for old.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes.stream_files import EventFiles
from jupyter_colophon.storage.entities.deleting_namespaces import ending, is_ending
from jupyter_colophon.storage.spi import StorageProvider
from jupyter_colophon.system.worker import Worker

#: Whoever goes on with a deletion; the one who asked for it is told in the namespace's own change.
_PRINCIPAL = Principal("colophon")
_logger = logging.getLogger("jupyter_colophon.namespaces")


@dataclass(slots=True)
class Namespaces:
    """Deletes namespaces; one thread, which lives as long as there is something to take away."""

    provider: StorageProvider
    write_path: WritePath
    #: Where the events of streams are; None where they are not stored.
    events: EventFiles | None = None
    #: Removes what is kept of a namespace beside the catalog: instances of schemaspaces.
    remove_beside: Callable[[str, Principal], None] = lambda name, principal: None
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first deletion."""
        self._worker = Worker(
            "colophon-namespaces", self._clear_all, _logger, "clearing deleted namespaces", unavailable=(StorageError,)
        )

    def delete(self, name: str, principal: Principal) -> None:
        """End a namespace and everything in it. Raises NotFound, AccessDenied; returns when it is gone for everybody."""
        self.write_path.delete_namespace(name, principal)
        self.resume()

    def clear(self, name: str) -> None:
        """Take away what a deleted namespace still holds, so that it can be made anew. Raises StorageError."""
        while not self._clear_some(name):
            pass

    def remove_files(self, name: str, principal: Principal) -> None:
        """Remove what is kept outside the catalog of a namespace that was deleted when it was empty. Raises StorageError."""
        self.remove_beside(name, principal)
        if self.events is not None:
            self.events.remove_namespace(name)

    def resume(self) -> None:
        """Continue the deletions that any process began; the thread ends with the last of them."""
        if self.provider.tx_runner.run(ending, read_only=True):
            self._worker.wake()
            self._worker.start()

    def close(self) -> None:
        """Stop; the next process deletes what is left."""
        self._worker.close()

    def _clear_some(self, name: str) -> bool:
        """Remove some of a deleted namespace; True when nothing is left. Its files are removed first."""
        if self.events is not None and self.provider.tx_runner.run(lambda tx: is_ending(tx, name), read_only=True):
            self.events.remove_namespace(name)
        return self.write_path.clear_namespace(name, _PRINCIPAL)

    def _clear_all(self) -> float:
        while not self._worker.is_stopped and (names := self.provider.tx_runner.run(ending, read_only=True)):
            for name in sorted(names):
                self._clear_some(name)
        return Worker.DONE
