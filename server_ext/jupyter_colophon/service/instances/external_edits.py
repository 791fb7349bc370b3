"""Record external edits of instance files as changes: at the start, while running, and after the catalog was unavailable."""

import logging
from collections.abc import Callable, Iterable

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.instances.file_store import AT_ONCE, FileInstances
from jupyter_colophon.storage.files.snapshot import Seen
from jupyter_colophon.storage.files.watcher import FileWatch
from jupyter_colophon.system.worker import Worker

#: How often recording is retried, in seconds.
AGAIN_S = 5.0
#: The pause between batches, in seconds, to let others write.
_REST_S = 0.02
_logger = logging.getLogger(__name__)


class Outside:
    """A thread that records external edits. Reads record an instance themselves, and need not wait for it."""

    def __init__(self, stores: Callable[[], Iterable[FileInstances]]) -> None:
        """`stores` loads the schemaspaces: it is called in the thread."""
        self._find = stores
        self._stores: dict[str, FileInstances] | None = None
        #: The schemaspaces that may have unrecorded edits.
        self._behind: set[str] = set()
        self._watch = FileWatch(self._seen)
        self._worker = Worker("colophon-outside", self._record, _logger, "external edits of instances", idle_s=AGAIN_S)

    def start(self) -> None:
        """Start the thread."""
        self._worker.start()

    def close(self) -> None:
        """Stop; unrecorded edits are found at the next start."""
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
        """Watch the folders of all schemaspaces, and mark each for recording."""
        stores = {store.space: store for store in self._find()}
        for store in stores.values():
            # Start watching first, so that no edit is missed while existing files are recorded.
            self._watch.add(store.space, store.files.folders)
        self._stores, self._behind = stores, set(stores)
        if not self._worker.is_stopped:
            self._watch.start()
        return stores

    def _caught_up(self, store: FileInstances) -> bool:
        """Record a schemaspace's files; return whether all are recorded."""
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
