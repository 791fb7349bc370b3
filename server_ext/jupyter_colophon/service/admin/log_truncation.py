"""Truncate the change log and restart its chain of seals (spec MODEL-15)."""

from collections.abc import Callable

from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.changes.sealing import seal
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import StorageProvider

#: The approximate number of changes removed per transaction, to keep transactions short.
_BATCH = 5_000
_DAY_MS = 86_400_000


def compact(provider: StorageProvider, key: bytes, now: Callable[[], int], days: int, progress: Progress) -> int:
    """Remove changes older than `days`; return their number. With 0 days, all changes are kept.

    Changes are removed in whole seals, oldest first; the newest seal always stays. Raises StorageError.
    """
    seal(provider, key, now)
    if days == 0:
        return 0
    before, removed = now() - days * _DAY_MS, 0
    while batch_removed := provider.tx_runner.run(lambda tx: signed_chain.truncate(tx, key, before, _BATCH)):
        removed += batch_removed
        progress("change log", removed)
    return removed
