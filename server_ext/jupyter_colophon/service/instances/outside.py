"""What others do to the files of instances becomes changes in the log: at the start, while it happens, and after the catalog was away."""

import logging
import threading
from collections.abc import Callable, Iterable

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.instances.recorded import AT_ONCE, FileInstances
from jupyter_colophon.storage.files.snapshot import Seen
from jupyter_colophon.storage.files.watching import FileWatch

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
        self._stores: dict[str, FileInstances] = {}
        self._stop = threading.Event()
        self._watch = FileWatch(self._seen)
        self._thread = threading.Thread(target=self._run, name="colophon-outside", daemon=True)

    def start(self) -> None:
        """Begin, in the background."""
        self._thread.start()

    def close(self) -> None:
        """Stop. What is still to be recorded is found at the next start."""
        self._stop.set()
        self._watch.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        try:
            self._stores = {store.space: store for store in self._find()}
            for store in self._stores.values():
                # From here on nothing is missed, so what is there can be looked at in peace.
                self._watch.add(store.space, store.files.folders)
            if not self._stop.is_set():
                self._watch.start()
            behind = set(self._stores)
            while not self._stop.is_set():
                behind = {space for space in behind if not self._caught_up(self._stores[space])}
                self._stop.wait(AGAIN_S)
                behind |= {space for space, store in self._stores.items() if store.waiting()}
        except Exception:
            _logger.exception("changes of instances' files by others are recorded only when somebody looks")

    def _caught_up(self, store: FileInstances) -> bool:
        """Whether all of a schemaspace is recorded now."""
        try:
            names = store.unsettled()
        except MetadataError:
            return False
        if names is None:
            return False
        for start in range(0, len(names), AT_ONCE):
            if self._stop.is_set():
                return True
            part = names[start : start + AT_ONCE]
            done = store.settle_new(part)
            store.settle(*(name for name in part if name not in done))
            self._stop.wait(_REST_S)
        return True

    def _seen(self, seen: Seen) -> None:
        store = self._stores.get(seen.space)
        if store is not None:
            store.settle(*sorted(name for name in seen.names if not store.files.is_our_change(name)))
