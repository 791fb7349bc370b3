"""Truncate the change log or the audit, and restart its chain of seals (spec MODEL-15)."""

from collections.abc import Callable

from jupyter_colophon.core.time_format import DAY_MS
from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage import audit_log
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import StorageProvider

#: The approximate number of changes removed per transaction, to keep transactions short.
_BATCH = 5_000


def delete_changes_older_than_days(
    provider: StorageProvider, key: bytes, read_time_ms: Callable[[], int], days: int, progress: Progress
) -> int:
    """Remove changes older than `days`; return their number. With 0 days, all changes are kept.

    Changes are removed in whole seals, oldest first; the newest seal always stays. Raises StorageError.
    """
    return _delete_rows_older_than_days(
        provider, key, read_time_ms, days, lambda removed: progress("change log", removed), signed_chain.CHANGE_LOG
    )


def delete_audit_entries_older_than_days(
    provider: StorageProvider, key: bytes, read_time_ms: Callable[[], int], days: int
) -> int:
    """Remove entries of the audit older than `days`, and names of persons of whom no entry is left.

    Return the number of entries. With 0 days, all entries are kept. Entries are removed in whole seals, oldest first;
    the newest always stays. Raises StorageError.
    """
    removed = _delete_rows_older_than_days(provider, key, read_time_ms, days, lambda removed: None, audit_log.AUDIT_LOG)
    if removed:
        provider.tx_runner.run(audit_log.delete_names_without_entries)
    return removed


def _delete_rows_older_than_days(
    provider: StorageProvider,
    key: bytes,
    read_time_ms: Callable[[], int],
    days: int,
    progress: Callable[[int], None],
    log: signed_chain.SealedLog,
) -> int:
    seal_unsealed_rows(provider, key, read_time_ms, log)
    if days == 0:
        return 0
    before, removed = read_time_ms() - days * DAY_MS, 0
    while batch_removed := provider.tx_runner.run(
        lambda tx: signed_chain.truncate_log_at_seal(tx, key, before, _BATCH, log)
    ):
        removed += batch_removed
        progress(removed)
    return removed
