"""Making the change log shorter, and its chain begin anew (spec MODEL-15)."""

from collections.abc import Callable

from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.changes.sealing import seal
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import StorageProvider

#: About how many changes one transaction removes, so that nobody waits long for it.
_AT_ONCE = 5_000
_DAY_MS = 86_400_000


def compact(provider: StorageProvider, key: bytes, now: Callable[[], int], days: int, progress: Progress) -> int:
    """Remove changes that are older than so many days; returns how many. With 0 days, all are kept.

    Changes go in whole seals and from the beginning; the newest always stays. Raises StorageError.
    """
    seal(provider, key, now)
    if days == 0:
        return 0
    before, removed = now() - days * _DAY_MS, 0
    while gone := provider.tx_runner.run(lambda tx: signed_chain.shorten(tx, key, before, _AT_ONCE)):
        removed += gone
        progress("change log", removed)
    return removed
