"""Truncate the change log and restart its chain of seals (spec MODEL-15)."""

from collections.abc import Callable

from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.changes.sealing import seal_unsealed_changes
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import StorageProvider

#: The approximate number of changes removed per transaction, to keep transactions short.
_BATCH = 5_000
_DAY_MS = 86_400_000


def delete_changes_older_than_days(
    provider: StorageProvider, key: bytes, read_time_ms: Callable[[], int], days: int, progress: Progress
) -> int:
    """Remove changes older than `days`; return their number. With 0 days, all changes are kept.

    Changes are removed in whole seals, oldest first; the newest seal always stays. Raises StorageError.
    """
    seal_unsealed_changes(provider, key, read_time_ms)
    if days == 0:
        return 0
    before, removed = read_time_ms() - days * _DAY_MS, 0
    while batch_removed := provider.tx_runner.run(
        lambda tx: signed_chain.truncate_log_at_seal(tx, key, before, _BATCH)
    ):
        removed += batch_removed
        progress("change log", removed)
    return removed
