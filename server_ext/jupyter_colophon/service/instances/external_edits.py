"""What others do to the files of instances becomes changes in the log: at the start, while it happens, and after the catalog was away."""

import logging
from collections.abc import Callable, Iterable

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.instances.file_store import AT_ONCE, FileInstances
from jupyter_colophon.storage.files.snapshot import Seen
from jupyter_colophon.storage.files.watcher import FileWatch
from jupyter_colophon.system.worker import Worker

#: How often what could not be recorded is tried again, in seconds.
AGAIN_S = 5.0
#: How long is rested between many that are recorded, in seconds: others want to write too.
_REST_S = 0.02
_logger = logging.getLogger(__name__)


class Outside:
    """A thread that records outside edits. Who reads an instance records it first, so nobody needs to wait for this."""

    def __init__(self, stores: Callable[[], Iterable[FileInstances]]) -> None:
        """`stores` loads the schemaspaces: it is called in the thread."""
        self._find = stores
        self._stores: dict[str, FileInstances] | None = None
        #: The schemaspaces of which something may not be recorded yet.
        self._behind: set[str] = set()
        self._watch = FileWatch(self._seen)
        self._worker = Worker("colophon-outside", self._record, _logger, "external edits of instances", idle_s=AGAIN_S)

    def start(self) -> None:
        """Begin, in the background."""
        self._worker.start()

    def close(self) -> None:
        """Stop. What is still to be recorded is found at the next start."""
        self._worker.stop()
        self._watch.close()
        self._worker.join(5)

    def _record(self) -> None:
        stores = self._stores
        if stores is None:
            stores = self._begin()
        self._behind |= {space for space, store in stores.items() if store.waiting()}
        self._behind = {space for space in self._behind if not self._caught_up(stores[space])}

    def _begin(self) -> dict[str, FileInstances]:
        """Watch the folders of all schemaspaces; each is to be recorded once."""
        stores = {store.space: store for store in self._find()}
        for store in stores.values():
            # From here on nothing is missed, so what is there can be looked at in peace.
            self._watch.add(store.space, store.files.folders)
        self._stores, self._behind = stores, set(stores)
        if not self._worker.is_stopped:
            self._watch.start()
        return stores

    def _caught_up(self, store: FileInstances) -> bool:
        """Whether all of a schemaspace is recorded now."""
        try:
            names = store.unsettled()
        except MetadataError:
            return False
        if names is None:
            return False
        for start in range(0, len(names), AT_ONCE):
            if self._worker.is_stopped:
                return True
            part = names[start : start + AT_ONCE]
            done = store.settle_new(part)
            store.settle(*(name for name in part if name not in done))
            self._worker.pause(_REST_S)
        return True

    def _seen(self, seen: Seen) -> None:
        store = (self._stores or {}).get(seen.space)
        if store is not None:
            store.settle(*sorted(name for name in seen.names if not store.files.is_our_change(name)))
