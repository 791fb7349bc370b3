"""Sealing the change log: after the writes, on a thread of its own, a few seconds late at most (storage/chain.py)."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage import chain
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How long after a write its change is sealed, together with those that came meanwhile, in seconds.
PAUSE_S = 2.0
_logger = logging.getLogger("jupyter_colophon.sealing")


def seal(provider: StorageProvider, key: bytes, now: Callable[[], int]) -> None:
    """Seal every change that is not sealed yet. Safe beside other processes that do the same. Raises StorageError."""
    # What is sealed is read and hashed before the transaction that writes: nobody waits for that.
    while found := provider.tx_runner.run(lambda tx: chain.due(tx, key, now()), read_only=True):
        after, one = found

        def work(tx: TableContext, after: int = after, one: chain.Seal = one) -> None:
            chain.add(tx, after, one)

        provider.tx_runner.run(work)


@dataclass(slots=True)
class Sealer:
    """Seals what this process writes."""

    provider: StorageProvider
    key: bytes
    now: Callable[[], int]
    _woken: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)
    _starting: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None

    def wake(self) -> None:
        """Something was committed by this process."""
        if not self._woken.is_set():
            self._woken.set()
            self._start()

    def close(self) -> None:
        """Seal what is left, and end the thread."""
        self._ended.set()
        with self._starting:
            thread = self._thread
        if thread is not None:
            self._woken.set()
            thread.join(timeout=5)
        elif self._woken.is_set():
            self._seal()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None and not self._ended.is_set():
                thread = threading.Thread(target=self._seal_on, name="colophon-sealer", daemon=True)
                # An interpreter that is ending starts no thread any more; then `close` seals.
                with suppress(RuntimeError):
                    thread.start()
                    self._thread = thread

    def _seal_on(self) -> None:
        ending = False
        while not ending:
            self._woken.wait()
            ending = self._ended.wait(PAUSE_S)
            self._woken.clear()
            self._seal()

    def _seal(self) -> None:
        try:
            seal(self.provider, self.key, self.now)
        except StorageError as error:
            # Nothing is lost: the next write, or `jupyter colophon verify`, seals these changes too.
            _logger.warning("the change log could not be sealed: %s", error.detail)
