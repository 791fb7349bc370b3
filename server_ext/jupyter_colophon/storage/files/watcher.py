"""Watch instance files for changes by others: editors, Elyra, git, other servers (spec INST-11)."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_colophon.storage.files.filenames import get_instance_name_of_file
from jupyter_colophon.storage.files.network import is_on_network_file_system
from jupyter_colophon.storage.files.snapshot import FileState, InstanceChanges, compare_snapshots, read_file_states
from jupyter_colophon.storage.files.symlinks import SWAPPED

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

#: The interval for noticing new, deleted and recreated folders, and for polling without notifications.
TICK_S = 0.5
#: The interval of a full scan in spite of notifications, in case one was lost.
SURE_S = 60.0
#: Changes within the first time (ms) are reported together, but no change waits longer than the second.
_STEP_MS, _DEBOUNCE_MS = 100, 300
#: The largest share of the time that polling may take.
_SHARE = 0.05

_log = logging.getLogger(__name__)

Listener = Callable[[InstanceChanges], None]


class _WatchedSpace:
    """A watched schemaspace and its last scan."""

    def __init__(self, name: str, folders: Sequence[Path]) -> None:
        self.name, self.folders = name, tuple(folders)
        self.is_polled = any(is_on_network_file_system(folder) for folder in folders)
        self.known: dict[str, FileState] = read_file_states(self.folders)
        self.due = 0.0

    def scan_and_return_changes(self, names: Iterable[str] | None = None) -> InstanceChanges:
        """Return the changes to these names, or to all, since the last scan."""
        started = time.monotonic()
        selected = None if names is None else set(names)
        before = self.known if selected is None else {name: self.known[name] for name in selected & self.known.keys()}
        after = read_file_states(self.folders, selected)
        if selected is None:
            self.known = after
        else:
            # Update in place: few of many files change at a time.
            for name in before.keys() - after.keys():
                del self.known[name]
            self.known.update(after)
        if selected is None:
            took = time.monotonic() - started
            self.due = started + (max(TICK_S, took / _SHARE) if self.is_polled else SURE_S)
        return compare_snapshots(self.name, before, after)


class InstanceFileWatcher:
    """A thread that reports which instances were created, changed and deleted, usually within half a second.

    It relies on notifications of the operating system, and scans everything once a minute in case one was lost. On
    network file systems, and if notifications are unavailable, it polls. Folders may be deleted and created again.
    Our own saves are reported as well.
    """

    def __init__(self, listener: Listener, *, polling: bool = False) -> None:
        """Create the watch without starting it.

        `listener` is called in the thread of the watch, one call at a time; its exceptions are logged. With
        `polling` no notifications are used.
        """
        self._listener, self._polling = listener, polling
        self._spaces: dict[str, _WatchedSpace] = {}
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._notify: RustNotify | None = None
        #: The watched folders; None if they must be registered again.
        self._armed: dict[str, tuple[int, int]] | None = None
        #: Folders of links whose targets were replaced together.
        self._swapped: set[str] = set()
        self._thread: threading.Thread | None = None

    def watch_schemaspace(self, space: str, folders: Sequence[Path]) -> None:
        """Watch a schemaspace, or change its folders. Existing instances are not reported."""
        added = _WatchedSpace(space, folders)
        added.is_polled = added.is_polled or self._polling
        with self._lock:
            self._spaces[space] = added

    def start_thread(self) -> None:
        """Start watching in a thread."""
        with self._lock:
            # A concurrent close finds the thread either started or absent.
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run_until_closed, name="colophon-files", daemon=True)
                self._thread.start()

    def stop_thread(self) -> None:
        """Stop; nothing is reported afterwards."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run_until_closed(self) -> None:
        try:
            while not self._stop.is_set():
                self._wait_and_scan_changed()
        finally:
            self._stop_folder_notifications()

    def _wait_and_scan_changed(self) -> None:
        """Register folders that changed, wait for notifications, and scan what is due."""
        spaces = self._list_spaces()
        folders = self._find_watched_folders(spaces)
        if folders != self._armed:
            self._start_folder_notifications(folders)
            # Scan after registering: later changes are notified.
            self._scan_and_report_changes(spaces, None)
        self._swapped.clear()
        touched = self._wait_for_changed_names()
        for space in spaces:
            if space.due <= time.monotonic() or any(str(folder) in self._swapped for folder in space.folders):
                self._scan_and_report_changes([space], None)
            elif any(str(folder) in touched for folder in space.folders):
                self._scan_and_report_changes(
                    [space], {name for folder in space.folders for name in touched.get(str(folder), ())}
                )

    def _list_spaces(self) -> list[_WatchedSpace]:
        with self._lock:
            return list(self._spaces.values())

    def _scan_and_report_changes(self, spaces: Iterable[_WatchedSpace], names: set[str] | None) -> None:
        for space in spaces:
            seen = space.scan_and_return_changes(names)
            if seen.names and not self._stop.is_set():
                try:
                    self._listener(seen)
                except Exception:  # noqa: BLE001 - a failing listener must not stop the watch
                    _log.exception("the changed instance files of schemaspace %s cannot be processed", space.name)

    def _find_watched_folders(self, spaces: Iterable[_WatchedSpace]) -> dict[str, tuple[int, int]]:
        """Return the existing folders that use notifications, each with its device and inode."""
        identities = {}
        for space in spaces:
            for folder in space.folders if not space.is_polled else ():
                try:
                    status = os.stat(folder)
                except OSError:
                    continue
                identities[str(folder)] = (status.st_dev, status.st_ino)
        return identities

    def _start_folder_notifications(self, folders: dict[str, tuple[int, int]]) -> None:
        self._stop_folder_notifications()
        self._armed = folders
        if not folders:
            return
        try:
            from watchfiles._rust_notify import RustNotify

            self._notify = RustNotify(list(folders), False, False, 0, False, True)
        except FileNotFoundError:
            self._armed = None  # A folder was just deleted: the next round notices.
        except (ImportError, OSError, RuntimeError) as error:
            _log.warning(
                "notifications of changed instance files are unavailable; folders are scanned every %s s: %s",
                TICK_S,
                error,
            )
            self._polling = True
            for space in self._list_spaces():
                space.is_polled, space.due = True, 0.0

    def _stop_folder_notifications(self) -> None:
        if self._notify is not None:
            self._notify.close()
        self._notify, self._armed = None, None

    def _wait_for_changed_names(self) -> dict[str, set[str]]:
        """Wait for the tick or for notifications; return the names of changed instances by folder."""
        if self._notify is None:
            self._stop.wait(TICK_S)
            return {}
        events = self._notify.watch(_DEBOUNCE_MS, _STEP_MS, int(TICK_S * 1_000), self._stop)
        if isinstance(events, str):
            return {}
        if any(path in (self._armed or ()) for _, path in events):
            self._armed = None  # A folder itself was deleted, and a new one may reuse its inode: register again.
        touched: dict[str, set[str]] = {}
        for _, path in events:
            folder, _, file = path.rpartition(os.sep)
            if file == SWAPPED:
                self._swapped.add(folder)
            name = get_instance_name_of_file(file)
            if name is not None:
                touched.setdefault(folder, set()).add(name)
        return touched
