"""The background thread that sends the outbox of this process, and orphaned outbox files of earlier processes."""

import atexit
import logging
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_colophon.client.programs.inbox import wait_until_processed
from jupyter_colophon.client.programs.outbox import (
    OutboxEntry,
    OutboxFile,
    claim_orphaned_files,
    find_outbox_folder,
    is_same_server,
    list_outbox_files,
)
from jupyter_colophon.client.programs.outbox_delivery import OutboxDelivery, describe_entry_without_values
from jupyter_colophon.system.worker import Backoff, LoggedOutage, Worker

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.client.transport import ServerAddress

#: Seconds between two attempts while the server is unavailable: doubled from the first to the last.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
#: How long a process waits at exit for its last entries to arrive; the rest stays in the outbox.
SHUTDOWN_TIMEOUT_S = 2.0
#: Interval between two checks for orphaned files, in seconds.
ORPHAN_CHECK_S = 30.0
_logger = logging.getLogger("jupyter_colophon.programs")


class _NotSent(Exception):
    """The server is unavailable, or does not accept the token."""


class OutboxSender:
    """Sends the outbox of one process to one server; without a server it only stores. Thread-safe."""

    def __init__(self, server: "ServerAddress | None", folder: Path, *, sends_orphaned: bool = True) -> None:
        """Create a sender; `sends_orphaned`: it also sends the files of processes that have ended."""
        self._server, self._folder, self._sends_orphaned = server, folder, sends_orphaned
        self._url = server.url if server is not None else ""
        self._changed = threading.Condition()
        self._file: OutboxFile | None = None
        self._catalog: Operations | None = None
        self._delivery: OutboxDelivery | None = None
        self._dropped_entries = self._failures = 0
        self._next_orphan_check = 0.0
        #: The newest inbox entry that is known to be processed.
        self._processed = ""
        self._worker = Worker(
            "colophon-outbox",
            self._send_all_files,
            _logger,
            "sending the outbox",
            backoff=Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S),
            unavailable=(_NotSent,),
            outage=LoggedOutage(_logger, "the server", logging.INFO),
            finish=self._close_catalog,
        )

    @property
    def pending_count(self) -> int:
        """Return the number of entries that the server has not received."""
        return len(self._file) if self._file is not None else 0

    @property
    def dropped_count(self) -> int:
        """Return the number of entries that were refused or could not be stored."""
        return self._dropped_entries + (self._delivery.dropped if self._delivery is not None else 0)

    @property
    def newest_inbox_entry(self) -> str:
        """Return the newest inbox entry on the server created by this process; empty if there is none."""
        return self._delivery.entry if self._delivery is not None else ""

    def store_and_send_later(self, entry: OutboxEntry) -> None:
        """Store an entry and send it in the background. Never raises, and never waits for the server."""
        with self._changed:
            try:
                if self._file is None:
                    self._file = OutboxFile.create(self._folder, self._url)
                self._file.append_entry(entry)
            except OSError as error:
                self._dropped_entries += 1
                _logger.warning(
                    "dropped %s: it could not be stored (%s)", describe_entry_without_values(entry), error.strerror
                )
                return
        self._worker.wake(ends_backoff=False)
        self._start_worker()

    def send_orphaned(self) -> None:
        """Send the files of earlier processes in the background, if there are any."""
        if list_outbox_files(self._folder):
            self._start_worker()

    def flush(self, timeout_s: float) -> int:
        """Wait until everything is sent, `timeout_s` is over, or an attempt failed; return the number of pending entries."""
        with self._changed:
            failures = self._failures
            self._worker.wake()
            if self._worker.is_alive:
                self._changed.wait_for(lambda: not self.pending_count or self._failures > failures, timeout_s)
        return self.pending_count

    def wait_until_applied(self, catalog: "Operations", deadline: float) -> bool:
        """Wait until the server has applied what it received, or until `deadline`; return whether it has."""
        entry = self.newest_inbox_entry
        if entry != self._processed and wait_until_processed(catalog, entry, deadline):
            self._processed = entry
        return entry == self._processed

    def close(self) -> None:
        """Send pending entries within a short time at exit; the rest stays in the outbox."""
        self.flush(SHUTDOWN_TIMEOUT_S)
        self._worker.close(SHUTDOWN_TIMEOUT_S)
        # A thread that still waits for the server ends with the process, which releases the file.
        if self._file is not None and not self._worker.is_alive:
            self._file.release_or_remove()
            self._file = None

    def _start_worker(self) -> None:
        if self._server is not None:
            self._worker.start()

    def _send_all_files(self) -> None:
        """Send the files of earlier processes, then our own. Raises _NotSent."""
        if self._delivery is None:
            # Imported late: a process that never emits needs no HTTP client.
            from jupyter_colophon.client.operations import Operations
            from jupyter_colophon.client.transport import Transport

            assert self._server is not None  # noqa: S101  nothing starts the thread without one
            self._catalog = Operations(Transport(self._server))
            self._delivery = OutboxDelivery(self._catalog)
        is_complete = self._send_orphaned(self._delivery) and (
            self._file is None or self._send_file(self._delivery, self._file)
        )
        with self._changed:
            self._failures += not is_complete
            self._changed.notify_all()
        if not is_complete:
            if self._file is not None:
                self._file.sync_to_disk()
            raise _NotSent(self._delivery.error)

    def _close_catalog(self) -> None:
        if self._catalog is not None:
            self._catalog.close()

    def _send_orphaned(self, delivery: OutboxDelivery) -> bool:
        """Send the files of earlier processes; return whether the server received all of them."""
        if not self._sends_orphaned or time.monotonic() < self._next_orphan_check:
            return True
        for file in claim_orphaned_files(self._folder):
            try:
                if is_same_server(file.server, self._url) and not self._send_file(delivery, file):
                    return False
            finally:
                file.release_or_remove()
        self._next_orphan_check = time.monotonic() + ORPHAN_CHECK_S
        return True

    def _send_file(self, delivery: OutboxDelivery, file: OutboxFile) -> bool:
        return delivery.send_pending_entries(file, lambda: not self._worker.is_stopped)


_senders: dict[tuple[int, str, str, Path], OutboxSender] = {}
_create_lock = threading.Lock()


class DiscardingSender(OutboxSender):
    """Discards everything, for a dry run."""

    def __init__(self) -> None:
        super().__init__(None, Path())

    def store_and_send_later(self, entry: OutboxEntry) -> None:
        """Discard the entry."""


class StoringSender(OutboxSender):
    """Stores everything for another process, which sends it once this one has ended."""

    def _start_worker(self) -> None:
        """Start no thread."""


def get_or_create_outbox_sender(server: "ServerAddress | None") -> OutboxSender:
    """Return the sender of this process for a server. A forked child has its own."""
    folder = find_outbox_folder()
    key = (os.getpid(), server.url if server else "", server.token if server else "", folder)
    with _create_lock:
        if key not in _senders:
            _senders[key] = OutboxSender(server, folder)
            if len([item for item in _senders if item[0] == key[0]]) == 1:
                atexit.register(_close_senders_of_process, os.getpid())
        return _senders[key]


def send_program_changes_and_wait(server: "ServerAddress", catalog: "Operations", timeout_s: float) -> bool:
    """Send what the programs of this process emitted to a server, and wait until it is applied; return whether it is."""
    deadline = time.monotonic() + timeout_s
    own = [item for key, item in list(_senders.items()) if key[:2] == (os.getpid(), server.url)]
    return all(
        not item.flush(max(deadline - time.monotonic(), 0)) and item.wait_until_applied(catalog, deadline)
        for item in own
    )


def _close_senders_of_process(process: int) -> None:
    # A forked child inherits the functions but not the threads: only close the senders of this process.
    if process == os.getpid():
        for key, sender in list(_senders.items()):
            if key[0] == process:
                sender.close()
