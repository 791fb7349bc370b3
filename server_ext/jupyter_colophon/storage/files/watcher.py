"""Noticing what others do to the files: editors, Elyra, git, other servers (spec INST-11)."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_colophon.storage.files.filenames import name_of
from jupyter_colophon.storage.files.network import is_on_network
from jupyter_colophon.storage.files.snapshot import Look, Seen, compare, look
from jupyter_colophon.storage.files.symlinks import SWAPPED

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

#: How often folders are looked for that are new, gone or made again, and how often all is looked at where nobody tells.
TICK_S = 0.5
#: How often all is looked at where the operating system tells, in case that it did not.
SURE_S = 60.0
#: What happens within this time (ms) of the last change is told with it, but no change waits longer than the second.
_STEP_MS, _DEBOUNCE_MS = 100, 300
#: Where nobody tells, looking takes at most this part of the time.
_SHARE = 0.05

_log = logging.getLogger(__name__)

Told = Callable[[Seen], None]


class _Space:
    """A schemaspace that is watched, as it was seen last."""

    def __init__(self, name: str, folders: Sequence[Path]) -> None:
        self.name, self.folders = name, tuple(folders)
        self.is_polled = any(is_on_network(folder) for folder in folders)
        self.known: dict[str, Look] = look(self.folders)
        self.due = 0.0

    def look_again(self, names: Iterable[str] | None = None) -> Seen:
        """What happened to these names, or to all, since the last look."""
        begun = time.monotonic()
        asked = None if names is None else set(names)
        before = self.known if asked is None else {name: self.known[name] for name in asked & self.known.keys()}
        after = look(self.folders, asked)
        if asked is None:
            self.known = after
        else:
            # Of many files few change at a time.
            for name in before.keys() - after.keys():
                del self.known[name]
            self.known.update(after)
        if asked is None:
            took = time.monotonic() - begun
            self.due = begun + (max(TICK_S, took / _SHARE) if self.is_polled else SURE_S)
        return compare(self.name, before, after)


class FileWatch:
    """A thread that tells which instances were created, changed and deleted, usually within half a second.

    It is told by the operating system, and by that alone on ordinary days. On network file systems, and where the
    system cannot tell, it looks for itself; also once a minute everywhere. Folders may come, go and come again. Our
    own saves are told like everyone's.
    """

    def __init__(self, told: Told, *, polling: bool = False) -> None:
        """`told` is called in the thread of the watch, never twice at once; what it raises is logged. With `polling`
        the operating system is not asked."""
        self._told, self._polling = told, polling
        self._spaces: dict[str, _Space] = {}
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._notify: RustNotify | None = None
        #: None where it must be done anew.
        self._armed: dict[str, tuple[int, int]] | None = None
        #: Folders of links, where what is behind them was changed at once.
        self._swapped: set[str] = set()
        self._thread: threading.Thread | None = None

    def add(self, space: str, folders: Sequence[Path]) -> None:
        """Watch a schemaspace too, or with other folders. What is there already is not told."""
        added = _Space(space, folders)
        added.is_polled = added.is_polled or self._polling
        with self._lock:
            self._spaces[space] = added

    def start(self) -> None:
        """Begin to watch, in a thread of its own."""
        with self._lock:
            # Who closes meanwhile finds it started, or not at all.
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="colophon-files", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop; nothing is told afterwards."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._turn()
        finally:
            self._disarm()

    def _turn(self) -> None:
        """One look round: arm anew where folders came or went, wait for what is told, look at what is due."""
        spaces = self._now()
        folders = self._folders(spaces)
        if folders != self._armed:
            self._arm(folders)
            # Only now: what happens from here on is told.
            self._look(spaces, None)
        self._swapped.clear()
        touched = self._wait()
        for space in spaces:
            if space.due <= time.monotonic() or any(str(folder) in self._swapped for folder in space.folders):
                self._look([space], None)
            elif any(str(folder) in touched for folder in space.folders):
                self._look([space], {name for folder in space.folders for name in touched.get(str(folder), ())})

    def _now(self) -> list[_Space]:
        with self._lock:
            return list(self._spaces.values())

    def _look(self, spaces: Iterable[_Space], names: set[str] | None) -> None:
        for space in spaces:
            seen = space.look_again(names)
            if seen.names and not self._stop.is_set():
                try:
                    self._told(seen)
                except Exception:  # noqa: BLE001 - whatever a listener does, the watch goes on
                    _log.exception("A change of the files of %s could not be taken in", space.name)

    def _folders(self, spaces: Iterable[_Space]) -> dict[str, tuple[int, int]]:
        """The folders that exist and that the operating system is asked about, each with what tells it from another
        one of its name."""
        found = {}
        for space in spaces:
            for folder in space.folders if not space.is_polled else ():
                try:
                    status = os.stat(folder)
                except OSError:
                    continue
                found[str(folder)] = (status.st_dev, status.st_ino)
        return found

    def _arm(self, folders: dict[str, tuple[int, int]]) -> None:
        self._disarm()
        self._armed = folders
        if not folders:
            return
        try:
            from watchfiles._rust_notify import RustNotify

            self._notify = RustNotify(list(folders), False, False, 0, False, True)
        except FileNotFoundError:
            self._armed = None  # One went just now: the next turn sees it.
        except (ImportError, OSError, RuntimeError) as error:
            _log.warning("The files are looked at every %s s, as the system does not tell: %s", TICK_S, error)
            self._polling = True
            for space in self._now():
                space.is_polled, space.due = True, 0.0

    def _disarm(self) -> None:
        if self._notify is not None:
            self._notify.close()
        self._notify, self._armed = None, None

    def _wait(self) -> dict[str, set[str]]:
        """Wait for a tick, or for what is told: the names of instances by folder."""
        if self._notify is None:
            self._stop.wait(TICK_S)
            return {}
        told = self._notify.watch(_DEBOUNCE_MS, _STEP_MS, int(TICK_S * 1_000), self._stop)
        if isinstance(told, str):
            return {}
        if any(path in (self._armed or ()) for _, path in told):
            self._armed = None  # A folder itself went, perhaps to come again under its old number: arm anew.
        touched: dict[str, set[str]] = {}
        for _, path in told:
            folder, _, file = path.rpartition(os.sep)
            if file == SWAPPED:
                self._swapped.add(folder)
            name = name_of(file)
            if name is not None:
                touched.setdefault(folder, set()).add(name)
        return touched
