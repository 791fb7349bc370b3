"""The thread that ships what programs of this process say, and what earlier ones left: no program ever waits for it."""

import atexit
import logging
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_colophon.client.programs.outbox import Entry, SpoolFile, default_folder, left_behind, left_in, same_place
from jupyter_colophon.client.programs.outbox_delivery import Delivery, about
from jupyter_colophon.system.worker import Backoff, LoggedOutage, Worker

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.client.transport import Server

#: Seconds between two attempts while the server is away: doubled from the first to the last.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
#: How long a process that ends waits for its last words to arrive; what does not waits in the outbox.
FAREWELL_S = 2.0
#: How often others' files are looked for while there is something to ship.
LOOK_EVERY_S = 30.0
_logger = logging.getLogger("jupyter_colophon.programs")


class _NotShipped(Exception):
    """The server is away, or does not know us."""


class Shipper:
    """Ships for one process and one server; without a server it only keeps. Thread-safe."""

    def __init__(self, server: "Server | None", folder: Path) -> None:
        self._server, self._folder = server, folder
        self._url = server.url if server is not None else ""
        self._changed = threading.Condition()
        self._file: SpoolFile | None = None
        self._catalog: Operations | None = None
        self._delivery: Delivery | None = None
        self._lost = self._failures = 0
        self._next_look = 0.0
        self._worker = Worker(
            "colophon-shipper",
            self._ship,
            _logger,
            "shipping what programs emitted",
            backoff=Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S),
            unavailable=(_NotShipped,),
            outage=LoggedOutage(_logger, "the server", logging.INFO),
            finish=self._close_catalog,
        )

    @property
    def waiting(self) -> int:
        """How much the server has not got."""
        return len(self._file) if self._file is not None else 0

    @property
    def dropped(self) -> int:
        """How much was refused, or could not be kept."""
        return self._lost + (self._delivery.dropped if self._delivery is not None else 0)

    @property
    def entry(self) -> str:
        """The newest entry of the server's inbox that this process made; empty where it made none."""
        return self._delivery.entry if self._delivery is not None else ""

    def put(self, entry: Entry) -> None:
        """Keeps an entry and ships it when that can be done. Never raises, and never waits for the server."""
        with self._changed:
            try:
                if self._file is None:
                    self._file = SpoolFile.create(self._folder, self._url)
                self._file.append(entry)
            except OSError as error:
                self._lost += 1
                _logger.warning("dropped %s: it cannot be kept (%s)", about(entry), error.strerror)
                return
        self._worker.wake(ends_backoff=False)
        self._begin()

    def look(self) -> None:
        """Ships what earlier processes left, if there is anything. Waits for nothing."""
        if left_in(self._folder):
            self._begin()

    def flush(self, timeout_s: float) -> int:
        """Waits until the server has everything, time is over, or an attempt has failed; how much still waits."""
        with self._changed:
            failures = self._failures
            self._worker.wake()
            if self._worker.is_alive:
                self._changed.wait_for(lambda: not self.waiting or self._failures > failures, timeout_s)
        return self.waiting

    def close(self) -> None:
        """The process ends: what waits is shipped if that is quick, and left in the outbox if not."""
        self.flush(FAREWELL_S)
        self._worker.close(FAREWELL_S)
        # A thread that waits for the server goes with the process, and the file is anybody's then.
        if self._file is not None and not self._worker.is_alive:
            self._file.release()
            self._file = None

    def _begin(self) -> None:
        if self._server is not None:
            self._worker.start()

    def _ship(self) -> None:
        """Ship what others left, then what is ours. Raises _NotShipped."""
        if self._delivery is None:
            # Late: whoever never emits needs no HTTP.
            from jupyter_colophon.client.operations import Operations
            from jupyter_colophon.client.transport import Transport

            assert self._server is not None  # noqa: S101  nothing starts the thread without one
            self._catalog = Operations(Transport(self._server))
            self._delivery = Delivery(self._catalog)
        is_complete = self._ship_left(self._delivery) and (
            self._file is None or self._ship_file(self._delivery, self._file)
        )
        with self._changed:
            self._failures += not is_complete
            self._changed.notify_all()
        if not is_complete:
            if self._file is not None:
                self._file.sync()
            raise _NotShipped(self._delivery.trouble)

    def _close_catalog(self) -> None:
        if self._catalog is not None:
            self._catalog.close()

    def _ship_left(self, delivery: Delivery) -> bool:
        """Ship what earlier processes left; return whether the server has all of it."""
        if time.monotonic() < self._next_look:
            return True
        for file in left_behind(self._folder):
            try:
                if same_place(file.server, self._url) and not self._ship_file(delivery, file):
                    return False
            finally:
                file.release()
        self._next_look = time.monotonic() + LOOK_EVERY_S
        return True

    def _ship_file(self, delivery: Delivery, file: SpoolFile) -> bool:
        return delivery.empty(file, lambda: not self._worker.is_stopped)


_shippers: dict[tuple[int, str, str, Path], Shipper] = {}
_making = threading.Lock()


class Nowhere(Shipper):
    """For a run that is only tried: what it says is thrown away."""

    def __init__(self) -> None:
        super().__init__(None, Path())

    def put(self, entry: Entry) -> None:
        """Forget it."""


def shipper_for(server: "Server | None") -> Shipper:
    """The one of this process for a server. A child that was forked has one of its own."""
    folder = default_folder()
    key = (os.getpid(), server.url if server else "", server.token if server else "", folder)
    with _making:
        if key not in _shippers:
            _shippers[key] = Shipper(server, folder)
            if len([one for one in _shippers if one[0] == key[0]]) == 1:
                atexit.register(_close_all, os.getpid())
        return _shippers[key]


def _close_all(process: int) -> None:
    # A forked child inherits the functions and not the threads: what is its parent's stays with that.
    if process == os.getpid():
        for key, shipper in list(_shippers.items()):
            if key[0] == process:
                shipper.close()
