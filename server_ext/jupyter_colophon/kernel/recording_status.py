"""Report to frontends whether this kernel records what its cells read and write (docs/how-to/open-metadata.md)."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

#: The comm that a frontend opens to be informed of each change of the status.
TARGET: Final = "jupyter-colophon.recording"

#: Whether the kernel records: `on`, `off` (capture is off), `away` (the server cannot be reached; reports are kept in the
#: kernel), or `disconnected` (no server is known).
RecordingState = Literal["on", "off", "away", "disconnected"]
Document = dict[str, Any]


class RecordingStatus:
    """Sends the status to the frontends that opened a comm, when it changes. Thread-safe."""

    def __init__(self, read_status: Callable[[], Document]) -> None:
        self._read_status = read_status
        self._comms: list[Any] = []
        self._sent: Document | None = None
        self._lock = threading.Lock()

    def register_target(self, shell: "InteractiveShell") -> None:
        """Accept comms of frontends; a shell without them, such as a terminal, has no status."""
        manager = getattr(getattr(shell, "kernel", None), "comm_manager", None)
        if manager is not None:
            manager.register_target(TARGET, self._add_comm)

    def unregister_target(self, shell: "InteractiveShell") -> None:
        """Send the last status and accept no more comms."""
        self.send_if_changed()
        manager = getattr(getattr(shell, "kernel", None), "comm_manager", None)
        if manager is not None:
            with suppress(KeyError):
                manager.unregister_target(TARGET, self._add_comm)

    def send_if_changed(self) -> None:
        """Send the status to all frontends if it differs from the one sent last."""
        with self._lock:
            if not self._comms:
                return
            status = self._read_status()
            if status != self._sent:
                self._sent = status
                for comm in self._comms:
                    _send(comm, status)

    def _add_comm(self, comm: Any, _open: Document) -> None:
        with self._lock:
            self._comms.append(comm)
            comm.on_close(lambda _close: self._remove_comm(comm))
            self._sent = self._read_status()
            _send(comm, self._sent)

    def _remove_comm(self, comm: Any) -> None:
        with self._lock, suppress(ValueError):
            self._comms.remove(comm)


def _send(comm: Any, status: Document) -> None:
    # A frontend that is gone must not affect a cell.
    with suppress(Exception):
        comm.send(status)
