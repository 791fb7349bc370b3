"""Seal the change log on a background thread, at most a few seconds after writes (storage/changes/signed_chain.py)."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_colophon.core.changes.work_progress import WorkProgress
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import Locks, StorageProvider, TableContext
from jupyter_colophon.system.worker import Worker

#: How long after a write its change is sealed, together with later ones, in seconds.
PAUSE_S = 2.0
#: How often a server checks for changes that a process wrote without sealing them, in seconds.
IDLE_S = 30.0
_logger = logging.getLogger("jupyter_colophon.sealing")


def seal_unsealed_rows(
    provider: StorageProvider,
    key: bytes,
    now: Callable[[], int],
    log: signed_chain.SealedLog = signed_chain.CHANGE_LOG,
) -> None:
    """Seal every row that a log has now. Safe to run concurrently in several processes. Raises StorageError.

    Rows that are added meanwhile are left for the next time: otherwise each row of a busy store would get its own seal.
    """
    newest, sealed = provider.tx_runner.run(log.get_newest_number, read_only=True), 0
    # Rows are read and hashed outside the write transaction, to keep it short.
    while sealed < newest and (
        built := provider.tx_runner.run(lambda tx: signed_chain.build_next_seal(tx, key, now(), log), read_only=True)
    ):
        after, new_seal = built
        sealed = new_seal.seq

        def add_seal(tx: TableContext, after: int = after, new_seal: signed_chain.Seal = new_seal) -> None:
            signed_chain.add_seal_unless_exists(tx, after, new_seal, log)

        provider.tx_runner.run(add_seal, locks=Locks(frozenset({f"seals of {log.seals}"})))


@dataclass(slots=True)
class BackgroundSealer:
    """Seals the changes that this process writes, and those that others left unsealed."""

    provider: StorageProvider
    key: bytes
    now: Callable[[], int]
    _pending: threading.Event = field(default_factory=threading.Event)
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread; it starts with the first write, in a server at once."""
        self._worker = Worker(
            "colophon-sealer",
            self._seal_and_log_failure,
            _logger,
            "sealing the change log",
            idle_s=IDLE_S,
            settle_s=PAUSE_S,
            unavailable=(StorageError,),
            finish=self._seal_remaining_changes_and_log_failure,
        )

    def start_sealing_in_background(self) -> None:
        """Seal what other or earlier processes left unsealed, and keep checking for it."""
        self._worker.start()

    def read_progress(self, tx: TableContext) -> WorkProgress:
        """Return how many changes are not sealed, whichever process wrote them."""
        unsealed = signed_chain.measure_unsealed_rows(tx)
        return WorkProgress("seals", unsealed.count, unsealed.oldest, unsealed.sealed, self._worker.problem)

    def schedule_sealing(self) -> None:
        """Schedule sealing of what this process has committed."""
        if not self._pending.is_set():
            self._pending.set()
            self._worker.wake()
            self._worker.start()

    def seal_remaining_changes_and_stop_thread(self) -> None:
        """Seal what is left, and end the thread."""
        self._worker.close()
        # During interpreter shutdown no thread can be started.
        if not self._worker.is_alive:
            self._seal_remaining_changes_and_log_failure()

    def _seal_and_log_failure(self) -> None:
        self._pending.clear()
        try:
            seal_unsealed_rows(self.provider, self.key, self.now)
        except StorageError:
            self._pending.set()
            raise

    def _seal_remaining_changes_and_log_failure(self) -> None:
        if self._pending.is_set():
            try:
                self._seal_and_log_failure()
            except StorageError as error:
                # Nothing is lost: the next write, or `jupyter colophon verify`, seals these changes too.
                _logger.warning(
                    "the change log could not be sealed and will be sealed with the next write; no change is lost: %s",
                    error.detail,
                )
