"""Record external edits of instance files as changes: at the start, while running, and after the catalog was unavailable."""

import logging
from collections.abc import Callable, Iterable

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.instances.stores.file_store import RECORD_BATCH, FileInstanceStore
from jupyter_colophon.storage.files.snapshot import InstanceChanges
from jupyter_colophon.storage.files.watcher import InstanceFileWatcher
from jupyter_colophon.system.worker import Worker

#: How often recording is retried, in seconds.
RETRY_S = 5.0
#: The pause between batches, in seconds, to let others write.
_REST_S = 0.02
_logger = logging.getLogger(__name__)


class ExternalEditRecorder:
    """A thread that records external edits. Reads record an instance themselves, and need not wait for it."""

    def __init__(self, stores: Callable[[], Iterable[FileInstanceStore]]) -> None:
        """`stores` loads the schemaspaces: it is called in the thread."""
        self._find = stores
        self._stores: dict[str, FileInstanceStore] | None = None
        #: The schemaspaces that may have unrecorded edits.
        self._pending_spaces: set[str] = set()
        self._watch = InstanceFileWatcher(self._mark_changed_for_recording)
        self._worker = Worker(
            "colophon-outside", self._record_pending_spaces, _logger, "external edits of instances", idle_s=RETRY_S
        )

    def start_thread(self) -> None:
        """Start the thread."""
        self._worker.start()

    def stop_thread(self) -> None:
        """Stop; unrecorded edits are found at the next start."""
        self._worker.stop()
        self._watch.stop_thread()
        self._worker.join(5)

    def _record_pending_spaces(self) -> None:
        stores = self._stores
        if stores is None:
            stores = self._watch_folders_and_list_stores()
        self._pending_spaces |= {space for space, store in stores.items() if store.list_unrecorded_saves()}
        self._pending_spaces = {
            space for space in self._pending_spaces if not self._record_outdated_files_of_store(stores[space])
        }

    def _watch_folders_and_list_stores(self) -> dict[str, FileInstanceStore]:
        """Watch the folders of all schemaspaces, and mark each for recording."""
        stores = {store.space: store for store in self._find()}
        for store in stores.values():
            # Start watching first, so that no edit is missed while existing files are recorded.
            self._watch.watch_schemaspace(store.space, store.files.folders)
        self._stores, self._pending_spaces = stores, set(stores)
        if not self._worker.is_stopped:
            self._watch.start_thread()
        return stores

    def _record_outdated_files_of_store(self, store: FileInstanceStore) -> bool:
        """Record a schemaspace's files; return whether all are recorded."""
        try:
            names = store.list_names_with_outdated_record()
        except MetadataError:
            return False
        if names is None:
            return False
        for start in range(0, len(names), RECORD_BATCH):
            if self._worker.is_stopped:
                return True
            part = names[start : start + RECORD_BATCH]
            done = store.create_records_of_new_files(part)
            store.record_current_state_of_files(*(name for name in part if name not in done))
            self._worker.wait_unless_stopped(_REST_S)
        return True

    def _mark_changed_for_recording(self, changes: InstanceChanges) -> None:
        store = (self._stores or {}).get(changes.space)
        if store is not None:
            store.record_current_state_of_files(
                *sorted(name for name in changes.names if not store.files.was_saved_by_this_process(name))
            )
