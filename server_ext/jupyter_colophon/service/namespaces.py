"""Deleting a namespace with everything in it: gone at once, taken away in the background (spec WRITE-15).

Nothing can be written in the namespace meanwhile, and it can be made anew when nothing of it is left. So no reader
ever sees an old row under a new namespace, and nothing new is ever taken for old.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.ending import ending, is_ending
from jupyter_colophon.storage.events import EventFiles
from jupyter_colophon.storage.spi import StorageProvider

#: Whoever goes on with a deletion; the one who asked for it is told in the namespace's own change.
_PRINCIPAL = Principal("colophon")
#: After a store that was away, so many seconds pass before the next try.
_PAUSE_S = 5.0
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
    _ended: threading.Event = field(default_factory=threading.Event)
    _starting: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None

    def delete(self, name: str, principal: Principal) -> None:
        """End a namespace and everything in it. Raises Absent, AccessDenied; returns when it is gone for everybody."""
        self.write_path.end_namespace(name, principal)
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
        """Go on with what was begun, by whomever; ends by itself."""
        with self._starting:
            if self._ended.is_set() or (self._thread is not None and self._thread.is_alive()):
                return
            if not self.provider.tx_runner.run(ending, read_only=True):
                return
            self._thread = threading.Thread(target=self._clear_all, name="colophon-namespaces", daemon=True)
            # An interpreter that is ending starts no thread any more; the next process goes on.
            with suppress(RuntimeError):
                self._thread.start()

    def close(self) -> None:
        """Stop; what is left is taken away by the next process."""
        self._ended.set()
        with self._starting:
            thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(timeout=5)

    def _clear_some(self, name: str) -> bool:
        """Remove some of a deleted namespace; True when nothing is left. Its files are removed first."""
        if self.events is not None and self.provider.tx_runner.run(lambda tx: is_ending(tx, name), read_only=True):
            self.events.remove_namespace(name)
        return self.write_path.clear_namespace(name, _PRINCIPAL)

    def _clear_all(self) -> None:
        while not self._ended.is_set():
            try:
                names = self.provider.tx_runner.run(ending, read_only=True)
                if not names:
                    return
                for name in sorted(names):
                    self._clear_some(name)
            except StorageError as error:
                _logger.warning("a deleted namespace could not be cleared: %s", error.detail)
                self._ended.wait(_PAUSE_S)
